"""Rewrites a module that uses the official SDK for Python into one that uses the package.

In: a module that `reading` has read, and what is known of the variables of its program. Out:
source, in which a comment marks each place that a person has to decide. Each run finds nothing to
do in what an earlier one has written.

`rewriting` changes the tree by what `handlers`, `calls`, `connections` and `values` answer. A
`draft` collects the names that the module needs, and `imports` adds them at the end.
"""
