"""Linear models of an arm about a state or along a trajectory, from exact derivatives."""
