"""Probes for opening, loading, listing, closing and deleting sessions, and for their options."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from acpwire.conform.player import INVALID_PARAMS, Skipped, Unreached, text, unless_signed_out
from acpwire.conform.probes_of_agents import mcp_server
from acpwire.conform.probes_of_agents.played_client import HELLO, PlayedClient, parts_of, probe
from acpwire.conform.wire import Line
from acpwire.json_values import at, items
from acpwire.rules.offers import id_of, values_of
from acpwire.surfaces import fits

BYE = "Say goodbye."
_UNKNOWN = "conform-unknown"
_ELSEWHERE = "/conform/elsewhere"


@probe("new-session", "distinct-sessions")
async def opens_sessions(client: PlayedClient) -> None:
    await client.initialize()
    opened: list[str] = []
    for _ in range(2):
        line = await client.call("session/new", client.new_session())
        unless_signed_out(line, Skipped)
        session = line.result.get("sessionId")
        ok = type(session) is str
        if not client.judge("new-session", ok, "a result with a string as the sessionId", line):
            raise Unreached("session/new returned no session")
        opened.append(str(session))
    ok = opened[0] != opened[1]
    client.judge("distinct-sessions", ok, f"an id other than {opened[0]!r}", line)


@probe("stdio-servers")
async def takes_mcp_servers(client: PlayedClient) -> None:
    await client.start()
    program = ["-I", "-S", str(Path(mcp_server.__file__).resolve())]
    server = {"name": "conform", "command": sys.executable, "args": program, "env": []}
    if not fits(client.version, "agent", "session/new", client.new_session(mcpServers=[server])):
        server["type"] = "stdio"
    line = await client.call("session/new", client.new_session(mcpServers=[server]))
    ok = type(line.result.get("sessionId")) is str
    client.judge("stdio-servers", ok, "a result for session/new with an MCP server", line)


@probe("unknown-transports")
async def survives_unknown_transports(client: PlayedClient) -> None:
    await client.start()
    servers = [{"type": "_conform_unknown", "name": "conform"}]
    if at(client.capabilities, "capabilities", "session", "mcp", "http") is None:
        servers.append({"type": "http", "name": "conform", "url": "http://localhost:9/"})
    for server in servers:
        line = await client.call("session/new", client.new_session(mcpServers=[server]))
        ok, about = line.has_result, ", or a session without the server"
        client.judge_error("unknown-transports", INVALID_PARAMS, line, about, ok=ok)


@probe("unknown-session", "load-unknown", "close-unknown", "delete-unknown")
async def answers_about_unknown_sessions(client: PlayedClient) -> None:
    await client.initialize()
    named = {"sessionId": _UNKNOWN}
    prompt = {**named, "prompt": [text(HELLO)]}
    for requirement, method, params, outcomes in (
        ("unknown-session", "session/prompt", prompt, ["error"]),
        ("load-unknown", "session/load", client.new_session(**named), ["error"]),
        ("delete-unknown", "session/delete", named, ["result"]),
        ("close-unknown", "session/close", named, ["result", "error"]),
    ):
        if client.applies(requirement):
            line = await client.call(method, params)
            unless_signed_out(line)
            outcome = "result" if line.has_result else line.error_code is not None and "error"
            expected = " or ".join(f"a response with the field {name}" for name in outcomes)
            client.judge(requirement, outcome in outcomes, expected, line)


class _Said(NamedTuple):
    """A message from the user or the agent. Thoughts and tool calls need not be replayed."""

    role: str
    id: Any
    text: str


def _transcript(updates: list[dict[str, Any]]) -> list[_Said]:
    """Return the messages that updates report, in the order of each message's first update."""
    said: list[_Said] = []
    for update in updates:
        role, _, kind = str(update.get("sessionUpdate")).partition("_")
        if role not in ("user", "agent") or kind not in ("message", "message_chunk"):
            continue
        content = update.get("content")
        blocks = content if type(content) is list else [content]
        words = "".join(str(at(block, "text") or "") for block in blocks)
        message = _Said(role, update.get("messageId"), words)
        same = [index for index, each in enumerate(said) if each[:2] == message[:2]]
        if message.id is None:  # without ids, consecutive chunks with the same role form a message
            same = [len(said) - 1] if said and said[-1].role == role else []
        if not same:
            said.append(message)
        elif kind == "message_chunk":
            said[same[-1]] = message._replace(text=said[same[-1]].text + words)
        elif content is not None:
            said[same[-1]] = message
    return said


