"""HTML of the report: the page, and the browser that prints it."""
