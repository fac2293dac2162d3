"""The exit codes of all commands."""

FRESH = SAME = FINE = 0
STALE = 1  # `check`
CHANGED, FAILS = 1, 3  # `diff`: there are changes; at least one change fails the policy
PROBLEMS = 1  # `trace` and `conform`
ERROR = 2
INTERRUPTED = 130  # the code that shells report for a process terminated by SIGINT
