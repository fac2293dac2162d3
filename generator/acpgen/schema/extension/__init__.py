"""The schema of an extension."""
