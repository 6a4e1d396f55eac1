"""Closed forms: the exact equations of motion, read, printed, checked and taken apart."""
