"""Move a program from the official SDK for Python to the package."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from libcst import ParserSyntaxError

from acpgen.commands.projects.porting.correspondence.surface import STABLE, UNSTABLE, Side, Surface
from acpgen.commands.projects.porting.draft import MARK
from acpgen.commands.projects.porting.rewriting import rewrite
from acpgen.commands.projects.porting.sources import Source, uses_sdk
from acpgen.commands.projects.porting.survey import Survey
from acpgen.common.display import display_path
from acpgen.common.problems import InputError, Problem
from acpgen.common.python_files import python_files

_UNSTABLE = f"from acp_bindings import {UNSTABLE}".encode()


@dataclass(frozen=True, slots=True)
class Moved:
    """A file that changes."""

    path: Path
    old: bytes
    new: bytes

    def diff(self) -> str:
        """The change as `diff -u` shows it."""
        name = display_path(self.path)
        old, new = (text.decode().splitlines(keepends=True) for text in (self.old, self.new))
        return "".join(difflib.unified_diff(old, new, name, name))

    def counts(self) -> tuple[int, int]:
        """How many lines are new, and how many are gone."""
        lines = self.diff().splitlines()[2:]
        return sum(line[0] == "+" for line in lines), sum(line[0] == "-" for line in lines)


@dataclass(frozen=True, slots=True)
class Left:
    """A place that a person has to decide."""

    path: Path
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Port:
    """What becomes of a program.

    Attributes:
        surface: the surface that it uses then.
        moved: the files that change.
        left: the places to decide in all files, also those of an earlier run.
    """

    surface: str
    moved: list[Moved]
    left: list[Left]

    def write(self) -> None:
        """Write the files that change."""
        for moved in self.moved:
            moved.path.write_bytes(moved.new)


def port(folder: Path) -> Port:
    """Rewrite the modules of a program, without writing them.

    Args:
        folder: the program, or one module of it.

    Raises:
        InputError: it is not there, or a module that uses the SDK cannot be parsed.
    """
    texts = {path: path.read_bytes() for path in _modules(folder)}
    using = {path: text for path, text in texts.items() if uses_sdk(text)}
    sources = _parse(using)
    # What an earlier run has chosen stays.
    is_unstable = any(_UNSTABLE in text for text in texts.values())
    surveys = _survey(sources)
    surface, new = _rewrite(sources, surveys, UNSTABLE if is_unstable else STABLE)
    if surface.lacking and surface.name == STABLE:
        surface, new = _rewrite(sources, surveys, UNSTABLE)
    moved = [Moved(path, using[path], new[path]) for path in new if new[path] != using[path]]
    left = [place for path, text in texts.items() for place in _left(path, new.get(path, text))]
    return Port(surface.name, moved, left)


def _survey(sources: Mapping[Path, Source]) -> dict[Path, Survey]:
    surface = Surface(UNSTABLE)
    known: dict[str, Side] = {}
    surveys: dict[Path, Survey] = {}
    while True:
        before = len(known)
        for path, source in sources.items():
            # A class may extend one of another module, which may come later.
            if path not in surveys or known.keys() & surveys[path].unknown_bases:
                surveys[path] = Survey(source, surface, known)
                known |= surveys[path].by_name
        if len(known) == before:
            return surveys


def _rewrite(
    sources: Mapping[Path, Source], surveys: Mapping[Path, Survey], name: str
) -> tuple[Surface, dict[Path, bytes]]:
    surface = Surface(name)
    new: dict[Path, bytes] = {}
    for path, source in sources.items():
        exports = path.name == "__init__.py"
        new[path] = rewrite(source, surveys[path], surface, exports=exports)
        if surface.lacking and name == STABLE:
            break  # the other surface has it
    return surface, new


def _parse(texts: Mapping[Path, bytes]) -> dict[Path, Source]:
    sources: dict[Path, Source] = {}
    problems: list[Problem] = []
    for path, text in texts.items():
        try:
            sources[path] = Source(text)
        except ParserSyntaxError as error:
            message = f"is no valid Python ({error.message}); fix it and run this again"
            problems.append(
                Problem(display_path(path), "", "invalid-python", message, lineno=error.raw_line)
            )
    if problems:
        raise InputError(problems)
    return sources


def _modules(folder: Path) -> Iterator[Path]:
    """The modules of a program."""
    if not folder.exists():
        message = "is not there; give the folder of a program"
        raise InputError([Problem(display_path(folder), "", "missing-file", message)])
    return python_files(folder)


def _left(path: Path, text: bytes) -> Iterator[Left]:
    if MARK.encode() not in text:
        return
    for number, line in enumerate(text.decode().splitlines(), 1):
        _, mark, rest = line.partition(MARK)
        if mark:
            yield Left(path, number, rest)
