"""The intermediate representation: frozen data, and queries about it.

`analysis` builds it; emit, diff and reference read it.
"""
