"""One self-contained page on what matters in an arm: drawing, tables, equations, figures, proofs."""
