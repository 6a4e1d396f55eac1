"""Design: ranges of inertia and gravity load, coupling, guidelines, counterbalancing, sensitivities."""
