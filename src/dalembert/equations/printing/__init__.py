"""Pretty-printing of closed forms: a human form, and its output formats."""
