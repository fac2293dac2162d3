"""Tests of the blocking scripted client, which has the same methods as the asynchronous client."""

from __future__ import annotations

import inspect
import threading
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.testing import BlockingClient, Client, tool_call

from tests.package.testing.sides import cleaner, each_version, number


@each_version
def test_a_turn_leaves_its_updates_and_its_session(types: Any) -> None:
    with BlockingClient(Client(cleaner(types), files={"/a": "1"})) as client:
        assert (client.session_id, client.introduction, client.version) == (None, None, 0)
        turn = client.prompt("Clean up")
        assert client.session_id == turn.session_id
        assert client.sessions[turn.session_id]["sessionId"] == turn.session_id
        assert [update for update in client.updates if update in turn.updates] == turn.updates
        assert [call.method for call in client.calls] == ["session/request_permission"]
        assert client.notes[-1]["method"] == "session/update"
        assert client.introduction["protocolVersion"] == client.version == number(types)
        assert client.files == {"/a": "1"}


def test_files_that_the_agent_writes_are_read_by_the_test() -> None:
    class Writer(v1.SessionAgent):
        async def turn(self, session: v1.AgentSession, params: v1.PromptRequest) -> None:
            await session.fs_write_text_file(path="/b", content="2\n")

    with BlockingClient(Client(Writer)) as client:
        client.prompt("Write")
        assert client.files == {"/b": "2\n"}


def test_a_session_that_is_cancelled_between_prompts_goes_on() -> None:
    with BlockingClient(Client(cleaner(v2))) as client:
        client.new_session()
        client.cancel()
        client.prompt("Clean up").expect(tool_call("rm", status="completed"))


def test_every_method_and_attribute_of_the_client_is_there() -> None:
    """The internal methods for scripted messages and the connection are excluded."""
    internal = {"call", "finish", "listen", "notified", "responded", "script", "start", "wait"}
    internal |= {"standard", "wire", "send", "hang_up", "side", "exit", "lives_on"}
    client = Client(cleaner(v2))
    public = {name for name in [*dir(Client), *vars(client)] if not name.startswith("_")}
    assert public - internal == {name for name in dir(BlockingClient) if not name.startswith("_")}
    for name in ("initialize", "new_session", "prompt", "cancel", "notify"):
        theirs = inspect.signature(getattr(Client, name)).parameters
        assert inspect.signature(getattr(BlockingClient, name)).parameters == theirs


def test_a_client_that_cannot_start_leaves_no_thread() -> None:
    before = threading.active_count()
    client = BlockingClient(Client(["/does/not/exist"]))
    with pytest.raises(FileNotFoundError), client:
        raise AssertionError("the client was started")
    assert threading.active_count() == before
