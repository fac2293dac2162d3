"""What agents and clients need around messages: terminals, files, permissions, saved sessions.

Each module is one engine that is usable alone and knows no type of the schema. The module `kit` of
each surface ties them to its methods: import that one.

Nothing imports this package unasked. It needs nothing beyond the standard library.
"""
