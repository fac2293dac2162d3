"""Tests of responses to requests that the checker no longer remembers."""

from __future__ import annotations

from typing import Any

import pytest
from acpwire.rules import pairing

from tests.package.jsonrpc.wire import ask
from tests.support.traced import agreed, answer, bare, notes, problems


def test_requests_over_the_limit_can_still_be_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairing, "_MOST_OPEN", 3)
    asked = [ask(number, "_x") for number in range(1, 5)]
    answered = [answer(number) for number in range(4, 0, -1)]
    found = bare(*agreed(1), *asked, *answered)
    assert problems(found) == []
    assert (10, "responds to an unknown request") in notes(found)
    assert len(notes(found)) == 1
    assert found.unanswered == []


def test_at_the_limit_each_request_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairing, "_MOST_OPEN", 3)
    asked = [ask(number, "_x") for number in range(1, 4)]
    found = bare(*agreed(1), *asked, answer(1), answer(9))
    assert problems(found) == [(7, "/id", "no request has the id 9")]


@pytest.mark.parametrize(("count", "text"), [(2, "already has a response, on line 4"), (3, "")])
def test_some_answered_requests_are_remembered(
    count: int, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pairing, "_MOST_ANSWERED", 2)
    messages: list[Any] = []
    for number in range(1, count + 1):
        messages += [ask(number, "_x"), answer(number)]
    *_, (_, _, found) = problems(bare(*agreed(1), *messages, answer(1)))
    assert found == (f"request 1 {text}" if text else "no request has the id 1")


@pytest.mark.parametrize(("count", "is_known"), [(2, True), (3, False)])
def test_some_invalid_messages_are_remembered(
    count: int, is_known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pairing, "_MOST_ANSWERED", 2)
    invalid = [{"id": number, "method": 7} for number in range(1, count + 1)]
    error = {"id": 1, "error": {"code": -32600, "message": "invalid"}}
    found = bare(*agreed(1), *invalid, error, error)
    texts = [(number, text) for number, pointer, text in problems(found) if pointer == "/id"]
    first, second = 3 + count, 4 + count
    expected = [second] if is_known else [first, second]  # the first error for a known id is valid
    assert texts == [(number, "no request has the id 1") for number in expected]
