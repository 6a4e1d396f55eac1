"""Systems as functional mock-up units (FMI 2.0 and 3.0): the equations as C, an event logic in C, a description."""
