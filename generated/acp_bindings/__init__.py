# Made by acpgen 0.1.0 from templates/package/package.py.
# Do not edit it; make it again with acpgen.

"""Typed, lossless bindings for the Agent Client Protocol, without dependencies.

Each surface is a package in this one and is imported by name, so that only what is used is loaded:
`v1` is protocol 1, stable; `v2_unstable` is protocol 2, with what is not settled yet.
"""
