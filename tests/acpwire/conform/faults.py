"""A server for faulty handwritten agents, and the requirements that each fault violates.

A fault is a function that changes the agent's classes. Each fault is registered with the
requirements that it violates and the protocol version that the check uses.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))  # isolated mode omits this folder

from agent_by_hand import OPTIONS, Agent, Refusal, Session


@dataclass(frozen=True)
class Fault:
    version: int
    breaks: frozenset[str]
    plant: Callable[[], object]


FAULTS: dict[str, Fault] = {}


class Crash(Exception):
    """Raised to make the agent crash, as if by an unhandled exception."""


def fault(version: int, *breaks: str) -> Callable[[Callable[[], object]], Callable[[], object]]:
    def register(plant: Callable[[], object]) -> Callable[[], object]:
        FAULTS[plant.__name__] = Fault(version, frozenset(breaks), plant)
        return plant

    return register


@contextmanager
def planted(fault: Fault) -> Iterator[None]:
    """Plant a fault in this process and restore the classes at the end."""
    classes = Agent, Session
    before = [dict(vars(cls)) for cls in classes]
    try:
        fault.plant()
        yield
    finally:
        for cls, members in zip(classes, before, strict=True):
            for name, member in list(vars(cls).items()):
                if name not in members:
                    delattr(cls, name)
                elif member is not members[name]:
                    setattr(cls, name, members[name])


# --- helpers that plant faults -------------------------------------------------------------------


def instead(owner: type, name: str, function: Callable[..., Any]) -> None:
    """Replace a method with a function, which is called with the original method and the object."""
    method = getattr(owner, name)

    def call(self: Any, *args: Any, **more: Any) -> Any:
        return function(partial(method, self), self, *args, **more)

    setattr(owner, name, call)


def before(owner: type, name: str, function: Callable[..., Any]) -> None:
    """Call a function before each call of a method."""
    instead(owner, name, lambda old, self, *args: [function(self, *args), old(*args)][1])


def after(owner: type, name: str, function: Callable[..., Any]) -> None:
    """Call a function after each call of a method."""
    instead(owner, name, lambda old, self, *args: [old(*args), function(self, *args)][0])


def crash() -> None:
    raise Crash


def never(owner: type, name: str) -> None:
    setattr(owner, name, lambda self, *args, **more: None)


def answering(method: str, change: Callable[[Any], Any]) -> None:
    """Change the responses to a protocol method."""

    def answer(old: Any, agent: Any, request: Any) -> Any:
        response = old(request)
        return change(response) if request["method"] == method else response

    instead(Agent, "answer", answer)


def refusing(method: str, condition: Callable[[Any], Any] = lambda params: True) -> None:
    """Respond to a protocol method with an internal error if the params meet the condition."""

    def answer(old: Any, agent: Any, request: Any) -> Any:
        if request["method"] != method or not condition(request["params"]):
            return old(request)
        return {"id": request["id"], "error": {"code": -32603, "message": "refused"}}

    instead(Agent, "answer", answer)


def refusing_blocks(kind: str) -> None:
    """Reject prompts that contain a content block of the given type."""
    refusing(
        "session/prompt",
        lambda params: isinstance(params["prompt"], list)
        and any(block["type"] == kind for block in params["prompt"]),
    )


def error(code: int, change: Callable[[Any], Any]) -> None:
    """Change the error responses with the given code, or drop them if `change` returns None."""

    def send(old: Any, agent: Any, message: Any) -> None:
        if message.get("error", {}).get("code") == code:
            message = change(message)
        if message is not None:
            old(message)

    instead(Agent, "send", send)


def with_id(change: Callable[[Any], Any]) -> None:
    """Change the ids of responses."""

    def send(old: Any, agent: Any, message: Any) -> None:
        if "method" not in message:
            message = {**message, "id": change(message["id"])}
        old(message)

    instead(Agent, "send", send)


# --- the process ---------------------------------------------------------------------------------


@fault(1, "initialize")
def crashes_at_the_start() -> None:
    before(Agent, "serve", lambda agent: crash())


@fault(2, "initialize")
def hangs_at_the_start() -> None:
    before(Agent, "serve", lambda agent: time.sleep(60))


@fault(2, "initialize", "json-lines")
def prints_garbage() -> None:
    before(Agent, "serve", lambda agent: agent.print(b"\xff\x00{[\n" * 100) or time.sleep(60))


@fault(1, "initialize", "json-lines")
def floods() -> None:
    def flood(agent: Agent) -> None:
        while True:
            agent.print(b"x\n" * 1000)

    before(Agent, "serve", flood)


@fault(2, "initialize", "json-lines")
def floods_one_line() -> None:
    def flood(agent: Agent) -> None:
        while True:
            agent.print(b"x" * 100_000)

    before(Agent, "serve", flood)


@fault(1, "initialize", "json-lines")
def ends_within_a_line() -> None:
    def cut(old: Any, agent: Agent, data: bytes) -> None:
        old(data[:20])
        os._exit(0)

    instead(Agent, "print", cut)


@fault(2, "end-of-input")
def outlives_its_input() -> None:
    after(Agent, "serve", lambda agent: time.sleep(60))


# --- every message -------------------------------------------------------------------------------


@fault(2, "jsonrpc-member")
def says_no_jsonrpc() -> None:
    instead(Agent, "send", lambda old, agent, message: agent.print(agent.as_line(message)))


@fault(1, "json-lines")
def logs_to_standard_output() -> None:
    before(Agent, "do_session_new", lambda agent, params: agent.print(b"a session!\n"))


@fault(1, "json-lines")
def sends_batches_in_protocol_1() -> None:
    note = {"jsonrpc": "2.0", "method": "_x", "params": {}}
    before(Agent, "do_session_new", lambda agent, params: agent.print(agent.as_line([note])))


@fault(2, "json-lines")
def sends_latin_1() -> None:
    def as_line(old: Any, agent: Agent, message: Any) -> Any:
        is_update = isinstance(message, dict) and "method" in message
        return old(message).decode().encode("latin-1", "replace") if is_update else old(message)

    instead(Agent, "as_line", as_line)


@fault(1, "json-lines", "list-sessions")
def prints_json_over_lines() -> None:
    def print_line(old: Any, agent: Agent, data: bytes) -> None:
        old(data.replace(b", ", b",\n", 1) if b'"sessions"' in data else data)

    instead(Agent, "print", print_line)


@fault(1, "message-shape")
def sends_a_result_and_an_error() -> None:
    both = {"error": {"code": 1, "message": "and yet"}}
    answering("session/list", lambda response: {**response, **both})


@fault(1, "message-shape")
def gives_errors_no_message() -> None:
    error(-32601, lambda message: {**message, "error": {"code": -32601}})


@fault(2, "message-shape", "unknown-method", "unknown-extension")
def gives_errors_no_code() -> None:
    error(-32601, lambda message: {**message, "error": {"message": "unknown"}})


@fault(1, "response-ids")
def answers_what_nobody_asked() -> None:
    before(Session, "repeat", lambda session, blocks: session.agent.send({"id": 99, "result": {}}))


@fault(2, "response-ids")
def answers_twice() -> None:
    after(
        Agent,
        "take_request",
        lambda agent, request: agent.send({"id": request["id"], "result": {}}),
    )


@fault(1, "request-ids")
def asks_with_an_id_in_use() -> None:
    def again(agent: Agent, method: str, params: Any, then: Any) -> None:
        agent.send({"id": agent.count, "method": method, "params": params})

    after(Agent, "ask", again)


@fault(1, "known-methods")
def calls_what_no_client_has() -> None:
    before(Session, "use_tool", lambda session: session.agent.notify("hello", {}))


@fault(2, "known-methods")
def calls_a_method_of_protocol_1() -> None:
    params = {"sessionId": "s0", "path": "/a"}
    before(
        Session,
        "use_tool",
        lambda session: session.agent.ask("fs/read_text_file", params, lambda outcome: None),
    )


@fault(1, "client-capabilities")
def calls_what_is_not_offered() -> None:
    params = {"sessionId": "s0", "path": "/a"}
    before(
        Session,
        "use_tool",
        lambda session: session.agent.ask("fs/read_text_file", params, lambda outcome: None),
    )


@fault(1, "valid-params")
def sends_an_update_without_content() -> None:
    after(Session, "repeat", lambda session, blocks: session.update("agent_message_chunk"))


@fault(2, "valid-params")
def sends_a_title_that_is_a_number() -> None:
    def report(session: Session, status: str) -> None:
        session.update("tool_call_update", toolCallId=f"t{session.count}", title=4)

    before(Session, "report", report)


@fault(1, "valid-results")
def gives_an_unknown_stop_reason() -> None:
    odd = {"end_turn": "done"}
    instead(Session, "finish", lambda old, session, reason: old(odd.get(reason, reason)))


@fault(2, "valid-results")
def tells_no_name() -> None:
    instead(Agent, "do_initialize", lambda old, agent, params: {**old(params), "info": None})


@fault(2, "custom-values")
def invents_a_kind_of_tools() -> None:
    def report(session: Session, status: str) -> None:
        session.update("tool_call_update", toolCallId=f"t{session.count}", kind="cook")

    before(Session, "report", report)


@fault(1, "custom-values")
def invents_a_category_of_options() -> None:
    configured(lambda option: {**option, "category": "cooking"})


@fault(2, "custom-values")
def invents_a_stop_reason() -> None:
    odd = {"end_turn": "done"}
    instead(Session, "finish", lambda old, session, reason: old(odd.get(reason, reason)))


@fault(2, "custom-values")
def invents_an_update() -> None:
    before(Session, "use_tool", lambda session: session.update("cooking"))


@fault(1, "custom-fields")
def adds_a_field_to_its_results() -> None:
    instead(Agent, "do_session_new", lambda old, agent, params: {**old(params), "owner": "me"})


@fault(2, "custom-fields")
def adds_a_field_within_its_updates() -> None:
    block = {"type": "text", "text": "Hi", "color": "red"}
    before(Session, "use_tool", lambda session: session.say("agent", block, "c"))


def with_meta(**meta: Any) -> None:
    """Add `_meta` to the response to `session/new`."""
    instead(Agent, "do_session_new", lambda old, agent, params: {**old(params), "_meta": meta})


@fault(1)
def traces_a_session() -> None:
    """This is allowed."""
    trace = "00-80e1afed08e019fc1110464cfa66635c-7a085853722dc6d2-01"
    with_meta(traceparent=trace, tracestate="a=1", baggage="b=2", requestId=3)


@fault(2, "trace-context")
def numbers_its_traces() -> None:
    with_meta(traceparent=7)


@fault(1, "trace-context")
def invents_its_traces() -> None:
    with_meta(traceparent="trace-7")


@fault(1, "trace-context")
def has_a_trace_of_zeros() -> None:
    with_meta(traceparent=f"00-{'0' * 32}-7a085853722dc6d2-01")


@fault(2, "trace-context")
def has_baggage_that_is_an_object() -> None:
    with_meta(baggage={"a": 1})


@fault(2, "trace-context")
def has_a_list_of_states() -> None:
    with_meta(tracestate=["a=1"])


@fault(1, "base64")
def sends_an_image_as_text() -> None:
    image = {"type": "image", "mimeType": "image/png", "data": "no base64!"}
    before(Session, "use_tool", lambda session: session.say("agent", image, "i"))


@fault(2, "base64")
def sends_output_as_text() -> None:
    output = {"terminalId": "t", "data": "no base64!"}
    before(Session, "use_tool", lambda session: session.update("terminal_output_chunk", **output))


def located(path: str) -> None:
    """Give each tool call a location."""
    instead(
        Session,
        "call",
        lambda old, session: (old()[0], {**old()[1], "locations": [{"path": path}]}),
    )


@fault(1, "absolute-paths")
def names_a_relative_location() -> None:
    located("src/main.py")


@fault(2, "absolute-paths")
def names_a_location_in_the_home_folder() -> None:
    located("~/main.py")


@fault(1, "absolute-paths")
def names_a_relative_file_of_a_diff() -> None:
    content = [{"type": "diff", "path": "main.py", "newText": "x"}]
    instead(Session, "call", lambda old, session: (old()[0], {**old()[1], "content": content}))


@fault(2, "absolute-paths", "list-sessions")
def lists_relative_folders() -> None:
    def relative(response: Any) -> Any:
        sessions = [{**each, "cwd": "project"} for each in response["result"]["sessions"]]
        return {**response, "result": {"sessions": sessions}}

    answering("session/list", relative)


@fault(2, "known-sessions")
def asks_in_another_session() -> None:
    instead(Session, "question", lambda old, session: {**old(), "sessionId": "other"})


@fault(2, "known-sessions", "updates-before-end")
def updates_a_closed_session() -> None:
    def take(old: Any, agent: Agent, request: Any) -> None:
        old(request)
        if request["method"] == "session/close":
            agent.session(request["params"]).update("agent_message", messageId="late")

    instead(Agent, "take_request", take)


@fault(1, "known-sessions")
def updates_another_session() -> None:
    update = {"sessionUpdate": "available_commands_update", "availableCommands": []}
    params = {"sessionId": "other", "update": update}
    before(
        Session, "repeat", lambda session, blocks: session.agent.notify("session/update", params)
    )


# --- negotiation, ids, forms ---------------------------------------------------------------------


@fault(1, "agent-info")
def tells_no_name_in_protocol_1() -> None:
    instead(Agent, "do_initialize", lambda old, agent, params: {**old(params), "agentInfo": None})


@fault(1, "initialize", "valid-results")
def names_its_version_as_text() -> None:
    instead(
        Agent, "do_initialize", lambda old, agent, params: {**old(params), "protocolVersion": "1"}
    )


@fault(1, "same-version")
def answers_with_the_other_version() -> None:
    swapped = {1: 2, 2: 1}
    instead(
        Agent,
        "do_initialize",
        lambda old, agent, params: old({"protocolVersion": swapped.get(params["protocolVersion"])}),
    )


@fault(2, "newer-version")
def falls_back_too_far() -> None:
    instead(
        Agent,
        "do_initialize",
        lambda old, agent, params: old(
            {"protocolVersion": min(params["protocolVersion"], 3) % 3 or 1}
        ),
    )


@fault(1, "newer-version")
def refuses_newer_versions() -> None:
    refusing("initialize", lambda params: params["protocolVersion"] > 2)


@fault(1, "number-ids")
def takes_0_for_no_id() -> None:
    instead(Agent, "take_request", lambda old, agent, request: request["id"] == 0 or old(request))


@fault(2, "number-ids", "response-ids")
def cuts_large_ids() -> None:
    with_id(lambda id: id % (1 << 31) if type(id) is int else id)


@fault(1, "string-ids", "response-ids")
def takes_digits_for_numbers() -> None:
    with_id(lambda id: int(id) if type(id) is str and id.isdigit() else id)


@fault(2, "json-forms")
def wants_a_fixed_order() -> None:
    def take_line(old: Any, agent: Agent, line: bytes) -> None:
        if not line.startswith((b'{"jsonrpc"', b"[")):
            line = b"unknown"
        old(line)

    instead(Agent, "take_line", take_line)


@fault(1, "long-lines")
def reads_short_lines_only() -> None:
    before(Agent, "take_line", lambda agent, line: len(line) > 1 << 16 and crash())


@fault(2, "meta")
def refuses_meta() -> None:
    refusing("session/new", lambda params: "_meta" in params)


@fault(1, "unknown-members")
def refuses_unknown_members() -> None:
    refusing("session/new", lambda params: params.keys() - {"cwd", "mcpServers", "_meta"})


@fault(2, "batches")
def takes_no_batches() -> None:
    before(Agent, "take_line", lambda agent, line: line.startswith(b"[") and crash())


# --- errors --------------------------------------------------------------------------------------


@fault(1, "unknown-method", "unknown-extension")
def has_another_code_for_unknown_methods() -> None:
    error(-32601, lambda message: {**message, "error": {"code": -32603, "message": "?"}})


@fault(1, "unknown-method")
def answers_unknown_methods() -> None:
    """For extension methods, this is allowed."""

    def answer(old: Any, agent: Agent, request: Any) -> Any:
        response = old(request)
        is_unknown = response and response.get("error", {}).get("code") == -32601
        return {"id": request["id"], "result": {}} if is_unknown else response

    instead(Agent, "answer", answer)


@fault(2, "unknown-extension")
def drops_extensions() -> None:
    instead(
        Agent,
        "take_request",
        lambda old, agent, request: request["method"].startswith("_") or old(request),
    )


@fault(1, "unknown-notification")
def dies_of_notifications() -> None:
    before(
        Agent,
        "take_notification",
        lambda agent, method, params: method.startswith("_") and crash(),
    )


@fault(2, "silent-notifications")
def answers_notifications() -> None:
    before(Agent, "take_notification", lambda agent, *args: agent.refuse(-32601))


@fault(1, "invalid-params")
def has_another_code_for_invalid_params() -> None:
    error(-32602, lambda message: {**message, "error": {"code": -32603, "message": "?"}})


@fault(2, "parse-error")
def drops_garbage() -> None:
    error(-32700, lambda message: None)


@fault(1, "parse-error", "response-ids")
def answers_garbage_with_an_id() -> None:
    error(-32700, lambda message: {**message, "id": 0})


@fault(1, "parse-error", "invalid-request", "message-shape")
def answers_garbage_without_an_id() -> None:
    def send(old: Any, agent: Agent, message: Any) -> None:
        old({k: v for k, v in message.items() if (k, v) != ("id", None)})

    instead(Agent, "send", send)


@fault(2, "batches", "message-shape")
def refuses_batches_without_an_id() -> None:
    def take_line(old: Any, agent: Agent, line: bytes) -> None:
        if line.startswith(b"["):
            agent.send({"error": {"code": -32600, "message": "not understood"}})
        else:
            old(line)

    instead(Agent, "take_line", take_line)


@fault(2, "lives-on")
def dies_of_garbage() -> None:
    before(Agent, "refuse", lambda agent, code: crash())


@fault(1, "invalid-request")
def drops_what_is_no_message() -> None:
    error(-32600, lambda message: None)


# --- sessions ------------------------------------------------------------------------------------


@fault(1, "distinct-sessions")
def has_one_session_id() -> None:
    instead(Agent, "new_id", lambda old, agent: "s")


@fault(1)
def ids_of_sessions_with_half_of_a_character() -> None:
    """Use ids with lone surrogates, which JSON strings can contain."""
    instead(Agent, "new_id", lambda old, agent: f"{old()}\ud83d")


@fault(2, "new-session", "valid-results")
def numbers_its_sessions() -> None:
    instead(Agent, "new_id", lambda old, agent: len(agent.sessions))


@fault(1, "unknown-session")
def answers_prompts_for_unknown_sessions() -> None:
    answering(
        "session/prompt",
        lambda response: (
            response and {"id": response["id"], "result": {"stopReason": "end_turn"}}
            if response and response["error"]["code"] == -32002
            else response
        ),
    )


@fault(1, "load-replays")
def refuses_to_load() -> None:
    refusing("session/load")


@fault(1, "load-replays")
def loads_in_silence() -> None:
    instead(Agent, "do_session_load", lambda old, agent, params: agent.session(params) and {})


def replaying(change: Callable[[list[Any]], list[Any]]) -> None:
    """Change the replayed history, a list that contains the tag and the fields of each update."""

    def replay(old: Any, session: Session) -> None:
        kept, session.history = session.history, change(session.history)
        old()
        session.history = kept

    instead(Session, "replay", replay)


def of_user(entry: Any) -> bool:
    return bool(entry[0].startswith("user"))


@fault(1, "load-replays")
def loads_in_reverse() -> None:
    replaying(lambda history: history[::-1])


@fault(1, "load-replays")
def loads_twice_as_much() -> None:
    replaying(lambda history: history * 2)


@fault(1, "load-replays")
def loads_each_message_twice() -> None:
    replaying(lambda history: [entry for entry in history for _ in range(2)])


def keeping_what_is_replayed() -> None:
    """Duplicate the history of a session at each replay."""
    after(Session, "replay", lambda session: session.history.extend(session.history))


@fault(1, "load-replays")
def loads_more_each_time() -> None:
    keeping_what_is_replayed()


@fault(2, "resume-replays")
def resumes_with_more_each_time() -> None:
    keeping_what_is_replayed()


@fault(1, "load-replays")
def loads_prompts_only() -> None:
    replaying(lambda history: list(filter(of_user, history)))


@fault(1, "load-replays")
def loads_answers_only() -> None:
    replaying(lambda history: [entry for entry in history if not of_user(entry)])


def replay_after(method: str) -> None:
    """Replay the history after the response to `method`, not before it."""
    never_replays = Session.replay
    Session.replay = lambda session: None  # type: ignore[method-assign]

    def take(old: Any, agent: Agent, request: Any) -> None:
        old(request)
        if request["method"] == method and request["params"]["sessionId"] in agent.sessions:
            never_replays(agent.session(request["params"]))

    instead(Agent, "take_request", take)


@fault(1, "load-replays")
def loads_after_the_response() -> None:
    replay_after("session/load")


@fault(2, "resume-replays")
def resumes_with_nothing() -> None:
    never(Session, "replay")


@fault(2, "resume-replays")
def resumes_with_answers_only() -> None:
    replaying(lambda history: [entry for entry in history if not of_user(entry)])


@fault(2, "resume-replays")
def resumes_with_prompts_only() -> None:
    replaying(lambda history: list(filter(of_user, history)))


@fault(2, "resume-replays")
def resumes_in_reverse() -> None:
    replaying(lambda history: history[::-1])


@fault(2, "resume-replays")
def resumes_twice_as_much() -> None:
    replaying(lambda history: history * 2)


@fault(2, "resume-state")
def resumes_without_a_state() -> None:
    def resume(old: Any, agent: Agent, params: Any) -> Any:
        session = agent.session(params)
        session.state = lambda *args, **more: None
        result = old(params)
        del session.state
        return result

    instead(Agent, "do_session_resume", resume)


@fault(1, "load-unknown")
def loads_anything() -> None:
    instead(
        Agent,
        "do_session_load",
        lambda old, agent, params: old(params) if params["sessionId"] in agent.sessions else {},
    )


@fault(1, "resume-silent")
def refuses_to_resume() -> None:
    refusing("session/resume")


@fault(2, "resume-silent")
def replays_unasked() -> None:
    start = {"replayFrom": {"type": "start"}}
    instead(Agent, "do_session_resume", lambda old, agent, params: old({**start, **params}))


@fault(2, "resume-replays")
def replays_with_other_ids() -> None:
    def replay(session: Session) -> None:
        for _, members in session.history:
            members["messageId"] += "'"

    before(Session, "replay", replay)


@fault(1, "list-sessions")
def lists_sessions_of_any_folder() -> None:
    instead(Agent, "do_session_list", lambda old, agent, params: old({}))


@fault(1, "list-sessions")
def lists_no_session_of_a_folder() -> None:
    instead(
        Agent, "do_session_list", lambda old, agent, params: {"sessions": []} if params else old({})
    )


@fault(2, "unknown-transports")
def refuses_transports_with_another_code() -> None:
    def is_unknown(server: Any) -> bool:
        return bool(server["type"].startswith("_"))

    refusing("session/new", lambda params: any(map(is_unknown, params["mcpServers"])))


@fault(2, "unknown-transports")
def dies_of_servers_that_it_did_not_advertise() -> None:
    before(
        Agent,
        "do_session_new",
        lambda agent, params: any("url" in each for each in params["mcpServers"]) and crash(),
    )


@fault(2, "unknown-cursors")
def replays_from_anywhere() -> None:
    start = {"type": "start"}
    instead(
        Agent,
        "do_session_resume",
        lambda old, agent, params: old(
            {**params, "replayFrom": start} if "replayFrom" in params else params
        ),
    )


@fault(2, "unknown-cursors")
def refuses_cursors_with_another_code() -> None:
    refusing(
        "session/resume", lambda params: (params.get("replayFrom") or {}).get("type", "s")[0] == "_"
    )


@fault(1, "close-unknown")
def dies_of_closing_what_is_closed() -> None:
    before(
        Agent,
        "do_session_close",
        lambda agent, params: params["sessionId"] in agent.sessions or crash(),
    )


@fault(2, "close-unknown")
def drops_requests_to_close_unknown_sessions() -> None:
    instead(
        Agent,
        "take_request",
        lambda old, agent, request: (
            old(request)
            if request["method"] != "session/close"
            or request["params"]["sessionId"] in agent.sessions
            else None
        ),
    )


@fault(1, "delete-unknown")
def refuses_to_delete_what_is_deleted() -> None:
    before(Agent, "do_session_delete", lambda agent, params: agent.session(params))


@fault(1, "stdio-servers")
def refuses_servers() -> None:
    refusing("session/new", lambda params: params["mcpServers"])


@fault(2, "close-session", "close-cancels")
def refuses_to_close() -> None:
    refusing("session/close")


@fault(1, "close-cancels", "known-sessions")
def closes_and_goes_on() -> None:
    instead(Agent, "do_session_close", lambda old, agent, params: {})


@fault(2, "delete-session")
def keeps_what_is_deleted() -> None:
    instead(Agent, "do_session_delete", lambda old, agent, params: {})


@fault(1, "set-mode")
def refuses_a_mode_that_it_offers() -> None:
    refusing("session/set_mode", lambda params: params["modeId"] == "code")


def configured(change: Callable[[Any], Any]) -> None:
    """Change the first configuration option of each session."""
    instead(Session, "config", lambda old, session: [change(old()[0]), *old()[1:]])


@fault(2, "offered-values", "set-option")
def has_an_option_with_another_value() -> None:
    configured(lambda option: {**option, "options": option["options"][1:], "currentValue": "c"})


def updates_at_the_start(tag: str, **members: Any) -> None:
    """Send an update at the beginning of each turn."""
    before(Session, "repeat", lambda session, blocks: session.update(tag, **members))


@fault(1, "offered-values")
def is_in_a_mode_that_it_does_not_have() -> None:
    def change(result: Any) -> Any:
        return {**result, "modes": {**result["modes"], "currentModeId": "plan"}}

    instead(Agent, "do_session_new", lambda old, agent, params: change(old(params)))


@fault(1, "offered-values")
def changes_to_a_mode_that_it_does_not_have() -> None:
    updates_at_the_start("current_mode_update", currentModeId="plan")


@fault(2, "offered-values")
def changes_to_a_value_that_it_does_not_have() -> None:
    group = {"groupId": "g", "name": "G", "options": [{"value": "a", "name": "A"}]}
    option = {"configId": "x", "name": "X", "type": "select", "options": [group]}
    updates_at_the_start("config_option_update", configOptions=[{**option, "currentValue": "g"}])


@fault(1, "boolean-options")
def offers_flags_to_all_clients() -> None:
    before(Session, "config", lambda session: setattr(session.agent, "takes_flags", True))


@fault(2, "distinct")
def has_two_options_with_one_id() -> None:
    option = {"configId": "x", "name": "X", "type": "boolean", "currentValue": True}
    updates_at_the_start("config_option_update", configOptions=[option, option])


@fault(1, "distinct")
def has_two_values_with_one_id() -> None:
    values = [{"value": "a", "name": "A"}, {"value": "a", "name": "B"}]
    option = {"id": "x", "name": "X", "type": "select", "options": values, "currentValue": "a"}
    updates_at_the_start("config_option_update", configOptions=[option])


def commands(*names: str) -> None:
    """Advertise commands with the given names."""
    instead(
        Session,
        "commands",
        lambda old, session: [{**each, "name": name} for each in old() for name in names],
    )


@fault(2, "distinct")
def has_two_commands_with_one_name() -> None:
    commands("plan", "plan")


@fault(1)
def has_commands_of_servers() -> None:
    """Advertise commands with non-letter characters, which command names can contain."""
    commands("mcp:files/read", "memory show", "plan_2", "é")


@fault(1, "command-names")
def has_commands_with_a_slash() -> None:
    commands("plan", "/test")


@fault(2, "command-names")
def has_commands_with_blanks() -> None:
    commands(" plan")


@fault(2, "command-names")
def has_commands_without_a_name() -> None:
    commands("")


@fault(1, "set-option")
def answers_with_some_options() -> None:
    change = {"configOptions"}
    answering(
        "session/set_config_option",
        lambda response: {
            "id": response["id"],
            "result": {name: response["result"][name][:1] for name in change},
        },
    )


@fault(1, "set-option")
def ignores_flags() -> None:
    after(Session, "config", lambda session: session.values.update(z=True))
    before(Session, "config", lambda session: session.values.update(z=True))


def taking_options(is_taken: Callable[[str], bool]) -> None:
    """Report success for an invalid option change if `is_taken` is true for the option's id."""

    def set_option(old: Any, agent: Agent, params: Any) -> Any:
        try:
            return old(params)
        except Refusal:
            if not is_taken(params["configId"]):
                raise
            return {"configOptions": agent.session(params).config()}

    instead(Agent, "do_session_set_config_option", set_option)


