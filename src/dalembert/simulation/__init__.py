"""Simulation: motion under torques, currents, voltages or a controller; sticking, stops and loads as events."""
