"""Inverse kinematics in closed form: all solutions, for arms whose geometry decomposes."""
