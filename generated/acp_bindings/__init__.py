# Made by acpgen 0.1.0 from templates/package/__init__.py.
# Do not edit it; make it again with acpgen.

"""Typed, lossless bindings for the Agent Client Protocol, without dependencies.

Each surface is a package of its own and is imported by name, so that only what is used is loaded:

    from acp_bindings import v1            # protocol 1, stable
    from acp_bindings import v2_unstable   # protocol 2, with what is not settled yet
"""
