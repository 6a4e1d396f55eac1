"""What a number is: real, rational, trigonometric polynomial, graph node, dual."""