async def _converse(client: PlayedClient, session: str) -> list[_Said]:
    """Run two turns and return the prompts with their message ids, and the agent's messages."""
    said: list[_Said] = []
    for words in (HELLO, BYE):
        turn = await client.good_turn(session, text(words))
        said.append(_Said("user", turn.response.result.get("messageId"), words))
        # Agents can replay their messages with different ids.
        spoken = [each for each in _transcript(turn.updates) if each.role == "agent"]
        said += [message._replace(id=None) for message in spoken]
    return said


def _flaw(said: list[_Said], replayed: list[_Said]) -> str | None:
    """Describe the problem with replayed messages, or return None if they are correct."""
    place = 0
    for message in said:
        words, name = _bare(message.text), f"the {message.role}'s message {message.text!r}"
        if not words:
            continue
        texts = [_bare(each.text) if each.role == message.role else "" for each in replayed]
        usual = sum(_bare(each.text).count(words) for each in said if each.role == message.role)
        count = sum(each.count(words) for each in texts)
        if count != usual:
            return f"{name} {count} times"
        places = [index for index, each in enumerate(texts) if index >= place and words in each]
        if not places:
            return f"{name} out of order"
        place = places[0]
        if message.id not in (None, replayed[place].id):
            return f"{name} with the id {replayed[place].id!r} instead of {message.id!r}"
    return None


def _bare(words: str) -> str:
    """Remove all whitespace, since agents may change whitespace when they replay messages."""
    return "".join(words.split())


async def _replays(client: PlayedClient, requirement: str, method: str, **more: Any) -> None:
    session = await client.start()
    said = await _converse(client, session)
    for _ in range(2):  # a replay must not add messages to the session
        since = len(client.wire.lines)
        line = await client.call(method, client.new_session(sessionId=session, **more))
        if not client.judge(requirement, line.has_result, "a result after the messages", line):
            return
        flaw = _flaw(said, _transcript(client.updates(session, since, line)))
        expected = "each message of the session once and in order, followed by the response"
        client.judge(requirement, flaw is None, expected, flaw)


@probe("load-replays")
async def loads_sessions(client: PlayedClient) -> None:
    await _replays(client, "load-replays", "session/load")


@probe("resume-replays")
async def replays_sessions(client: PlayedClient) -> None:
    await _replays(client, "resume-replays", "session/resume", replayFrom={"type": "start"})


@probe("resume-silent")
async def resumes_sessions(client: PlayedClient) -> None:
    session = await client.start()
    await client.good_turn(session)
    since = len(client.wire.lines)
    line = await client.call("session/resume", client.new_session(sessionId=session))
    if client.judge("resume-silent", line.has_result, "a result", line):
        sent = parts_of(client.updates(session, since, line))
        expected = "no message, thought or tool call before the response"
        client.judge("resume-silent", not sent, expected, f"the updates {sent}")


@probe("unknown-cursors")
async def refuses_unknown_cursors(client: PlayedClient) -> None:
    session = await client.start()
    await client.good_turn(session)
    params = client.new_session(sessionId=session, replayFrom={"type": "_conform_unknown"})
    line = await client.call("session/resume", params)
    client.judge_error("unknown-cursors", INVALID_PARAMS, line)


@probe("list-sessions")
async def lists_sessions(client: PlayedClient) -> None:
    session = await client.start()
    await client.good_turn(session)
    everything = await client.call("session/list", {})
    ok = type(everything.result.get("sessions")) is list
    if not client.judge("list-sessions", ok, "a result with a list of sessions", everything):
        return
    for cwd in (_ELSEWHERE, client.new_session()["cwd"]):
        line = await client.call("session/list", {"cwd": cwd})
        listed = items(line.result, "sessions")
        is_list = type(line.result.get("sessions")) is list
        ok = is_list and all(each.get("cwd") == cwd for each in listed)
        client.judge("list-sessions", ok, f"only sessions with the cwd {cwd!r}", line)
        # Ignore sessions that other programs delete in the meantime.
        before, everything = everything, await client.call("session/list", {})
        kept = _listed(everything, cwd)
        wanted = [id for id in _listed(before, cwd) if id in kept]
        ok = all(id in _listed(line, cwd) for id in wanted)
        if all(each.result.get("nextCursor") is None for each in (before, everything, line)):
            client.judge("list-sessions", ok, f"the sessions {wanted} of {cwd!r}", line)


