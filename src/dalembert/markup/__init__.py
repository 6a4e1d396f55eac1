"""How a result looks in a browser: escaped HTML, number formats, tables, and what a notebook shows."""
