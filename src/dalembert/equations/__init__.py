"""Closed forms: the exact equations of motion, their structure and base parameters, printing and verification."""