@fault(2, "invalid-option")
def takes_unknown_options() -> None:
    taking_options(lambda id: id not in "xyz")


@fault(2, "invalid-option")
def takes_unknown_values() -> None:
    taking_options(lambda id: id in "xyz")


@fault(2, "invalid-option")
def refuses_unknown_options_with_another_code() -> None:
    refusing("session/set_config_option", lambda params: params["configId"] not in "xyz")


# --- prompts -------------------------------------------------------------------------------------


@fault(
    1,
    *("turn-ends", "parallel-sessions", "cancel-without-turn", "prompt-after-cancel"),
    *("resource-links", "rejected", "cancelled-request"),
)
def never_ends_a_turn() -> None:
    instead(Session, "finish", lambda old, session, reason: reason == "cancelled" and old(reason))


@fault(2, "turn-ends")
def gives_no_reason() -> None:
    instead(
        Session,
        "state",
        lambda old, session, state, **more: old(
            state, **({} if more.get("stopReason") == "end_turn" else more)
        ),
    )


@fault(2, "idle")
def runs_after_the_end() -> None:
    after(Session, "finish", lambda session, reason: session.state("running"))


@fault(2, "unsupported-content")
def takes_any_content() -> None:
    instead(Agent, "supported", lambda old, agent, blocks: blocks)


