"""Which joint positions bring a frame to a pose, and how well the arm moves there."""
