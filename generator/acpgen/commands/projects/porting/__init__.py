"""Rewrites a module that uses the official SDK for Python into one that uses the package.

In: a module that `reading` read, and the known types of its program's variables. Out:
source, in which a comment marks each place that a person has to decide. Each run finds nothing to
do in what an earlier one has written.

`correspondence` knows what the SDK has and what it is here. `rewriting` changes the tree by what
`handlers`, `calls`, `connections` and `values` answer; a `draft` collects what it needs, and
`imports` brings it at the end.
"""
