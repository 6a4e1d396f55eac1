"""What matters in an arm, with proof: certified ranges, significance of terms, reduced models with known error."""
