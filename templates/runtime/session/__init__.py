"""Sessions: their state, and their turns on both sides.

In: session updates, and a peer of `aio`. Out: the base classes of the generated sessions.
"""
