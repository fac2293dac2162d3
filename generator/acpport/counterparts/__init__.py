"""The names of the official SDK, from a table, and their counterparts in the package."""
