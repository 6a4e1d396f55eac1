"""The page of the report: markup that cannot be injected into, tables, numbers, the page as a whole."""
