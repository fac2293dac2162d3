"""Rendering of surfaces to Python source.

In: surfaces. Out: the text of each file of the package, by path. Nothing is written to disk.
"""