@fault(1, "parallel-sessions")
def tells_all_sessions() -> None:
    def say(old: Any, session: Session, *args: Any) -> None:
        for each in session.agent.sessions.values():
            if each is not session:
                each.update("agent_message_chunk", content={"type": "text", "text": "Hi"})
        old(*args)

    instead(Session, "say", say)


@fault(2, "parallel-sessions")
def waits_for_other_sessions() -> None:
    def prompt(old: Any, session: Session, *args: Any) -> None:
        others = [each for each in session.agent.sessions.values() if each is not session]
        if not any(each.turn is not None for each in others):
            old(*args)

    instead(Session, "prompt", prompt)


@fault(2, "next-prompt", "prompt-after-cancel")
def takes_one_prompt() -> None:
    refusing("session/prompt", lambda params: False)
    instead(
        Session,
        "finish",
        lambda old, session, reason: session.count == 1 and old(reason),
    )


@fault(1, "parallel-sessions")
def works_in_one_session() -> None:
    def prompt(old: Any, session: Session, *args: Any) -> None:
        if session.id != "s0" and len(args[1]) == 1:
            raise Refusal(-32603, "busy")
        old(*args)

    instead(Session, "prompt", prompt)


@fault(1, "resource-links")
def refuses_links() -> None:
    refusing_blocks("resource_link")


