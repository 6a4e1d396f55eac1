"""Files an arm comes from and goes to: one module a format."""
