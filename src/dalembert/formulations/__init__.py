"""The physics, one page each, over any ring of numbers."""
