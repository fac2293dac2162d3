"""Agents whose sessions are saved: each change is, before the client is sent it.

`StoredSessions` records the updates of sessions in a `SessionStore`, and restores them. The module
`kit` of each surface has an agent class with it, `StoredAgent`.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, ClassVar, Final

from ..runtime.jsonrpc.errors import RequestError
from ..runtime.session.facts import Facts
from ..runtime.values.deferred import dataclass
from .forms import fill
from .store import SessionStore

# The statuses of tool calls that did not end.
_UNFINISHED: Final = ("pending", "in_progress")
# The characters of the first prompt that are the title of a session without one.
_TITLE: Final = 80
# In place of a title: the one that the session has.
_SAME: Final = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Saving:
    """How the sessions of a protocol version are saved.

    Attributes:
        version: the protocol version.
        facts: the facts about its sessions.
        forms: which updates have a title, a prompt or output, and which update ends a tool call.
        state: makes an empty state.
        encode: makes JSON of an update.
        decode: makes an update of JSON.
    """

    version: int
    facts: Facts
    forms: Mapping[str, Any]
    state: Callable[[], Any]
    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]


class StoredSessions:
    """What an agent with saved sessions has in every protocol version.

    Attributes:
        store: where its sessions are saved.
    """

    store: SessionStore
    saving: ClassVar[Saving]

    if TYPE_CHECKING:
        sessions: dict[str, Any]

        def session(self, session_id: str) -> Any: ...
        async def end_session(self, session_id: str) -> None: ...

    def __init__(self, peer: Any = None) -> None:
        super().__init__(peer)  # type: ignore[call-arg]
        # The sessions that this agent owns in the store, and the output of their terminals.
        self._owned: dict[str, ExitStack] = {}
        self._outputs: dict[str, dict[str, _Output]] = {}

    def data(self, session: Any) -> Any:
        """Return what `set_data` saved with a session; None without any."""
        return self.store.data(session.session_id)

    def set_data(self, session: Any, data: Any) -> None:
        """Save the agent's own data with a session, such as the messages of its model.

        Args:
            session: the session.
            data: any JSON value.
        """
        self.save(session)
        self.store.set_data(session.session_id, data)

    # --- recording and restoring -------------------------------------------------------------

    def save(self, session: Any) -> None:
        """Save a session, unless it is saved."""
        session_id = session.session_id
        if session_id not in self._owned:
            self.store.create(
                session_id,
                version=self.saving.version,
                cwd=session.cwd,
                additional_directories=session.additional_directories,
            )
            self._own(session_id)

    def recorded(self, session: Any, update: Any) -> None:
        """Save a change of a session's state."""
        self.save(session)
        record = self._bounded(session.session_id, self.saving.encode(update))
        if record is None:
            return
        self.store.append(session.session_id, record)
        title = self._title_of(session, record)
        if title is not _SAME:
            self.store.set_title(session.session_id, title)

    def restore(self, session_id: str) -> Any:
        """Return the saved state of a session: it is idle, and what was running has failed."""
        self._own(session_id)
        try:
            stored = self.store.read(session_id)
            if stored.summary.version != self.saving.version:
                reason = f"the session was saved with protocol {stored.summary.version}"
                raise RequestError.internal_error(message=f"{reason}; open it with that version")
            state = self.saving.state()
            for record in stored.records:
                state.apply(self.saving.decode(record))
            self._end_all(state)
        except BaseException:
            self._disown(session_id)
            raise
        return state

    def _end_all(self, state: Any) -> None:
        """End what was running when a session was saved last."""
        for tool_call_id, call in list(state.tool_calls.items()):
            if (call.status or _UNFINISHED[0]) in _UNFINISHED:
                update = fill(self.saving.forms["failed"], {"id": tool_call_id})
                state.apply(self.saving.decode(update))
        if self.saving.facts.idle is not None:
            state.apply(self.saving.decode(dict(self.saving.facts.idle)))

    def drop(self, session: Any, *, is_lost: bool = False) -> None:
        """Forget a session, which stays saved."""
        super().drop(session, is_lost=is_lost)  # type: ignore[misc]
        self._disown(session.session_id)

    def _own(self, session_id: str) -> None:
        if session_id not in self._owned:
            with ExitStack() as stack:
                stack.enter_context(self.store.own(session_id))
                self._owned[session_id] = stack.pop_all()

    def _disown(self, session_id: str) -> None:
        self._outputs.pop(session_id, None)
        stack = self._owned.pop(session_id, None)
        if stack is not None:
            stack.close()

    def _title_of(self, session: Any, record: Mapping[str, Any]) -> Any:
        """Return the title that a record gives a session, or `_SAME`.

        A session without a title has the beginning of its first prompt.
        """
        forms = self.saving.forms
        if _matches(forms["info"], record):
            return record.get("title", _SAME)
        is_prompt = any(_matches(form, record) for form in forms["prompts"])
        has_title = session.state.info is not None and session.state.info.title
        if not is_prompt or has_title or session.state.messages:
            return _SAME
        content = record.get("content")
        blocks = content if isinstance(content, list) else [content]
        texts = (block.get("text") for block in blocks if isinstance(block, dict))
        words = " ".join(text for text in texts if isinstance(text, str)).split()
        return " ".join(words)[:_TITLE] or _SAME

    def _bounded(self, session_id: str, record: dict[str, Any]) -> dict[str, Any] | None:
        """Return a record without most of a long output; None if all of it waits for the end.

        The first part of an output is saved as it comes. Of what follows, the end is kept, and
        saved in place of all when the terminal is next reported, such as at its exit.
        """
        forms = self.saving.forms
        if "output" not in forms:
            return record
        limit = self.store.limits.output_bytes
        outputs = self._outputs.setdefault(session_id, {})
        if _matches(forms["output"], record):
            output = outputs.setdefault(record["terminalId"], _Output(limit))
            return record if output.add(record["data"]) else None
        if _matches(forms["terminal"], record):
            known = outputs.pop(record["terminalId"], None)
            if known is not None and known.is_cut:
                return {**record, **fill(forms["tail"], {"data": known.tail})}
        return record

    # --- what the methods do -----------------------------------------------------------------

    def stored_page(self, cwd: str | None, cursor: str | None) -> dict[str, Any]:
        """Return a page of the saved sessions, as JSON."""
        page = self.store.list(cwd=cwd or None, cursor=cursor or None)
        listed = [fill(self.saving.forms["listed"], _values_of(each)) for each in page.sessions]
        values: dict[str, Any] = {"sessions": listed}
        if page.next_cursor is not None:
            values["next_cursor"] = page.next_cursor
        return values

    async def delete_stored(self, session_id: str) -> None:
        """End a session, and delete it. An unknown one is no error."""
        await self.end_session(session_id)
        try:
            self.store.delete(session_id)
        except RequestError as error:
            if error.code != RequestError.resource_not_found().code:
                raise

    def fork_stored(self, session_id: str, new_id: str, params: Any) -> None:
        """Save a copy of a session for a request that opens the copy."""
        directories = getattr(params, "additional_directories", None)
        self.store.fork(
            session_id, new_id, cwd=params.cwd or None, additional_directories=directories or ()
        )


