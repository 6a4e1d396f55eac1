"""Readers and writers of arm files: one module for each format."""