@fault(2, "images")
def refuses_images() -> None:
    refusing_blocks("image")


@fault(1, "audio")
def refuses_audio() -> None:
    refusing_blocks("audio")


@fault(2, "embedded-context")
def refuses_embedded_context() -> None:
    refusing_blocks("resource")


@fault(2, "user-message", "resume-replays")
def keeps_the_message_of_the_user() -> None:
    never(Session, "repeat")


@fault(2, "running", "resumes-running")
def never_says_that_it_runs() -> None:
    instead(
        Session,
        "state",
        lambda old, session, state, **more: state == "running" or old(state, **more),
    )


# --- tools ---------------------------------------------------------------------------------------


@fault(1, "reported-calls")
def begins_with_an_update_of_a_tool_call() -> None:
    instead(Session, "call", lambda old, session: ("tool_call_update", old()[1]))


@fault(2, "final-status")
def begins_a_tool_call_again() -> None:
    after(Session, "run", lambda session: session.report("in_progress"))
    after(Session, "run", lambda session: session.report("completed"))


@fault(2, "permission-options", "valid-params")
def gives_no_options() -> None:
    instead(Session, "question", lambda old, session: {**old(), "options": []})


@fault(1, "permission-options")
def gives_two_options_one_id() -> None:
    instead(Session, "question", lambda old, session: {**old(), "options": OPTIONS + OPTIONS[:1]})


