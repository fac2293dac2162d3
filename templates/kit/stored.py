"""Agents with saved sessions: each change is saved before it is sent to the client.

`StoredSessions` saves session updates in a `SessionStore` and restores sessions from it. Each
surface's `kit` module provides `StoredAgent`, an agent class with saved sessions.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, ClassVar, Final

from ..runtime.jsonrpc.errors import RequestError
from ..runtime.jsonrpc.logs import logger_of
from ..runtime.session.facts import Facts
from ..runtime.session.message import new_id
from ..runtime.values import jsontext
from ..runtime.values.deferred import dataclass
from ..runtime.values.errors import DecodeError
from .forms import ends_of, fill, read
from .store import SessionStore

_log = logger_of(__name__)

# The maximum length of a title that is taken from the first prompt, in characters.
_TITLE: Final = 80
# Represents a title that does not change.
_SAME: Final = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Saving:
    """The JSON forms and functions for saving the sessions of one protocol version.

    Attributes:
        version: the protocol version.
        facts: the facts about sessions in this protocol version.
        forms: the JSON templates for updates that contain a title, a prompt or output, and for
            updates that end tool calls and terminals; see the module `forms`.
        state: a function that creates an empty session state.
        encode: a function that encodes an update as JSON.
        decode: a function that decodes an update from JSON.
    """

    version: int
    facts: Facts
    forms: Mapping[str, Any]
    state: Callable[[], Any]
    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]


class StoredSessions:
    """The base class for agents with saved sessions, in any protocol version.

    Attributes:
        store: the store that contains the sessions.
    """

    store: SessionStore
    saving: ClassVar[Saving]

    if TYPE_CHECKING:
        sessions: dict[str, Any]

        def session(self, session_id: str) -> Any: ...
        async def end_session(self, session_id: str) -> None: ...
        def settle(self, state: Any) -> None: ...

    def __init__(self, peer: Any = None) -> None:
        super().__init__(peer)  # type: ignore[call-arg]
        name = type(self).__name__
        if not hasattr(self, "store"):
            raise TypeError(
                f"{name} has no store; set `store = kit.SessionStore(folder)` in the class"
            )
        store: Any = self.store
        if not isinstance(store, SessionStore):
            kind = type(store).__name__
            raise TypeError(f"{name}.store: expected `kit.SessionStore(folder)`, found {kind}")
        # The sessions that this agent owns in the store, by id, including sessions that are ending.
        self._saved: dict[str, _Saved] = {}

    def data(self, session: Any) -> Any:
        """Return the data that `set_data` saved with a session, or None."""
        return self.store.data(session.session_id)

    def set_data(self, session: Any, data: Any) -> None:
        """Save custom data with a session, such as the messages of the agent's model.

        Args:
            session: the session.
            data: any JSON value.
        """
        self.save(session)
        self.store.set_data(session.session_id, data)

    # --- recording and restoring -------------------------------------------------------------

    def save(self, session: Any) -> None:
        """Save a session if it isn't saved yet.

        Raises:
            RequestError: If the session has ended, or if too many sessions are saved.
            OSError: If the session cannot be written.
        """
        session_id = session.session_id
        if session_id in self._saved:
            return
        if session.is_over:  # otherwise, a deleted session would be saved again
            raise RequestError.internal_error(message="the session has ended; open it again")
        self.store.create(
            session_id,
            version=self.saving.version,
            cwd=session.cwd,
            additional_directories=session.additional_directories,
        )
        self._own(session_id)

    def recorded(self, session: Any, update: Any) -> None:
        """Save a change to a session's state."""
        self.save(session)
        saved = self._saved[session.session_id]
        record = self._shortened(saved, self.saving.encode(update))
        if record is None:
            return
        title = self._title_of(saved, record)
        if title is not _SAME:
            self.store.set_title(session.session_id, title)
            saved.has_title = True
        self.store.append(session.session_id, record)

    def restore(self, session_id: str) -> Any:
        """Return a session's saved state, set to idle, with unfinished work marked as failed."""
        saved = self._own(session_id)
        stored = self.store.read(session_id)
        if stored.summary.version != self.saving.version:
            reason = f"the session was saved with protocol {stored.summary.version}"
            raise RequestError.internal_error(message=f"{reason}; open it with that version")
        saved.has_title = stored.summary.title is not None
        state, unknown = self.saving.state(), 0
        for record in stored.records:
            try:
                update = self.saving.decode(record)
            except DecodeError:
                unknown += 1
                continue
            state.apply(update)
        if unknown:
            _log.warning("%d invalid records in a saved session; ignoring them", unknown)
        self._end_all(state, stored.records)
        self.settle(state)
        return state

    async def _restore(self, session_id: str) -> None:
        if session_id in self._saved:
            raise RequestError.internal_error(message="the session is ending; try again")
        try:
            await super()._restore(session_id)  # type: ignore[misc]
        except BaseException:
            if session_id not in self.sessions:
                self._release(session_id)
            raise

    async def _open(self, method: Any, params: Any) -> Any:
        """Open a session and save it before its first prompt, unless the handler already did so."""
        opened: Any = super()
        result = await opened._open(method, params)
        self.save(self.session(getattr(result, "session_id", None) or params.session_id))
        return result

    def _end_all(self, state: Any, records: Sequence[Mapping[str, Any]]) -> None:
        """Apply updates that end everything that was running when the session was last saved."""
        forms, idle = self.saving.forms, self.saving.facts.idle
        names = {"tool_calls": "failed", "terminals": "exited"}
        ends = ends_of(state, {key: forms[name] for key, name in names.items() if name in forms})
        if idle is not None:
            activity = forms["activity"]
            states = (each for each in reversed(records) if read(activity, each) is not None)
            if read(idle, next(states, None)) is None:
                ends.append(dict(idle))
        for end in ends:
            state.apply(self.saving.decode(end))

    def _title_of(self, saved: _Saved, record: Mapping[str, Any]) -> Any:
        """Return the title that a record sets, or `_SAME` if it doesn't change the title.

        The default title of a session is the beginning of its first prompt.
        """
        info = read(self.saving.forms["info"], record)
        if info is not None:
            return info.get("title", _SAME)
        prompts = (read(form, record) for form in self.saving.forms["prompts"])
        prompt = next((each for each in prompts if each is not None), None)
        if prompt is None or saved.has_title:
            return _SAME
        content: Any = prompt.get("content")
        blocks = content if jsontext.is_array(content) else [content]
        texts = (block.get("text") for block in blocks if jsontext.is_object(block))
        words = " ".join(text for text in texts if isinstance(text, str)).split()
        return " ".join(words)[:_TITLE] or _SAME

    # --- ownership ----------------------------------------------------------------------------

    def drop(self, session: Any, *, is_lost: bool = False) -> None:
        """Forget a session without deleting it from the store."""
        super().drop(session, is_lost=is_lost)  # type: ignore[misc]
        saved = self._saved.get(session.session_id)
        if saved is not None and not saved.is_ending:
            self._release(session.session_id)

    def make_ending(self, session: Any, steps: Sequence[Any]) -> Any:
        """Keep ownership of a session until its turns are over, so that their updates are saved."""
        saved = self._saved.get(session.session_id)
        if saved is not None and session.is_over:
            saved.is_ending = True

            async def release() -> None:
                self._release(session.session_id)

            steps = (*steps, ("the store", release))
        return super().make_ending(session, steps)  # type: ignore[misc]

    def _own(self, session_id: str) -> _Saved:
        with ExitStack() as stack:
            stack.enter_context(self.store.own(session_id))
            saved = self._saved[session_id] = _Saved(stack.pop_all())
        return saved

    def _release(self, session_id: str) -> None:
        saved = self._saved.pop(session_id, None)
        if saved is None:
            return
        try:
            self._flush(session_id, saved)
        except (RequestError, OSError) as error:
            _log.warning("cannot save the last output of a session: %s", error)
        finally:
            saved.stack.close()

    # --- saving long outputs -------------------------------------------------------------------

    def _shortened(self, saved: _Saved, record: dict[str, Any]) -> dict[str, Any] | None:
        """Return the part of a record to save now, or None to save the record later.

        The first part of a terminal's output is saved as it arrives. Later output isn't saved
        immediately, and only its tail is kept in memory. The tail replaces the saved output when
        the terminal is next updated, for example when the command exits. If a tool call repeatedly
        reports growing content, the content is saved each time its size doubles and with the next
        update that contains other fields.
        """
        forms, limit = self.saving.forms, self.store.limits.output_bytes
        call = read(forms["content"], record)
        if call is not None and "id" in call:
            shown = saved.shown.pop(call["id"], None)
            if record.keys() <= forms["content"].keys():
                size = len(jsontext.dumps(record))
                if shown is None or size >= 2 * shown.size:
                    saved.shown[call["id"]] = _Shown(size, None)
                    return record
                saved.shown[call["id"]] = _Shown(shown.size, record)
                return None
            if shown is not None and shown.record is not None:
                return {**shown.record, **record}
        if "output" not in forms:
            return record
        chunk = read(forms["output"], record)
        if chunk is not None:
            output = saved.outputs.setdefault(chunk["id"], _Output(limit))
            return record if output.add(chunk["data"]) else None
        terminal = read(forms["terminal"], record)
        if terminal is not None:
            output = saved.outputs.pop(terminal["id"], _Output(limit))
            if "data" in terminal:  # the complete output, which replaces earlier output
                output = _Output(limit)
                output.add(terminal["data"])
            if output.is_cut:
                return {**record, **self._tail(terminal["id"], output)}
        return record

    def _tail(self, terminal_id: str, output: _Output) -> dict[str, Any]:
        values = {"id": terminal_id, "data": output.tail}
        filled: dict[str, Any] = fill(self.saving.forms["terminal"], values)
        return filled

    def _flush(self, session_id: str, saved: _Saved) -> None:
        """Save the pending records."""
        records = [each.record for each in saved.shown.values() if each.record is not None]
        records += [self._tail(id, each) for id, each in saved.outputs.items() if each.is_cut]
        saved.shown.clear()
        saved.outputs.clear()
        for record in records:
            self.store.append(session_id, record)

    # --- methods --------------------------------------------------------------------------------

    def stored_page(self, cwd: str | None, cursor: str | None) -> dict[str, Any]:
        """Return a page of the saved sessions as JSON."""
        page = self.store.list(cwd=cwd or None, cursor=cursor or None)
        listed = [fill(self.saving.forms["listed"], _values_of(each)) for each in page.sessions]
        values: dict[str, Any] = {"sessions": listed}
        if page.next_cursor is not None:
            values["next_cursor"] = page.next_cursor
        return values

    async def delete_stored(self, session_id: str) -> None:
        """End and delete a session. Unknown sessions are ignored."""
        await self.end_session(session_id)
        try:
            self.store.delete(session_id)
        except RequestError as error:
            if error.code != RequestError.resource_not_found().code:
                raise

    async def fork_stored(self, params: Any) -> Any:
        """Save a copy of a session, open the copy, and return its session object."""
        session_id = new_id()
        saved = self._saved.get(params.session_id)
        if saved is not None:
            self._flush(params.session_id, saved)
        self.store.fork(
            params.session_id,
            session_id,
            cwd=params.cwd or None,
            additional_directories=params.additional_directories or (),
        )
        try:
            await self._restore(session_id)
        except BaseException:
            self.store.delete(session_id)
            raise
        session = self.session(session_id)
        session.settle_in(params)
        return session


