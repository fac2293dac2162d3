"""Tests of sessions that are closed, resumed, or abandoned while they are being resumed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from acp_bindings.runtime import (
    INTERNAL_ERROR,
    REQUEST_CANCELLED,
    RESOURCE_NOT_FOUND,
    ConnectionClosed,
    RequestError,
)
from acp_bindings.runtime.jsonrpc.limits import Limits
from acp_bindings.runtime.session.state import Change

from tests.package.jsonrpc.wire import cancel as withdrawal
from tests.package.session.scripted import (
    ALLOWED,
    BACK,
    REFUSED,
    SESSION,
    V1,
    V1_UNSTABLE,
    V2,
    V2_UNSTABLE,
    Asked,
    Json,
    Script,
    Version,
    bring_back,
    chunk,
    client,
    close,
    coming_back,
    each_surface,
    each_version,
    each_way_back,
    failure,
    logs,
    opening,
    prompted,
    read_bring_back,
    result,
    selecting,
    settle,
    state,
    stray,
    texts,
    update,
    used,
    working,
)


@each_way_back
@pytest.mark.parametrize("closings", [0, 1, 2])
async def test_a_session_that_comes_back_begins_anew(
    version: Version, kind: str, closings: int
) -> None:
    async with client(version) as (script, before):
        script.write(chunk("old"))
        await settle()
        session = before
        for _ in range(max(closings, 1)):
            if closings:
                await close(script, session, chunk("late"))
            coming, id_ = await coming_back(script, version, kind, before)
            script.write(chunk("re", role="user_message"), chunk("play"), result(id_))
            session = await coming
            assert session.client.sessions == {SESSION: session}
            name = {"load": "LoadSessionResponse", "resume": "ResumeSessionResponse"}[kind]
            assert session.response == getattr(version.surface, name)()
            assert [each.text for each in session.state.messages] == ["re", "play"]
        assert (session is before) == (not closings)
        script.write(chunk("!"))
        await settle()
        assert texts(session) == ["play!"]
        async with prompted(version, script, session) as (turn, id_):
            script.write(*version.stopped(id_))
        assert turn.stop_reason == "end_turn"


@each_way_back
@pytest.mark.parametrize("what", ["open", "closed", "unknown"])
async def test_a_session_that_fails_to_return_stays(version: Version, kind: str, what: str) -> None:
    session_id = "other" if what == "unknown" else SESSION
    async with client(version) as (script, before):
        if what == "closed":
            await close(script, before)
        coming, id_ = await coming_back(script, version, kind, before, session_id)
        script.write(chunk("re", session=session_id), failure(id_, RESOURCE_NOT_FOUND))
        script.write(chunk("a"))
        with pytest.raises(RequestError) as caught:
            await coming
        assert caught.value.code == RESOURCE_NOT_FOUND
        await settle()
        assert before.client.sessions == ({} if what == "closed" else {SESSION: before})
        assert texts(before) == ([] if what == "closed" else ["a"])


@each_version
async def test_a_session_cannot_come_back_during_a_turn(version: Version) -> None:
    async with working(version) as (script, session, _, id_):
        reason = "the session has a running turn; wait until that is finished"
        with pytest.raises(RuntimeError, match=reason):
            await bring_back(version, "resume", session)
        assert session.client.sessions == {SESSION: session}
        script.write(*version.stopped(id_))


# --- messages for a closed session -----------------------------------------------------------


@logs(stray("new"))
@each_surface
async def test_late_updates_make_no_session(version: Version) -> None:
    found: list[Any] = []

    async def take(params: Any) -> None:
        found.append(params.update.content.text)

    async with client(version, session_update=take) as (script, session):
        sessions = session.client
        await close(script, session, chunk("late"))
        await close(script, sessions.session("s2"), chunk("late 2", session="s2"))
        script.write(chunk("later"), chunk("later 2", session="s2"))
        await settle()
        assert sessions.sessions == {}
        assert texts(session) == []
        # The handler still receives updates for closed sessions.
        assert found == ["late", "late 2", "later", "later 2"]
        script.write(chunk("a", session="new"))
        await settle()
        assert list(sessions.sessions) == ["new"]


@each_version
@pytest.mark.parametrize("is_withdrawn", [True, False])
async def test_a_question_about_a_session_that_was_closed_is_answered_and_leaves_nothing(
    version: Version, is_withdrawn: bool
) -> None:
    user: Any = Asked() if is_withdrawn else selecting(version)
    async with client(version, user=user) as (script, session):
        await close(script, session)
        script.write(version.permission("a"))
        if is_withdrawn:
            await settle()
            script.write(withdrawal("a"))
        assert await script.read() == result("a", **(REFUSED if is_withdrawn else ALLOWED))
        assert session.client.sessions == {}


# --- a session that comes back twice, or is closed meanwhile ---------------------------------


TWICE = [
    (version, kind, second) for version, kind in BACK for other, second in BACK if other is version
]


@pytest.mark.parametrize(("version", "kind", "second"), TWICE, ids=str)
@pytest.mark.parametrize("outcome", ["result", "failure", "cancelled"])
async def test_a_session_does_not_come_back_twice_at_once(
    version: Version, kind: str, second: str, outcome: str
) -> None:
    async with client(version) as (script, session):
        first, id_ = await coming_back(script, version, kind, session)
        reason = "the session is already being loaded; wait until that is finished"
        for _ in range(2):
            with pytest.raises(RuntimeError, match=reason):
                await bring_back(version, second, session)
        script.write(chunk("a"))
        await settle()
        if outcome == "result":
            script.write(result(id_), chunk("b"))
            assert await first is session
            await settle()
            assert texts(session) == ["ab"]
        elif outcome == "failure":
            script.write(failure(id_, INTERNAL_ERROR), chunk("b"))
            with pytest.raises(RequestError, match="no"):
                await first
            await settle()
            assert texts(session) == ["b"]
        else:
            first.cancel()
            with pytest.raises(asyncio.CancelledError):
                await first
            assert await script.read() == withdrawal(id_)
            script.write(failure(id_, REQUEST_CANCELLED))
        assert session.client.sessions == {SESSION: session}
        third, id_ = await coming_back(script, version, second, session)  # now it may
        script.write(result(id_))
        assert await third is session.client.sessions[SESSION]


@each_way_back
async def test_closing_meanwhile_does_not_hide_the_failure(version: Version, kind: str) -> None:
    async with client(version) as (script, before):
        returning, id_ = await coming_back(script, version, kind, before)
        await close(script, before)
        script.write(failure(id_, RESOURCE_NOT_FOUND, "gone"))
        with pytest.raises(RequestError, match="gone"):
            await returning
        assert before.client.sessions == {}  # the earlier session was closed


@each_way_back
async def test_a_session_comes_back_up_to_date_behind_its_closing(
    version: Version, kind: str
) -> None:
    """The client reopens the session before the agent responds to its close request."""
    async with client(version) as (script, before):
        closing = asyncio.create_task(before.close())
        closed = await script.request("session/close", sessionId=SESSION)
        returning, id_ = await coming_back(script, version, kind, before)
        script.write(result(closed))
        await closing
        script.write(chunk("re"), result(id_))
        session = await returning
        script.write(chunk("play"))
        await settle()
        assert session.client.sessions == {SESSION: session}
        assert texts(session) == ["replay"]


@each_way_back
async def test_a_session_closed_behind_its_return_is_forgotten(version: Version, kind: str) -> None:
    async with client(version) as (script, before):
        returning, id_ = await coming_back(script, version, kind, before)
        closing = asyncio.create_task(before.client.session(SESSION).close())
        closed = await script.request("session/close", sessionId=SESSION)
        script.write(result(id_), result(closed), chunk("late"))
        await returning
        await closing
        await settle()
        assert before.client.sessions == {}


# --- loading or resuming that is cancelled ---------------------------------------------------


async def abandon(version: Version, kind: str, script: Script, before: Any) -> Any:
    coming, id_ = await coming_back(script, version, kind, before)
    script.write(chunk("re"))
    await settle()
    coming.cancel()
    with pytest.raises(asyncio.CancelledError):
        await coming
    assert await script.read() == withdrawal(id_)
    assert before.client.sessions == {SESSION: before}
    return id_


@each_way_back
async def test_a_session_that_was_unknown_before_stays_unknown(version: Version, kind: str) -> None:
    async with client(version) as (script, other):
        coming, id_ = await coming_back(script, version, kind, other, "x")
        coming.cancel()
        await settle()
        assert await script.read() == withdrawal(id_)
        script.write(chunk("a", session="x"), result(id_), chunk("b", session="x"))
        await settle()
        assert other.client.sessions == {SESSION: other}


@each_way_back
async def test_loading_again_waits_for_the_answer(version: Version, kind: str) -> None:
    async with client(version) as (script, before):
        id_ = await abandon(version, kind, script, before)
        coming = bring_back(version, kind, before)
        await settle()
        script.write(chunk("play"), failure(id_, REQUEST_CANCELLED))
        id_ = await read_bring_back(script, version, kind)  # sent only after the first response
        script.write(chunk("again"), result(id_))
        session = await coming
        assert session is before
        assert texts(session) == ["again"]
        assert before.client.sessions == {SESSION: session}


@each_way_back
async def test_the_end_of_the_connection_ends_that_wait(version: Version, kind: str) -> None:
    async with client(version) as (script, before):
        await abandon(version, kind, script, before)
        coming = bring_back(version, kind, before)
        await settle()
        await script.close()
        with pytest.raises(ConnectionClosed):
            await coming
        assert before.client.sessions == {SESSION: before}


@logs("ignored a message: response without a pending request, id 2")
@each_way_back
async def test_when_the_answer_is_given_up_the_session_is_back(version: Version, kind: str) -> None:
    async with client(version) as (script, before):
        before.peer._connection._calls._limits = Limits(cancelled_calls=1)
        id_ = await abandon(version, kind, script, before)
        coming, other = await coming_back(script, version, kind, before, "other")
        coming.cancel()
        assert await script.read() == withdrawal(other)
        script.write(chunk("a"), result(id_))
        await settle()
        assert texts(before) == ["a"]


@each_way_back
async def test_closing_the_earlier_session_meanwhile_closes_it(version: Version, kind: str) -> None:
    async with client(version) as (script, before):
        id_ = await abandon(version, kind, script, before)
        await close(script, before)
        script.write(chunk("a"), result(id_), chunk("b"))
        await settle()
        assert before.client.sessions == {}


# --- turns that begin meanwhile --------------------------------------------------------------


@pytest.mark.parametrize("is_connected", [True, False])
async def test_a_turn_that_begins_meanwhile_ends(is_connected: bool) -> None:
    async with client(V2) as (script, before):
        coming, resumed = await coming_back(script, V2, "resume", before)
        turn = await before.prompt("Hi").__aenter__()
        script.write(result(resumed), *V2.accepted(await script.prompt()))
        await coming
        if is_connected:
            script.write(state("idle", stopReason="refusal"))
            await turn.wait()
            assert turn.stop_reason == "refusal"
        else:
            await script.close()
            with pytest.raises(ConnectionClosed):
                await turn.wait()


async def test_a_turn_that_begins_after_an_abandoned_load_gets_its_updates() -> None:
    async with client(V2) as (script, session):
        load = await abandon(V2, "resume", script, session)
        async with prompted(V2, script, session, chunk("play")) as (turn, id_):
            script.write(*V2.stopped(id_))
            await settle()
            assert turn.is_over
            script.write(result(load))
        assert texts(session) == []


# --- the state of client sessions that are opened, come back, or have the id of a closed one ---

# --- state in responses ----------------------------------------------------------------------

OPTION = {"id": "o", "configId": "o", "name": "O", "type": "boolean", "currentValue": True}
MODES = {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}]}
COMMAND = {"type": "command", "name": "c", "description": "d"}
# The fields, other than the id, of responses that open a session.
CARRIED: dict[int, Json] = {
    1: {"configOptions": [OPTION], "modes": MODES},
    2: {"configOptions": [OPTION], "availableCommands": [COMMAND]},
}
# The values in the session's state that result from these fields.
SEEDED: dict[int, Json] = {
    1: {"options": [True], "commands": None, "mode": "ask"},
    2: {"options": [True], "commands": ["c"], "mode": None},
}


def seeded(state: Any) -> Json:
    options, commands = state.config_options, state.available_commands
    mode = getattr(state, "current_mode", None)
    return {
        "options": options and [each.current_value for each in options.config_options],
        "commands": commands and [each.name for each in commands.available_commands],
        "mode": mode and mode.current_mode_id,
    }


OPENING = [
    *((version, "new") for version in (V1, V1_UNSTABLE, V2, V2_UNSTABLE)),
    *((version, "load") for version in (V1, V1_UNSTABLE)),
    *((version, "resume") for version in (V1, V1_UNSTABLE, V2, V2_UNSTABLE)),
    *((version, "fork") for version in (V1_UNSTABLE, V2_UNSTABLE)),
]


@pytest.mark.parametrize(("version", "kind"), OPENING, ids=str)
def test_responses_that_open_a_session_seed_its_state(version: Version, kind: str) -> None:
    surface = version.surface
    params, _ = opening(version, kind)
    ids = {"sessionId": SESSION} if kind in ("new", "fork") else {}
    response = getattr(surface, f"{kind.capitalize()}SessionResponse")
    state = version.client.SessionState()
    state.apply_response(f"session/{kind}", params, surface.decode(response, ids))
    ending = surface.decode(surface.PromptResponse, {"stopReason": "end_turn", "messageId": "m"})
    state.apply_response("session/prompt", None, ending)
    assert state == version.client.SessionState()
    answer = surface.decode(response, {**ids, **CARRIED[version.number]})
    state.apply_response(f"session/{kind}", params, answer)
    assert seeded(state) == SEEDED[version.number]


OPTIONS = {"configOptions": [OPTION]}
SETTING: list[tuple[Version, str, Json, Json, Callable[[Any], Any], Any]] = [
    (V1, "set_mode", {"mode_id": "a"}, {}, lambda state: seeded(state)["mode"], "a"),
    (V1, "set_mode", {"mode_id": "a"}, None, lambda state: state.current_mode, None),
    *(
        (version, "set_config_option", {"config_id": "o", "value": True}, OPTIONS, seen, [True])
        for version in (V1, V2)
        for seen in [lambda state: seeded(state)["options"]]
    ),
    *(
        (version, "set_title", {"title": "A"}, {"title": "A!"}, seen, "A!")
        for version in (V1_UNSTABLE, V2_UNSTABLE)
        for seen in [lambda state: state.info.title]
    ),
    (
        V2_UNSTABLE,
        "status",
        {},
        {"status": "open", "state": {"state": "running"}},
        lambda state: state.state,
        V2_UNSTABLE.surface.RunningStateUpdate(),
    ),
]


@pytest.mark.parametrize(("version", "call", "given", "answer", "seen", "expected"), SETTING)
async def test_what_was_asked_for_counts_once_the_agent_agrees(
    version: Version, call: str, given: Json, answer: Json, seen: Any, expected: Any
) -> None:
    async with client(version) as (script, session):
        calling = asyncio.create_task(getattr(session, call)(**given))
        message = await script.read()
        assert message["method"] == f"session/{call}"
        assert session.state == version.client.SessionState()
        id_ = message["id"]
        script.write(failure(id_, -32603) if answer is None else result(id_, **answer))
        await asyncio.wait([calling])
        assert (calling.exception() is None) == (answer is not None)
        assert seen(session.state) == expected


@each_version
async def test_a_new_session_is_seeded_before_what_follows_is_looked_at(version: Version) -> None:
    kinds = {"sessionUpdate": "config_option_update", "configOptions": []}
    found: list[Any] = []

    async def note(params: Any) -> None:
        found.append(seeded(session.client.sessions["new"].state)["options"])

    async with client(version, session_update=note) as (script, session):
        creating, id_ = await begin(version, script, session)
        answer = result(id_, sessionId="new", **CARRIED[version.number])
        script.write(answer, update("new", **kinds))
        made = await creating
        await settle()
        assert seeded(made.state) == {**SEEDED[version.number], "options": []}
    assert found == [[]]


# --- a session that comes back while it is open ----------------------------------------------


def noting(told: list[Any]) -> Callable[[Change], None]:
    """Return a subscriber that records each change's kind, location, text and replay flag."""

    def note(change: Change) -> None:
        text = getattr(change.entry, "text", None)
        told.append((change.kind, change.where, text, change.is_replay))

    return note


