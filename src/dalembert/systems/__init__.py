"""Systems as numbers: an arm with what it carries and what drives it, on arrays of any batch shape."""
