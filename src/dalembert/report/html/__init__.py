"""HTML of the report: escaped markup, tables, number formats, the page."""
