"""The kit: terminals, files, permissions and saved sessions for agents and clients.

Each module is usable separately and doesn't depend on the schema's types. Each surface also has a
`kit` module, which connects these modules to the protocol's methods. Import the surface's module.

This package is never imported implicitly. The kit requires only the standard library.
"""
