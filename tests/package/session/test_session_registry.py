"""Tests of a client's session registry: its limits, and resumed sessions."""

from __future__ import annotations

from acp_bindings.runtime.jsonrpc.limits import Limits
from acp_bindings.runtime.session.session_registry import SessionRegistry

LIMITS = Limits(stray_sessions=2, closed_sessions=2)


def registry() -> SessionRegistry[list[str]]:
    return SessionRegistry(lambda session_id: [session_id], lambda: LIMITS)


def close(known: SessionRegistry[list[str]], session_id: str) -> None:
    known.sessions.pop(session_id, None)
    known.remember_closed(session_id)


def test_of_too_many_closed_sessions_the_oldest_is_forgotten() -> None:
    known = registry()
    for session_id in "abc":
        close(known, session_id)
    assert list(known.closed) == ["b", "c"]
    assert known.named("b") is None
    assert known.named("a") == ["a"]


def test_of_too_many_strays_the_oldest_is_dropped() -> None:
    known = registry()
    for session_id in "abc":
        known.named(session_id)
    assert list(known.strays) == list(known.sessions) == ["b", "c"]


def test_a_stray_that_is_opened_is_the_same_session_and_not_limited() -> None:
    known = registry()
    stray = known.named("a")
    assert known.open("a") is stray
    for session_id in "bcd":
        known.named(session_id)
    assert list(known.sessions) == ["a", "c", "d"]


def test_a_closed_session_comes_back_only_while_a_session_is_being_opened() -> None:
    known = registry()
    close(known, "a")
    assert known.named("a") is None
    known.begin()
    named = known.named("a")
    assert named == ["a"]
    assert known.named("a") is named
    assert known.sessions == {}
    assert known.open("a") is named
    assert list(known.closed) == []


def test_of_too_many_sessions_that_may_come_back_the_oldest_is_dropped() -> None:
    known = registry()
    close(known, "a")
    close(known, "b")
    known.begin()
    for session_id in "ab":
        known.named(session_id)
    known.remember_closed("c")
    known.named("c")
    assert list(known.reopening) == ["b", "c"]


def test_a_closed_session_does_not_come_back_after_the_last_response() -> None:
    known = registry()
    close(known, "a")
    known.begin()
    known.begin()
    known.named("a")
    known.end()
    assert list(known.reopening) == ["a"]
    known.end()
    assert known.reopening == {}
    assert known.named("a") is None
