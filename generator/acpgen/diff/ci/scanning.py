"""Find the names of surfaces that the Python files of a project use."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from acpgen.common import paths
from acpgen.common.display import display_path
from acpgen.common.problems import InputError, Problem
from acpgen.common.python_files import python_files


@dataclass(frozen=True, slots=True, order=True)
class Use:
    """Where a project uses something.

    Attributes:
        path: the file, relative to the working directory if it is below, with slashes.
        lineno: its line.
    """

    path: str
    lineno: int

    def __str__(self) -> str:
        return f"{self.path}:{self.lineno}"


@dataclass(frozen=True, slots=True)
class Scan:
    """What Python files use.

    Attributes:
        names: the first use of each name of a surface, by the surface and the name.
        words: the first use of each attribute, function and string, whatever it belongs to.
        notes: files that cannot be parsed.
    """

    names: dict[tuple[str, str], Use] = field(default_factory=dict)
    words: dict[str, Use] = field(default_factory=dict)
    notes: list[Problem] = field(default_factory=list)


def scan(folders: Iterable[Path], surfaces: Collection[str]) -> Scan:
    """Scan the Python files of folders, without those that acpgen wrote.

    A surface is known by its name alone, such as `v2`, in whatever package it is. Names are found
    in imports, in attributes of what imports bind, and in annotations that are strings.

    Raises:
        InputError: a folder does not exist.
    """
    found = Scan()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the code; its authors know them
        for folder in folders:
            _scan_folder(folder, surfaces, found)
    return found


def _scan_folder(folder: Path, surfaces: Collection[str], found: Scan) -> None:
    if not folder.exists():
        message = "does not exist; give the folder of your code"
        raise InputError([Problem(display_path(folder), "", "missing-file", message)])
    for path in python_files(folder):
        source = path.read_bytes()
        if source.startswith(paths.HEADERS):
            continue
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError) as error:
            message = f"cannot be parsed, so what it uses is not known ({error})"
            found.notes.append(Problem(display_path(path), "", "unparsed", message))
            continue
        _File(Path(display_path(path)).as_posix(), tree, surfaces).add_to(found)


class _File:
    """One parsed file."""

    def __init__(self, path: str, tree: ast.Module, surfaces: Collection[str]) -> None:
        self._path = path
        self._surfaces = surfaces
        self._nodes = list(ast.walk(tree))
        self._bound: dict[str, str] = {}  # names that imports bind, with what they stand for

    def add_to(self, found: Scan) -> None:
        """Add what the file uses."""
        for path, lineno in [*self._imported(), *self._attributes(self._nodes)]:
            *places, name = path.split(".")
            for surface in self._surfaces:
                if surface in places:
                    found.names.setdefault((surface, name), Use(self._path, lineno))
        for word, lineno in self._words():
            found.words.setdefault(word, Use(self._path, lineno))

    def _imported(self) -> Iterator[tuple[str, int]]:
        """The dotted paths of imported names, with their lines; notes what imports bind."""
        for node in self._nodes:
            match node:
                case ast.Import(names=names):
                    for alias in names:
                        first = alias.name.partition(".")[0]
                        self._bound[alias.asname or first] = alias.name if alias.asname else first
                case ast.ImportFrom(module=module, names=names):
                    for alias in names:
                        path = f"{module or ''}.{alias.name}"
                        self._bound[alias.asname or alias.name] = path
                        yield path, node.lineno
                case _:
                    pass

    def _attributes(self, nodes: Iterable[ast.AST]) -> Iterator[tuple[str, int]]:
        """The dotted paths of attributes of what imports bind, with their lines."""
        for node in nodes:
            match node:
                case ast.Attribute(lineno=lineno):
                    path = self._path_of(node)
                    if path is not None:
                        yield path, lineno
                case ast.Constant(value=str(text), lineno=lineno):
                    quoted = self._attributes(_annotation(text))
                    yield from ((path, lineno) for path, _ in quoted)
                case _:
                    pass

    def _path_of(self, node: ast.expr) -> str | None:
        match node:
            case ast.Name(id=name):
                return self._bound.get(name)
            case ast.Attribute(value=value, attr=attr):
                path = self._path_of(value)
                return None if path is None else f"{path}.{attr}"
            case _:
                return None

    def _words(self) -> Iterator[tuple[str, int]]:
        for node in self._nodes:
            match node:
                case ast.Attribute(attr=word, lineno=lineno):
                    yield word, lineno
                case ast.FunctionDef(name=word) | ast.AsyncFunctionDef(name=word):
                    yield word, node.lineno
                case ast.Constant(value=str(word), lineno=lineno):
                    yield word, lineno
                case _:
                    pass


def _annotation(text: str) -> Iterable[ast.AST]:
    """The nodes of a string that may be an annotation."""
    if "." not in text or "\n" in text:
        return ()
    try:
        return ast.walk(ast.parse(text.strip(), mode="eval"))
    except (SyntaxError, ValueError, RecursionError):
        return ()