class _Output:
    """The output of a terminal, of which the end is kept.

    Attributes:
        is_cut: whether a part was not saved as it came.
    """

    def __init__(self, limit: int) -> None:
        self.is_cut = False
        self._limit = limit
        self._end = bytearray()
        self._size = 0

    def add(self, data: str) -> bool:
        """Take more output; return whether it is saved as it comes.

        Args:
            data: the output in base64.
        """
        try:
            piece = base64.b64decode(data)
        except (binascii.Error, ValueError):
            return True
        self._size += len(piece)
        self._end += piece
        if len(self._end) > 2 * self._limit:
            del self._end[: -self._limit]
        self.is_cut = self.is_cut or self._size > self._limit
        return not self.is_cut

    @property
    def tail(self) -> str:
        """The end of the output, in base64."""
        end = bytes(self._end[-self._limit :])
        start = next((at for at, byte in enumerate(end[:4]) if byte & 0xC0 != 0x80), 0)
        return base64.b64encode(end[start:]).decode("ascii")


def _matches(form: Mapping[str, Any], record: Mapping[str, Any]) -> bool:
    return all(record.get(key) == value for key, value in form.items())


def _values_of(summary: Any) -> dict[str, Any]:
    """Return the values of a saved session that a list shows."""
    names = ("session_id", "cwd", "additional_directories", "title", "updated_at")
    values = {name: getattr(summary, name) for name in names}
    values["additional_directories"] = list(values["additional_directories"])
    return {name: value for name, value in values.items() if value}
