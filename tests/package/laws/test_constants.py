"""Tests that unlisted constants are reported wherever they are written."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any, Literal, Union, get_args, get_origin

from acp_bindings.runtime import Issue, Record
from acp_bindings.v2 import Unlisted
from typing_extensions import get_type_hints

from tests.package.laws.budget import each_type_drawn
from tests.package.laws.build import Builder
from tests.package.laws.instances import Choices
from tests.package.laws.schemas import Surface


@each_type_drawn
def test_every_unlisted_constant_is_reported(
    surface: Surface, name: str, choices: Choices, picks: Choices
) -> None:
    form = surface.module.TYPES[name]
    value = Builder(surface, choices).definition(name)
    expected = sorted(unlisted(value, form))
    issues: list[Issue] = []
    surface.module.dumps(value, form, on_issue=issues.append)
    assert sorted(issue.raw for issue in issues) == expected


def unlisted(value: Any, hint: Any) -> Iterator[str]:
    """Yield the strings in a value that its type hint allows only as `Unlisted`."""
    arms = list(flat(hint))
    if isinstance(value, Record):
        hints = get_type_hints(type(value))
        for name, each in hints.items():
            if name != "unknown_fields":
                yield from unlisted(getattr(value, name), each)
    elif isinstance(value, list | dict):
        items = value if isinstance(value, list) else value.values()
        inner = [arg for arm in arms if get_origin(arm) in (list, dict) for arg in get_args(arm)]
        for item in items:
            yield from unlisted(item, Union[tuple(inner)] if inner else Any)  # noqa: UP007
    elif isinstance(value, str) and Unlisted in arms and str not in arms:
        listed = {each for arm in arms if get_origin(arm) is Literal for each in get_args(arm)}
        if value not in listed:
            yield value


def flat(hint: Any) -> Iterator[Any]:
    if get_origin(hint) in (Union, types.UnionType):
        for arm in get_args(hint):
            yield from flat(arm)
    else:
        yield hint
