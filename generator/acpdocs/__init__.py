"""Generator for the reference, a static site built from the IR and the package's docstrings."""