class _Saved:
    """A session that the agent owns in the store.

    Attributes:
        stack: an exit stack that releases ownership when it is closed.
        has_title: whether the session has a title.
        is_ending: whether ownership ends when the session's current turns are over.
        outputs: the output of each terminal since its last update, by id.
        shown: the content of each tool call whose last update contained only content, by id.
    """

    def __init__(self, stack: ExitStack) -> None:
        self.stack = stack
        self.has_title = False
        self.is_ending = False
        self.outputs: dict[str, _Output] = {}
        self.shown: dict[str, _Shown] = {}


@dataclass(frozen=True, slots=True)
class _Shown:
    """A tool call's content.

    Attributes:
        size: the size of the last saved record.
        record: the latest record if it isn't saved yet, or None.
    """

    size: int
    record: dict[str, Any] | None


class _Output:
    """The tail of a terminal's output.

    Attributes:
        is_cut: whether some output was not saved when it arrived.
    """

    def __init__(self, limit: int) -> None:
        self.is_cut = False
        self._limit = limit
        self._end = bytearray()
        self._size = 0

    def add(self, data: str) -> bool:
        """Add output and return whether to save it immediately.

        Args:
            data: the output, base64-encoded.
        """
        try:
            piece = base64.b64decode(data)
        except (binascii.Error, ValueError):
            return True
        self._size += len(piece)
        self._end += piece
        if len(self._end) > 2 * self._limit:
            del self._end[: len(self._end) - self._limit]
        self.is_cut = self.is_cut or self._size > self._limit
        return not self.is_cut

    @property
    def tail(self) -> str:
        """The tail of the output, base64-encoded."""
        end = bytes(self._end[max(0, len(self._end) - self._limit) :])
        start = next((at for at, byte in enumerate(end[:4]) if byte & 0xC0 != 0x80), 0)
        return base64.b64encode(end[start:]).decode("ascii")


def _values_of(summary: Any) -> dict[str, Any]:
    """Return the fields of a saved session's entry in a list of sessions."""
    names = ("session_id", "cwd", "additional_directories", "title", "updated_at")
    values = {name: getattr(summary, name) for name in names}
    values["additional_directories"] = list(values["additional_directories"])
    return {name: value for name, value in values.items() if value}
