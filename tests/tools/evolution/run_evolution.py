"""Edit schemas at random and check the results against the laws, as `make evolve` does.

    python tests/tools/evolution/run_evolution.py [N] [--first SEED] [--seed SEED] [--workers 2]

The program prints a summary of N seeds, or all details of one seed. If a law fails for any seed,
the program exits with status 1.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[0:0] = [str(ROOT), str(ROOT / "generator"), str(ROOT / "generated")]

from tests.tools.evolution.attempt import REPEAT, attempt_seed  # noqa: E402
from tests.tools.evolution.evolve import evolve  # noqa: E402
from tests.tools.evolution.laws import Report  # noqa: E402

# Words in the names of edits that affect methods. A reduced surface contains no methods.
_OF_METHODS = {"method", "request", "notification", "direction", "envelopes"}


def run(seed: int) -> Report:
    """Examine a seed. Build the entire surface if methods were edited, and for every tenth seed."""
    words = {word for kind in evolve(seed).kinds for word in kind.split()}
    whole = seed % 10 == 0 or not words.isdisjoint(_OF_METHODS)
    return attempt_seed(seed, whole=whole, formatted=seed % 100 == 0)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", nargs="?", type=int, default=200, help="the number of seeds")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seed", type=int, help="run only this seed, with all details")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args(arguments)
    if options.seed is not None:
        report = run(options.seed)
        show(report)
        return bool(report.failures)
    seeds = range(options.first, options.first + options.count)
    started = time.monotonic()
    with multiprocessing.Pool(options.workers, maxtasksperchild=50) as pool:
        failed = summarize(pool.imap_unordered(run, seeds))
    print(f"{options.count} seeds in {time.monotonic() - started:.0f} s")
    return failed


def show(report: Report) -> None:
    print(report.evolution)
    for problem in report.problems:
        print(problem.line())
    for pointer in report.unchecked:
        print(f"unchecked: {pointer}")
    for change in report.changes:
        flags = f"reads={change.reads} writes={change.writes}"
        print(f"diff: {change.subject} {change.name} {change.action}, wire {change.wire}, {flags}")
    print(f"tried: {dict(report.tried)}")
    for failure in report.failures:
        print(f"FAILED {failure}")


def summarize(reports: Iterable[Report]) -> bool:
    """Print failures as they occur, and counts at the end. Return whether any seed failed."""
    outcomes: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    tried: Counter[str] = Counter()
    laws: Counter[str] = Counter()
    for report in reports:
        outcome = "problems" if report.problems else "package"
        outcome += " with unchecked parts" if report.unchecked else ""
        outcomes["failed" if report.failures else outcome] += 1
        kinds.update(report.evolution.kinds)
        tried.update(report.tried)
        if report.failures:
            print(f"{report.evolution}")
            for failure in report.failures:
                laws[failure.partition(":")[0]] += 1
                print(f"  FAILED {failure[:600]}")
            print(f"  repeat: {REPEAT} {report.evolution.seed}\n", flush=True)
    tables = {"edits": kinds, "values": tried, "outcomes": outcomes, "broken laws": laws}
    for title, counts in tables.items():
        print(f"\n{title}")
        for name, count in counts.most_common():
            print(f"{count:8}  {name}")
    return bool(laws)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
