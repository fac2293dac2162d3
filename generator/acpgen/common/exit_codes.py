"""The exit codes of all commands."""

FRESH = SAME = FINE = 0
STALE = 1  # for `check`
CHANGED, FAILS = 1, 3  # for `diff`: some changes found; at least one change is rejected
PROBLEMS = 1  # for `trace` and `conform`
ERROR = 2
INTERRUPTED = 130  # the code that shells report for a process terminated by SIGINT
