"""The public face: ``Arm`` with everything it can do, and how to get one."""