@fault(2, "granted")
def says_nothing_of_its_progress() -> None:
    instead(Session, "run", lambda old, session: session.report("completed"))


@fault(1, "rejected")
def does_what_was_rejected() -> None:
    instead(
        Session,
        "go_on",
        lambda old, session, outcome: old(
            {"optionId": "yes"} if "optionId" in outcome else outcome
        ),
    )


def asking_about_commands() -> None:
    """Make the agent request permission for a command instead of a tool call."""
    command = {"type": "command", "command": "ls", "cwd": "/"}

    def question(old: Any, session: Session) -> Any:
        return {**old(), "subject": {**command, "toolCallId": f"t{session.count}"}}

    instead(Session, "question", question)


@fault(2)
def asks_about_commands() -> None:
    """This is allowed."""
    asking_about_commands()


@fault(2, "granted")
def says_nothing_of_the_progress_of_commands() -> None:
    asking_about_commands()
    says_nothing_of_its_progress()


@fault(2, "rejected")
def runs_a_command_that_was_rejected() -> None:
    asking_about_commands()
    does_what_was_rejected()


@fault(2, "cancelled-tool")
def runs_a_command_that_was_cancelled() -> None:
    asking_about_commands()
    does_what_was_cancelled()


@fault(2, "rejected")
def waits_after_a_rejection() -> None:
    def go_on(old: Any, session: Session, outcome: Any) -> None:
        if outcome.get("optionId") != "no":
            old(outcome)

    instead(Session, "go_on", go_on)


