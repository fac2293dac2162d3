"""Templates and their errors."""
