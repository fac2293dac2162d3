"""Rendering of surfaces to Python source.

The input is surfaces. The output is the text of each file in the package, by path. Nothing is
written to disk.
"""
