"""What each session update does to the state of a session: our rules, held against the schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from acpgen.build.protocol.index import SchemaIndex, Unmet
from acpgen.build.protocol.lacks import lacking_rules
from acpgen.build.protocol.sessions import SessionIndex
from acpgen.diagnostics import Problem, pointer
from acpgen.inputs.overlay import Overlay
from acpgen.ir import naming
from acpgen.ir.model import Array, Definition, Method, Nullable, Record, TaggedUnion, UpdateRule
from acpgen.ir.queries import members_of, resolve_path, target

# What some parts of a rule may be.
_CHOICES: dict[str, tuple[str, ...]] = {
    "role": ("user", "agent", "thought"),
    "null": ("clears", "keeps"),
    "meta": ("merges", "replaces", "lasts"),
}
# What a rule has to say besides its operation, and what it may say.
_OPERATIONS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "message": (("role",), ()),
    "message_chunk": (("role",), ()),
    "set": (("into",), ("carries",)),
    "put": (("into", "key"), ("as",)),
    "patch": (("into",), ("key", "as", "defaults", "null", "meta", "output")),
    "append": (("into", "key", "as", "member"), ("defaults",)),
    "append_output": (("into", "key", "as"), ()),
    "remove": (("into", "key"), ()),
    "keep": ((), ()),
}
# The members that rules read, beside those that they say: the runtime has their names.
_MESSAGE = ("messageId", "content", "_meta")
_CHUNK = ("messageId", "content")
_CONTENT = "content"
_DATA = "data"


@dataclass(frozen=True, slots=True)
class Updates:
    """The rules that fit a schema, and the unions they are about.

    Attributes:
        rules: one for each kind of update that has one.
        union: the union of updates, if the schema has one.
        content: the union of content blocks, if messages have one.
        matched: the entries of the overlay that were of use.
        notes: kinds of updates without a rule, and rules that do not fit.
    """

    rules: tuple[UpdateRule, ...] = ()
    union: str | None = None
    content: str | None = None
    matched: frozenset[tuple[str, ...]] = frozenset()
    notes: tuple[Problem, ...] = ()


def find_updates(
    methods: tuple[Method, ...],
    definitions: Mapping[str, Definition],
    overlay: Overlay,
    surface: str,
) -> Updates:
    """The rules of a surface's session updates."""
    parts = SessionIndex(methods, definitions)
    union = parts.union()
    if union is None:
        return Updates()
    stated = overlay.updates_of(surface)
    matched: set[tuple[str, ...]] = set()
    notes: list[Problem] = []
    rules: list[UpdateRule] = []
    for arm in union.arms:
        if arm.tag not in stated:
            notes.append(_problem((surface, arm.tag), "has no rule; say what this update does"))
            continue
        path, rule = stated[arm.tag]
        matched.add(path)
        misfit = _misfit(rule, arm.target, definitions)
        if misfit is not None:
            notes.append(_problem(path, f"{misfit}; mend the rule"))
        else:
            rules.append(_update(arm.tag, arm.target, rule, definitions))
            # What is not there cannot be taken over; the rest of the rule is as good without it.
            for wire in rule.get("carries", ()):
                if resolve_path(definitions, arm.target, wire) is None:
                    notes.append(
                        _problem(path, f"{arm.target} has no member {wire!r}; mend the rule")
                    )
    notes += _drop_lost(rules, stated)
    content = _content(rules, definitions)
    for lack in lacking_rules(parts, rules, content):
        message = f"{lack}: without it there are no agent and client sessions; mend the rules"
        notes.append(_problem((surface,), message))
    return Updates(tuple(rules), union.name, content, frozenset(matched), tuple(notes))


def _drop_lost(
    rules: list[UpdateRule], stated: Mapping[str, tuple[tuple[str, ...], Mapping[str, Any]]]
) -> list[Problem]:
    """Take out the rules that do not go together with the others."""
    notes: list[Problem] = []
    outputs = {rule.into for rule in rules if rule.output}
    tags: dict[str, str] = {}  # by constant
    keyed: dict[str | None, bool] = {}  # whether entries have keys, by where they are kept
    for rule in list(rules):
        first = tags.setdefault(naming.rule_name(rule.tag), rule.tag)
        has_key = bool(rule.way)
        lost = None
        if first != rule.tag:
            lost = f"has a constant of the name of that of {first!r}; rename it in the schema"
        elif rule.operation == "append_output" and rule.into not in outputs:
            lost = f"no rule keeps the output of {rule.into!r}; mend the rule"
        elif rule.into and keyed.setdefault(rule.into, has_key) != has_key:
            lost = f"another rule keeps {rule.into!r} {'without' if has_key else 'by'} key; mend it"
        if lost is not None:
            notes.append(_problem(stated[rule.tag][0], lost))
            rules.remove(rule)
    return notes


def _problem(path: tuple[str, ...], message: str) -> Problem:
    return Problem("overlay/updates.toml", pointer(*path), "overlay", message)


def _misfit(
    rule: Mapping[str, Any], update: str, definitions: Mapping[str, Definition]
) -> str | None:
    """What is wrong with a rule; None if nothing is."""
    operation = rule.get("op")
    if operation not in _OPERATIONS:
        return f"op {operation!r} is none of {', '.join(_OPERATIONS)}"
    needed, allowed = _OPERATIONS[operation]
    stated = rule.keys() - {"op"}
    if not set(needed) <= stated <= {*needed, *allowed}:
        return f"{operation} needs {', '.join(needed) or 'nothing'}, and nothing unknown"
    for part, choices in _CHOICES.items():
        if part in rule and rule[part] not in choices:
            return f"{part} {rule[part]!r} is none of {', '.join(choices)}"
    if "into" in rule and not naming.is_slot_name(rule["into"]):
        return f"into {rule['into']!r} cannot be a member of a session state"
    entry = rule.get("as", update)
    if entry not in definitions:
        return f"{entry!r} is no definition"
    if "key" in rule and resolve_path(definitions, update, rule["key"]) is None:
        return f"{update} has no member {rule['key']!r}"
    for wire in (rule.get("member"), rule.get("output"), *rule.get("defaults", {})):
        if wire is not None and resolve_path(definitions, entry, wire) is None:
            return f"{entry} has no member {wire!r}"
    unfit = _unfit(rule, update, entry, SchemaIndex((), definitions))
    return unfit[0].message if unfit else None


