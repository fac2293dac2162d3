"""Follow the sessions of a conversation with an agent: their turns, and their tool calls."""

from __future__ import annotations

from typing import Any

from acpgen.wire.conform.conversation import Conversation, Message
from acpgen.wire.conform.wire import Line
from acpgen.wire.trace.surfaces import load, surfaces_of

WATCHED = (
    "client-capabilities",
    "known-sessions",
    "updates-before-end",
    "reported-calls",
    "final-status",
)

_OVER = ("completed", "failed", "cancelled")
_OPENING = ("session/load", "session/resume", "session/fork")


class Follower:
    """Judges what a message says in the light of those before it."""

    def __init__(self, talk: Conversation) -> None:
        self._talk = talk
        self._scanned = 0
        self._methods: dict[Any, tuple[str, Any]] = {}  # by id: a request, and its session
        self._sessions: set[str] = set()
        self._opening = 0  # requests for sessions whose id is not known yet
        self._cancelled: set[str] = set()  # sessions whose turn was cancelled
        self._ended: set[str] = set()  # of these, those whose turn has ended
        self.calls: dict[tuple[str, str], str] = {}  # the status of tool calls

    def follow(self, message: Message, line: Line) -> None:
        """Look at a message of the agent."""
        self._scan()
        method = message.get("method")
        params = message.get("params")
        if type(method) is str:
            self._check_capability(method, line)
            if type(params) is dict and type(params.get("sessionId")) is str:
                self._check_session(method, params, line)
        elif type(message.get("id")) in (int, str):
            self._follow_response(message)

    def _scan(self) -> None:
        """Note what was sent since the last time."""
        lines = self._talk.wire.lines
        for line in lines[self._scanned :]:
            message = line.message
            if not line.sent or type(message) is not dict or type(message.get("method")) is not str:
                continue
            method, params = message["method"], message.get("params")
            session = params.get("sessionId") if type(params) is dict else None
            if "id" in message and type(message["id"]) in (int, str):
                self._methods[message["id"]] = method, session
            if method == "session/new":
                self._opening += 1
            elif method in _OPENING and type(session) is str:
                self._sessions.add(session)
                for key in [key for key in self.calls if key[0] == session]:
                    del self.calls[key]  # the conversation may be sent again
            elif method == "session/cancel" and type(session) is str:
                self._cancelled.add(session)
            elif method == "session/prompt" and type(session) is str:
                self._sessions.add(
                    session
                )  # the client has named it, whatever the agent makes of it
                self._cancelled.discard(session)
                self._ended.discard(session)
        self._scanned = len(lines)

    def _follow_response(self, message: Message) -> None:
        method, session = self._methods.pop(message["id"], ("", None))
        result = message.get("result")
        if method == "session/new":
            self._opening -= 1
            if type(result) is dict and type(result.get("sessionId")) is str:
                self._sessions.add(result["sessionId"])
        elif method == "session/prompt" and self._talk.version == 1 and session in self._cancelled:
            self._ended.add(session)

    def _check_capability(self, method: str, line: Line) -> None:
        for surface in surfaces_of(self._talk.version):
            needed = load(surface).CLIENT_METHODS.get(method)
            if needed is not None:
                expected = "no such call: the client has not advertised it"
                self._talk.judge("client-capabilities", needed.capability is None, expected, line)
                return

    def _check_session(self, method: str, params: dict[str, Any], line: Line) -> None:
        session = params["sessionId"]
        is_known = session in self._sessions or self._opening > 0
        expected = "the id of a session that the client has opened"
        self._talk.judge("known-sessions", is_known, expected, line)
        update = params.get("update")
        if method == "session/update" and type(update) is dict:
            self._check_update(session, update, line)

    def _check_update(self, session: str, update: dict[str, Any], line: Line) -> None:
        tag = update.get("sessionUpdate")
        if tag == "state_update" and update.get("state") == "idle":
            if session in self._cancelled:
                self._ended.add(session)
            return
        if tag in ("agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update"):
            expected = "no such update after the end of the turn that was cancelled"
            if session in self._cancelled:
                self._talk.judge("updates-before-end", session not in self._ended, expected, line)
        if tag in ("tool_call", "tool_call_update") and type(update.get("toolCallId")) is str:
            self._check_call(session, update, line)

    def _check_call(self, session: str, update: dict[str, Any], line: Line) -> None:
        key = session, update["toolCallId"]
        before, status = self.calls.get(key), update.get("status")
        if before is None:
            is_reported = update["sessionUpdate"] == "tool_call" or (
                self._talk.version != 1 and type(update.get("title")) is str
            )
            expected = "a report of the tool call with its title first"
            self._talk.judge("reported-calls", is_reported, expected, line)
        if type(status) is str and status:
            is_forward = before not in _OVER or status == before
            expected = f"no other status after {before}"
            self._talk.judge("final-status", is_forward, expected, line)
            self.calls[key] = status
        else:
            self.calls.setdefault(key, "pending")
