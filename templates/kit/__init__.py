"""The kit: terminals, files, permissions and saved sessions for agents and clients.

Each module is one engine that is usable alone and knows no type of the schema. The module `kit` of
each surface ties them to its methods: import that one.

Nothing imports this package unasked. It needs nothing beyond the standard library.
"""
