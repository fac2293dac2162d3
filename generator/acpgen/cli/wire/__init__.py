"""Commands about conversations: those that stand in one, and the one that shows it."""
