"""The kit: terminals, files, permissions and saved sessions for agents and clients.

Each module is one engine that is usable separately and independent of the schema's types. The
module `kit` of each surface connects them to its methods: import that one.

Nothing imports this package implicitly. It requires only the standard library.
"""
