"""Moves programs from the official SDK to the package: sources -> `reading` (handlers, types of
values) -> `rewriting` -> new sources, with names of the package from the table in `counterparts`.
"""
