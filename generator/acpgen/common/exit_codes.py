"""The exit codes of all commands."""

FRESH = SAME = FINE = 0
STALE = 1  # of `check`
CHANGED, FAILS = 1, 3  # of `diff`: changes, and changes that fail
PROBLEMS = 1  # of `trace` and `conform`
ERROR = 2
INTERRUPTED = 130  # the code that shells report for a process ended by SIGINT
