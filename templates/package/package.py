"""Typed, lossless bindings for the Agent Client Protocol, without dependencies.

Import surfaces by name; importing one loads no other. `v1` is the stable surface of protocol 1,
`v2_unstable` is protocol 2 with its unstable parts.
"""
