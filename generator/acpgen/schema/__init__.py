"""Schemas, read once into nodes that can be queried.

document (a checked file) -> nodes (definitions and their parts) -> tags, envelopes. `unread` finds
the parts that no rule reads, and `pruning` removes them.
"""
