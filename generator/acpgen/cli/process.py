"""Process-level handling of output, errors and exit codes for the command line.

This module imports third-party packages only after checking that typer and rich are installed.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import traceback
from importlib.util import find_spec
from typing import NoReturn

from acpgen.commands import interruption
from acpgen.common.exit_codes import ERROR
from acpgen.common.extras import install_command

_PRINTING = ("typer", "rich")  # required by all commands
_EXTRA = "wire"  # the smallest extra that installs both packages


def run() -> None:
    """Run the command line and report output errors on one line."""
    try:
        _prepare()
        from acpgen.cli.app import app

        try:
            app()
        finally:
            sys.stdout.flush()  # a flush error at interpreter exit would print a traceback
    except BrokenPipeError:  # for example, `| head` exited
        _drop_output()
        raise SystemExit(0) from None
    except OSError as error:  # output cannot be written; commands handle all other file errors
        _drop_output()
        reason = error.strerror or error
        message = f"standard output: cannot be written ({reason}); free disk space, or redirect it"
        print(f"error[io]: {message}", file=sys.stderr)
        raise SystemExit(ERROR) from None
    except (Exception, KeyboardInterrupt) as error:
        if interruption.led_to(error):
            interruption.end()
        # Any other error is a bug. Exit code 1 isn't used, because it means `stale` or `changed`.
        traceback.print_exc()
        raise SystemExit(ERROR) from None


def _prepare() -> None:
    """Prepare the output streams, and exit if standard output is closed or a package is missing."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - open until the process exits
    if sys.stdout is None:
        message = "standard output: is closed; redirect it to a file or to /dev/null"
        print(f"error[io]: {message}", file=sys.stderr)
        raise SystemExit(ERROR)
    missing = [name for name in _PRINTING if find_spec(name) is None]
    if missing:
        end_without(" and ".join(missing), "acpgen", _EXTRA)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # escape unencodable characters
            stream.reconfigure(errors="backslashreplace")


def end_without(package: str, command: str, extra: str) -> NoReturn:
    """Exit with a message about a missing package and the extra that installs it."""
    print(f"{command} requires {package}; run {install_command(extra)}", file=sys.stderr)
    raise SystemExit(ERROR)


def _drop_output() -> None:
    """Discard buffered output so that the interpreter doesn't flush it at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
