"""The exit codes of all commands."""

FRESH = SAME = FINE = 0
STALE = 1  # `check`
CHANGED, FAILS = 1, 3  # `diff`: changes; failing changes
PROBLEMS = 1  # `trace` and `conform`
ERROR = 2
INTERRUPTED = 130  # the code that shells report for a process terminated by SIGINT