def _unfit(rule: Mapping[str, Any], update: str, entry: str, parts: SchemaIndex) -> list[Unmet]:
    """What the runtime's rule for an operation would not find, or could not make."""
    match rule["op"]:
        case "message":
            return parts.unconstructible(update, *_MESSAGE)
        case "message_chunk":
            return parts.unconstructible(update, *_CHUNK)
        case "put" | "patch":
            return _unfit_entry(rule, update, entry, parts)
        case "append":
            return [
                *parts.unreadable(update, _CONTENT),
                *_unfit_new(rule, entry, parts),
                *_no_list(entry, rule["member"], parts),
            ]
        case "append_output":
            return [*parts.unreadable(update, _DATA), *_unfit_new(rule, entry, parts)]
    return []


def _unfit_entry(rule: Mapping[str, Any], update: str, entry: str, parts: SchemaIndex) -> list[Unmet]:
    """What keeps an update from becoming an entry, or changing one."""
    given = {member.wire for member in members_of(parts.definitions, update) if member.required}
    stated = ["_meta"] if rule.get("meta") == "lasts" else []
    found = [
        *parts.unreadable(update),
        *parts.unreadable(entry, *sorted(parts.names(update)), *stated),
        *(
            parts.lack(entry, f"{entry} needs {member.wire!r}, which {update} may lack")
            for member in members_of(parts.definitions, entry)
            if member.required and member.wire not in {*given, *rule.get("defaults", {})}
        ),
    ]
    if "output" in rule:
        snapshot = parts.type(entry, rule["output"])
        found += [*parts.unreadable(update, rule["output"]), *parts.unconstructible(snapshot, _DATA)]
        if not parts.is_optional(update, rule["output"]):
            found.append(parts.lack(update, f"{update} cannot do without {rule['output']!r}"))
    return found


def _unfit_new(rule: Mapping[str, Any], entry: str, parts: SchemaIndex) -> list[Unmet]:
    """What keeps an entry from being made of its key and what members are at first."""
    return parts.unconstructible(entry, rule["key"].split("/")[-1], *rule.get("defaults", {}))


def _no_list(entry: str, wire: str, parts: SchemaIndex) -> list[Unmet]:
    member = parts.member(entry, wire)
    shape = member.shape if member is not None else None
    inner = shape.shape if isinstance(shape, Nullable) else shape
    is_list = isinstance(inner, Array)
    return [] if is_list else [parts.lack(entry, f"{wire!r} of {entry} is no list")]


def _update(
    tag: str, update: str, rule: Mapping[str, Any], definitions: Mapping[str, Definition]
) -> UpdateRule:
    entry = rule.get("as", update)
    way = resolve_path(definitions, update, rule["key"]) if "key" in rule else ()
    member = rule.get("member") or rule.get("output")
    return UpdateRule(
        tag=tag,
        classes=tuple(_classes(definitions, update)),
        operation=rule["op"],
        role=rule.get("role"),
        into=rule.get("into"),
        entry=entry,
        way=way or (),
        key_type=_type_at(definitions, update, rule["key"]) if "key" in rule else None,
        member=_name(definitions, entry, member) if member else None,
        output=_type_at(definitions, entry, rule["output"]) if "output" in rule else None,
        defaults=tuple(
            sorted(
                (_name(definitions, entry, wire), value)
                for wire, value in rule.get("defaults", {}).items()
            )
        ),
        null_clears=rule.get("null", "clears") == "clears",
        meta=rule.get("meta", "merges"),
        carries=tuple(
            _name(definitions, update, wire)
            for wire in rule.get("carries", ())
            if resolve_path(definitions, update, wire) is not None
        ),
    )


def _classes(definitions: Mapping[str, Definition], name: str) -> list[str]:
    """The classes of an arm: its own, or those of the union that it is."""
    definition = definitions[name]
    if isinstance(definition, Record):
        return [name, *(arm.target for arm in definition.subtypes)]
    if isinstance(definition, TaggedUnion):
        unknown = [definition.unknown.name] if definition.unknown else []
        arms = [each for arm in definition.arms for each in _classes(definitions, arm.target)]
        return [*arms, *unknown]
    return []


def _name(definitions: Mapping[str, Definition], owner: str, wire: str) -> str:
    """The Python name of a member that is there."""
    way = resolve_path(definitions, owner, wire)
    assert way is not None, (owner, wire)
    return way[-1][0]


def _type_at(definitions: Mapping[str, Definition], owner: str, path: str) -> str | None:
    """The definition of the member at the end of a path of JSON names."""
    name: str | None = owner
    for wire in path.split("/"):
        shapes = [m.shape for m in members_of(definitions, name or "") if m.wire == wire]
        name = target(shapes[0]) if shapes else None
    return name


def _content(rules: list[UpdateRule], definitions: Mapping[str, Definition]) -> str | None:
    """What the content of messages is made of."""
    for rule in rules:
        if rule.operation == "message_chunk":
            return _type_at(definitions, rule.classes[0], "content")
    return None
