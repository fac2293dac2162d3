"""Sentences about a method's place in a conversation: preceding calls and effects on the turn."""

from __future__ import annotations

from collections.abc import Iterable

from acpgen.ir.model import Method
from acpgen.ir.queries import find_member, target
from acpgen.ir.session import SessionSpec
from acpgen.ir.surface import Surface

from acpdocs.content import RichText, TextRun, sentence
from acpdocs.links import Links

# The field that the handshake's params and result both contain.
_AGREED = "protocolVersion"
_AFTER_HANDSHAKE = "After {handshake}."
_OPENED = "In an open session, after {opened}."


class Places:
    """Descriptions of when a surface's methods are called in a conversation."""

    def __init__(self, surface: Surface) -> None:
        self._surface = surface
        self._handshake = next(filter(self._is_handshake, surface.methods), None)
        self._links = Links(surface)
        # The values of the placeholders in the sentences.
        self._gaps: dict[str, TextRun | RichText] = {}
        if self._handshake is not None:
            self._gaps["handshake"] = self._links.method(self._handshake)
        if surface.session is not None:
            self._gaps |= self._of_session(surface.session)

    def _of_session(self, session: SessionSpec) -> dict[str, TextRun | RichText]:
        gaps: dict[str, TextRun | RichText] = {
            "prompt": self._links.method(session.prompt),
            "update": self._links.method(session.update),
            "permission": self._links.method(session.permission),
            "cancel": self._links.method(session.cancel),
            "loaders": self._any_of(session.loaders),
            "opened": self._any_of([*session.openers, *session.loaders]),
            "calls": self._any_of(dict.fromkeys(call.method for call in session.calls)),
            "cancelled": self._links.type(session.cancelled),
        }
        if session.activity is not None:
            gaps["idle"] = self._links.type(session.activity.idle)
            if session.activity.waiting is not None:
                gaps["waiting"] = self._links.type(session.activity.waiting)
        return gaps

    def of(self, method: Method) -> tuple[RichText, ...]:
        """Return sentences that say when a method is called, if the schema specifies it."""
        return tuple(sentence(words, **self._gaps) for words in self._words(method))

    def _words(self, method: Method) -> Iterable[str]:
        if self._handshake is None or method.side not in ("agent", "client", "protocol"):
            return ()
        if method.side == "protocol" or method.wire is None:
            return ("At any time while the connection is open.",)
        if method is self._handshake:
            return ("The first request on a connection. Other requests wait for its response.",)
        session = self._surface.session
        if session is not None:
            words = _in_sessions(method, session)
            if words:
                return words
            member = find_member(self._surface.definitions, method.params, "sessionId")
            if member is not None and target(member.shape) == session.session_id:
                return ("In an open session, during a turn or between turns.",)
        return ("After {handshake}, at any time.",)

    def _any_of(self, methods: Iterable[Method]) -> RichText:
        """Return links to methods, joined with commas and "or"."""
        *others, last = [self._links.method(method) for method in methods] or [TextRun("")]
        runs = [run for link in others for run in (link, TextRun(", "))]
        return (*runs[:-1], TextRun(" or "), last) if others else (last,)

    def _is_handshake(self, method: Method) -> bool:
        definitions = self._surface.definitions
        return method.side == "agent" and all(
            name is not None and find_member(definitions, name, _AGREED)
            for name in (method.params, method.result)
        )


def _in_sessions(method: Method, session: SessionSpec) -> tuple[str, ...]:
    """Return sentences about a method that is part of a session."""
    if method in session.openers:
        return (_AFTER_HANDSHAKE, "Opens a session. {prompt} then starts a turn.")
    if method in session.loaders:
        return (_AFTER_HANDSHAKE, "Opens an existing session. {prompt} continues it.")
    if method is session.prompt:
        end = "Starts a turn. Its response ends the turn."
        if session.activity is not None:
            end = (
                "Starts a turn. The response only confirms the prompt. The turn ends with {update}"
                " and {idle}."
            )
        during = "During the turn, the agent sends {update} and calls {calls}."
        return (_OPENED, end, during, "{cancel} cancels the turn.")
    if method is session.cancel:
        return (
            "During a turn, after {prompt}.",
            "The agent stops working and then ends the turn normally.",
            "The client responds to each pending {permission} with {cancelled}.",
        )
    if method is session.update:
        return (_OPENED, "During a turn, reports the progress of {prompt}.")
    if method is session.close:
        return ("In an open session.", "Closes the session. {loaders} reopens it.")
    if method in session.lists:
        return (_AFTER_HANDSHAKE, "Doesn't require an open session.")
    if any(action.method is method for action in session.actions):
        return (_AFTER_HANDSHAKE, "The params identify the session.")
    for call in session.calls:
        if call.method is method:
            during = "In an open session, usually during a turn that {prompt} started."
            waits = "The agent waits for the user's response"
            if session.activity is not None and session.activity.waiting is not None:
                waits += " and reports its state as {waiting} until then"
            return (during, f"{waits}.") if call.is_question else (during,)
    return ()
