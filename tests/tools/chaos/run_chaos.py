"""Run random scenarios until the time is up or a scenario fails.

    python tests/tools/chaos/run_chaos.py --seconds 60 [--seed N] [--count N]
        [--loop asyncio|uvloop] [--kind KIND] [--version N]

The program prints how many scenarios of each kind and version passed. If a scenario fails, the
program prints a command that repeats it, and exits with status 1. The scenarios run in a separate
process, with `-X dev -W error`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

sys.path[0:0] = [str(Path(__file__).resolve().parents[3])]

from tests.tools.chaos.scenarios import KINDS, VERSIONS  # noqa: E402

DEV = ["-X", "dev", "-W", "error"]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=0, help="the number of seeds; 0: no limit")
    parser.add_argument("--loop", choices=["asyncio", "uvloop"], default="asyncio")
    parser.add_argument("--kind", choices=list(KINDS), action="append")
    parser.add_argument("--version", choices=VERSIONS, type=int, action="append")
    parser.add_argument("--work", action="store_true", help="run the scenarios in this process")
    options = parser.parse_args(arguments)
    if options.work:
        from tests.tools.chaos.worker import work

        return work(options)
    command = [sys.executable, *DEV, __file__, *arguments, "--work"]
    worker = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    if worker.stderr:
        print(f"FAILED: on standard error:\n{worker.stderr}")
        return 1
    return worker.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
