"""Control: trajectories and what they ask of the drives, controllers, gains from linear models."""
