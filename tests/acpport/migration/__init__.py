"""The examples of the official SDK, rewritten, and run against the originals."""
