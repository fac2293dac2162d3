"""The intermediate representation: frozen dataclasses, and queries about them.

`analysis` builds it. `emit`, `diff` and `reference` read it.
"""
