"""Sessions: opened, listed, opened again, closed, deleted, and set."""

from __future__ import annotations

from typing import Any

from acpgen.wire.conform.agent.client import (
    HELLO,
    Client,
    has_result,
    probe,
    result_of,
)
from acpgen.wire.conform.conversation import Skipped, Unreached, error_code
from acpgen.wire.conform.wire import Line

_UNKNOWN = "conform-unknown"
_ELSEWHERE = "/conform/elsewhere"
_AUTHENTICATION_REQUIRED = -32000


@probe("new-session", "distinct-sessions")
async def opens_sessions(client: Client) -> None:
    await client.initialize()
    opened: list[str] = []
    for _ in range(2):
        line = await client.talk.call("session/new", client.new_session())
        if error_code(line) == _AUTHENTICATION_REQUIRED:
            raise Skipped("the agent wants the user to sign in first")
        session = result_of(line).get("sessionId")
        ok = type(session) is str
        if not client.judge("new-session", ok, "a result with a sessionId that is text", line):
            raise Unreached("session/new names no session")
        opened.append(str(session))
    ok = opened[0] != opened[1]
    client.judge("distinct-sessions", ok, f"another id than {opened[0]!r}", line)


@probe("unknown-session")
async def refuses_prompts_for_unknown_sessions(client: Client) -> None:
    await client.initialize()
    line = await client.talk.response(client.prompt(_UNKNOWN))
    client.judge("unknown-session", _is_error(line), "an error", line)


@probe("load-replays")
async def loads_sessions(client: Client) -> None:
    session = await client.start()
    await client.good_turn(session)
    since = len(client.wire.lines)
    line = await client.talk.call("session/load", client.new_session(sessionId=session))
    ok = line is not None and "result" in line.message
    if client.judge("load-replays", ok, "a result, after the conversation", line):
        updates = client.updates(session, since, line)
        said = "".join(_text(each) for each in updates if _tag(each) == "user_message_chunk")
        expected = f"a user_message_chunk with {HELLO!r} before the response"
        client.judge("load-replays", HELLO in said, expected, line)


@probe("load-unknown")
async def refuses_to_load_unknown_sessions(client: Client) -> None:
    await client.initialize()
    line = await client.talk.call("session/load", client.new_session(sessionId=_UNKNOWN))
    client.judge("load-unknown", _is_error(line), "an error", line)


@probe("resume-silent")
async def resumes_sessions(client: Client) -> None:
    session = await client.start()
    await client.good_turn(session)
    since = len(client.wire.lines)
    line = await client.talk.call("session/resume", client.new_session(sessionId=session))
    if client.judge("resume-silent", has_result(line), "a result", line):
        messages = [
            each for each in client.updates(session, since, line) if "message" in _tag(each)
        ]
        came = str(messages[0]) if messages else None
        client.judge("resume-silent", not messages, "no message before the response", came)


@probe("resume-replays")
async def replays_sessions(client: Client) -> None:
    session = await client.start()
    turn = await client.good_turn(session)
    prompted = result_of(turn.response).get("messageId")
    since = len(client.wire.lines)
    params = client.new_session(sessionId=session, replayFrom={"type": "start"})
    line = await client.talk.call("session/resume", params)
    if client.judge("resume-replays", has_result(line), "a result, after the conversation", line):
        updates = client.updates(session, since, line)
        ids = [each.get("messageId") for each in updates if "user_message" in _tag(each)]
        if not ids:  # an agent need not keep a message
            client.talk.skip("resume-replays", "the agent has kept no message of the user")
            return
        expected = f"a message of the user with the id {prompted!r}"
        client.judge("resume-replays", prompted in ids, expected, f"messages with the ids {ids}")


@probe("list-sessions")
async def lists_sessions(client: Client) -> None:
    await client.start()
    line = await client.talk.call("session/list", {})
    ok = type(result_of(line).get("sessions")) is list
    client.judge("list-sessions", ok, "a result with a list of sessions", line)
    line = await client.talk.call("session/list", {"cwd": _ELSEWHERE})
    sessions = result_of(line).get("sessions")
    listed = sessions if type(sessions) is list else [{}]
    ok = all(type(each) is dict and each.get("cwd") == _ELSEWHERE for each in listed)
    client.judge("list-sessions", ok, f"only sessions with the cwd {_ELSEWHERE!r}", line)


@probe("close-session")
async def closes_sessions(client: Client) -> None:
    session = await client.start()
    line = await client.talk.call("session/close", {"sessionId": session})
    client.judge("close-session", has_result(line), "a result", line)


@probe("delete-session")
async def deletes_sessions(client: Client) -> None:
    session = await client.start()
    await client.good_turn(session)
    line = await client.talk.call("session/delete", {"sessionId": session})
    if client.judge("delete-session", has_result(line), "a result", line):
        if not client.talk.applies("list-sessions"):
            return
        result = await client.talk.result("session/list", {})
        ids = [each.get("sessionId") for each in result.get("sessions", ()) if type(each) is dict]
        client.judge("delete-session", session not in ids, f"a list without {session!r}")


@probe("set-mode")
async def sets_modes(client: Client) -> None:
    await client.initialize()
    opened = await client.talk.result("session/new", client.new_session())
    modes = opened.get("modes") or {}
    if not modes.get("availableModes"):
        raise Skipped("the session has no modes")
    for mode in modes["availableModes"]:
        params = {"sessionId": opened["sessionId"], "modeId": mode["id"]}
        line = await client.talk.call("session/set_mode", params)
        client.judge("set-mode", has_result(line), "a result", line)


@probe("set-option")
async def sets_options(client: Client) -> None:
    await client.initialize()
    opened = await client.talk.result("session/new", client.new_session())
    options = [each for each in opened.get("configOptions") or () if each.get("type") == "select"]
    if not options:
        raise Skipped("the session has no option with values to select")
    name = "id" if client.version == 1 else "configId"
    option = options[0]
    values = [value["value"] for value in _values(option["options"])]
    value = next((each for each in values if each != option["currentValue"]), values[0])
    params = {"sessionId": opened["sessionId"], "configId": option[name], "value": value}
    kind = {} if client.version == 1 else {"type": "id"}
    line = await client.talk.call("session/set_config_option", {**params, **kind})
    came = {each.get(name): each.get("currentValue") for each in _options(line)}
    wanted = {each[name] for each in opened["configOptions"]}
    ok = wanted <= came.keys() and came.get(option[name]) == value
    expected = f"the options {sorted(wanted)}, and {value!r} as the value of {option[name]!r}"
    client.judge("set-option", ok, expected, line)


def _values(options: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The values of an option, without their groups."""
    return [value for each in options for value in each.get("options", [each])]


def _options(line: Line | None) -> list[dict[str, Any]]:
    options = result_of(line).get("configOptions")
    return [each for each in options if type(each) is dict] if type(options) is list else []


def _is_error(line: Line | None) -> bool:
    return type(error_code(line)) is int


def _tag(update: dict[str, Any]) -> str:
    return str(update.get("sessionUpdate"))


def _text(update: dict[str, Any]) -> str:
    content = update.get("content")
    return str(content.get("text", "")) if type(content) is dict else ""
