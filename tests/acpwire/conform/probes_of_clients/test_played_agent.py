"""Tests of the text that the simulated agent shows to users of a client."""

from __future__ import annotations

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
