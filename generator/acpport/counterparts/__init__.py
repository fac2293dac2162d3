"""The names of the official SDK, from a table, and the package's classes and methods."""
