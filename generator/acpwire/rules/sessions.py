"""The open sessions of a connection, and checks for messages that refer to sessions."""

from __future__ import annotations

from typing import Any, Final

from acp_bindings.runtime.jsonrpc.method import Method
from acp_bindings.runtime.session.turn_phases import Habits
from acp_bindings.runtime.values.record import Record, members

from acpwire.json_values import quote
from acpwire.rules.capabilities import PROMPT, Capabilities
from acpwire.rules.entry import Entry
from acpwire.rules.offers import Offers
from acpwire.rules.updates import Stream

CLOSE: Final = "session/close"
CANCEL: Final = "session/cancel"
PERMISSION: Final = "session/request_permission"
# Methods for stored sessions, which don't need to be open.
_STORED: Final = (CLOSE, "session/delete", "session/fork")
_SETTING: Final = ("session/set_mode", "session/set_config_option")
# The field that contains a session id, in JSON and in Python.
_ID, _ID_NAME = "sessionId", "session_id"
# The maximum number of sessions to remember, and the maximum number of reports about unknown
# sessions.
_MOST = 10_000


class Sessions:
    """The known sessions of a connection."""

    def __init__(self, capabilities: Capabilities) -> None:
        self._capabilities = capabilities
        self._sessions: dict[str, Stream] = {}
        self._told: set[tuple[Any, str]] = set()
        # The pending requests that open sessions. The value is true if the session already exists.
        self._opening: dict[Entry, bool] = {}
        self._is_new = False  # whether no session was open at the beginning of the recording
        self._is_whole = False  # whether all open sessions are known
        self._habits = Habits()

    def begin(self, *, is_certain: bool) -> None:
        """Start tracking a connection that has no open sessions.

        Args:
            is_certain: whether all messages of the connection are recorded. If false, the
                recording is assumed to be complete after the first message that opens a session.
        """
        self._sessions.clear()
        self._told.clear()
        self._opening.clear()
        self._is_new, self._is_whole = True, is_certain
        self._habits = Habits()

    def doubt(self) -> None:
        """Accept references to unknown sessions from now on, because messages might be missing."""
        self._sessions.clear()
        self._is_new = self._is_whole = False

    def stream(self, id_: str) -> Stream | None:
        """Return a session's updates, or None if the session is unknown."""
        return self._sessions.get(id_)

    def call(self, entry: Entry, method: Method[Any, Any] | None, params: Any) -> None:
        """Check a request or notification.

        Args:
            entry: the entry of the message.
            method: the message's method, or None if no surface defines it.
            params: the decoded params, or None if they are not valid.
        """
        value = entry.value if type(entry.value) is dict else {}
        id_ = value.get(_ID)
        entry.session = id_ if type(id_) is str else None
        is_loader = method is not None and method.ends_updates and entry.method != PROMPT
        if is_loader or (method is not None and _names_session(method.result)):
            self._opening[entry] = is_loader
            if len(self._opening) > _MOST:
                del self._opening[next(iter(self._opening))]
        if entry.method == PERMISSION:
            _check_options(entry, value.get("options"))
        if entry.session is None:
            return
        if is_loader:
            self._open(entry.session, has_past=True)
        elif entry.receiver == "client" or (method and entry.method not in _STORED):
            self._check_open(entry, entry.session)
        stream = self._sessions.get(entry.session)
        if stream is None:
            return
        if is_loader:
            stream.replay()
        elif entry.method == CLOSE:
            stream.closing = entry.line
        elif entry.method == CANCEL:
            stream.cancel()
        elif entry.method == PROMPT:
            stream.prompt(entry)
        elif entry.method in _SETTING:
            stream.offers.set(entry, value, is_complete=not stream.has_past)
        elif entry.receiver == "client" and entry.kind == "request":
            stream.ask(entry)
        elif params is not None and isinstance(getattr(params, "update", None), Record):
            stream.update(entry, params.update)
            stream.offers.offer(entry, value["update"], "/params/update")
            nested = value["update"].get(_ID)
            if type(nested) is str:  # the update reports a nested session
                self._open(nested, has_past=True)

    def _check_open(self, entry: Entry, id_: str) -> None:
        session = self._sessions.get(id_)
        if session is None:
            is_missing = self._is_whole and not self._opening
            text = "was not opened"
        else:
            closed = session.closed if entry.receiver == "client" else session.closing
            is_missing = closed is not None
            text = f"was closed on line {closed}"
        if not is_missing:
            entry.judged.add("known-sessions")
        elif (entry.sender, id_) not in self._told and len(self._told) < _MOST:
            self._told.add((entry.sender, id_))
            entry.judge("known-sessions", False, f"/params/{_ID}", f"session {quote(id_)} {text}")
        if session is None and entry.method == PROMPT:  # the client treats the session as open
            self._open(id_, has_past=True)

    def answer(self, entry: Entry, request: Entry) -> None:
        """Check the response to a request."""
        entry.session = request.session
        value = entry.value if type(entry.value) is dict and not entry.is_error else {}
        is_loader = self._opening.pop(request, False)
        opened = value.get(_ID)
        if type(opened) is str:
            self._open(opened, has_past=request.session is not None)
        about = self._sessions.get(opened if type(opened) is str else request.session or "")
        if about is not None and request.receiver == "agent":
            about.offers.offer(entry, value, "/result")
        session = self._sessions.get(request.session or "")
        if session is None:
            return
        if request.method == CLOSE and entry.is_error:
            session.closing = None
        elif request.method == CLOSE:
            session.closed = entry.line
            session.close(entry)
        elif request.method == PROMPT:
            session.answer(entry, request)
        elif request.receiver == "client":
            session.decide(request)
        elif is_loader:
            session.end_replay(entry)

    def _open(self, id_: str, *, has_past: bool) -> None:
        self._is_whole = self._is_new
        session = self._sessions.get(id_)
        if session is None or session.closing is not None:
            offers = Offers(self._capabilities)
            self._sessions[id_] = Stream(self._habits, offers, has_past=has_past)
            self._told -= {(side, id_) for side in ("client", "agent", None)}
        if len(self._sessions) > _MOST:
            del self._sessions[next(iter(self._sessions))]
            self._is_new = self._is_whole = False


def _check_options(question: Entry, options: Any) -> None:
    listed = options if type(options) is list else []
    ids = [each.get("optionId") for each in listed if type(each) is dict]
    ok = bool(ids) and len(set(map(str, ids))) == len(ids)
    text = f"expected options with different ids, found {', '.join(map(quote, ids)) or 'none'}"
    question.judge("permission-options", ok, "/params/options", text)


def _names_session(result: Any) -> bool:
    is_record = isinstance(result, type) and issubclass(result, Record)
    return is_record and _ID_NAME in members(result)
