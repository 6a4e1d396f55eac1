"""What a number is: real, trigonometric polynomial, graph node, dual."""
