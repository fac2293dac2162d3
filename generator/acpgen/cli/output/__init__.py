"""Print the results of commands to the terminal."""
