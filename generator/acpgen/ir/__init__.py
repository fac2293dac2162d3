"""The intermediate representation: frozen dataclasses, and queries about them.

`analysis` builds the representation. `emit`, `diff` and `acpdocs` read it.
"""
