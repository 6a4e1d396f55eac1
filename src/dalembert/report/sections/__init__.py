"""The sections of the report, one file each: a function that takes results and gives a Section."""
