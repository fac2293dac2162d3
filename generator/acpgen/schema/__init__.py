"""Read a schema once, into nodes that answer questions about it.

document (a checked file) -> nodes (definitions and their parts) -> tags, envelopes; unread tells
what no rule reads, and pruning takes it out.
"""
