"""Tests of each client and each agent against a scripted peer that uses all of its features."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.acpport.migration import holding, originals
from tests.acpport.migration.holding import HERE, Conversation, ask, hold
from tests.acpport.migration.originals import OURS, PORTED, VERSIONS
from tests.support import preloaded

AGENT = HERE / "scripted_agent.py"
Step = dict[str, Any]
each_version = pytest.mark.parametrize("version", VERSIONS)
# The other version's clients differ in only a few lines, and `test_pairs` covers them. `acpgen
# port` converts both versions to the same programs.
last_version = pytest.mark.parametrize("version", VERSIONS[-1:])
END: Step = {"result": {"stopReason": "end_turn"}}
DENIED: Step = {"error": {"code": -32000, "message": "no", "data": {"why": ["that"]}}}
LINK = {"type": "resource_link", "name": "notes", "uri": "file:///notes.md"}
BINARY_FILE = {"uri": "file:///b.bin", "blob": "AAAA"}
CONTENT: list[Step] = [
    {"type": "text", "text": "some text"},
    {"type": "image", "data": "AAAA", "mimeType": "image/png"},
    {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
    LINK,
    {**LINK, "uri": "", "name": ""},
    {"type": "resource", "resource": {"uri": "file:///a.txt", "text": "embedded text"}},
    {"type": "resource", "resource": BINARY_FILE},
    {"type": "resource", "resource": {**BINARY_FILE, "blob": ""}},
]
ENTRIES = [
    {"content": "look", "priority": "high", "status": "in_progress"},
    {"content": "leap", "priority": "low", "status": "pending"},
]
CHANGES = [
    {"type": "diff", "path": "/a.txt", "oldText": "a", "newText": "b"},
    {"type": "terminal", "terminalId": "term-1"},
    {"type": "content", "content": CONTENT[0]},
]


def note(method: str, **params: Any) -> Step:
    return {"method": method, "params": {"sessionId": "session-1", **params}}


def update(kind: str, **members: Any) -> Step:
    return note("session/update", update={"sessionUpdate": kind, **members})


def requests(*notes: Step) -> list[Step]:
    return [{"id": f"{each['method']}-{number}", **each} for number, each in enumerate(notes)]


UPDATES = [
    *[update("agent_message_chunk", content=each) for each in CONTENT],
    update("agent_thought_chunk", content=CONTENT[0]),
    update("user_message_chunk", content=CONTENT[0]),
    update("plan", entries=ENTRIES),
    update("tool_call", toolCallId="t-1", title="Edit", status="completed"),
    update("tool_call", toolCallId="t-2", title="Run"),
    update("tool_call_update", toolCallId="t-2"),
    update("tool_call_update", toolCallId="t-2", status="failed"),
    update("tool_call_update", toolCallId="t-1", content=CHANGES),
    update("current_mode_update", currentModeId="fast"),
    update("available_commands_update", availableCommands=[]),
    update("session_info_update", title="A session"),
    update("usage_update", used=1, size=2),
]
PLANS_WITH_IDS = [
    update("plan_update", plan={"type": "items", "planId": "p-1", "entries": ENTRIES}),
    update("plan_removed", planId="p-1"),
]
FORM = {"type": "object", "properties": {"name": {"type": "string"}}}
FORMS = {"mode": "form", "requestedSchema": FORM}
URL = {"mode": "url", "url": "https://example.com/", "elicitationId": "e-1"}
ELICITATIONS = [
    *requests(
        note("elicitation/create", **FORMS, message="Who?"),
        {"method": "elicitation/create", "params": {**FORMS, "message": "Where?", "requestId": 1}},
        note("elicitation/create", **URL, message="Sign in"),
    ),
    {"method": "elicitation/complete", "params": {"elicitationId": "e-1"}},
]
FILE = {"path": "<folder>/sub/file.txt"}
SLICES: list[Step] = [
    {},
    {"line": 2},
    {"line": 2, "limit": 2},
    {"limit": 1},
    {"line": 0, "limit": 0},
    {"line": 9},
    {"line": None, "limit": None},
]
FILES = requests(
    note("fs/write_text_file", **FILE, content="one\ntwo\nthree\nfour\n"),
    *[note("fs/read_text_file", **FILE, **each) for each in SLICES],
)
RELATIVE_FILES = requests(
    note("fs/write_text_file", path="file.txt", content=""),
    note("fs/read_text_file", path="file.txt"),
)
TERMINALS = requests(
    note("terminal/create", command="ls"),
    note("terminal/create", command="echo", args=["a b"], cwd="<folder>"),
    *[
        note(f"terminal/{name}", terminalId="<terminal>")
        for name in ("wait_for_exit", "output", "kill", "release")
    ],
)
EXTENSION = requests(note("_example/count", a=1))
OPTIONS = [
    {"optionId": "never", "name": "Never", "kind": "reject_always"},
    {"optionId": "once", "name": "Once", "kind": "allow_once"},
    {"optionId": "always", "name": "Always", "kind": "allow_always"},
]


def permission(options: list[dict[str, Any]], **call: Any) -> list[Step]:
    params = {"toolCall": {"toolCallId": "t-1", **call}, "options": options}
    return requests(note("session/request_permission", **params))


@dataclass
class Scene:
    """A session between a client and `scripted_agent.py`.

    `prompts` lists the messages that the agent sends for each prompt. If a message is a request,
    the agent waits for the response. The last message is the response to the prompt. If there are
    no messages, the agent never responds. `answers` are the responses to other requests. `typed` is
    the client's console input. If our client differs from the original, `why` is the reason.
    `theirs` and `ours` are output lines and parts of messages that only one of the two clients
    produces.
    """

    prompts: list[list[Step]]
    typed: str = "hi\n"
    arguments: tuple[str, ...] = ()
    answers: Step = field(default_factory=dict)
    why: str = ""
    theirs: tuple[str, ...] = ()
    ours: tuple[str, ...] = ()


SAME = {
    "client: updates": Scene([[*UPDATES, END]]),
    "client: plans": Scene([[*PLANS_WITH_IDS, END]]),
    "client: requests": Scene([[*FILES, *TERMINALS, *EXTENSION, END]]),
    "client: errors": Scene([[DENIED], [END]], "hi\nthere\n"),
    "gemini: updates": Scene([[*UPDATES, END]]),
    "gemini: permissions": Scene(
        [[*permission(OPTIONS, title="Edit"), END], [END]], "hi\n\n9\nno\n0\n3\nthere\n:exit\n"
    ),
    "gemini: permissions without options": Scene([[*permission([]), END]]),
    "gemini: permissions without questions": Scene(
        [[*permission(OPTIONS), *permission(OPTIONS[:1]), *permission([]), END]],
        arguments=("--yolo",),
    ),
    "gemini: errors": Scene([[DENIED], [END]], "hi\nthere\n:quit\n"),
    "gemini: one prompt": Scene(
        [[*UPDATES, END]],
        "",
        (
            *("--prompt", "hi", "--prompt-timeout", "0", "--model", "large"),
            *("--sandbox", "--debug", "--skip-trust"),
        ),
    ),
    "gemini: one prompt that fails": Scene(
        [[DENIED]], "", ("--prompt", "hi", "--experimental-acp")
    ),
    "gemini: no initialize": Scene([], "", answers={"initialize": DENIED}),
    "gemini: no session": Scene([], "", answers={"session/new": DENIED}),
}
DIFFERENT = {
    "client: elicitations": Scene(
        [[*ELICITATIONS, END]],
        why="the SDK refuses them unless the unstable protocol is enabled",
        theirs=("raised RequestError: Method not found",),
        ours=(
            "| Agent requested input: Where? (<class>)",
            "| Agent completed elicitation: e-1",
            '"result": {"action": "decline"}',
        ),
    ),
    "client: permissions": Scene(
        [[*permission(OPTIONS), END]],
        why="the original has no method for them; without one, ours rejects and logs it once",
        theirs=('"error": -32601',),
        ours=(
            "rejects every permission request; define session_request_permission to ask the user",
        ),
    ),
    "client: extension notifications": Scene(
        [[note("_example/note", a=1), END]],
        why="the original raises an error that no caller can receive; ours ignores them",
        theirs=("raised RequestError: Method not found",),
    ),
    "gemini: elicitations": Scene(
        [[*ELICITATIONS, END]],
        why="the SDK refuses them unless the unstable protocol is enabled",
        theirs=("raised RequestError: Method not found",),
        ours=(
            "[elicitation] Where? (<class>)",
            "[elicitation complete] e-1",
            '"result": {"action": "decline"}',
        ),
    ),
    "gemini: plans": Scene(
        [[*PLANS_WITH_IDS, END]],
        why="the original reads a field that the class does not have",
        theirs=(
            "raised AttributeError: 'PlanUpdateItems' object has no attribute 'id'",
            "raised AttributeError: 'AgentPlanRemovedUpdate' object has no attribute 'id'",
        ),
        ours=("[plan update] p-1", "[plan removed] p-1"),
    ),
    "gemini: extension requests": Scene(
        [[*EXTENSION, END]],
        why="the original's base class responds with null to unknown methods",
        theirs=('"result": null',),
        ours=('"error": -32601',),
    ),
    "gemini: relative paths": Scene(
        [[*RELATIVE_FILES, END]],
        "hi\n:exit\n",
        ("--prompt-timeout", "2"),
        why="the original puts a Path into the error, which is not JSON, and never responds",
        theirs=("prompt timed out waiting for final ACP response", '"method": "session/cancel"'),
        ours=('"error": -32602',),
    ),
    "gemini: initialize without a version": Scene(
        [],
        "",
        answers={"initialize": {"result": {}}},
        why="the two describe the problem in different words",
        theirs=("initialize error: 1 validation error for InitializeResponse",),
    ),
}
EXITED = {"exitCode": 0, "signal": None}
# Scenes with requests that the kit handles in our client, and the results that the agent receives.
BY_THE_KIT: dict[str, tuple[Scene, list[Step]]] = {
    "gemini: files": (
        Scene(
            [[*FILES, END]],
            why="the kit keeps the ends of lines, reads no lines for a limit of 0, is silent",
        ),
        [
            {},
            {"content": "one\ntwo\nthree\nfour\n"},
            {"content": "two\nthree\nfour\n"},
            {"content": "two\nthree\n"},
            {"content": "one\n"},
            {"content": ""},
            {"content": ""},
            {"content": "one\ntwo\nthree\nfour\n"},
        ],
    ),
    "gemini: terminals": (
        Scene([[*TERMINALS, END]], why="the original only prints the calls; the kit runs commands"),
        [
            {"terminalId": "terminal-<id>"},
            {"terminalId": "terminal-<id>"},
            EXITED,
            {"output": "a b\n", "truncated": False, "exitStatus": EXITED},
            {},
            {},
        ],
    ),
}
TIMEOUTS = {
    "gemini: a line": Scene([[]], "hi\n:exit\n", ("--prompt-timeout", "1")),
    "gemini: an argument": Scene([[]], "", ("--prompt-timeout", "1", "--prompt", "hi")),
}
SCENES = {**SAME, **DIFFERENT, **TIMEOUTS, **{name: each for name, (each, _) in BY_THE_KIT.items()}}
Played = Callable[[str, str], Conversation]


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """A function that plays a scene with a client. Each scene is played only once per client."""

    @cache
    def play(who: str, name: str) -> Conversation:
        folder, scene = tmp_path_factory.mktemp("scene"), SCENES[name]
        script = json.dumps({"prompts": scene.prompts, "answers": scene.answers})
        (folder / "scene.json").write_text(script.replace("<folder>", str(folder)), "utf-8")
        agent = preloaded.command(sys.executable, ("acp_bindings.testing.steps",), str(AGENT))
        client = name.partition(":")[0]
        return hold((who, client), agent, folder, *scene.arguments, stdin=scene.typed)

    return play


@last_version
@pytest.mark.parametrize("name", SAME)
def test_clients_do_as_the_original(version: str, name: str, played: Played) -> None:
    theirs = played(version, name)
    assert len(theirs.client) >= (1 if "initialize" in name else 2)
    assert played(OURS, name) == theirs


def _account(held: Conversation) -> str:
    messages = [json.dumps(message, sort_keys=True) for message in held.client]
    return "\n".join([held.printed, *held.errors, *messages])


@last_version
@pytest.mark.parametrize("name", DIFFERENT)
def test_clients_differ_for_a_reason(version: str, name: str, played: Played) -> None:
    """If this test fails because the original was improved, move the scene to `SAME`."""

    scene = SCENES[name]
    theirs, ours = _account(played(version, name)), _account(played(OURS, name))
    assert [line for line in scene.theirs if line not in theirs or line in ours] == []
    assert [line for line in scene.ours if line not in ours or line in theirs] == []


@last_version
@pytest.mark.parametrize("name", BY_THE_KIT)
def test_the_kit_does_what_the_original_does_by_hand(
    version: str, name: str, played: Played
) -> None:
    theirs, ours = played(version, name), played(OURS, name)
    results = [message["result"] for message in ours.client if "method" not in message]
    assert results == BY_THE_KIT[name][1]
    assert (ours.errors, ours.exit) == (theirs.errors, theirs.exit)
    assert ours.printed == re.sub(r"\[Client\] .*\n", "", theirs.printed)
    named = json.dumps(theirs.agent).replace("term-1", "terminal-<id>")
    assert ours.agent == json.loads(named)
    asked = [[each for each in held.client if "method" in each] for held in (theirs, ours)]
    assert asked[0] == asked[1]


@last_version
@pytest.mark.parametrize("name", [*SAME, *BY_THE_KIT])
def test_ported_clients_do_as_the_original(version: str, name: str, played: Played) -> None:
    assert played(PORTED, name) == played(version, name)


@last_version
@pytest.mark.parametrize("name", DIFFERENT)
def test_ported_clients_do_as_the_original_or_ours(version: str, name: str, played: Played) -> None:
    scene, account = SCENES[name], _account(played(PORTED, name))
    theirs, ours = ([line in account for line in each] for each in (scene.theirs, scene.ours))
    assert (all(theirs) and not any(ours)) or (all(ours) and not any(theirs))


def test_initialize_without_a_version_is_an_error(played: Played) -> None:
    held = played(OURS, "gemini: initialize without a version")
    assert held.exit == 1
    assert held.errors[0].startswith("initialize error: ")


@last_version
@pytest.mark.parametrize("name", TIMEOUTS)
def test_clients_give_up_as_the_original(version: str, name: str, played: Played) -> None:
    """The SDK's client also sends `$/cancel_request` and might exit before `session/cancel`."""
    theirs, ours = played(version, name), played(OURS, name)
    assert (ours.printed, ours.errors, ours.exit) == (theirs.printed, theirs.errors, theirs.exit)
    assert ours.errors == ["prompt timed out waiting for final ACP response"]
    assert ours.client[:3] == theirs.client[:3]
    assert [message["method"] for message in ours.client[3:]] == ["session/cancel"]


