"""The intermediate representation: frozen data, and questions about it.

Build makes it; emit, diff and reference read it.
"""
