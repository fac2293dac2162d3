"""What moving to another schema changes, and what it asks of a person."""
