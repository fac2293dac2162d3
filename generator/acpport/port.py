"""Migration of a program from the official Python SDK to this package."""

from __future__ import annotations

import builtins
import difflib
import symtable
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from acpgen.common.display import display_path
from acpgen.common.problems import InputError, Problem
from acpgen.common.python_files import python_files

from acpport.counterparts.surface import STABLE, UNSTABLE, Surface
from acpport.reading.program import Program
from acpport.reading.sources import decoded
from acpport.rewriting.draft import MARK
from acpport.rewriting.rewriter import rewrite

# The names that every module can use without defining them.
_KNOWN = {*dir(builtins), "__file__", "__path__", "__annotations__", "__builtins__"}
_UNSTABLE = f"from acp_bindings import {UNSTABLE}".encode()


@dataclass(frozen=True, slots=True)
class Moved:
    """A changed file."""

    path: Path
    old: bytes
    new: bytes

    def diff(self) -> str:
        """Return the change as a unified diff."""
        name = display_path(self.path)
        old, new = (decoded(text).splitlines(keepends=True) for text in (self.old, self.new))
        return "".join(difflib.unified_diff(old, new, name, name))

    def counts(self) -> tuple[int, int]:
        """Return the number of added lines and the number of removed lines."""
        lines = self.diff().splitlines()[2:]
        return sum(line[0] == "+" for line in lines), sum(line[0] == "-" for line in lines)


@dataclass(frozen=True, slots=True)
class Left:
    """A comment in the migrated program that describes a manual decision."""

    path: Path
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Port:
    """The changes to a program.

    Attributes:
        surface: the surface that the migrated program uses.
        moved: the changed files.
        left: the manual decisions in all files, including decisions from an earlier run.
        handed: the modules that don't import the SDK but receive protocol values.
    """

    surface: str
    moved: list[Moved]
    left: list[Left]
    handed: list[Path]

    def write(self) -> None:
        """Write the changed files."""
        for moved in self.moved:
            moved.path.write_bytes(moved.new)


def port(folder: Path) -> Port:
    """Convert a program's modules without writing the result.

    Args:
        folder: the program's directory, or a single module.

    Raises:
        InputError: If the folder does not exist, if a module that uses the SDK cannot be parsed, or
            if the result would not be valid.
    """
    if not folder.exists():
        message = "does not exist; pass the program's directory"
        raise InputError([Problem(display_path(folder), "", "missing-file", message)])
    program = Program({path: path.read_bytes() for path in python_files(folder)})
    # Use the surface that an earlier run selected.
    is_unstable = any(_UNSTABLE in text for text in program.texts.values())
    surface, new = _rewrite(program, UNSTABLE if is_unstable else STABLE)
    if surface.lacking and surface.name == STABLE:
        surface, new = _rewrite(program, UNSTABLE)
    texts = program.texts
    moved = [Moved(path, texts[path], new[path]) for path in new if new[path] != texts[path]]
    problems = [problem for each in moved for problem in _faults(each)]
    if problems:
        raise InputError(problems)
    left = [place for path, text in texts.items() for place in _left(path, new.get(path, text))]
    return Port(surface.name, moved, left, program.handed())


def _faults(moved: Moved) -> Iterator[Problem]:
    """Yield the problems that the conversion would introduce into a module."""
    name = display_path(moved.path)
    try:
        unknown = undefined_names(moved.new) - undefined_names(moved.old)
    except SyntaxError as error:
        # Only errors of the parser contain the line.
        line = error.text or decoded(moved.new).splitlines()[(error.lineno or 1) - 1]
        message = f"cannot be converted: the result is not valid ({error.msg}: {line.strip()}); "
        yield Problem(
            name, "", "cannot-port", message + "simplify the code and run this command again"
        )
        return
    for each in sorted(unknown):
        message = f"cannot be converted: the result does not define '{each}'; "
        yield Problem(name, "", "cannot-port", message + "rename it and run this command again")


def undefined_names(text: bytes) -> set[str]:
    """Return the global names that a module uses but does not define.

    If the module contains `from … import *`, its global names are unknown, so no name is reported.

    Raises:
        SyntaxError: If the module is not valid Python.
    """
    compile(text, "module", "exec", dont_inherit=True)
    top = symtable.symtable(decoded(text), "module", "exec")
    bound: set[str] = set()
    read: set[str] = set()
    for scope in _scopes(top):
        for symbol in scope.get_symbols():
            is_bound = symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()
            if is_bound and (scope is top or symbol.is_declared_global()):
                bound.add(symbol.get_name())
            if symbol.is_referenced() and (scope is top or symbol.is_global()):
                read.add(symbol.get_name())
    return set() if b"import *" in text else read - bound - _KNOWN


def _scopes(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _scopes(child)


def _rewrite(program: Program, name: str) -> tuple[Surface, dict[Path, bytes]]:
    """Rewrite a program's modules for a surface, which might not define all the names in use."""
    surface = Surface(name)
    new: dict[Path, bytes] = {}
    for path, survey in program.modules.items():
        exports = path.name == "__init__.py"
        new[path] = rewrite(survey, program.inference, surface, exports=exports)
        if surface.lacking and name == STABLE:
            break  # the unstable surface defines the missing names
    return surface, new


def _left(path: Path, text: bytes) -> Iterator[Left]:
    if MARK.encode() not in text:
        return
    for number, line in enumerate(decoded(text).splitlines(), 1):
        _, mark, rest = line.partition(MARK)
        if mark:
            yield Left(path, number, rest)
