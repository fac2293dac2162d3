"""Rewriting: makes a module that uses the official Python SDK use this package instead.

In: a module that `reading` read, and the known types of its program's variables. Out:
source with a comment at each place that needs a manual decision. A second run changes nothing.

`rewriter` changes the tree with the results of `handlers`, `calls`, `connections` and `values`. A
`draft` collects the needed names, and `imports` adds them at the end.
"""
