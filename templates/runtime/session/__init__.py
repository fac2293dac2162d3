"""Sessions: their state, and their turns on either side.

In: updates, and the connection of `aio`. Out: what the generated sessions extend.
"""
