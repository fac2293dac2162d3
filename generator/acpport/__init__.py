"""Migration of programs from the official SDK.

`reading` finds the handlers in a program's sources and the types of its values. `rewriting`
produces the new sources. The table in `counterparts` maps SDK names to names in this package.
"""
