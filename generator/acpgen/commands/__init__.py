"""The commands of `acpgen`, without their command line.

In: a command's arguments. Out: files on disk, and results as plain values for `cli` to print.
"""
