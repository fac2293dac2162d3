"""Decide whether a receiver accepts what a sender may send, each by its own schema."""
