"""Renders surfaces as Python source.

The output is the text of each file in the package, by path. Nothing is written to disk.
"""
