"""How surfaces differ."""
