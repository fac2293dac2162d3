"""The parts of a schema that a project's Python files use, for `--used-by`.

Files are scanned for names that a surface provides, because these names refer to definitions. All
definitions that can be reached from the named definitions are also considered used.
"""

from __future__ import annotations

import ast
import warnings
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from acpgen.common import paths
from acpgen.common.display import display_path
from acpgen.common.pointers import pointer_parts
from acpgen.common.problems import InputError, Problem
from acpgen.common.python_files import python_files
from acpgen.diff.changes import Change
from acpgen.ir.model import Definition, Method, Record
from acpgen.ir.queries import handshake, referred_by, unknown_of
from acpgen.ir.surface import Surface

# Names in a surface that represent all of its definitions, and the names of its session classes.
_WHOLE = ("*", "TYPES", "METHODS", "AGENT_METHODS", "CLIENT_METHODS", "PROTOCOL_METHODS")
_SESSIONS = (
    "AgentSession",
    "ClientSession",
    "SessionAgent",
    "SessionClient",
    "SessionState",
    "TimelineEntry",
    "Turn",
)


@dataclass(frozen=True, slots=True, order=True)
class Use:
    """A location where a project uses a name."""

    # The file's path, with forward slashes. The path is relative to the working directory if the
    # file is inside that directory.
    path: str
    lineno: int

    def __str__(self) -> str:
        return f"{self.path}:{self.lineno}"


@dataclass(frozen=True, slots=True)
class Uses:
    """Locations where a project uses the old revision's definitions, directly or indirectly."""

    # The first use of each definition, by surface and definition name. The name "" represents the
    # surface itself.
    places: Mapping[tuple[str, str], Use]
    notes: list[Problem]  # notes about files that cannot be parsed

    def of(self, change: Change) -> Use | None:
        """Return the first use of the changed definition, or None if it is not used."""
        name = pointer_parts(change.pointer)[1] if change.pointer else ""
        return self.places.get((_old_surface(change), name))


def find_uses(
    folders: Iterable[Path],
    old: Mapping[str, Surface],
    new: Mapping[str, Surface],
    changes: Iterable[Change],
) -> Uses:
    """Find the definitions that the Python files in the given folders use.

    Args:
        folders: the folders to search.
        old: the surfaces that the project uses, by name.
        new: the surfaces in the new revision, by name. If `old` and `new` each contain one surface,
            their names can differ.
        changes: the changes from `old` to `new`.

    Raises:
        InputError: If a folder does not exist, or if no file uses any of the surfaces.
    """
    folders, changes = list(folders), list(changes)
    scanned = scan(folders, old.keys())
    places: dict[tuple[str, str], Use] = {}
    for surface in old.values():
        names = {name: use for (owner, name), use in scanned.names.items() if owner == surface.name}
        if not names:
            continue
        places[surface.name, ""] = min(names.values())
        direct = _direct_uses(surface, names, scanned.words)
        reached = _reach(surface.definitions, direct)
        after = next(iter(new.values())) if len(old) == len(new) == 1 else new.get(surface.name)
        new_names = {
            change.before: change.after
            for change in changes
            if (change.subject, change.action) == ("definition", "renamed")
            and _old_surface(change) == surface.name
        }
        starts = {new_names.get(name) or name: use for name, use in reached.items()}
        new_definitions = after.definitions if after is not None else {}
        for definitions, uses in (
            (surface.definitions, reached),
            (new_definitions, _reach(new_definitions, starts)),
        ):
            for name, use in uses.items():
                in_schema = pointer_parts(definitions[name].pointer)[1]  # the name in `$defs`
                places.setdefault((surface.name, in_schema), use)
    if not scanned.names:
        folder, surfaces = ", ".join(map(str, folders)), " or ".join(old)
        message = f"no Python file uses {surfaces}; pass the folder that contains the code"
        raise InputError([Problem(folder, "", "unused", message)])
    return Uses(places, scanned.notes)


def _old_surface(change: Change) -> str:
    return change.surface.partition(" → ")[0]


def _reach(definitions: Mapping[str, Definition], starts: Mapping[str, Use]) -> dict[str, Use]:
    """Return the definitions reachable from `starts`, nearest first.

    Each definition is mapped to the use of the nearest starting definition.
    """
    reached = {name: use for name, use in starts.items() if name in definitions}
    pending = deque(reached)
    while pending:
        definition = definitions[pending.popleft()]
        bases = [definition.base] if isinstance(definition, Record) and definition.base else []
        for name in (*bases, *referred_by(definition)):
            if name in definitions and name not in reached:
                reached[name] = reached[definition.name]
                pending.append(name)
    return reached


# --- direct uses -----------------------------------------------------------------------------


def _direct_uses(
    surface: Surface, names: Mapping[str, Use], words: Mapping[str, Use]
) -> dict[str, Use]:
    """Return the definitions that a project uses by name or through a method."""
    for name in filter(names.__contains__, _WHOLE):
        return dict.fromkeys(surface.definitions, names[name])
    direct = {
        name: names[former] for former, (name, _) in surface.deprecated.items() if former in names
    }
    for definition in surface.definitions.values():
        unknown = unknown_of(definition)
        for name in (definition.name, unknown.name if unknown is not None else ""):
            if name in names:
                direct.setdefault(definition.name, names[name])
    for method, use in _methods(surface, names, words):
        for name in filter(None, (method.params, method.result)):
            direct.setdefault(name, use)
    return direct


