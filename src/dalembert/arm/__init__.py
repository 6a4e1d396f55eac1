"""What an arm is: joints, links, inertia, loads, and the files they come from."""
