"""The definitions that a project uses, with those that they reach."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from acpgen.common.pointers import pointer_parts
from acpgen.common.problems import InputError, Problem
from acpgen.diff.changes import Change
from acpgen.diff.ci.scanning import Use, scan
from acpgen.ir.model import Definition, Method, Record
from acpgen.ir.queries import handshake, referred_by, unknown_of
from acpgen.ir.session import SessionSpec
from acpgen.ir.surface import Surface

# Names of a surface that stand for all of its definitions, and those of its sessions.
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


class Uses:
    """Where a project uses the definitions of the old revision, and what these reach.

    Attributes:
        notes: files that cannot be parsed, so that what they use is not known.
    """

    def __init__(self, places: Mapping[tuple[str, str], Use], notes: Iterable[Problem]) -> None:
        self._places = places
        self.notes = list(notes)

    def of(self, change: Change) -> Use | None:
        """The first use of the definition that a change is about; None if there is none."""
        name = pointer_parts(change.pointer)[1] if change.pointer else ""
        return self._places.get((_old_surface(change), name))


def find_uses(
    folders: Iterable[Path],
    old: Mapping[str, Surface],
    new: Mapping[str, Surface],
    changes: Iterable[Change],
) -> Uses:
    """Find the definitions that the Python files of folders use.

    Args:
        folders: the folders.
        old: the surfaces that the project uses, by name.
        new: those of the new revision; one alone is compared with an old one of any name.
        changes: what differs between them.

    Raises:
        InputError: a folder does not exist, or no file in them uses one of the surfaces.
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
                places.setdefault((surface.name, _schema_name(definitions[name])), use)
    if not scanned.names:
        folder, surfaces = ", ".join(map(str, folders)), " or ".join(old)
        message = f"no Python file uses {surfaces}; give the folder of your code"
        raise InputError([Problem(folder, "", "unused", message)])
    return Uses(places, scanned.notes)


def _old_surface(change: Change) -> str:
    return change.surface.partition(" → ")[0]


def _schema_name(definition: Definition) -> str:
    """The name in `$defs` of the schema that a definition is part of."""
    return pointer_parts(definition.pointer)[1]


def _reach(definitions: Mapping[str, Definition], starts: Mapping[str, Use]) -> dict[str, Use]:
    """The definitions that some lead to, nearest first, each with the use of the start."""
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
    """The definitions that a project names, or calls a method with."""
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
    """The methods that a project handles or calls, by their names in Python and on the wire."""
    first = handshake(surface.methods)
    if first is not None:  # whoever uses a surface calls it, or answers it by default
        yield first, min(names.values())
    for method in surface.methods:
        for name in filter(words.__contains__, (method.name, method.wire or "")):
            yield method, words[name]
    sessions = [names[name] for name in _SESSIONS if name in names]
    if surface.session is not None and sessions:
        yield from _methods_of_sessions(surface.session, min(sessions), words)


def _methods_of_sessions(
    spec: SessionSpec, first: Use, words: Mapping[str, Use]
) -> Iterator[tuple[Method, Use]]:
    """The methods that sessions call or handle: those of each turn, others by their names."""
    for method in (spec.new, spec.prompt, spec.cancel, spec.update, spec.permission):
        yield method, first
    named = {call.name: call.method for call in spec.calls}
    named |= {action.name: action.method for action in spec.actions}
    for method in (*spec.openers, *spec.loaders, *spec.lists):
        named[spec.names.get(method.wire or "", method.name)] = method
    for name in filter(words.__contains__, named):
        yield named[name], words[name]