@fault(2, "resumes-running")
def works_on_in_silence() -> None:
    def go_on(old: Any, session: Session, outcome: Any) -> None:
        state, session.state = session.state, lambda name, **more: name == "idle" and state(
            name, **more
        )
        old(outcome)
        del session.state

    instead(Session, "go_on", go_on)


@fault(2, "requires-action")
def waits_without_a_word() -> None:
    instead(
        Session,
        "state",
        lambda old, session, state, **more: state == "requires_action" or old(state, **more),
    )


# --- cancelling ----------------------------------------------------------------------------------


@fault(1, "cancel")
def ends_cancelled_turns_as_others() -> None:
    before(
        Session, "go_on", lambda session, outcome: setattr(session, "is_cancelled", outcome == {})
    )


@fault(1, "cancel")
def ends_cancelled_turns_with_an_error() -> None:
    def finish(old: Any, session: Session, reason: str) -> None:
        if reason != "cancelled" or session.agent.closing:
            old(reason)
            return
        session.agent.send({"id": session.turn, "error": {"code": -32603, "message": "aborted"}})

    Agent.closing = False
    before(Agent, "do_session_close", lambda agent, params: setattr(agent, "closing", True))
    instead(Session, "finish", finish)


@fault(2, "cancelled-tool")
def does_what_was_cancelled() -> None:
    instead(
        Session,
        "give_up",
        lambda old, session: session.run() if session.is_cancelled else old(),
    )


