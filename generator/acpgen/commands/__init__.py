"""The implementation of the `acpgen` commands, independent of the command line.

Commands accept arguments, write files, and return results as plain values, which `cli` prints.
"""
