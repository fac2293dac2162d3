"""The place of a method in a conversation: what comes before it, and what it starts or ends."""

from __future__ import annotations

from collections.abc import Iterable

from acpgen.ir.model import Method
from acpgen.ir.queries import find_member, target
from acpgen.ir.session import SessionSpec
from acpgen.ir.surface import Surface
from acpgen.ir.wording import title

from acpdocs.content import RichText, TextRun
from acpdocs.facts.phrases import Phrases
from acpdocs.links import method_page

# The member that both the params and the result of the handshake have.
_AGREED = "protocolVersion"


class Timing:
    """Tells when the methods of one surface are called."""

    def __init__(self, surface: Surface) -> None:
        self._surface = surface
        self._phrases = Phrases(surface)
        self._handshake = next(filter(self._is_handshake, surface.methods), None)

    def of(self, method: Method) -> tuple[RichText, ...]:
        """Sentences about the place of a method; empty if the schema does not tell."""
        if self._handshake is None or method.side not in ("agent", "client", "protocol"):
            return ()
        if method.side == "protocol" or method.wire is None:
            return (_text("At any time on the connection."),)
        if method is self._handshake:
            return (_text("The first request on a connection; all others wait for its response."),)
        session = self._surface.session
        if session is not None:
            sentences = self._in_sessions(method, session)
            if sentences:
                return sentences
            if self._names_session(method, session):
                return (_text("In an open session, during a turn or between turns."),)
        return ((TextRun("After "), self._link(self._handshake), TextRun(", at any time.")),)

    def _in_sessions(self, method: Method, session: SessionSpec) -> tuple[RichText, ...]:
        """Sentences about a method that sessions are made of."""
        opened = (*session.openers, *session.loaders)
        if method in session.openers:
            return self._after_handshake(), self._sentence(
                "Opens a session; ", [session.prompt], " comes next."
            )
        if method in session.loaders:
            return self._after_handshake(), self._sentence(
                "Opens a session that was there before; ", [session.prompt], " continues it."
            )
        if method is session.prompt:
            return (
                self._sentence("In an open session, after ", opened, "."),
                *self._turn(session),
            )
        if method is session.cancel:
            answer = self._phrases.link(session.cancelled)
            asked = self._sentence("The client answers each open ", [session.permission], " with ")
            return (
                self._sentence("During a turn, after ", [session.prompt], "."),
                _text("The turn ends all the same: the agent stops, then says so."),
                (*asked, answer, TextRun(".")),
            )
        if method is session.update:
            return (
                self._sentence("In an open session, after ", opened, "."),
                self._sentence("During a turn, it tells of the work on ", [session.prompt], "."),
            )
        if method is session.close:
            reopened = self._sentence("Closes the session; ", session.loaders, " opens it again.")
            return _text("In an open session."), reopened
        if method in session.lists:
            return (self._after_handshake(), _text("It concerns no session that is open."))
        if any(action.method is method for action in session.actions):
            return (self._after_handshake(), _text("It names the session that it concerns."))
        for call in session.calls:
            if call.method is method:
                during = TextRun("In an open session, mostly during the turn that ")
                start = (during, self._link(session.prompt), TextRun(" started."))
                return (start, self._question(session)) if call.is_question else (start,)
        return ()

    def _question(self, session: SessionSpec) -> RichText:
        """What the agent does while a question is open."""
        waits = TextRun("The agent waits for the user's answer")
        if session.activity is None or session.activity.waiting is None:
            return (waits, TextRun("."))
        waiting = self._phrases.link(session.activity.waiting)
        return (waits, TextRun(", and reports its state as "), waiting, TextRun(" until then."))

    def _turn(self, session: SessionSpec) -> tuple[RichText, ...]:
        """What happens in a turn, and what ends it."""
        calls = list(dict.fromkeys(call.method for call in session.calls))
        during = self._sentence("During it, the agent sends ", [session.update], ", and calls ")
        if session.activity is None:
            end: RichText = _text("Starts a turn, which its response ends.")
        else:
            idle = self._phrases.link(session.activity.idle)
            end = (
                TextRun("Starts a turn. Its response only accepts the prompt: the turn ends with "),
                *self._links([session.update]),
                TextRun(" and "),
                idle,
                TextRun("."),
            )
        return (
            end,
            (*during, *self._links(calls), TextRun(".")),
            self._sentence("", [session.cancel], " cancels it."),
        )

    # --- words -------------------------------------------------------------------------------

    def _after_handshake(self) -> RichText:
        assert self._handshake is not None
        return self._sentence("After ", [self._handshake], ".")

    def _sentence(self, before: str, methods: Iterable[Method], after: str) -> RichText:
        return (TextRun(before), *self._links(methods), TextRun(after))

    def _links(self, methods: Iterable[Method]) -> RichText:
        """Links to methods, as alternatives."""
        *others, last = [self._link(method) for method in methods] or [TextRun("")]
        runs = [run for link in others for run in (link, TextRun(", "))]
        return (*runs[:-1], TextRun(" or "), last) if others else (last,)

    def _link(self, method: Method) -> TextRun:
        return TextRun(title(method), method_page(self._surface, method), code=True)

    # --- questions ---------------------------------------------------------------------------

    def _is_handshake(self, method: Method) -> bool:
        names = (method.params, method.result)
        definitions = self._surface.definitions
        return method.side == "agent" and all(
            name is not None and find_member(definitions, name, _AGREED) for name in names
        )

    def _names_session(self, method: Method, session: SessionSpec) -> bool:
        definitions = self._surface.definitions
        member = find_member(definitions, method.params, "sessionId")
        return member is not None and target(member.shape) == session.session_id


def _text(words: str) -> RichText:
    return (TextRun(words),)
