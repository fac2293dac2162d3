"""Replays: one side of a recording, played against the real peer."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from ..runtime.aio import Observer, Stream
from .expecting import differences, told
from .values import is_mapping
from .wire import TIMEOUT, Ended, Silent, Wire


@dataclass(frozen=True, slots=True)
class Departure:
    """A difference between the real peer and the recording.

    `str` formats the difference as one line.

    Attributes:
        line: the line number in the recording, counted from 1; None for a message that isn't in
            the recording.
        message: a description of the difference, with a pointer into the message.
    """

    line: int | None
    message: str

    def __str__(self) -> str:
        return self.message if self.line is None else f"line {self.line}: {self.message}"


@dataclass(frozen=True, slots=True)
class _Recorded:
    line: int
    direction: str
    message: Any
    text: bytes


class Replay:
    """A replay of one side of a `log_to` recording, in one connection.

    Before it sends a message, the replay waits for all of the peer's messages that precede that
    message in the recording. The peer's messages can arrive in any order. The ids of requests and
    the values of fields whose names end in `Id` can differ from the recording. The replay then uses
    the peer's ids and values in the messages that it sends.

    Attributes:
        observe: a function that is called for each line, or None.
        departures: the differences from the recording that have been found so far.
    """

    def __init__(
        self,
        log: str | os.PathLike[str] | Iterable[str],
        side: Literal["agent", "client"] = "agent",
        *,
        ignored: Sequence[str] = (),
        timeout: float = TIMEOUT,
        observe: Observer | None = None,
    ) -> None:
        """Read a recording.

        Args:
            log: the path to the recording, or its lines.
            side: the side to play.
            ignored: the pointers to parts of messages that are allowed to differ, such as
                `/params/info`.
            timeout: the maximum time to wait for the peer, in seconds.
            observe: a function to call for each line, for example the result of `log_to`.

        Raises:
            ValueError: If the recording wasn't written by `log_to` or contains no `initialize`
                request.
            OSError: If the recording cannot be read.
        """
        self.departures: list[Departure] = []
        self._ignored = tuple(ignored)
        self._timeout = timeout
        self.observe = observe
        self._blocks = list(_blocks(_read(log), side))
        # The actual ids of the peer's requests, by recorded id.
        self._real: dict[Any, Any] = {}
        # The peer's actual ids in other fields, by field name and recorded id.
        self._named: dict[tuple[str, str], Any] = {}
        # The ids in other fields that this side sent before the peer used them, with field names.
        self._ours: set[tuple[str, Any]] = set()

    async def play(self, stream: Stream) -> None:
        """Play this side on a stream until the recording ends or the connection closes."""
        async with Wire(stream, timeout=self._timeout, observe=self.observe) as wire:
            await self.play_on(wire)

    async def play_on(self, wire: Wire) -> None:
        """Play this side on a wire and leave the wire open."""
        pending: list[Any] = []  # received messages that haven't matched a block yet
        for is_ours, block in self._blocks:
            if not is_ours:
                if not await self._await(wire, block, pending):
                    break
                continue
            for recorded in block:
                message = recorded.message
                await wire.send(recorded.text if message is None else self._sent(message))
        self.departures += [
            Departure(None, f"not in the recording: {_brief(message)}") for message in pending
        ]

    def check(self) -> None:
        """Check that the peer acted as recorded.

        Raises:
            AssertionError: If the peer acted differently. The message lists the differences.
        """
        __tracebackhide__ = True
        if self.departures:
            count = len(self.departures)
            lines = "".join(f"\n    {departure}" for departure in self.departures)
            raise AssertionError(f"{count} differences from the recording:{lines}")

    async def _await(self, wire: Wire, block: list[_Recorded], pending: list[Any]) -> bool:
        """Wait for the messages of a block. Return False if the replay can't continue."""
        missing = list(block)
        unread, pending[:] = pending[:], []
        while missing:
            if unread:
                message = unread.pop(0)
            else:
                try:
                    message = (await wire.receive()).message
                except (Silent, Ended) as error:
                    reason = str(error).partition("\n")[0].partition(";")[0]
                    self.departures += [
                        Departure(recorded.line, f"{_brief(recorded.message)} is missing: {reason}")
                        for recorded in missing
                    ]
                    return False
            matches = [each for each in missing if self._is_for(each.message, message)]
            if not matches:
                pending.append(message)
                continue
            # Requests can arrive in any order, so match the recorded request with the fewest
            # differences.
            match = min(matches, key=lambda each: self._distance(each.message, message))
            missing.remove(match)
            self._compare(match, message)
        pending += unread
        return True

    def _is_for(self, recorded: Any, message: Any) -> bool:
        if not is_mapping(recorded) or not is_mapping(message):
            return bool(recorded == message)
        if "method" in recorded or "method" in message:
            return (recorded.get("method"), "id" in recorded) == (
                message.get("method"),
                "id" in message,
            )
        return bool(recorded.get("id") == message.get("id"))

    def _compare(self, recorded: _Recorded, message: Any) -> None:
        expected = recorded.message
        if is_mapping(expected) and "method" in expected and "id" in expected:
            self._real[expected["id"]] = message["id"]
        for pointer, wanted, got in self._differences(expected, message):
            name = pointer.rpartition("/")[2]
            if self._is_same_id(name, wanted, got):
                self._named[name, wanted] = got
                continue
            reason = f"{pointer}: recorded {told(wanted)}, got {told(got)}"
            text = f"{_brief(expected)}, {reason}"
            self.departures.append(Departure(recorded.line, text))

    def _distance(self, recorded: Any, message: Any) -> int:
        """Return the number of differences between a recorded message and a received one."""
        return sum(
            not self._is_same_id(pointer.rpartition("/")[2], wanted, got)
            for pointer, wanted, got in self._differences(recorded, message)
        )

    def _differences(self, recorded: Any, message: Any) -> Iterator[tuple[str, Any, Any]]:
        for pointer, wanted, got in differences(recorded, message, exactly=True):
            if pointer != "/id" and not pointer.startswith(self._ignored):
                yield pointer, wanted, got

    def _is_same_id(self, name: str, recorded: Any, real: Any) -> bool:
        """Return whether a received id can represent a recorded id, given earlier messages."""
        if not name.endswith("Id") or type(recorded) is not str or type(real) is not str:
            return False
        is_ours = (name, recorded) in self._ours  # the peer didn't choose the id
        return not is_ours and bool(self._named.get((name, recorded), real) == real)

    def _sent(self, message: Any) -> Any:
        """Return a recorded message in which the peer's ids replace the recorded ids."""
        is_response = is_mapping(message) and "method" not in message
        if is_response and message.get("id") in self._real:
            message = {**message, "id": self._real[message["id"]]}
        return self._renamed(message)

    def _renamed(self, value: Any, name: str = "") -> Any:
        if is_mapping(value):
            return {key: self._renamed(member, key) for key, member in value.items()}
        if type(value) is list:
            return [self._renamed(item) for item in cast("list[object]", value)]
        if type(value) is str and (name, value) in self._named:
            return self._named[name, value]
        if name.endswith("Id"):
            self._ours.add((name, value))
        return value


