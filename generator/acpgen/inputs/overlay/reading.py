"""Reader for the overlay files, `schema/overlay/*.toml`."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jsonschema import ValidationError

from acpgen.common import toml
from acpgen.common.display import display_path
from acpgen.common.pointers import pointer
from acpgen.common.problems import InputError, Problem
from acpgen.inputs.overlay.decisions import IMPLIED_UPDATES, CapabilityEntry, Overlay
from acpgen.inputs.overlay.requirements import build_requirements
from acpgen.inputs.validation import Validator

FILES = (
    "names.toml",
    "policy.toml",
    "summaries.toml",
    "capabilities.toml",
    "pages.toml",
    "updates.toml",
    "bridge.toml",
    "requirements.toml",
    "kit.toml",
)
OVERLAY_SCHEMA = Path(__file__).with_name("overlay.schema.json")
_TYPES = {"object": "a table", "string": "a string", "array": "a list of strings"}


def load_overlay(folder: Path) -> Overlay:
    """Read the overlay files.

    Raises:
        InputError: If a file is missing, isn't valid TOML, or doesn't match
            `overlay.schema.json`.
    """
    tables = {name: _read(folder / name) for name in FILES}
    schema = json.loads(OVERLAY_SCHEMA.read_text(encoding="utf-8"))
    problems = [
        Problem(display_path(folder / file), at, "overlay", message)
        for file, table in tables.items()
        for error in Validator({**schema, "$ref": f"#/$defs/{file}"}).errors(table)
        for at, message in _explain(error)
    ]
    if problems:
        raise InputError(problems)
    names, policy = tables["names.toml"], tables["policy.toml"]
    summaries, pages = tables["summaries.toml"], tables["pages.toml"]
    updates = tables["updates.toml"]
    deprecated = names.get("deprecated", {})
    return Overlay(
        names={key: entry["name"] for key, entry in names.get("classes", {}).items()},
        deprecated={old: (entry["name"], entry["since"]) for old, entry in deprecated.items()},
        closed=tuple(policy.get("closed", ())),
        directions=tuple(policy.get("directions", ())),
        batches=policy.get("batches", {}),
        ends_updates=_methods(policy.get("ends_updates", {})),
        without_default=_methods(policy.get("without_default", {})),
        capabilities=_capabilities(tables["capabilities.toml"]),
        updates={name: rules for name, rules in updates.items() if name != IMPLIED_UPDATES},
        implied_updates=updates.get(IMPLIED_UPDATES, {}),
        pages={
            (version, wire): page
            for version, listed in pages.items()
            for wire, page in listed.items()
        },
        summaries=summaries.get("types", {}),
        classes=summaries.get("classes", {}),
        members=dict(_leaves(summaries.get("members", {}))),
        values=dict(_leaves(summaries.get("values", {}))),
        methods=summaries.get("methods", {}),
        bridge=tables["bridge.toml"],
        requirements=build_requirements(tables["requirements.toml"]),
        kit=tables["kit.toml"],
    )


def _explain(error: ValidationError) -> Iterator[tuple[str, str]]:
    """Yield pointers and messages that describe a validation error in terms of TOML."""
    at = pointer(*error.absolute_path)
    instance: Any = error.instance
    schema: Any = error.schema
    if error.validator == "additionalProperties":
        known = schema["properties"]
        kind = "key" if error.absolute_path else "section"
        for name in instance.keys() - known.keys():
            yield at + pointer(name), f"unknown {kind}; use one of {', '.join(known)}"
    elif error.validator == "required":
        needed = schema["required"]
        missing = " and ".join(name for name in needed if name not in instance)
        yield at, f"lacks {missing}; an entry needs {' and '.join(needed)}"
    elif error.validator == "enum":
        yield at, f"must be {' or '.join(schema['enum'])}; fix the entry"
    elif error.validator == "pattern":
        yield at + pointer(instance), "unknown key; use a protocol version, such as v2"
    elif error.validator == "minLength":
        yield at, "is empty; fill it in"
    else:
        yield at, f"must be {_TYPES[schema['type']]}; fix the entry"


def _methods(table: dict[str, dict[str, str]]) -> frozenset[tuple[str, str]]:
    """Return the methods listed in a section, each with its protocol version."""
    return frozenset((version, wire) for version, listed in table.items() for wire in listed)


def _leaves(table: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the strings in a table and its subtables, each with its path."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from (((key, *path), text) for path, text in _leaves(value))
        else:
            yield (key,), value


def _capabilities(
    table: dict[str, Any],
) -> dict[tuple[str, str, str], tuple[CapabilityEntry, ...]]:
    entries: defaultdict[tuple[str, str, str], list[CapabilityEntry]] = defaultdict(list)
    for (surface, side, key), capability in _leaves(table):
        wire, _, member = key.partition("#")
        entry = CapabilityEntry((surface, side, key), member or None, capability)
        entries[surface, side, wire].append(entry)
    return {method: tuple(listed) for method, listed in entries.items()}


def _read(path: Path) -> dict[str, Any]:
    try:
        return toml.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        message = f"cannot be read ({error.strerror}); restore it"
        raise InputError([Problem(display_path(path), "", "missing-file", message)]) from error
    except (UnicodeDecodeError, toml.TOMLDecodeError) as error:
        message = f"is not valid TOML ({error}); fix the file"
        raise InputError([Problem(display_path(path), "", "overlay", message)]) from error
