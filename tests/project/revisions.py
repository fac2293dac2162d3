"""Schema edits, each of which is a minimal example of an upstream change."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any, TypeAlias

# The `$defs` of a schema, which an edit changes in place.
Definitions: TypeAlias = dict[str, Any]
Edit: TypeAlias = Callable[[Definitions], None]


def add_method(definitions: Definitions) -> None:
    """Add `session/weather`, a request similar to `session/delete`."""
    for kind in ("Request", "Response"):
        _copy(definitions, f"DeleteSession{kind}", f"SessionWeather{kind}")
        definitions[f"SessionWeather{kind}"]["x-method"] = "session/weather"


def add_update(definitions: Definitions) -> None:
    """Add the update `weather` with a field `sky`."""
    definitions["Weather"] = {"type": "object", "properties": {"sky": {"type": "string"}}}
    tag = {"sessionUpdate": {"type": "string", "const": "weather"}}
    arm = {"type": "object", "properties": tag, "required": ["sessionUpdate"]}
    arms = definitions["SessionUpdate"]["anyOf"]
    arms.insert(0, {**arm, "allOf": [{"$ref": "#/$defs/Weather"}]})
    arms[-1]["not"]["anyOf"].append(arm)


def add_capability(definitions: Definitions) -> None:
    """Add the session capability `weather`, similar to `delete`."""
    _copy(definitions, "SessionDeleteCapabilities", "SessionWeatherCapabilities")
    members = definitions["SessionCapabilities"]["properties"]
    members["weather"] = _with_reference(
        members["delete"], "SessionDeleteCapabilities", "SessionWeatherCapabilities"
    )


def rename(old: str, new: str) -> Edit:
    """Return an edit that renames a definition."""

    def edit(definitions: Definitions) -> None:
        changed = _with_reference(definitions, old, new)
        changed[new] = changed.pop(old)
        definitions.clear()
        definitions.update(changed)

    return edit


def remove_method(*names: str) -> Edit:
    """Return an edit that removes a method's definitions."""

    def edit(definitions: Definitions) -> None:
        for name in names:
            del definitions[name]
            _each_list(definitions, lambda entries, name=name: _drop(entries, name))

    return edit


def _copy(definitions: Definitions, old: str, new: str) -> None:
    """Copy a definition under a new name, along with the list entries that refer to it."""
    definitions[new] = deepcopy(definitions[old])

    def list_copy(entries: list[Any]) -> None:
        entries.extend(
            _with_reference(entry, old, new) for entry in list(entries) if _is_about(entry, old)
        )

    _each_list(definitions, list_copy)


def _drop(entries: list[Any], name: str) -> None:
    entries[:] = [entry for entry in entries if not _is_about(entry, name)]


def _is_about(entry: Any, name: str) -> bool:
    return isinstance(entry, dict) and entry.get("title") == name and "allOf" in entry


def _each_list(value: Any, change: Callable[[list[Any]], None]) -> None:
    """Apply `change` to all lists in a value."""
    if isinstance(value, list):
        change(value)
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict | list):
            _each_list(inner, change)


def _with_reference(value: Any, old: str, new: str) -> Any:
    """Return a copy of a value that refers to the definition `new` instead of `old`."""
    if isinstance(value, dict):
        return {key: _with_reference(inner, old, new) for key, inner in value.items()}
    if isinstance(value, list):
        return [_with_reference(inner, old, new) for inner in value]
    return (
        {f"#/$defs/{old}": f"#/$defs/{new}", old: new}.get(value, value)
        if isinstance(value, str)
        else value
    )