@each_way_back
async def test_subscribers_follow_a_session_that_comes_back(version: Version, kind: str) -> None:
    told: list[Any] = []
    causes: list[Any] = []
    async with client(version) as (script, session):
        script.write(chunk("old"), used(1))
        await settle()
        state = session.state
        state.subscribe(noting(told))
        state.subscribe(lambda change: causes.append(change.update))
        coming = bring_back(version, kind, session)
        id_ = await read_bring_back(script, version, kind)
        assert told == [("removed", "messages", "old", True), ("removed", "usage", None, True)]
        assert state == version.client.SessionState()
        script.write(chunk("re"), result(id_, **CARRIED[version.number]), chunk("new"))
        assert await coming is session
        await settle()
        assert session.state is state
        assert seeded(state) == SEEDED[version.number]
        first, *seeds, last = told[2:]
        assert first == ("added", "messages", "re", True)
        assert [(kind, is_replay) for kind, _, _, is_replay in seeds] == [("added", False)] * 2
        assert last == ("changed", "messages", "renew", False)
        assert [cause is None for cause in causes] == [True, True, False, True, True, False]


@each_way_back
@pytest.mark.parametrize("is_cancelled", [True, False])
async def test_the_state_is_restored_if_a_session_does_not_come_back(
    version: Version, kind: str, is_cancelled: bool
) -> None:
    told: list[Any] = []
    async with client(version) as (script, session):
        script.write(chunk("old"), used(1))
        await settle()
        before = session.state.to_updates()
        coming = bring_back(version, kind, session)
        id_ = await read_bring_back(script, version, kind)
        script.write(chunk("re"))
        await settle()
        session.state.subscribe(noting(told))
        if is_cancelled:
            coming.cancel()
            with pytest.raises(asyncio.CancelledError):
                await coming
            assert await script.read() == withdrawal(id_)
        else:
            script.write(failure(id_, -32603))
            with pytest.raises(RequestError):
                await coming
        assert session.state.to_updates() == before
        assert told == [
            ("removed", "messages", "re", True),
            ("added", "messages", "old", True),
            ("added", "usage", None, True),
        ]
        if is_cancelled:
            script.write(chunk("play"), result(id_))
        script.write(chunk("!"))
        await settle()
        assert texts(session) == ["old!"]
        assert told[3:] == [("changed", "messages", "old!", False)]