def _listed(line: Line, cwd: str) -> list[Any]:
    sessions = items(line.result, "sessions")
    return [each.get("sessionId") for each in sessions if each.get("cwd") == cwd]


@probe("close-session")
async def closes_sessions(client: PlayedClient) -> None:
    session = await client.start()
    line = await client.call("session/close", {"sessionId": session})
    client.judge("close-session", line.has_result, "a result", line)


@probe("delete-session")
async def deletes_sessions(client: PlayedClient) -> None:
    session = await client.start()
    await client.good_turn(session)
    line = await client.call("session/delete", {"sessionId": session})
    is_deleted = client.judge("delete-session", line.has_result, "a result", line)
    if is_deleted and client.applies("list-sessions"):
        line = await client.call("session/list", {})
        ids = [each.get("sessionId") for each in items(line.result, "sessions")]
        ok = session not in ids
        client.judge("delete-session", ok, f"a list without {session!r}", f"the sessions {ids}")


@probe("set-mode")
async def sets_modes(client: PlayedClient) -> None:
    await client.initialize()
    opened = await client.result("session/new", client.new_session())
    modes = items(opened, "modes", "availableModes")
    if not modes:
        raise Skipped("the session has no modes")
    for mode in modes:
        params = {"sessionId": opened.get("sessionId"), "modeId": mode.get("id")}
        line = await client.call("session/set_mode", params)
        client.judge("set-mode", line.has_result, "a result", line)


@probe("set-option", "invalid-option")
async def sets_options(client: PlayedClient) -> None:
    flags: dict[str, Any] = {"clientCapabilities": {"session": {"configOptions": {"boolean": {}}}}}
    needs_flags = client.facts.capabilities["client"] in flags
    await client.initialize(**flags if needs_flags else {})
    opened = await client.result("session/new", client.new_session())
    options = items(opened, "configOptions")
    known = set(map(id_of, options))
    changes = [(option, *change) for option in options for change in _changes(client, option)]
    if not changes:
        raise Skipped("the session has no option to change")
    for option, value, kind in changes[:_MOST_CHANGES]:
        id = id_of(option)
        params = {"sessionId": opened.get("sessionId"), "configId": id, "value": value, **kind}
        line = await client.call("session/set_config_option", params)
        shown = {id_of(each): each for each in items(line.result, "configOptions")}
        # A new value can change the other options, so only the number of options is checked.
        is_set = id in shown and at(shown[id], "currentValue") == value
        ok = is_set and len(shown) >= len(known) > 0
        expected = f"the options {sorted(map(str, known))}, and {value!r} as the value of {id!r}"
        if not client.judge("set-option", ok, expected, line):
            return
    if client.applies("invalid-option"):
        unknown = {"type": "id", "value": _UNKNOWN}
        for id in (_UNKNOWN, id_of(options[0])):
            params = {"sessionId": opened.get("sessionId"), "configId": id, **unknown}
            line = await client.call("session/set_config_option", params)
            client.judge_error("invalid-option", INVALID_PARAMS, line)


# The maximum number of option changes to try.
_MOST_CHANGES = 10


def _changes(client: PlayedClient, option: dict[str, Any]) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Yield a new value for an option, with the fields that specify the value's type."""
    current = option.get("currentValue")
    if option.get("type") == "boolean" and type(current) is bool:
        yield not current, {"type": "boolean"}
    elif option.get("type") == "select":
        values = values_of(option)
        others = [value for value in values if value not in (None, current)]
        for value in others[:1] or values[:1]:
            plain = {"sessionId": "s", "configId": "c", "value": "v"}
            is_plain = fits(client.version, "agent", "session/set_config_option", plain)
            yield value, {} if is_plain else {"type": "id"}
