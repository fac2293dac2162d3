"""Moving to another schema: vendoring it, what it changes, and what it asks of a person."""
