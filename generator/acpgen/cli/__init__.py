"""The command line: parses arguments, calls commands and prints their results."""
