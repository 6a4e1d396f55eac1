"""Drives: rotors, transmissions, friction and motors on top of the dynamics of the links."""
