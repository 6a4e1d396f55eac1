"""From logs of a robot to its model: base parameters, friction, rotors, drive gains, and what the data cannot tell."""