@last_version
@pytest.mark.parametrize("name", TIMEOUTS)
def test_ported_clients_give_up_as_the_original(version: str, name: str, played: Played) -> None:
    theirs, ported = played(version, name), played(PORTED, name)
    assert (ported.printed, ported.errors, ported.exit) == (
        *(theirs.printed, theirs.errors, theirs.exit),
    )
    methods = [message["method"] for message in ported.client[3:]]
    assert methods == ["$/cancel_request", "session/cancel"]


MISSING = "./missing"
NO_FILE, ABSOLUTE = "No such file or directory", "pass an absolute path"
NO_AGENT: list[tuple[str, list[str], int, str]] = [
    ("client", [], 2, "Usage: python examples/client.py AGENT_PROGRAM [ARGS...]\n"),
    ("gemini", [], 1, "Unable to locate `gemini` CLI, provide --gemini path\n"),
    (
        "gemini",
        ["--gemini", MISSING],
        1,
        f"Failed to start Gemini CLI: [Errno 2] {NO_FILE}: {MISSING!r}\n",
    ),
]


@pytest.mark.parametrize("who", [OURS, PORTED, *VERSIONS])
@pytest.mark.parametrize(("name", "arguments", "code", "errors"), NO_AGENT)
def test_clients_need_an_agent(
    who: str, name: str, arguments: list[str], code: int, errors: str, tmp_path: Path
) -> None:
    environment = {**holding.environment(), "PATH": str(tmp_path)}
    environment.pop("ACP_GEMINI_BIN", None)
    done = subprocess.run(
        [*originals.command(who, name), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=holding.TIMEOUT,
        check=False,
    )
    if who == OURS:  # `connect_stdio` adds an explanation
        errors = errors.replace(NO_FILE, f"no such program in {str(Path.cwd())!r}; {ABSOLUTE}")
    assert (done.returncode, done.stdout, done.stderr) == (code, "", errors)


# --- agents ----------------------------------------------------------------------------------


def request(id_: int | str, method: str, **params: Any) -> Step:
    return {"id": id_, "method": method, "params": params}


def initialize(version: int = 1) -> Step:
    return request(0, "initialize", protocolVersion=version)


def new(id_: int) -> Step:
    return request(id_, "session/new", cwd="/", mcpServers=[])


def load(id_: int, session_id: str) -> Step:
    return request(id_, "session/load", cwd="/", mcpServers=[], sessionId=session_id)


def prompt(id_: int, session_id: str, blocks: list[dict[str, Any]]) -> Step:
    return request(id_, "session/prompt", sessionId=session_id, prompt=blocks)


def cancel(session_id: str) -> Step:
    return {"method": "session/cancel", "params": {"sessionId": session_id}}


CALLS: dict[str, list[Step]] = {
    "agent: sessions": [
        initialize(),
        request("a", "authenticate", methodId="key"),
        new(1),
        new(2),
        load(3, "9"),
        request(4, "session/set_mode", sessionId="1", modeId="fast"),
    ],
    "agent: prompts": [
        initialize(),
        new(1),
        prompt(2, "0", CONTENT),
        cancel("0"),
        prompt(3, "elsewhere", CONTENT[:1]),
        cancel("nowhere"),
        # When the response to this request arrives, the notifications have been handled.
        new(4),
    ],
    "agent: extensions": [
        initialize(),
        {"method": "_example/note", "params": {"a": 1}},
        request(1, "_example/count", a=1),
        new(2),
    ],
    "agent: protocol 2": [initialize(2), new(1)],
    "agent: protocol 0": [initialize(0), new(1)],
    "echo_agent: sessions": [initialize(), new(1), new(2)],
}
# Differences by name: the reason, the messages to send, the original's last response, and ours.
OTHER_ANSWERS: dict[str, tuple[str, list[Step], Any, Any]] = {
    "agent: unknown method": (
        "the original's base class responds with null",
        *([initialize(), request(1, "session/list")], None, -32601),
    ),
    "agent: too early": (
        "ours rejects requests before initialize",
        *([new(1)], {"sessionId": "0"}, -32600),
    ),
    "echo_agent: loading": (
        "the original's base class claims to load any session",
        *([initialize(), load(1, "9")], {}, -32601),
    ),
    "echo_agent: unknown session": (
        "ours keeps its sessions and rejects others",
        *([initialize(), prompt(1, "9", CONTENT)], {"stopReason": "end_turn"}, -32002),
    ),
    "echo_agent: protocol 2": (
        "the original always speaks protocol 1 and may claim otherwise; ours names it",
        *([initialize(2)], {"protocolVersion": 2}, {"protocolVersion": 1}),
    ),
}


def asked(name: str, messages: list[Step], *whose: str) -> list[Conversation]:
    """Send the same messages to each variant of an example agent, and return the sessions."""
    agent = name.partition(":")[0]
    return [ask(originals.command(who, agent), *messages) for who in whose]


@each_version
@pytest.mark.parametrize("name", CALLS)
def test_agents_answer_as_the_original(version: str, name: str) -> None:
    theirs, ours = asked(name, CALLS[name], version, OURS)
    count = len([message for message in CALLS[name] if "id" in message])
    assert len([message for message in theirs.agent if "id" in message]) == count
    assert ours.agent == theirs.agent
    assert sorted(ours.errors) == sorted(theirs.errors)  # the order depends on the tasks
    assert ours.exit == theirs.exit == 0


@each_version
@pytest.mark.parametrize("name", OTHER_ANSWERS)
def test_agents_differ_for_a_reason(version: str, name: str) -> None:
    """If this test fails because the original was improved, move the messages to `CALLS`."""
    _, messages, *expected = OTHER_ANSWERS[name]
    last = [held.agent[-1] for held in asked(name, messages, version, OURS)]
    assert [each["error"] if "error" in each else each["result"] for each in last] == expected


@last_version
@pytest.mark.parametrize("name", CALLS)
def test_ported_agents_answer_as_the_original(version: str, name: str) -> None:
    theirs, ported = asked(name, CALLS[name], version, PORTED)
    assert ported.agent == theirs.agent
    assert sorted(ported.errors) == sorted(theirs.errors)
    assert ported.exit == theirs.exit == 0


@pytest.mark.parametrize("name", OTHER_ANSWERS)
def test_ported_agents_answer_as_the_original_or_ours(name: str) -> None:
    _, messages, *expected = OTHER_ANSWERS[name]
    [held] = asked(name, messages, PORTED)
    last = held.agent[-1]
    assert (last["error"] if "error" in last else last["result"]) in expected
