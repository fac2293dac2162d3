"""Checks on the agent's process after a client has closed the connection."""

import os


def children_left() -> bool:
    """Whether this process has children, running or dead, that were not waited for."""
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return False
    return True
