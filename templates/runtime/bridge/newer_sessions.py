"""The sessions of an agent of the older version, as a newer client opens, lists and closes them.

A newer agent can list, resume and close its sessions. Where an older one cannot, the bridge does,
by what it has seen of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from ..jsonrpc.errors import RequestError
from ..jsonrpc.events import Request
from ..jsonrpc.method import INITIALIZE
from ..session.registry import Registry
from ..values.errors import Path
from .exchange import End, cannot_say
from .newer_introductions import agent_to_newer, client_to_older
from .newer_session import Session
from .newer_updates import NewerUpdates
from .rules import LOST, JsonValue, object_at, without
from .stand_in import Closed, Opened
from .translating import Translator

_LOAD: Final = "session/load"
_RESUME: Final = "session/resume"
_STAYS = "the agent cannot bring sessions back: its directories and servers stay as they are"
_NO_MODES = "an option of the agent represents its modes, or it has none"
_FORGOTTEN = "the agent cannot tell what was before, and the bridge has not seen all of it"


class NewerSessions(Translator):
    """The part of `NewerClient` that is about sessions, but for their turns."""

    def __init__(self, *args: Any) -> None:
        """See `Translator`."""
        super().__init__(*args)
        self._older: Any = self._correspondence.older
        self._updates = NewerUpdates(self.exchange, self._older)
        self._registry: Registry[Session] = Registry(self._new_session, lambda: self.limits)
        self._capabilities: JsonValue = {}  # those of the agent, as it has told them
        self._shown: Any = None  # the result of `initialize`, as the client was told it

    def introduce(self, end: End, introduction: JsonValue) -> JsonValue:
        """See `Translator`."""
        convert = partial(self._convert, end, None)
        if end is self.client:
            standing_in: JsonValue = {} if self.stand_in is None else self.stand_in.capabilities
            return client_to_older(introduction, self._older, convert, standing_in)
        self._capabilities = object_at(introduction, "agentCapabilities")
        lose = partial(self.exchange.lose, end)
        newer = self._correspondence.newer
        lose_others = partial(self.exchange.lose_others, end)
        shown = agent_to_newer(introduction, newer, convert, lose, lose_others)
        self._shown = newer.decode(newer.METHODS["agent"][INITIALIZE].result, shown)
        return shown

    def _new_session(self, session_id: str) -> Session:
        return Session(session_id, self._updates.new_state())

    def _find(self, session_id: str) -> Session | None:
        """The session that a message of the agent is about; None if it is closed."""
        return self._registry.sessions.get(session_id) or self._registry.named(session_id)

    def _can(self, method: str) -> bool:
        """Whether the agent has advertised a method of sessions."""
        if method == _LOAD:
            return bool(self._capabilities.get("loadSession"))
        name = method.removeprefix("session/")
        return object_at(self._capabilities, "sessionCapabilities").get(name) is not None

    # --- turns, which `NewerClient` has ----------------------------------------------------------

    def _tell_activity(self, session: Session) -> None:
        """Tell the client what the agent does in a session."""
        raise NotImplementedError

    def _release(self, session: Session) -> None:
        """Take what was held back, as far as the session is idle."""
        raise NotImplementedError

    def _close_turn(self, session: Session) -> None:
        """End the turn of a session that is closed."""
        raise NotImplementedError

    # --- opening ---------------------------------------------------------------------------------

    def _open(self, request: Request) -> None:
        params = self._set_up(request, "NewSessionRequest")
        if params is None:
            return
        self._registry.begin()

        def then(result: JsonValue) -> None:
            session = self._registry.open(result["sessionId"])
            self._registry.end()
            session.settle_in(params)
            session.is_complete = True
            self._tell_opened(session.session_id, params)
            self._respond_opened(request, session, "session/new", result)

        def otherwise(error: BaseException) -> None:
            self._registry.end()
            self.exchange.fail(self.client, request, error)

        self.exchange.call(self.agent, "session/new", params, then, otherwise, request)

    def _tell_opened(self, session_id: str, params: JsonValue) -> None:
        """Tell the handler in place of the client that a session is open, with its directories."""
        if self.stand_in is not None:
            directories = tuple(params.get("additionalDirectories") or ())
            self.stand_in.tell(Opened(session_id, params["cwd"], directories))

    def _set_up(self, request: Request, rule: str) -> JsonValue | None:
        """Return the params that open a session as the agent gets them; None if it is refused."""
        if self._is_refused(request):
            return None
        params = without(self._params(request), "replayFrom")
        wanted: list[JsonValue] = params.get("mcpServers") or []
        converted = self._convert(
            self.client, params.get("sessionId"), rule, params, request.method.name
        )
        servers: list[JsonValue] = [] if converted is LOST else converted.get("mcpServers") or []
        if converted is LOST or len(servers) < len(wanted):
            self._refuse(request, "an MCP server is of a kind that the agent does not know")
            return None
        opened = len(self._registry.sessions) - len(self._registry.strays)
        if (
            opened >= self.limits.sessions
            and params.get("sessionId") not in self._registry.sessions
        ):
            error = RequestError.internal_error(message=f"{opened} sessions are open")
            self.exchange.fail(self.client, request, error)
            return None
        return {**converted, "mcpServers": servers}

    def _respond_opened(
        self, request: Request, session: Session, method: str, result: JsonValue
    ) -> None:
        """Respond to a request that opens a session.

        Args:
            request: the client's request.
            session: the session.
            method: the method that the agent has answered.
            result: its answer.
        """
        if result.get("configOptions") is not None:
            self._updates.set_options(session, result["configOptions"], (), method)
        if result.get("modes") is not None:
            session.options.set_modes(result["modes"])
            if session.options.mode_id is None:
                place: Path = ((), "modes")
                self.exchange.lose(self.agent, method, place, _NO_MODES, session.session_id)
        rest = self._updates.without_foreign(session, result, ("availableCommands",), method)
        rest = without(rest, "modes", "configOptions")
        self.exchange.respond(self.client, request, {**rest, **shown_options(session)})

    # --- bringing back ---------------------------------------------------------------------------

    def _resume(self, request: Request) -> None:
        session = self._registry.sessions.get(request.params.session_id)
        if session is not None and session.replay is not None:
            session.held_back[request] = None  # two replays could not be told apart
            return
        replay_from = self._params(request).get("replayFrom")
        if replay_from is not None and replay_from["type"] != "start":
            self._refuse(request, cannot_say(f"replayFrom {replay_from['type']}"))
            return
        params = self._set_up(request, "ResumeSessionRequest")
        if params is None:
            return
        place: Path = ((), "replayFrom")
        self._lose_others(request, replay_from, place, "type")
        is_replayed = replay_from is not None
        method = self._way_back(session, is_replayed=is_replayed)
        if method is not None:
            self._return(request, params, method, is_replayed=is_replayed)
        elif session is None:
            self.exchange.fail(self.client, request, not_found(params["sessionId"]))
        else:
            self.exchange.lose(self.client, _RESUME, (), _STAYS, session.session_id)
            self._retell(session, is_replayed=is_replayed)
            self._tell_activity(session)
            self.exchange.respond(self.client, request, shown_options(session))

    def _way_back(self, session: Session | None, *, is_replayed: bool) -> str | None:
        """The method that brings a session back; None if the agent has none.

        A session in a turn is not loaded: what is live could not be told from the replay.
        """
        methods = [_LOAD, _RESUME] if is_replayed else [_RESUME, _LOAD]
        if session is not None and session.turn is not None:
            methods.remove(_LOAD)
        return next((method for method in methods if self._can(method)), None)

    def _return(
        self, request: Request, params: JsonValue, method: str, *, is_replayed: bool
    ) -> None:
        """Bring a session back.

        Args:
            request: the client's request.
            params: what the agent is called with.
            method: the agent's method.
            is_replayed: whether the client is told what was before.
        """
        is_known = params["sessionId"] in self._registry.sessions
        session = self._registry.open(params["sessionId"])
        before = session.state
        session.replay = "absent"
        if method == _LOAD:
            session.state = self._updates.new_state()
            session.replay = "shown" if is_replayed else "kept_back"
        self._tell_opened(session.session_id, params)

        def then(result: JsonValue) -> None:
            session.replay = None
            if session.is_closed:
                self.exchange.fail(self.client, request, not_found(session.session_id))
                return
            session.settle_in(params)
            if method == _LOAD:
                session.is_complete = True
                session.end_message()
            elif is_replayed:
                self._retell(session, is_replayed=True)
            self._tell_activity(session)
            self._respond_opened(request, session, method, result)
            self._release(session)

        def otherwise(error: BaseException) -> None:
            session.replay = None
            session.state = before if method == _LOAD else session.state
            self.exchange.fail(self.client, request, error)
            if not is_known and not session.is_closed:
                self._forget(session.session_id)
            self._release(session)

        self.exchange.call(self.agent, method, params, then, otherwise, request)

    def _retell(self, session: Session, *, is_replayed: bool) -> None:
        """Tell the client what the bridge knows of a session.

        Args:
            session: the session.
            is_replayed: whether that is all; otherwise, how the session is now.
        """
        if is_replayed and not session.is_complete:
            place: Path = ((), "replayFrom")
            self.exchange.lose(self.client, _RESUME, place, _FORGOTTEN, session.session_id)
        for update in self._updates.retell(session, is_history_told=is_replayed):
            self._tell(session, update)

    # --- listing, closing ------------------------------------------------------------------------

    def _list(self, request: Request) -> None:
        if self._can("session/list"):
            rules = ("ListSessionsRequest", "ListSessionsResponse")
            self.exchange.carry(self.client, request, "session/list", rules)
            return
        params = self._params(request)
        if params.get("cursor") is not None:
            self._refuse(request, "no list of sessions has had such a cursor")
            return
        self._lose_others(request, params, (), "cwd")
        infos = [session.as_info() for session in self._registry.sessions.values()]
        cwd = params.get("cwd")
        listed = [info for info in infos if info is not None and cwd in (None, info["cwd"])]
        self.exchange.respond(self.client, request, {"sessions": listed})

    def _close(self, request: Request) -> None:
        session_id = request.params.session_id
        if self._can("session/close"):
            self._call_last(request, "CloseSessionRequest", "CloseSessionResponse")
        elif (session := self._registry.sessions.get(session_id)) is None:
            self.exchange.fail(self.client, request, not_found(session_id))
        else:
            self._lose_others(request, self._params(request), (), "sessionId")
            if session.turn is not None:
                self.exchange.notify(self.agent, "session/cancel", {"sessionId": session_id})
            self._forget(session_id)
            self.exchange.respond(self.client, request, {})

    def _delete(self, request: Request) -> None:
        self._call_last(request, "DeleteSessionRequest", "DeleteSessionResponse")

    def _call_last(self, request: Request, rule: str, result_rule: str) -> None:
        """Call the agent for a request after which there is no session any more."""
        session_id = request.params.session_id

        def then(result: JsonValue) -> None:
            self._forget(session_id)
            self.exchange.respond(self.client, request, result)

        self._call(request, request.method.name, (rule, result_rule), then)

    def _forget(self, session_id: str) -> None:
        """Take note that a session is closed: what still arrives must not bring it back."""
        session = self._registry.sessions.pop(session_id, None)
        self._registry.strays.pop(session_id, None)
        self._registry.remember_closed(session_id)
        if self.stand_in is not None:
            self.stand_in.tell(Closed(session_id))
        if session is not None:
            session.is_closed = True
            held_back, session.held_back = session.held_back, {}
            for request in held_back:
                self.exchange.fail(self.client, request, not_found(session_id))
            self._close_turn(session)

    # --- calls -----------------------------------------------------------------------------------

    def _call(
        self,
        request: Request,
        name: str,
        rules: tuple[str, str],
        then: Callable[[JsonValue], None],
    ) -> None:
        """Call the agent for a request of the client, which fails if the call does.

        Args:
            request: the client's request.
            name: the agent's method.
            rules: the definition of its params, as the client names it, and of its result, as the
                agent does.
            then: called with the result, in the newer version.
        """
        params = self._params(request)
        session_id = params["sessionId"]
        params = self._convert(self.client, session_id, rules[0], params, request.method.name)
        if params is LOST:
            self._refuse(request, cannot_say(request.method.name))
            return

        def take(result: JsonValue) -> None:
            result = self._convert(self.agent, session_id, rules[1], result, name)
            if result is LOST:
                error = RequestError.internal_error(message=cannot_say(name))
                self.exchange.fail(self.client, request, error)
            else:
                then(result)

        refuse = self.exchange.refuse(self.client, request)
        self.exchange.call(self.agent, name, params, take, refuse, request)

    def _params(self, request: Request) -> JsonValue:
        """The params of a request of the client."""
        return self.client.encode(request.params, request.method.params)

    def _is_refused(self, request: Request) -> bool:
        """Refuse what the agent has not advertised, as the newer version demands."""
        for need in request.method.needs:
            if need.refuses(request.params, self._shown) is not None:
                self._refuse(request, f"the agent did not advertise {need.capability.pointer}")
                return True
        return False

    def _lose_others(self, request: Request, value: JsonValue, path: Path, *known: str) -> None:
        """Report the fields of a part of a request that the agent does not get."""
        session_id = getattr(request.params, "session_id", None)
        name = request.method.name
        self.exchange.lose_others(self.client, name, value, path, known, session_id)

    def _refuse(self, request: Request, message: str) -> None:
        error = RequestError.invalid_params(message=message)
        self.exchange.fail(self.client, request, error)

    def _tell(self, session: Session, update: JsonValue) -> None:
        """Send the client an update."""
        params = {"sessionId": session.session_id, "update": update}
        self.exchange.notify(self.client, "session/update", params)

    def _convert(
        self,
        end: End,
        session_id: str | None,
        rule: str,
        value: JsonValue,
        method: str,
        path: Path = (),
    ) -> JsonValue:
        return self.exchange.convert(end, rule, value, method, session_id, path)


def shown_options(session: Session) -> JsonValue:
    """The config options of a session as a member of a response, if any are known."""
    options = session.options.shown()
    return {} if options is None else {"configOptions": options}


def not_found(session_id: str) -> RequestError:
    """Return the newer version's error for a session that is not open."""
    return RequestError.resource_not_found({"sessionId": session_id}, "session not found")
