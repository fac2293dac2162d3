"""The command line: arguments are parsed, a command is called, its result is printed."""
