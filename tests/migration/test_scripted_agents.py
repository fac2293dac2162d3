"""Each client with an agent that plays from a script, in all that the client can do."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from migration import holding, originals, scripts
from migration.holding import BARE, FAKE, Conversation, hold
from migration.originals import OURS, VERSIONS
from migration.scripts import END, OPTIONS, script

DENIED = {"error": {"code": -32000, "message": "no", "data": {"why": ["that"]}}}


@dataclass(frozen=True)
class Scene:
    """A conversation with the agent that plays from a script.

    Attributes:
        client: the name of the client.
        script: makes the script; is called with the folder in which both run.
        typed: what is typed into the console of the client.
        arguments: its arguments.
    """

    client: str
    script: Callable[[Path], str]
    typed: str = ""
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Difference:
    """A scene in which ours differs.

    Attributes:
        why: the reason.
        scene: the scene.
        theirs: lines that only the original prints, or parts of messages that only it sends.
        ours: the same, of ours.
    """

    why: str
    scene: Scene
    theirs: tuple[str, ...]
    ours: tuple[str, ...]


SAME: dict[str, Scene] = {
    "client: updates": Scene("client", lambda _: script([*scripts.updates(), END]), "hi\n"),
    "client: plans": Scene("client", lambda _: script([*scripts.plans_with_ids(), END]), "hi\n"),
    "client: requests": Scene(
        "client",
        lambda folder: script(
            [
                *scripts.files(folder),
                *scripts.terminals(),
                *scripts.extension_request(),
                END,
            ]
        ),
        "hi\n",
    ),
    "client: errors": Scene("client", lambda _: script([DENIED], [END]), "hi\nthere\n"),
    "gemini: updates": Scene("gemini", lambda _: script([*scripts.updates(), END]), "hi\n"),
    "gemini: files": Scene("gemini", lambda folder: script([*scripts.files(folder), END]), "hi\n"),
    "gemini: terminals": Scene("gemini", lambda _: script([*scripts.terminals(), END]), "hi\n"),
    "gemini: permissions": Scene(
        "gemini",
        lambda _: script([*scripts.permission(OPTIONS, title="Edit"), END], [END]),
        "hi\n\n9\nno\n0\n3\nthere\n:exit\n",
    ),
    "gemini: permissions without options": Scene(
        "gemini", lambda _: script([*scripts.permission([]), END]), "hi\n"
    ),
    "gemini: permissions without questions": Scene(
        "gemini",
        lambda _: script(
            [
                *scripts.permission(OPTIONS),
                *scripts.permission(OPTIONS[:1]),
                *scripts.permission([]),
                END,
            ]
        ),
        "hi\n",
        ("--yolo",),
    ),
    "gemini: errors": Scene("gemini", lambda _: script([DENIED], [END]), "hi\nthere\n:quit\n"),
    "gemini: one prompt": Scene(
        "gemini",
        lambda _: script([*scripts.updates(), END]),
        arguments=(
            *("--prompt", "hi", "--prompt-timeout", "0", "--model", "large"),
            *("--sandbox", "--debug", "--skip-trust"),
        ),
    ),
    "gemini: one prompt that fails": Scene(
        "gemini",
        lambda _: script([DENIED]),
        arguments=("--prompt", "hi", "--experimental-acp"),
    ),
    "gemini: no initialize": Scene("gemini", lambda _: script(initialize=DENIED)),
    "gemini: no session": Scene("gemini", lambda _: script(**{"session/new": DENIED})),
}
DIFFERENT: dict[str, Difference] = {
    "client: elicitations": Difference(
        "the SDK refuses them unless it is told to speak the unstable protocol",
        Scene("client", lambda _: script([*scripts.elicitations(), END]), "hi\n"),
        theirs=("raised RequestError: Method not found",),
        ours=(
            "| Agent requested input: Where? (<class>)",
            "| Agent completed elicitation: e-1",
            '"result": {"action": "decline"}',
        ),
    ),
    "client: permissions": Difference(
        "the original has no method for them; without one, ours rejects, and says so once",
        Scene("client", lambda _: script([*scripts.permission(OPTIONS), END]), "hi\n"),
        theirs=('"error": -32601',),
        ours=("rejects what it is asked for: write session_request_permission to ask the user",),
    ),
    "client: extension notifications": Difference(
        "the original raises an error that nobody can receive; ours ignores them",
        Scene("client", lambda _: script([*scripts.extension_notification(), END]), "hi\n"),
        theirs=("raised RequestError: Method not found",),
        ours=(),
    ),
    "gemini: elicitations": Difference(
        "the SDK refuses them unless it is told to speak the unstable protocol",
        Scene("gemini", lambda _: script([*scripts.elicitations(), END]), "hi\n"),
        theirs=("raised RequestError: Method not found",),
        ours=(
            "[elicitation] Where? (<class>)",
            "[elicitation complete] e-1",
            '"result": {"action": "decline"}',
        ),
    ),
    "gemini: plans": Difference(
        "the original reads a member that the class does not have",
        Scene("gemini", lambda _: script([*scripts.plans_with_ids(), END]), "hi\n"),
        theirs=(
            "raised AttributeError: 'PlanUpdateItems' object has no attribute 'id'",
            "raised AttributeError: 'AgentPlanRemovedUpdate' object has no attribute 'id'",
        ),
        ours=("[plan update] p-1", "[plan removed] p-1"),
    ),
    "gemini: extension requests": Difference(
        "the base class of the original answers null to a method that it does not know",
        Scene("gemini", lambda _: script([*scripts.extension_request(), END]), "hi\n"),
        theirs=('"result": null',),
        ours=('"error": -32601',),
    ),
    "gemini: relative paths": Difference(
        "the original puts a Path into the error, which is not JSON, and never answers",
        Scene(
            "gemini",
            lambda _: script([*scripts.relative_files(), END]),
            "hi\n:exit\n",
            ("--prompt-timeout", "2"),
        ),
        theirs=("prompt timed out waiting for final ACP response", '"method": "session/cancel"'),
        ours=('"error": -32602',),
    ),
    "gemini: initialize without a version": Difference(
        "the two describe what is wrong in words of their own",
        Scene("gemini", lambda _: script(initialize={"result": {}})),
        theirs=("initialize error: 1 validation error for InitializeResponse",),
        ours=(),
    ),
}
TIMEOUTS = {
    "a line": Scene("gemini", lambda _: script([]), "hi\n:exit\n", ("--prompt-timeout", "1")),
    "an argument": Scene(
        "gemini", lambda _: script([]), "", ("--prompt-timeout", "1", "--prompt", "hi")
    ),
}
Played = Callable[[str, Scene], Conversation]


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """Plays a scene with the client of a version of the SDK, or ours; each once."""

    @cache
    def play(who: str, scene: Scene) -> Conversation:
        folder = tmp_path_factory.mktemp("scene")
        path = folder / "script.json"
        path.write_text(scene.script(folder), "utf-8")
        agent = [*BARE, str(FAKE), str(path)]
        return hold((who, scene.client), agent, folder, *scene.arguments, stdin=scene.typed)

    return play


def account(held: Conversation) -> str:
    """All that the client has printed and sent."""
    messages = [json.dumps(message, sort_keys=True) for message in held.client]
    return "\n".join([held.printed, *held.errors, *messages])


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", SAME)
def test_it_does_as_the_original(version: str, name: str, played: Played) -> None:
    theirs = played(version, SAME[name])
    assert len(theirs.client) >= (1 if "initialize" in name else 2)
    assert played(OURS, SAME[name]) == theirs


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", DIFFERENT)
def test_it_differs_for_a_reason(version: str, name: str, played: Played) -> None:
    """If the original does better one day, this fails, and the scene belongs to the others."""
    different = DIFFERENT[name]
    accounts = [account(played(who, different.scene)) for who in (version, OURS)]
    assert different.why
    for lines, expected in ((different.theirs, [True, False]), (different.ours, [False, True])):
        for line in lines:
            assert [line in each for each in accounts] == expected, line


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", TIMEOUTS)
def test_it_gives_up_as_the_original(version: str, name: str, played: Played) -> None:
    """Version 1.0 of the SDK sends `$/cancel_request`, too, and may end before `session/cancel`."""
    theirs, ours = (played(who, TIMEOUTS[name]) for who in (version, OURS))
    assert (ours.printed, ours.errors, ours.exit) == (theirs.printed, theirs.errors, theirs.exit)
    assert ours.errors == ["prompt timed out waiting for final ACP response"]
    assert ours.client[:3] == theirs.client[:3]
    assert [message["method"] for message in ours.client[3:]] == ["session/cancel"]


def test_initialize_without_a_version_is_an_error(played: Played) -> None:
    held = played(OURS, DIFFERENT["gemini: initialize without a version"].scene)
    assert held.exit == 1
    assert held.errors[0].startswith("initialize error: ")


@pytest.mark.parametrize("who", [OURS, *VERSIONS])
@pytest.mark.parametrize("name", ["client", "gemini"])
def test_clients_need_an_agent(who: str, name: str, tmp_path: Path) -> None:
    """Without a command, or with one that does not exist."""
    environment = {**holding.environment(), "PATH": str(tmp_path)}
    environment.pop("ACP_GEMINI_BIN", None)
    missing = str(tmp_path / "missing")
    cases: dict[str, list[tuple[list[str], str]]] = {
        "client": [([], "Usage: python examples/client.py AGENT_PROGRAM [ARGS...]\n")],
        "gemini": [
            ([], "Unable to locate `gemini` CLI, provide --gemini path\n"),
            (
                ["--gemini", missing],
                "Failed to start Gemini CLI:"
                f" [Errno 2] No such file or directory: {missing!r}\n",
            ),
        ],
    }
    for arguments, errors in cases[name]:
        done = subprocess.run(
            [*originals.command(who, name), *arguments],
            env=environment,
            capture_output=True,
            text=True,
            timeout=holding.TIMEOUT,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (
            2 if name == "client" else 1,
            "",
            errors,
        )
