"""Prints recordings, whether finished or in progress, as JSON or text.

`following` converts the recording's lines to entries by using `acpwire.rules`, `folding` joins
chunks, and `printing` prints the entries.
"""
