"""The reference: IR and the package's docstrings -> a static site."""
