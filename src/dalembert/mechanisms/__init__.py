"""Transfer of generalized coordinates: closed loops, parallel, redundant and overconstrained systems."""
