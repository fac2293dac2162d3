"""Tests of the simulated agent: the text that it shows to users of a client, and its responses."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from acpwire.surfaces import VERSIONS

from tests.acpwire.conform.client_by_hand import Client
from tests.acpwire.conform.here import report_on

CALL = {"toolCallId": "conform-call", "title": "Judge the client"}
OPTIONS = [
    {"optionId": "conform-yes", "name": "Yes", "kind": "allow_once"},
    {"optionId": "conform-no", "name": "No", "kind": "reject_once"},
]
QUESTIONS: dict[int, dict[str, Any]] = {
    1: {"toolCall": CALL},
    2: {"title": "Judge the client?", "subject": {"type": "tool_call", "toolCall": CALL}},
}
MODES = {"currentModeId": "conform", "availableModes": [{"id": "conform", "name": "Judge"}]}


@pytest.mark.parametrize("version", VERSIONS)
def test_users_see_options_modes_and_questions_of_the_judge(version: int) -> None:
    opened: list[Any] = []
    asked: list[Any] = []

    class Showing(Client):
        def take_response(self, id: Any, result: Any) -> None:
            opened.append(result)
            super().take_response(id, result)

        def decide(self, params: Any, id: Any) -> Any:
            asked.append(params)
            return super().decide(params, id)

    report_on("client", version, program=Showing)
    option = {
        "id" if version == 1 else "configId": "conform",
        "name": "Judge",
        "type": "select",
        "currentValue": "conform-1",
        "options": [{"value": name, "name": name} for name in ("conform-1", "conform-2")],
    }
    modes = {"modes": MODES} if version == 1 else {}
    assert {"sessionId": "conform-1", "configOptions": [option], **modes} in opened
    assert {"sessionId": "conform-1", **QUESTIONS[version], "options": OPTIONS} in asked


def test_the_agent_updates_the_session_of_the_prompt() -> None:
    told: list[str] = []

    class Second(Client):
        """A client that opens another session before its prompt in the first session."""

        def call(self, method: str, params: Any) -> None:
            if method == "session/prompt":
                super().call("session/new", {"cwd": "/", "mcpServers": []})
                self.called[-1] = "the second session"
            super().call(method, params)

        def take_notification(self, method: str, params: Any) -> None:
            told.append(params["sessionId"])
            super().take_notification(method, params)

    report_on("client", 1, program=Second, only=["updates"])
    assert set(told) == {"conform-1"}


@pytest.mark.parametrize("version", VERSIONS)
def test_the_agent_has_the_methods_that_belong_to_sessions(version: int) -> None:
    answered: dict[str, Any] = {}

    class Calling(Client):
        def take(self, line: bytes) -> None:
            message = json.loads(line)
            if "method" not in message and type(message["id"]) is int:
                answered[self.called[message["id"] - 1]] = message
            super().take(line)

        def call(self, method: str, params: Any) -> None:
            if method == "session/prompt":
                super().call("session/list", {})
                super().call("session/close", {"sessionId": params["sessionId"]})
            super().call(method, params)

    report_on("client", version, program=Calling, only=["working-directory"])
    results = [answered[name].get("result") for name in ("session/list", "session/close")]
    errors = [answered[name].get("error", {}).get("code") for name in answered]
    if version == 1:
        assert results == [None, None]
        assert errors.count(-32601) == 2
    else:
        assert results == [{"sessions": []}, {}]


def test_the_files_of_the_judge_are_in_a_hidden_folder() -> None:
    read: list[Path] = []

    class Reading(Client):
        def read_text_file(self, params: Any) -> Any:
            read.append(Path(params["path"]))
            return super().read_text_file(params)

    report_on("client", 1, program=Reading, only=["read-file"])
    assert {path.parent.parent for path in read} == {Path.cwd()}
    for path in read:
        assert re.fullmatch(r"\.acpgen-conform-[a-z0-9_]+", path.parent.name)