async def test_nothing_changes_for_a_request_that_cannot_be_sent() -> None:
    async with client(V2) as (script, session):
        script.write(chunk("old"))
        await settle()
        with pytest.raises(ValueError, match="expected"):
            await V2.client.ClientSession.resume(session.peer, session_id=SESSION, cwd=5)
        assert texts(session) == ["old"]


@each_way_back
async def test_handlers_know_which_updates_are_of_a_replay(version: Version, kind: str) -> None:
    found: list[Any] = []
    go_on = asyncio.Event()

    async def note(params: Any) -> None:
        await go_on.wait()
        found.append((params.update.content.text, session.is_replaying, other.is_replaying))

    async with client(version, session_update=note) as (script, session):
        other = session.client.session("other")
        script.write(chunk("before"))
        await settle()
        coming = bring_back(version, kind, session)
        id_ = await read_bring_back(script, version, kind)
        elsewhere = chunk("c", session="other")
        script.write(chunk("a"), chunk("b"), elsewhere, result(id_), chunk("after"))
        await settle()
        assert not session.is_replaying
        go_on.set()
        await coming
        await settle()
        assert not session.is_replaying
    own = [(text, is_replaying) for text, is_replaying, _ in found if text != "c"]
    assert own == [("before", False), ("a", True), ("b", True), ("after", False)]
    assert [is_other for _, _, is_other in found] == [False] * 5


