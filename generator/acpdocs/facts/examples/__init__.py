"""Examples of values and messages."""
