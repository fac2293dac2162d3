"""What the generated package says of itself."""