@each_way_back
@pytest.mark.parametrize("is_handled", [False, True])
async def test_the_updates_of_a_replay_are_not_kept(
    version: Version, kind: str, is_handled: bool
) -> None:
    async def ignore(params: Any) -> None: ...

    methods = {"session_update": ignore} if is_handled else {}
    async with client(version, **methods) as (script, session):
        coming = bring_back(version, kind, session)
        id_ = await read_bring_back(script, version, kind)
        script.write(chunk("a"), chunk("b"), result(id_))
        await coming
        assert texts(session) == ["ab"]
        assert not session.client._replayed


@each_version
async def test_a_client_may_keep_no_state(version: Version) -> None:
    told: list[Any] = []
    async with client(version) as (script, session):
        type(session.client).keep_state = False
        session.state.subscribe(noting(told))
        script.write(chunk("a"), update(sessionUpdate="plan_x"), used(5), chunk("b"))
        await settle()
        assert session.state.usage.used == 5
        assert [each.text for each in session.state.messages] == [""]
        assert len(session.state.timeline) == 1
    assert [each[2] for each in told if each[1] == "messages"] == ["a", "b"]


# --- new sessions with the id of a closed session --------------------------------------------


def by_session(version: Version, session: Any) -> Any:
    return version.client.ClientSession.create(session.peer, opening(version, "new")[0])


