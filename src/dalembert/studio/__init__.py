"""The studio: a system in the browser, to look at, move, change and take away."""
