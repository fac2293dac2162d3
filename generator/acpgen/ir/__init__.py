"""The intermediate representation: frozen dataclasses, and queries about them.

`analysis` builds the representation. `emit`, `diff` and `reference` read it.
"""
