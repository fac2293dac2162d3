"""Move a program from the official SDK for Python to the package."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import libcst as cst
from libcst import ParserSyntaxError

from acpgen.commands.projects.porting.correspondence.surface import STABLE, UNSTABLE, Side, Surface
from acpgen.commands.projects.porting.draft import MARK
from acpgen.commands.projects.porting.inference import Definition, Inference
from acpgen.commands.projects.porting.rewriting import rewrite
from acpgen.commands.projects.porting.sources import Source, last_name, uses_sdk
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
        handed: the modules that never import the SDK, and are given values of the protocol.
    """

    surface: str
    moved: list[Moved]
    left: list[Left]
    handed: list[Path]

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
    program = _Program({path: path.read_bytes() for path in _modules(folder)})
    program.survey()
    # What an earlier run has chosen stays.
    is_unstable = any(_UNSTABLE in text for text in program.texts.values())
    surface, new = program.rewrite(UNSTABLE if is_unstable else STABLE)
    if surface.lacking and surface.name == STABLE:
        surface, new = program.rewrite(UNSTABLE)
    texts = program.texts
    moved = [Moved(path, texts[path], new[path]) for path in new if new[path] != texts[path]]
    left = [place for path, text in texts.items() for place in _left(path, new.get(path, text))]
    return Port(surface.name, moved, left, program.handed())


class _Program:
    """The modules of a program, of which those are read that have to do with the protocol."""

    def __init__(self, texts: Mapping[Path, bytes]) -> None:
        self.texts = texts
        self._surface = Surface(UNSTABLE)
        self._surveys: dict[Path, Survey] = {}
        self._known: dict[str, Side] = {}
        # Those whose calls count; the others are looked up.
        self._involved = [path for path, text in texts.items() if uses_sdk(text)]
        self._inference = Inference(self._surface, self._definition)

    def survey(self) -> None:
        """Find the modules to rewrite, and what they have."""
        before: object = None
        while before != (state := self._state()):
            before = state
            for path in self._involved:
                self._extend(self._survey(path))
            for survey in [self._surveys[path] for path in self._involved]:
                self._inference.read(survey)
            names = "|".join(map(re.escape, self._known)).encode()
            for path, text in self.texts.items():
                is_handed = id(self._surveys.get(path)) in self._inference.handed
                is_told = bool(names) and re.search(rb"\b(%s)\b" % names, text) is not None
                if path not in self._involved and (is_handed or (is_told and self._is_told(path))):
                    self._involved.append(path)

    def rewrite(self, name: str) -> tuple[Surface, dict[Path, bytes]]:
        """Rewrite the modules for a surface; that of protocol 1 may lack something."""
        surface = Surface(name)
        new: dict[Path, bytes] = {}
        for path in self._involved:
            exports = path.name == "__init__.py"
            survey = self._surveys[path]
            new[path] = rewrite(survey, self._inference, surface, exports=exports)
            if surface.lacking and name == STABLE:
                break  # the other surface has it
        return surface, new

    def handed(self) -> list[Path]:
        """The modules that never import the SDK, and are given values of the protocol."""
        surveys = {path: id(survey) for path, survey in self._surveys.items()}
        handed = [path for path in surveys if surveys[path] in self._inference.handed]
        return [path for path in self.texts if path in handed and not uses_sdk(self.texts[path])]

    def _state(self) -> object:
        return len(self._involved), len(self._known), self._inference.size

    def _survey(self, path: Path) -> Survey:
        survey = self._surveys.get(path)
        # A class may extend one of another module, which may come later.
        if survey is None or self._known.keys() & survey.unknown_bases:
            self._surveys[path] = survey = Survey(
                _parse(path, self.texts[path]), self._surface, self._known
            )
            self._known |= survey.by_name
        return survey

    def _extend(self, survey: Survey) -> None:
        """Find the classes that handlers extend, in whatever module."""
        for node, side in [*survey.handlers.items()]:
            for base in node.bases:
                found = self._definition(survey, last_name(base.value))
                if found is None:
                    continue
                other, mixin = found
                if isinstance(mixin, cst.ClassDef) and mixin not in other.handlers:
                    other.handlers[mixin] = side
                    other.mixins.add(mixin)
                    self._involved += [
                        p
                        for p in self._surveys
                        if self._surveys[p] is other and p not in self._involved
                    ]

    def _is_told(self, path: Path) -> bool:
        """Whether a module imports a class that handles calls."""
        survey = self._survey(path)
        found = (self._definition(survey, name) for name in survey.origins)
        return any(each is not None and each[1] in each[0].handlers for each in found)

    def _definition(self, survey: Survey, name: str) -> Definition | None:
        """The class or function of the program that a name of a module stands for."""
        if name in survey.definitions:
            return survey, survey.definitions[name]
        path = next(path for path in self._surveys if self._surveys[path] is survey)
        module, _, own = survey.origins.get(name, "").rpartition(".")
        other = self._module(path, module) if own else None
        if other is None or other == path:
            return None
        return self._definition(self._survey(other), own)

    def _module(self, path: Path, name: str) -> Path | None:
        """The module of the program that another one imports by a name."""
        parts = name.lstrip(".").split(".") if name.strip(".") else []
        level = len(name) - len(name.lstrip("."))
        for other in self.texts:
            own = (
                other.parent.parts
                if other.stem == "__init__"
                else (*other.parent.parts, other.stem)
            )
            if level and own == (*path.parents[level - 1].parts, *parts):
                return other
            if not level and parts and own[-len(parts) :] == tuple(parts):
                return other
        return None


def _parse(path: Path, text: bytes) -> Source:
    try:
        return Source(text)
    except ParserSyntaxError as error:
        message = f"is no valid Python ({error.message}); fix it and run this again"
        problem = Problem(display_path(path), "", "invalid-python", message, lineno=error.raw_line)
        raise InputError([problem]) from None


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