def _methods(
    surface: Surface, names: Mapping[str, Use], words: Mapping[str, Use]
) -> Iterator[tuple[Method, Use]]:
    """Yield the methods that a project handles or calls, found by their Python or wire names."""
    first = handshake(surface.methods)
    if first is not None:  # every project calls this method or responds to it by default
        yield first, min(names.values())
    for method in surface.methods:
        for name in filter(words.__contains__, (method.name, method.wire or "")):
            yield method, words[name]
    sessions = [names[name] for name in _SESSIONS if name in names]
    spec = surface.session
    if spec is None or not sessions:
        return
    # Code that uses session classes also uses the basic methods for sessions and turns. Other
    # methods are yielded only if the code names them.
    for method in (spec.new, spec.prompt, spec.cancel, spec.update, spec.permission):
        yield method, min(sessions)
    named = {call.name: call.method for call in spec.calls}
    named |= {action.name: action.method for action in spec.actions}
    for method in (*spec.openers, *spec.loaders, *spec.lists):
        named[spec.names.get(method.wire or "", method.name)] = method
    for name in filter(words.__contains__, named):
        yield named[name], words[name]


# --- scanning --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Scan:
    """The names used in Python files."""

    # The first use of each name in a surface, by surface and name.
    names: dict[tuple[str, str], Use] = field(default_factory=dict)
    # The first use of each word: an attribute of any object, a function, or a string.
    words: dict[str, Use] = field(default_factory=dict)
    notes: list[Problem] = field(default_factory=list)  # notes about files that cannot be parsed


def scan(folders: Iterable[Path], surfaces: Collection[str]) -> Scan:
    """Scan the Python files in the given folders, except files generated by acpgen.

    A surface is recognized by its name, such as `v2`, regardless of the package. Names are found in
    imports, in attributes of imported names, and in string annotations.

    Raises:
        InputError: If a folder does not exist.
    """
    found = Scan()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the warnings concern the scanned code, not acpgen
        for folder in folders:
            if not folder.exists():
                message = "does not exist; pass the folder that contains the code"
                raise InputError([Problem(display_path(folder), "", "missing-file", message)])
            for path in python_files(folder):
                source = path.read_bytes()
                if source.startswith(paths.HEADERS):
                    continue
                try:
                    tree = ast.parse(source)
                except (SyntaxError, ValueError, RecursionError) as error:
                    message = f"cannot be parsed, so the names that it uses are unknown ({error})"
                    found.notes.append(Problem(display_path(path), "", "unparsed", message))
                    continue
                _scan_file(Path(display_path(path)).as_posix(), tree, surfaces, found)
    return found


def _scan_file(file: str, tree: ast.Module, surfaces: Collection[str], found: Scan) -> None:
    """Add the names used in a file to `found`."""
    nodes = list(ast.walk(tree))
    bound: dict[str, str] = {}  # the dotted paths of imported names
    used: list[tuple[str, int]] = []  # dotted paths with their line numbers
    for node in nodes:
        match node:
            case ast.Import(names=names):
                for alias in names:
                    first = alias.name.partition(".")[0]
                    bound[alias.asname or first] = alias.name if alias.asname else first
            case ast.ImportFrom(module=module, names=names):
                for alias in names:
                    path = f"{module or ''}.{alias.name}"
                    bound[alias.asname or alias.name] = path
                    used.append((path, node.lineno))
            case ast.Attribute(attr=word, lineno=lineno):
                found.words.setdefault(word, Use(file, lineno))
            case ast.FunctionDef(name=word) | ast.AsyncFunctionDef(name=word):
                found.words.setdefault(word, Use(file, node.lineno))
            case ast.Constant(value=str(word), lineno=lineno):
                found.words.setdefault(word, Use(file, lineno))
            case _:
                pass
    used += _attributes(nodes, bound)
    for path, lineno in used:
        *places, name = path.split(".")
        for surface in surfaces:
            if surface in places:
                found.names.setdefault((surface, name), Use(file, lineno))


def _attributes(nodes: Iterable[ast.AST], bound: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    """Yield the dotted paths of attributes of imported names, with their line numbers."""
    for node in nodes:
        match node:
            case ast.Attribute(lineno=lineno):
                path = _dotted(node, bound)
                if path is not None:
                    yield path, lineno
            case ast.Constant(value=str(text), lineno=lineno):
                yield from ((path, lineno) for path, _ in _attributes(_annotation(text), bound))
            case _:
                pass


def _dotted(node: ast.expr, bound: Mapping[str, str]) -> str | None:
    match node:
        case ast.Name(id=name):
            return bound.get(name)
        case ast.Attribute(value=value, attr=attr):
            path = _dotted(value, bound)
            return None if path is None else f"{path}.{attr}"
        case _:
            return None


def _annotation(text: str) -> Iterable[ast.AST]:
    """Return the syntax nodes of a string that might be an annotation."""
    if "." not in text or "\n" in text:
        return ()
    try:
        return ast.walk(ast.parse(text.strip(), mode="eval"))
    except (SyntaxError, ValueError, RecursionError):
        return ()
