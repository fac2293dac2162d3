"""What is done with programs that talk, and with what they have said.

`bridge` and `wrap` stand between two programs, `conform` talks with one, `trace` reads a recording.
"""
