"""A program between a client and an agent, or one that lives beside the agent.

    python tree_part.py OPTIONS COMMAND...

Options, as JSON: `way`, what it does with the command (`exec`: become it; `wait`: start it, and
end as it does; `leave`: start it, and exit at once), and `helpers`, the options of processes that
it starts before: `holds`, which of the three standard descriptors it keeps open; `deaf`, whether
it ignores SIGTERM and SIGHUP; `apart`, whether it makes itself a session of its own; `forks`, how
often it leaves a child in its place; `says`, what it writes to its standard error, see `SAYINGS`;
`seconds`, how long it lives. Imports nothing but the standard library.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from typing import Any

# The standard error of helpers consists of these bytes only; the last piece may come for ever.
LETTERS = b"h\xff\r\n"
SAYINGS: dict[str, list[bytes]] = {
    "nothing": [],
    "lines": [b"hh\n", b"h\r\n", b"\n"],
    "half": [b"h\nhhh"],
    "bytes": [b"\xff\xffh\n" * 20, b"\xff"],
    "long": [b"h" * 200_000, b"\n" + b"h" * 70_000, b"\n"],
    "flood": [b"h" * 99 + b"\n"] * 5_000,
    "endless": [b"\xff" * 300 + b"\nhh"],
}


def help_out(options: dict[str, Any]) -> None:
    if options["apart"]:
        os.setsid()
    if options["deaf"]:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in {0, 1, 2} - set(options["holds"]):
        os.dup2(nothing, descriptor)
    end = time.monotonic() + options["seconds"]
    for _ in range(options["forks"]):
        if os.fork():
            return
    pieces = SAYINGS[options["says"]]
    try:
        for piece in pieces:
            os.write(2, piece)
        while options["says"] == "endless" and time.monotonic() < end:
            os.write(2, pieces[-1])
            time.sleep(0.001)
    except OSError:
        pass  # nobody reads it any more
    time.sleep(max(0.0, end - time.monotonic()))


def run_command(way: str, command: list[str]) -> None:
    if way == "exec":
        os.execvp(command[0], command)
    child = os.fork()
    if not child:
        os.execvp(command[0], command)
    if way == "wait":
        _, status = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(status)
        os._exit(128 - code if code < 0 else code)


def main(options: dict[str, Any], command: list[str]) -> None:
    for helper in options["helpers"]:
        if not os.fork():
            try:
                help_out(helper)
            finally:
                os._exit(0)
    run_command(options["way"], command)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), sys.argv[2:])
