"""Certified bounds of trigonometric polynomials over boxes: branch and bound on Bernstein forms. No arm in it."""
