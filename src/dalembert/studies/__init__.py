"""What do many designs of one system do? Factors, designs, outputs, runs, sensitivities, optimal designs."""
