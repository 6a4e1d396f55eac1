"""Short closed forms of single coefficients with named constants and proved errors (Bejczy 1974, Tables 3 and 4)."""
