"""Edits schemas at random and holds the outcomes against the laws; see `make evolve`.

    python tests/evolution/run_evolution.py [N] [--first SEED] [--seed SEED] [--workers 2]

Prints a summary of N seeds, or all about one seed. Exit status 1 means a failure.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[0:0] = [str(TESTS), str(TESTS.parent / "generator"), str(TESTS.parent / "generated")]

from evolution.attempt import REPEAT, attempt_seed  # noqa: E402
from evolution.evolve import EDITS, evolve  # noqa: E402
from evolution.laws import Report  # noqa: E402

# The methods of a schema and its sessions are in modules of their own.
_OF_METHODS = {"method", "request", "notification", "direction", "envelopes"}


def run(seed: int) -> Report:
    """Examine a seed; the whole surface if methods were edited, and now and then."""
    words = {word for kind in evolve(seed).kinds for word in kind.split()}
    whole = seed % 10 == 0 or not words.isdisjoint(_OF_METHODS)
    return attempt_seed(seed, whole=whole, formatted=seed % 100 == 0)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", nargs="?", type=int, default=200, help="how many seeds")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seed", type=int, help="only this one, with all details")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args(arguments)
    if options.seed is not None:
        report = run(options.seed)
        show(report)
        return bool(report.failures)
    seeds = range(options.first, options.first + options.count)
    started = time.monotonic()
    with multiprocessing.Pool(options.workers, maxtasksperchild=50) as pool:
        summary = Summary(pool.imap_unordered(run, seeds))
    summary.show()
    print(f"{options.count} seeds in {time.monotonic() - started:.0f} s")
    return bool(summary.failed)


def show(report: Report) -> None:
    print(report.evolution)
    for problem in report.problems:
        print(problem.line())
    for pointer in report.unchecked:
        print(f"unchecked: {pointer}")
    for change in report.changes:
        flags = f"reads={change.reads} writes={change.writes}"
        print(f"diff: {change.subject} {change.name} {change.action}, wire {change.wire}, {flags}")
    print(f"tried: {dict(report.tried)}; undrawn: {report.undrawn}; noticed: {report.noticed}")
    print(f"breaking labels without an example: {dict(report.unproved)}")
    for failure in report.failures:
        print(f"FAILED {failure}")


class Summary:
    """Counts over many evolutions; prints each failure as it comes."""

    def __init__(self, reports: Iterable[Report]) -> None:
        self.failed: Counter[str] = Counter()
        self._outcomes: Counter[str] = Counter()
        self._kinds: Counter[str] = Counter()
        self._alone: Counter[str] = Counter()
        self._refused: Counter[str] = Counter()
        self._unnoticed: Counter[str] = Counter()
        self._problems: Counter[str] = Counter()
        self._examples: dict[str, int] = {}
        self._unchecked: Counter[str] = Counter()
        self._tried: Counter[str] = Counter()
        self._labels: Counter[str] = Counter()
        for report in reports:
            self._add(report)

    def _add(self, report: Report) -> None:
        evolution = report.evolution
        outcome = "problems" if report.problems else "package"
        outcome += " with unchecked parts" if report.unchecked else ""
        self._outcomes["failed" if report.failures else outcome] += 1
        self._kinds.update(evolution.kinds)
        self._tried.update(report.tried)
        self._labels.update(report.unproved)
        self._tried["undrawn definitions"] += len(report.undrawn)
        if len(evolution.steps) == 1:
            [kind] = evolution.kinds
            self._alone[kind] += 1
            self._refused[kind] += bool(report.problems)
            self._unnoticed[kind] += not (report.noticed or report.problems)
        for problem in report.problems:
            text = f"{problem.code}: {problem.message}"
            self._problems[text] += 1
            self._examples.setdefault(text, evolution.seed)
        self._unchecked.update(pointer.rpartition("/")[2] for pointer in report.unchecked)
        if report.failures:
            print(f"{evolution}")
            for failure in report.failures:
                self.failed[failure.partition(":")[0]] += 1
                print(f"  FAILED {failure[:600]}")
            print(f"  repeat: {REPEAT} {evolution.seed}\n", flush=True)

    def show(self) -> None:
        _table("edits (alone: refused, or unnoticed by any value)", self._rows())
        _table("unchecked, by the last part of the pointer", _counted(self._unchecked))
        problems = ((n, f"{t} (seed {self._examples[t]})") for t, n in self._problems.most_common())
        _table("problems", problems)
        _table("breaking labels without an example", _counted(self._labels))
        _table("values", _counted(self._tried))
        _table("outcomes", _counted(self._outcomes))
        _table("broken laws", _counted(self.failed))

    def _rows(self) -> Iterable[tuple[int, str]]:
        for kind in EDITS:
            alone = self._alone[kind]
            rest = f" (alone {alone}: {self._refused[kind]}, {self._unnoticed[kind]})"
            yield self._kinds[kind], kind + (rest if alone else "")


def _counted(counts: Counter[str]) -> Iterable[tuple[int, str]]:
    return ((count, text) for text, count in counts.most_common())


def _table(title: str, rows: Iterable[tuple[int, str]]) -> None:
    print(f"\n{title}")
    for count, text in rows:
        print(f"{count:8}  {text}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
