"""Generates the reference, a static site, from the IR and the package's docstrings."""