def _read(log: str | os.PathLike[str] | Iterable[str]) -> list[_Recorded]:
    if isinstance(log, str | os.PathLike):
        with open(log, encoding="utf-8") as file:
            return _read(list(file))
    recorded: list[_Recorded] = []
    for number, line in enumerate(log, 1):
        if not line.strip():
            continue
        entry: Any = json.loads(line)
        if not is_mapping(entry) or entry.get("direction") not in ("sent", "received"):
            raise ValueError(f"line {number} of the recording was not written by log_to")
        if not entry.get("far"):
            text = entry.get("line", "").encode("utf-8", "surrogatepass")
            recorded.append(_Recorded(number, entry["direction"], entry.get("message"), text))
    return recorded


def _blocks(entries: list[_Recorded], side: str) -> Iterator[tuple[bool, list[_Recorded]]]:
    """Yield runs of messages from the same side, each with a flag that is true for `side`."""
    first = next((entry for entry in entries if _is_introduction(entry.message)), None)
    if first is None:
        raise ValueError("the recording contains no initialize request")
    ours = first.direction if side == "client" else _other(first.direction)
    block: list[_Recorded] = []
    for entry in entries:
        if block and entry.direction != block[0].direction:
            yield block[0].direction == ours, block
            block = []
        block.append(entry)
    if block:
        yield block[0].direction == ours, block


def _is_introduction(message: Any) -> bool:
    return is_mapping(message) and message.get("method") == "initialize"


def _other(direction: str) -> str:
    return "received" if direction == "sent" else "sent"


def _brief(message: Any) -> str:
    if not is_mapping(message):
        return "a line that isn't a message"
    if "method" in message:
        return str(message["method"])
    return f"the {'error' if 'error' in message else 'result'} of request {message.get('id')!r}"
