"""Moves programs from the official SDK to the package: `port` reads them, and rewrites modules.

Sources -> `reading` (names, handlers, types of values) -> `rewriting` (modules with the package's
names, and comments where a decision is left), by way of `counterparts` (SDK name -> ours).
"""
