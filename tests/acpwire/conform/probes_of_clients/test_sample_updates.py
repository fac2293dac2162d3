"""Tests of the sample updates, which contain two valid updates of each type."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from acp_bindings import v1, v2
from acpwire.conform.probes_of_clients.sample_updates import updates

from tests.acpwire.rules.opened import OPENED
from tests.package.jsonrpc.wire import tell
from tests.support.traced import bare, problems

both = pytest.mark.parametrize("version", [1, 2])


def fields(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the name and the value of each field, including the fields of nested objects."""
    for name, inner in value.items() if isinstance(value, dict) else ():
        yield name, inner
        yield from fields(inner)
    for inner in value if isinstance(value, list) else ():
        yield from fields(inner)


@both
def test_they_meet_the_requirements_for_updates(version: int) -> None:
    sent = [tell("session/update", sessionId="s", update=each) for each in updates(version)]
    assert len(sent) > 20
    assert problems(bare(*OPENED[version], *sent)) == []


@both
def test_the_first_of_each_type_lacks_the_optional_fields_of_the_second(version: int) -> None:
    surface: Any = {1: v1, 2: v2}[version]
    made = list(updates(version))
    for least, most in zip(made[::2], made[1::2], strict=True):
        assert type(surface.decode(surface.SessionUpdate, least)) is type(
            surface.decode(surface.SessionUpdate, most)
        )
        assert least.keys() < most.keys()
        assert "_meta" in most
    assert not any("stopReason" in each for each in made)


@both
def test_values_have_their_formats(version: int) -> None:
    found = [pair for update in updates(version) for pair in fields(update)]
    assert {name for name, _ in found} >= {"lastModified", "updatedAt", "currency", "path"}
    for name, value in found:
        if name in ("lastModified", "updatedAt"):
            assert datetime.fromisoformat(value.replace("Z", "+00:00")).tzinfo is not None
        elif name in ("cwd", "path"):
            assert value.startswith("/conform")
        elif name == "data":
            assert base64.b64decode(value, validate=True)
        elif name == "currency":
            assert value == "EUR"