def by_stub(version: Version, session: Any) -> Any:
    return version.surface.AgentStub(session.peer).session_new(opening(version, "new")[0])


async def begin(
    version: Version, script: Script, session: Any, how: Callable[..., Any] = by_session
) -> tuple[asyncio.Task[Any], Any]:
    creating = asyncio.create_task(how(version, session))
    return creating, await script.request("session/new", **opening(version, "new")[1])


async def create(version: Version, script: Script, session: Any, *behind: Json) -> Any:
    creating, id_ = await begin(version, script, session)
    script.write(result(id_, sessionId=SESSION), *behind)
    return await creating


@each_version
@pytest.mark.parametrize("how", [by_session, by_stub])
async def test_updates_around_the_response_count(version: Version, how: Callable[..., Any]) -> None:
    async with client(version) as (script, before):
        script.write(chunk("old"))
        await close(script, before)
        script.write(chunk("late"))
        await settle()
        creating, id_ = await begin(version, script, before, how)
        script.write(chunk("a"))
        await settle()
        assert before.client.sessions == {}
        script.write(chunk("b"), result(id_, sessionId=SESSION), chunk("c"))
        await creating
        script.write(chunk("d"))
        await settle()
        [session] = before.client.sessions.values()
        assert session.response == version.surface.NewSessionResponse(session_id=SESSION)
        assert texts(session) == ["abcd"]
        assert texts(before) == ["old"]


