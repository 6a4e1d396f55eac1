"""Closed forms on paper: a human form, and the dialects it is written in."""
