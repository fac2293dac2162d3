"""Tests that pair original and ported clients and agents over standard input and output."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.acpport.migration import originals
from tests.acpport.migration.holding import Conversation, hold, unordered
from tests.acpport.migration.originals import NAMES, OURS, PORTED, VERSIONS

# The console input for each client and agent. `duet.py` always starts the agent in its directory.
PAIRS = {
    ("client", "agent"): "hello\n\nthere\n",
    ("client", "echo_agent"): "hello\n\nthere\n",
    ("duet", "agent"): "hello\n\nthere\n",
    ("gemini", "agent"): "hello\n\nthere\n:cancel\n:exit\n",
    ("gemini", "echo_agent"): "hello\n\n  :cancel \nthere\n:quit\n",
}
_GEMINI = """✅ Connected to Gemini (protocol v1)
📝 Created session: {}
Type a message and press Enter to send.
Commands: :cancel, :exit

> {}
> {}
> """
_AGENT = "> | Agent: Client sent:\n| Agent: hello\n> > | Agent: Client sent:\n| Agent: there\n> "
# The exact output of our examples.
PRINTED = {
    ("client", "agent"): _AGENT,
    ("client", "echo_agent"): "> | Agent: hello\n> > | Agent: there\n> ",
    ("duet", "agent"): _AGENT,
    ("gemini", "agent"): _GEMINI.format(
        "0", "Client sent:\nhello\n\n> ", "Client sent:\nthere\n\n> "
    ),
    ("gemini", "echo_agent"): _GEMINI.format("<id>", "hello\n\n> \n> ", "there\n"),
}
Held = Callable[[str, str, str], Conversation]
CASTS = ("ours with theirs", "theirs with ours", "ours with ours")


@pytest.fixture(scope="session")
def originals_together(tmp_path_factory: pytest.TempPathFactory) -> Held:
    """A cached function that runs an original client with an original agent."""

    @cache
    def held(version: str, client: str, agent: str) -> Conversation:
        folder = tmp_path_factory.mktemp("originals")
        return talk(version, version, client, agent, folder)

    return held


def talk(client_of: str, agent_of: str, client: str, agent: str, folder: Path) -> Conversation:
    command = originals.command(agent_of, agent)
    return hold((client_of, client), command, folder, stdin=PAIRS[client, agent])


@pytest.mark.parametrize("version", VERSIONS)
def test_each_example_of_the_sdk_is_here_and_has_a_pair(version: str) -> None:
    theirs = {path.stem for path in originals.folder(version).rglob("*") if path.is_file()}
    assert theirs == {*NAMES}
    assert {path.stem for path in originals.folder(OURS).glob("*.py")} == {*NAMES}
    remote = {"http_client", "http_server", "ws_client"}
    assert {name for pair in PAIRS for name in pair} == theirs - remote


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("pair", PAIRS, ids=" ".join)
def test_the_originals_talk_as_expected(
    version: str, pair: tuple[str, str], originals_together: Held
) -> None:
    """All other sessions are compared with this one, so it must not be empty."""
    held = originals_together(version, *pair)
    assert held.exit == 0, held.errors
    methods = [each.get("method") for each in held.client]
    cancels = [] if pair[0] != "gemini" else ["session/cancel"]
    assert methods[:2] == ["initialize", "session/new"]
    assert sorted(methods[2:]) == [*cancels, "session/prompt", "session/prompt"]
    assert held.printed.count("hello") == held.printed.count("there") == 1


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("pair", PAIRS, ids=" ".join)
@pytest.mark.parametrize("cast", CASTS)
def test_ours_talk_as_the_originals(
    version: str, pair: tuple[str, str], cast: str, originals_together: Held, tmp_path: Path
) -> None:
    client_of, agent_of = [OURS if who == OURS else version for who in cast.split(" with ")]
    held = talk(client_of, agent_of, *pair, tmp_path)
    assert unordered(held) == unordered(originals_together(version, *pair))
    if client_of == OURS:
        assert held.printed == PRINTED[pair]


@pytest.mark.parametrize("version", VERSIONS[-1:])
@pytest.mark.parametrize("pair", PAIRS, ids=" ".join)
def test_ported_examples_talk_as_the_originals(
    version: str, pair: tuple[str, str], originals_together: Held, tmp_path: Path
) -> None:
    held = talk(PORTED, PORTED, *pair, tmp_path)
    assert unordered(held) == unordered(originals_together(version, *pair))
    assert held.printed == PRINTED[pair]
