"""Tests that conformance checks of mutated output never hang or cause an internal error.

Other tests check which requirements are skipped or not reached, and for which reasons.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from acpgen.inputs.overlay.requirements import RequiredOf
from acpwire.conform import judging
from acpwire.conform.judging import NotSpoken
from acpwire.conform.player import Probe
from acpwire.conform.probes_of_agents import PlayedClient
from acpwire.conform.report import Report
from acpwire.surfaces import VERSIONS

from tests.acpwire.conform.agent_by_hand import Agent
from tests.acpwire.conform.client_by_hand import CANCELLED, Client
from tests.acpwire.conform.here import SIDES, Change, report_on

VALUES: list[Any] = [None, True, 0, -1, 2**70, 1.5, "", "ü", "\ud800", [], [[]], {}, {"a": 1}, [{}]]
LINES = [b"", b"\xff", b"[]", b"[1, {}]", b"null", b'{"id": 1', b"[" * 5_000, b'"' + b"x" * 9_000]


def mutated(value: Any, chance: random.Random) -> Any:
    """Return a copy of a JSON value with one nested value replaced or removed."""
    if type(value) in (dict, list) and value and chance.random() < 0.85:
        items = dict(value) if type(value) is dict else dict(enumerate(value))
        key = chance.choice(list(items))
        if chance.random() < 0.15:
            del items[key]
        else:
            items[key] = mutated(items[key], chance)
        return items if type(value) is dict else list(items.values())
    return chance.choice(VALUES)


def mutating(chance: random.Random) -> Callable[[], Change]:
    """Return a factory for functions that randomly drop, repeat or alter messages."""

    def change(data: bytes) -> list[bytes]:
        if chance.random() > 0.25:
            return [data]
        if chance.random() < 0.2:
            return chance.choice([[], [data, data], [chance.choice(LINES), data]])
        return [json.dumps(mutated(json.loads(data), chance)).encode()]

    return lambda: change


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("side", SIDES)
def test_random_changes_lead_to_verdicts(
    side: RequiredOf, version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "AT_ONCE", 50)
    judged = 0
    for seed in range(5):
        chance = random.Random(f"{side} {version} {seed}")
        try:
            report = report_on(side, version, mutating(chance))
        except NotSpoken:  # the mutations suggested another protocol version
            continue
        assert report.errors == {}, seed
        assert {"failed", "not reached"} & {each.status for each in report.verdicts}
        judged += 1
    assert judged > 1


def test_agent_that_repeats_the_version_and_answers_in_another_one() -> None:
    def change(data: bytes) -> list[bytes]:
        return [data.replace(b'"configId"', b'"id"')]

    report = report_on("agent", 2, lambda: change)
    assert report.errors == {}
    assert {"set-option", "valid-results"} & {
        each.requirement.id for each in report.verdicts if each.status == "failed"
    }


def test_options_with_odd_ids_lead_to_verdicts() -> None:
    report = report_on("agent", 2, lambda: lambda data: [data.replace(b'"x"', b'["x"]')])
    assert report.errors == {}


def test_error_of_a_probe_is_reported_and_ends_nothing_else() -> None:
    async def play(player: Any) -> None:
        await player.initialize()
        raise LookupError("a mistake of the judge")

    broken = Probe("broken", ("meta",), play)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PlayedClient, "probes", [*PlayedClient.probes, broken])
        report = report_on("agent", 1)
    assert list(report.errors) == ["broken"]
    assert "LookupError('a mistake of the judge')" in report.errors["broken"]
    assert not report.conforms
    assert {each.requirement.id for each in report.verdicts if each.status == "failed"} == set()


def test_some_failures_of_a_requirement_are_kept() -> None:
    report = report_on("agent", 1, lambda: lambda data: [b"starting", data])
    [verdict] = [each for each in report.verdicts if each.requirement.id == "json-lines"]
    assert [failure.received for failure in verdict.failures] == ["starting"] * 3


def test_a_failure_has_the_last_lines_of_the_conversation_each_cut() -> None:
    def change(data: bytes) -> list[bytes]:
        return [data, b"." * 500] if b"stopReason" in data else [data]

    report = report_on("agent", 1, lambda: change)
    [verdict] = [each for each in report.verdicts if each.requirement.id == "json-lines"]
    assert verdict.failures
    for failure in verdict.failures:
        assert failure.received == "." * 399 + "…"
        assert len(failure.wire) == 8
        assert all(re.match(r" *\d+\.\d{3} [<>] ", line) for line in failure.wire)
        assert failure.wire[-1].endswith(f" < {failure.received}")


class ClientThatEndsAt(Client):
    """A client that crashes when it is sent a certain text."""

    text = b""

    def take(self, line: bytes) -> None:
        if self.text in line:
            raise EOFError
        super().take(line)


class ClientThatEndsAtPlans(ClientThatEndsAt):
    text = b'"plan"'


class ClientThatEndsAtTheEndOfElicitations(ClientThatEndsAt):
    text = b"elicitation/complete"


class AgentWithoutVersion(Agent):
    def do_initialize(self, params: Any) -> Any:
        return {}


@pytest.mark.parametrize(
    ("side", "program", "requirement", "sent"),
    [
        ("client", ClientThatEndsAtPlans, "updates", '"sessionUpdate": "plan"'),
        ("client", ClientThatEndsAtTheEndOfElicitations, "url", '"elicitation/complete"'),
        ("agent", AgentWithoutVersion, "initialize", '"method": "initialize"'),
    ],
)
def test_a_failure_shows_the_message_that_caused_it(
    side: RequiredOf, program: Any, requirement: str, sent: str
) -> None:
    report = report_on(side, 1, program=program, only=[requirement])
    [verdict] = report.verdicts
    assert verdict.failures
    for failure in verdict.failures:
        assert sent in failure.sent


@pytest.mark.parametrize("id", [1.5, {"a": 1}])
def test_a_request_with_an_invalid_id_is_not_answered(id: Any) -> None:
    taken: list[Any] = []

    class Asking(Agent):
        def take_line(self, line: bytes) -> None:
            with suppress(ValueError):  # one probe sends invalid JSON
                taken.append(json.loads(line))
            super().take_line(line)

        def do_session_new(self, params: Any) -> Any:
            ask = {"jsonrpc": "2.0", "id": id, "method": "_ask", "params": {}}
            self.print(self.as_line(ask))
            return super().do_session_new(params)

    report = report_on("agent", 1, program=Asking)
    [verdict] = [each for each in report.verdicts if each.requirement.id == "message-shape"]
    assert verdict.failures[0].expected.startswith("a message without this problem: at /id: ")
    answered = [each["id"] for each in taken if type(each) is dict and "method" not in each]
    assert answered
    assert id not in answered


# --- reasons -------------------------------------------------------------------------------------


def reasons(report: Report) -> set[str]:
    """Return the reasons why requirements were skipped or not reached."""
    found = {f"{each.status}: {each.reason}" for each in report.verdicts if each.reason}
    return found - {"skipped: not tested by any probe"}


class Refusing(Agent):
    """An agent that rejects all requests with the method `refused`."""

    refused = ""

    def answer(self, request: Any) -> Any:
        if request["method"] != self.refused:
            return super().answer(request)
        return {"id": request["id"], "error": {"code": -32603, "message": "no"}}


class RefusingInitialize(Refusing):
    refused = "initialize"


class RefusingSessions(Refusing):
    refused = "session/new"


class RefusingPrompts(Refusing):
    refused = "session/prompt"


class DroppingSessions(Agent):
    def take_request(self, message: Any) -> None:
        if message["method"] != "session/new":
            super().take_request(message)


class ExitingAtSessions(Agent):
    def do_session_new(self, params: Any) -> Any:
        raise ZeroDivisionError


class WithoutIds(Agent):
    def do_session_new(self, params: Any) -> Any:
        return {}


class WithoutOptions(Agent):
    def do_session_new(self, params: Any) -> Any:
        return {"sessionId": super().do_session_new(params)["sessionId"]}


class WithoutCapabilities(Agent):
    def do_initialize(self, params: Any) -> Any:
        return {**super().do_initialize(params), "capabilities": {}}


NEEDS = "skipped: needs a --prompt that makes the agent"
NOTHING_ASKED = {
    f"{NEEDS} request permission; the prompts caused no request",
    "skipped: no prompt made the agent request permission",
}


@pytest.mark.parametrize(
    ("program", "version", "prompts", "expected"),
    [
        (Agent, 1, ("tool",), set()),
        (Agent, 2, ("tool",), set()),
        (
            Agent,
            1,
            (),
            {f"{NEEDS} use a tool", f"{NEEDS} request permission; no prompt was given"},
        ),
        (
            Agent,
            2,
            ("hello",),
            {*NOTHING_ASKED, "skipped: no prompt made the agent report a tool call"},
        ),
        (RefusingInitialize, 1, ("tool",), {"not reached: initialization failed"}),
        (
            RefusingSessions,
            1,
            ("tool",),
            {
                'not reached: the response to session/new was {"jsonrpc": "2.0", "id": 2, "error": '
                '{"code": -32603, "message": "no"}}',
                "not reached: session/new returned no session",
            },
        ),
        (RefusingPrompts, 2, ("tool",), {*NOTHING_ASKED, "not reached: a turn did not end"}),
        (
            DroppingSessions,
            1,
            ("tool",),
            {
                "not reached: no response to session/new",
                "not reached: session/new returned no session",
                "not reached: the program no longer responds",
            },
        ),
        (
            ExitingAtSessions,
            1,
            ("tool",),
            {
                "not reached: no response to session/new",
                "not reached: session/new returned no session",
                "not reached: the program exited with status 0",
                "not reached: the program no longer responds",
            },
        ),
        (
            WithoutIds,
            1,
            ("tool",),
            {
                "not reached: session/new returned no session",
                "not reached: session/new returned no session id",
                "skipped: the session has no modes",
                "skipped: the session has no option to change",
            },
        ),
        (
            WithoutOptions,
            1,
            ("tool",),
            {"skipped: the session has no modes", "skipped: the session has no option to change"},
        ),
        (
            WithoutCapabilities,
            2,
            ("tool",),
            {
                f"skipped: /capabilities/session{name} is not advertised"
                for name in (
                    *("", "/delete", "/mcp/stdio", "/prompt/audio", "/prompt/image"),
                    "/prompt/embeddedContext",
                )
            },
        ),
    ],
)
def test_what_is_not_judged_of_an_agent_has_a_reason(
    program: type[Agent], version: int, prompts: tuple[str, ...], expected: set[str]
) -> None:
    assert reasons(report_on("agent", version, program=program, prompts=prompts)) == expected


def test_an_agent_that_uses_no_tools_is_not_judged_by_its_tools() -> None:
    report = report_on("agent", 1, program=Agent, prompts=("hello",))
    reported = "no prompt made the agent report a tool call"
    asked = "no prompt made the agent request permission"
    skipped = {each.requirement.id: each.reason for each in report.verdicts}
    for name, reason in {
        "reported-calls": reported,
        "final-status": reported,
        "permission-options": asked,
        "granted": asked,
        "rejected": asked,
    }.items():
        assert skipped[name] == reason


class ClientElsewhere(Client):
    def call(self, method: str, params: Any) -> None:
        super().call(method, {**params, "cwd": "/no/folder"} if "new" in method else params)


class ClientWithoutPrompts(Client):
    def call(self, method: str, params: Any) -> None:
        if method != "session/prompt":
            super().call(method, params)


class ClientWithoutSessions(Client):
    def call(self, method: str, params: Any) -> None:
        if method != "session/new":
            super().call(method, params)


class ClientWithoutForms(Client):
    def call(self, method: str, params: Any) -> None:
        if method == "initialize":
            params = {**params, "clientCapabilities": {"elicitation": {"url": {}}}}
        super().call(method, params)


class ClientThatGoesOn(Client):
    def interrupt(self) -> None:
        """Ignore the signal."""


class ClientThatExits(Client):
    def interrupt(self) -> None:
        self.send({"method": "session/cancel", "params": {"sessionId": self.session}})
        raise KeyboardInterrupt


class ClientThatAnswersEarly(Client):
    def interrupt(self) -> None:
        while self.waiting:
            self.send({"id": self.waiting.pop(), "result": CANCELLED})
        asyncio.get_running_loop().call_later(0.01, super().interrupt)


class ClientThatDecides(Client):
    def decide(self, params: Any, id: Any) -> Any:
        self.decided = 0
        return super().decide(params, id)


@pytest.mark.parametrize(
    ("program", "version", "expected"),
    [
        (Client, 1, set()),
        (Client, 2, set()),
        (
            ClientThatGoesOn,
            1,
            {"skipped: the client does not send session/cancel when it is interrupted"},
        ),
        (ClientThatExits, 1, {"skipped: the client exits when it is interrupted"}),
        (
            ClientThatAnswersEarly,
            2,
            {"skipped: the client responded before the turn was cancelled"},
        ),
        (
            ClientThatDecides,
            2,
            {"skipped: the client responds to all permission requests immediately"},
        ),
        (
            ClientElsewhere,
            1,
            {
                "skipped: cannot create a folder in '/no/folder': No such file or directory",
            },
        ),
        (
            ClientWithoutPrompts,
            1,
            {"not reached: session/prompt did not arrive: nothing in 0.05 s"},
        ),
        (
            ClientWithoutSessions,
            2,
            {
                "not reached: session/new did not arrive: nothing in 0.05 s",
                "not reached: session/prompt did not arrive: nothing in 0.05 s",
            },
        ),
        (
            ClientWithoutForms,
            1,
            {
                "skipped: the capability for forms is not advertised",
                *(
                    f"skipped: /clientCapabilities/{name} is not advertised"
                    for name in ("fs/readTextFile", "fs/writeTextFile", "terminal")
                ),
            },
        ),
    ],
)
def test_what_is_not_judged_of_a_client_has_a_reason(
    program: type[Client], version: int, expected: set[str]
) -> None:
    assert reasons(report_on("client", version, program=program)) == expected
