"""Tests of the rule that clients set options and modes only to values that agents offer."""

from __future__ import annotations

from typing import Any

import pytest
from acpwire.rules import offers

from tests.acpwire.rules.opened import update
from tests.package.jsonrpc.wire import ask
from tests.support.traced import agreed, answer, bare, problems

Json = dict[str, Any]
CHOICES = [{"value": value, "name": value} for value in ("a", "b")]
GROUPED = {"name": "G", "options": [{"value": "c", "name": "C"}]}
GROUPS = {1: [{"group": "g", **GROUPED}], 2: [{"groupId": "g", **GROUPED}]}
MODES = [{"id": value, "name": value} for value in ("ask", "code")]


def option(version: int, current: Any = "a", /, options: Any = CHOICES, **members: Any) -> Json:
    name = "id" if version == 1 else "configId"
    return {
        name: "o",
        "name": "O",
        "type": "select",
        "currentValue": current,
        "options": options,
        **members,
    }


def flag(version: int) -> Json:
    name = "id" if version == 1 else "configId"
    return {name: "f", "name": "F", "type": "boolean", "currentValue": True}


def opened(version: int, *messages: Json, **offered: Any) -> list[tuple[int, str, str]]:
    """Return the problems in a session whose `session/new` response, on line 4, has the fields."""
    new = {"cwd": "/", **({"mcpServers": []} if version == 1 else {})}
    begin = [*agreed(version), ask(1, "session/new", **new), answer(1, sessionId="s", **offered)]
    return problems(bare(*begin, *messages))


def setting(version: int, id_: str, value: Any) -> Json:
    kind = {} if version == 1 else {"type": "boolean" if type(value) is bool else "id"}
    return ask(5, "session/set_config_option", sessionId="s", configId=id_, value=value, **kind)


def expected(line: int, pointer: str, values: str, value: str) -> list[tuple[int, str, str]]:
    return [(line, pointer, f"expected an offered value ({values}), found {value}")]


@pytest.mark.parametrize("version", [1, 2])
def test_offered_values_can_be_set(version: int) -> None:
    grouped = option(version, "c", GROUPS[version])
    assert opened(version, setting(version, "o", "b"), configOptions=[option(version)]) == []
    assert opened(version, setting(version, "o", "c"), configOptions=[grouped]) == []


@pytest.mark.parametrize("version", [1, 2])
def test_other_values_cannot_be_set(version: int) -> None:
    options = [option(version)]
    assert opened(version, setting(version, "o", "c"), configOptions=options) == expected(
        5, "/params/value", '"a", "b"', '"c"'
    )
    assert opened(version, setting(version, "x", "a"), configOptions=options) == expected(
        5, "/params/configId", '"o"', '"x"'
    )
    assert opened(version, setting(version, "x", "a")) == expected(
        5, "/params/configId", "none", '"x"'
    )


@pytest.mark.parametrize("version", [1, 2])
def test_a_current_value_must_be_offered(version: int) -> None:
    options = [option(version), option(version, "c")]
    assert opened(version, configOptions=options[1:]) == expected(
        4, "/result/configOptions/0/currentValue", '"a", "b"', '"c"'
    )
    changed = update("config_option_update", configOptions=options[1:])
    assert opened(version, changed, configOptions=options[:1]) == expected(
        5, "/params/update/configOptions/0/currentValue", '"a", "b"', '"c"'
    )


@pytest.mark.parametrize("version", [1, 2])
def test_values_from_before_a_change_stay_valid(version: int) -> None:
    """The client might send a value before it receives the update that removes the option."""
    changed = update("config_option_update", configOptions=[option(version, "c", GROUPS[version])])
    messages = [changed, setting(version, "o", "b")]
    assert opened(version, *messages, configOptions=[option(version)]) == []


@pytest.mark.parametrize("version", [1, 2])
def test_only_so_many_values_are_remembered(version: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offers, "_MOST", 2)
    changed = update("config_option_update", configOptions=[option(version, "c", GROUPS[version])])
    for value, found in (("b", []), ("a", expected(6, "/params/value", '"b", "c"', '"a"'))):
        messages = [changed, setting(version, "o", value)]
        assert opened(version, *messages, configOptions=[option(version)]) == found


def test_boolean_options_of_version_1_need_a_capability() -> None:
    needs = "needs /clientCapabilities/session/configOptions/boolean, which the client did not"
    assert opened(1, configOptions=[flag(1)]) == [
        (4, "/result/configOptions/0/type", f"{needs} advertise")
    ]
    assert opened(2, setting(2, "f", False), configOptions=[flag(2)]) == []


def test_boolean_options_are_a_requirement_of_their_own() -> None:
    new = ask(1, "session/new", cwd="/", mcpServers=[])
    found = bare(*agreed(1), new, answer(1, sessionId="s", configOptions=[flag(1)]))
    assert [each.requirement for each in found.entries[3].problems] == ["boolean-options"]


def test_only_so_many_options_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offers, "_MOST", 2)
    options = [{**option(1), "id": id_} for id_ in ("o", "p", "q")]
    assert opened(1, setting(1, "p", "a"), configOptions=options) == []
    assert opened(1, setting(1, "q", "a"), configOptions=options) == expected(
        5, "/params/configId", '"o", "p"', '"q"'
    )


def test_modes_must_be_offered() -> None:
    modes = {"currentModeId": "ask", "availableModes": MODES}
    for value, found in (
        ("code", []),
        ("x", expected(5, "/params/modeId", '"ask", "code"', '"x"')),
    ):
        message = ask(5, "session/set_mode", sessionId="s", modeId=value)
        assert opened(1, message, modes=modes) == found
    assert opened(1, modes={**modes, "currentModeId": "x"}) == expected(
        4, "/result/modes/currentModeId", '"ask", "code"', '"x"'
    )
    for value, found in (
        ("code", []),
        ("x", expected(5, "/params/update/currentModeId", '"ask", "code"', '"x"')),
    ):
        message = update("current_mode_update", currentModeId=value)
        assert opened(1, message, modes=modes) == found
    assert opened(1, update("current_mode_update", currentModeId="x")) == []


def test_a_session_without_modes_offers_none() -> None:
    message = ask(5, "session/set_mode", sessionId="s", modeId="x")
    assert opened(1, message) == expected(5, "/params/modeId", "none", '"x"')


def test_a_resumed_session_can_have_offers_from_before() -> None:
    resume = ask(1, "session/resume", sessionId="s", cwd="/", mcpServers=[])
    begin = [*agreed(1), resume, answer(1, configOptions=[option(1)])]
    mode = ask(6, "session/set_mode", sessionId="s", modeId="x")
    assert problems(bare(*begin, setting(1, "x", "a"), mode)) == []
    assert problems(bare(*begin, setting(1, "o", "c"))) == expected(
        5, "/params/value", '"a", "b"', '"c"'
    )
