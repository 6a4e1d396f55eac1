"""What was proved, as a file; and a checker that needs none of the code that proved it."""
