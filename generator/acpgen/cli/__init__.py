"""The command line: parses arguments, calls a command and prints its result."""
