"""Rewrites a module that uses the official SDK for Python into one that uses the package.

In: source, and the names of the handler classes of the whole program. Out: source, in which a
comment marks each place that a person has to decide. What the SDK has and what it is here comes
from `official_sdk.toml`, which the guide shows, too; what classes and methods take comes from the
generated package itself.

`names` reads the table, `surface` asks the package. `sources` knows what a module means by its
names, `survey` who calls whom in it and which variables hold values of the protocol. `rewriting`
changes the tree by what `handlers`, `calls`, `connections` and `values` answer, and
`imports` its imports at the end. Each run finds nothing to do in what an earlier one has written.
"""
