"""The entries that the overlay lacks, as comments for a person to fill in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from acpgen.analysis.overlay_coverage import NO_SUMMARY
from acpgen.analysis.protocol.updates import NO_RULE
from acpgen.commands.disk.files import write_atomically
from acpgen.common.pointers import pointer_parts
from acpgen.common.problems import Problem

LISTED = 10  # problems of each kind
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def summarise(problems: Iterable[Problem]) -> Iterator[str]:
    """Lines about problems, grouped by kind, each with its number and the first problems."""

    def kind(problem: Problem) -> tuple[str, str]:
        about = problem.message if problem.message in (NO_SUMMARY, NO_RULE) else ""
        return problem.code, about

    for (code, about), group in groupby(sorted(problems, key=kind), kind):
        found = list(group)
        yield f"{len(found)} of kind {code}" + (f": {about}" if about else "")
        yield from (problem.line() for problem in found[:LISTED])
        if len(found) > LISTED:
            yield f"... and {len(found) - LISTED} more"


def write_skeleton(path: Path, problems: Iterable[Problem]) -> int:
    """Write the entries that problems ask for; without any, remove the file.

    Args:
        path: the file.
        problems: all problems of a schema.

    Returns:
        The number of entries.
    """
    missing = [each for each in problems if each.message in (NO_SUMMARY, NO_RULE)]
    if not missing:
        path.unlink(missing_ok=True)
        return 0
    parts: list[str] = []
    for file, found in groupby(missing, lambda problem: problem.file):
        parts.append(f"# Missing in {file}: fill in, uncomment and move there.\n")
        for section, entries in groupby(found, lambda each: pointer_parts(each.pointer)[0]):
            keys = [pointer_parts(each.pointer)[1:] for each in entries]
            if file.endswith("updates.toml"):
                parts += [f'# [{_dotted([section, *key])}]\n# op = ""\n' for key in keys]
            else:
                lines = "".join(f'# {_dotted(key)} = ""\n' for key in keys)
                parts.append(f"# [{_dotted([section])}]\n{lines}")
    write_atomically(path, "\n".join(parts).encode("utf-8"))
    return len(missing)


def _dotted(keys: Iterable[str]) -> str:
    """A dotted key of TOML."""
    return ".".join(key if _BARE.fullmatch(key) else json.dumps(key) for key in keys)
