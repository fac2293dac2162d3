"""Forms: JSON templates for a protocol version's updates and requests.

The string "$title" is a placeholder for the value `title`, and "$block.kind" is a placeholder for
the part `kind` of the value `block`. Fields without a value are omitted. In an object that contains
the field "$in", placeholders refer to the parts of the value named in this field. If that value is
missing, the object is omitted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

from ..runtime.session.running_calls import FINISHED
from ..runtime.values import jsontext
from ..runtime.values.unset import UNSET

# Represents a missing value, as opposed to null.
MISSING: Final = object()


def fill(form: Any, values: Mapping[str, Any]) -> Any:
    """Return the JSON that results from filling a form with values.

    Args:
        form: the form.
        values: the values by name, as JSON, mappings, or objects with attributes.

    Returns:
        The JSON, or `MISSING` if the form is a placeholder for a missing value.
    """
    if isinstance(form, str):
        return _look_up(form[1:], values) if form.startswith("$") else form
    if jsontext.is_array(form):
        return [filled for each in form if (filled := fill(each, values)) is not MISSING]
    if not jsontext.is_object(form):
        return form
    inner = values
    if "$in" in form:
        part = _look_up(form["$in"], values)
        if part is MISSING or part is None or part is False:
            return MISSING
        inner = Parts(part)
    filled = {key: fill(each, inner) for key, each in form.items() if key != "$in"}
    return {key: each for key, each in filled.items() if each is not MISSING}


def read(form: Mapping[str, Any], data: Any) -> dict[str, Any] | None:
    """Return the values that JSON contains in place of a form's placeholders. Inverse of `fill`.

    Args:
        form: the form, which must not contain lists or "$in".
        data: the JSON, which can contain other fields.

    Returns:
        The values by name, except missing ones, or None if the JSON doesn't match the form.
    """
    if not jsontext.is_object(data):
        return None
    values: dict[str, Any] = {}
    for key, each in form.items():
        if jsontext.is_object(each):
            values |= read(each, data.get(key)) or {}
        elif isinstance(each, str) and each.startswith("$"):
            if key in data:
                values[each[1:]] = data[key]
        elif data.get(key) != each:
            return None
    return values


def ends_of(state: Any, forms: Mapping[str, Any]) -> list[Any]:
    """Return the updates that end the unfinished work in a session's state.

    Args:
        state: the state.
        forms: maps each collection in the state, such as `tool_calls`, to the form of the update
            that ends an entry.
    """
    return [
        fill(form, {"id": key})
        for collection, form in forms.items()
        for key, entry in getattr(state, collection).items()
        if not (getattr(entry, "exit_status", None) or getattr(entry, "status", "") in FINISHED)
    ]


class Parts(dict[str, Any]):
    """The parts of a value, by name: the items of a mapping, or the attributes of an object."""

    def __init__(self, value: Any) -> None:
        super().__init__(value if jsontext.is_object(value) else {})
        self._value: Any = value

    def __missing__(self, name: str) -> Any:
        if jsontext.is_object(self._value):  # the attributes of a `dict` aren't parts
            return MISSING
        part = getattr(self._value, name, MISSING)
        return MISSING if part is UNSET else part


def members_of(params: Any) -> dict[str, Any]:
    """Return a request's fields that have a value, by name, excluding metadata."""
    values = {each.name: getattr(params, each.name) for each in fields(params)}
    ignored = ("meta", "unknown_fields")
    given = {name: each for name, each in values.items() if each is not UNSET and each is not None}
    return {name: each for name, each in given.items() if name not in ignored}


def _look_up(path: str, values: Mapping[str, Any]) -> Any:
    first, _, rest = path.partition(".")
    try:
        value = values[first]
    except KeyError:
        return MISSING
    return _look_up(rest, Parts(value)) if rest else value
