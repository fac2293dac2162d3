"""Show a recorded conversation, complete or still being recorded, as data or as text.

In: a recording. `following` turns its lines into entries by `acpwire.rules`, `folding` joins
chunks, and `printing` prints them.
"""
