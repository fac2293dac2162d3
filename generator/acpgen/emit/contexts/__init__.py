"""What templates ask about a surface."""
