"""Print conversations and verdicts."""