@fault(1, "updates-before-end")
def sends_updates_after_the_end() -> None:
    def finish(old: Any, session: Session, reason: str) -> None:
        old(reason)
        if reason == "cancelled":
            session.say("agent", {"type": "text", "text": "Too late."}, "a")

    instead(Session, "finish", finish)


def late(change: Callable[[Session], object]) -> None:
    """Call a function 15 ms after a turn is cancelled, unless the client has closed a session."""

    def finish(old: Any, session: Session, reason: str) -> None:
        old(reason)
        if reason == "cancelled" and not getattr(session.agent, "is_closing", False):
            threading.Timer(0.015, change, [session]).start()

    before(Agent, "do_session_close", lambda agent, params: setattr(agent, "is_closing", True))
    instead(Session, "finish", finish)


@fault(1, "updates-before-end")
def speaks_a_moment_after_the_end() -> None:
    late(lambda session: session.say("agent", {"type": "text", "text": "Too late."}, "a"))


@fault(2, "updates-before-end")
def speaks_a_moment_after_the_end_in_protocol_2() -> None:
    late(lambda session: session.say("agent", {"type": "text", "text": "Too late."}, "a"))


@fault(2, "updates-before-end")
def reports_tools_a_moment_after_the_end() -> None:
    late(lambda session: session.update("tool_call_update", toolCallId="t1", title="Late"))


