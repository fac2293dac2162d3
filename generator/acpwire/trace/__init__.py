"""A recorded conversation, complete or still being recorded, as data and as text.

In: a recording. `following` makes entries of its lines by `acpwire.rules`, `folding` joins chunks,
and `printing` prints them.
"""
