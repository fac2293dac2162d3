# Made by acpgen 0.1.0 from templates/runtime/session/__init__.py.
# Do not edit it; make it again with acpgen.

"""Sessions: their state, and their turns on either side.

In: updates, and the connection of `aio`. Out: what the generated sessions extend.
"""
