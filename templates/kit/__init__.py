"""The kit: terminals, files, permissions and saved sessions for agents and clients.

Each module is usable separately and doesn't depend on the schema's types. Each surface's `kit`
module connects them to the protocol's methods, so import that module.

This package is never imported implicitly. It requires only the standard library.
"""
