"""A skeleton file that contains missing overlay entries as comments to fill in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from acpgen.analysis.overlay_checks import MISSING_CAPABILITY, MISSING_ENTRY, MISSING_SUMMARY
from acpgen.analysis.updates import MISSING_RULE
from acpgen.commands.disk import write_atomically
from acpgen.common.pointers import pointer_parts
from acpgen.common.problems import Problem
from acpgen.diff.bridge_rules.decisions import MISSING_DECISION

LISTED = 10  # the maximum number of problems listed for each kind
_MISSING = (MISSING_CAPABILITY, MISSING_SUMMARY, MISSING_RULE, MISSING_DECISION, MISSING_ENTRY)
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def summarise(problems: Iterable[Problem]) -> Iterator[str]:
    """Yield a summary of problems: for each kind, the number of problems and the first few."""
    code = attrgetter("code")
    for kind, group in groupby(sorted(problems, key=code), code):
        alike = list(group)
        yield f"{len(alike)} of kind {kind}"
        yield from (problem.line() for problem in alike[:LISTED])
        if len(alike) > LISTED:
            yield f"... and {len(alike) - LISTED} more"


def write_skeleton(path: Path, problems: Iterable[Problem]) -> int:
    """Write the entries that `problems` reports as missing, and return the number of entries.

    If no entries are missing, the file is removed.
    """
    missing = [problem for problem in problems if problem.code in _MISSING]
    if not missing:
        path.unlink(missing_ok=True)
        return 0
    parts: list[str] = []
    for file, problems_of_file in groupby(missing, attrgetter("file")):
        parts.append(f"# Missing in {file}: fill in, uncomment and move to that file.\n")
        # TOML does not allow repeated tables, but problems of different kinds can share a table.
        tables: dict[str, str] = {}
        for problem in problems_of_file:
            table, line = _entry(problem)
            tables[table] = tables.get(table, "") + line
        parts += [f"# [{table}]\n{lines}" for table, lines in tables.items()]
    write_atomically(path, "\n".join(parts).encode("utf-8"))
    return len(missing)


def _entry(problem: Problem) -> tuple[str, str]:
    """Return the name of the table for a missing entry and the line to add to the table."""
    path = pointer_parts(problem.pointer)
    if problem.code == MISSING_DECISION:
        return _dotted(path), f"# # {problem.message}\n"
    if problem.code == MISSING_RULE:
        return _dotted(path), '# op = ""\n'
    # An entry that exists only for the previous protocol version can be at any depth.
    depth = {MISSING_CAPABILITY: 2, MISSING_ENTRY: -1}.get(problem.code, 1)
    return _dotted(path[:depth]), f'# {_dotted(path[depth:])} = ""\n'


def _dotted(keys: Iterable[str]) -> str:
    """Join keys into a dotted TOML key."""
    return ".".join(key if _BARE.fullmatch(key) else json.dumps(key) for key in keys)
