# Made by acpgen 0.1.0 from templates/runtime/session/__init__.py.
# Do not edit it; make it again with acpgen.

"""Sessions: their state, and their turns on both sides.

In: session updates, and a peer of `aio`. Out: the base classes of the generated sessions.
"""