@each_version
@pytest.mark.parametrize("outcome", ["other", "failure", "cancelled"])
async def test_updates_that_no_response_names_are_dropped(version: Version, outcome: str) -> None:
    async with client(version) as (script, before):
        await close(script, before)
        creating, id_ = await begin(version, script, before)
        script.write(chunk("late"))
        await settle()
        if outcome == "cancelled":
            creating.cancel()
            await settle()
            assert await script.read() == withdrawal(id_)
        other = result(id_, sessionId="other")
        script.write(other if outcome == "other" else failure(id_, INTERNAL_ERROR))
        await asyncio.wait([creating])
        await settle()
        assert list(before.client.sessions) == (["other"] if outcome == "other" else [])
        assert creating.cancelled() or (creating.exception() is None) == (outcome == "other")
        session = await create(version, script, before, chunk("new"))
        await settle()
        assert texts(session) == ["new"]


@each_version
async def test_no_more_closed_sessions_than_strays_are_kept(version: Version) -> None:
    async with client(version) as (script, before):
        before.peer.limits = Limits(stray_sessions=1)
        other = before.client.session("other")
        await close(script, before)
        await close(script, other)
        creating, id_ = await begin(version, script, before)
        script.write(chunk("a"), chunk("b", session="other"))
        script.write(result(id_, sessionId=SESSION))
        session = await creating
        await settle()
        assert texts(session) == []
        assert before.client.sessions == {SESSION: session}
