"""Output of recordings, finished or in progress, as JSON or as text.

`following` converts the recording's lines to entries by using `acpwire.rules`, `folding` joins
chunks, and `printing` prints the entries.
"""
