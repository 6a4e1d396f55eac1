"""Figures of the report: drawings in SVG with their numbers beside them."""