@fault(2, "prompt-after-cancel")
def stays_cancelled() -> None:
    def finish(old: Any, session: Session, reason: str) -> None:
        session.was_cancelled = reason == "cancelled" or getattr(session, "was_cancelled", False)
        old("cancelled" if session.was_cancelled else reason)

    instead(Session, "finish", finish)


@fault(1, "cancel-without-turn")
def cancels_the_next_turn() -> None:
    def finish(old: Any, session: Session, reason: str) -> None:
        old("cancelled" if session.is_cancelled else reason)

    instead(Session, "cancel", lambda old, session: setattr(session, "is_cancelled", True))
    instead(Session, "finish", finish)


@fault(2, "close-cancels", "known-sessions")
def closes_before_the_end() -> None:
    def take(old: Any, agent: Agent, request: Any) -> None:
        if request["method"] != "session/close":
            old(request)
            return
        agent.send({"id": request["id"], "result": {}})
        agent.answer(request)

    instead(Agent, "take_request", take)


@fault(1, "close-cancels", "known-sessions")
def closes_and_leaves_cancelling_to_the_decision() -> None:
    """Closing a session doesn't cancel its turn, but a cancelled permission request does."""

    def go_on(session: Session, outcome: Any) -> None:
        session.is_cancelled |= outcome.get("outcome") == "cancelled"

    instead(Agent, "do_session_close", lambda old, agent, params: {})
    before(Session, "go_on", go_on)


@fault(1, "cancelled-request")
def drops_cancelled_requests() -> None:
    def take(old: Any, agent: Agent, method: str, params: Any) -> None:
        old(method, params)
        if method == "$/cancel_request":
            agent.questions.clear()
            agent.questions = dict.fromkeys(range(9), lambda outcome: None)

    instead(Agent, "take_notification", take)


@fault(2, "cancel-tool-call")
def drops_tool_calls_to_cancel() -> None:
    instead(
        Agent,
        "take_request",
        lambda old, agent, request: request["method"] == "tool_call/cancel" or old(request),
    )


@fault(2, "cancel-tool-call")
def goes_on_with_a_cancelled_tool_call() -> None:
    instead(Agent, "do_tool_call_cancel", lambda old, agent, params: {})


# --- the server ----------------------------------------------------------------------------------


def serve(path: str) -> None:
    """Serve agents on a socket. Forking for each connection is faster than starting programs.

    The first line from the client names the agent's fault. An empty line means no fault.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # reaps the agents automatically
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(100)
        print("ready", flush=True)
        while True:
            connection, _ = listener.accept()
            if os.fork() == 0:
                os.dup2(connection.fileno(), 0)
                os.dup2(connection.fileno(), 1)
                connection.close()
                run(sys.stdin.buffer.readline().decode().strip())
                os._exit(0)
            connection.close()


def run(name: str) -> None:
    if name:
        FAULTS[name].plant()
    with suppress(Crash):
        Agent().serve()


if __name__ == "__main__":
    serve(sys.argv[1])
