"""Conversion of modules from the official Python SDK to this package.

The conversion uses the results of `reading`: the parsed module and the types of the program's
variables. Code that needs a manual decision is marked with a comment. A second run changes nothing.

`rewriter` visits the syntax tree and calls `handlers`, `calls`, `connections` and `values` to
convert nodes. A `draft` collects the required names, and `imports` adds import statements for them
at the end.
"""
