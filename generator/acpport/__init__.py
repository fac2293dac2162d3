"""Migration of programs from the official SDK: sources -> `reading` (handlers, types of values)
-> `rewriting` -> new sources. The table in `counterparts` maps names of the SDK to this package.
"""
