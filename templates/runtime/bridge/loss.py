"""What cannot be carried over from one protocol version to the other, and who is told of it."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Final

from ..jsonrpc.logs import call_back, logger_of
from ..jsonrpc.observing import Loss
from ..values.errors import cut, printable, quotation

__all__ = ["Loss", "Losses"]


_log = logger_of(__name__)


class _Lost(enum.Enum):
    """The type of `LOST`."""

    LOST = object()


# Stands for a value that is lost; see `rules`.
LOST: Final = _Lost.LOST
# How many kinds of losses are remembered, so that each is logged once.
_KINDS = 1_000


class Losses:
    """Passes losses on to a callback, and logs each kind once."""

    def __init__(self, on_loss: Callable[[Loss], object] | None) -> None:
        self._on_loss = on_loss
        self._logged: set[tuple[str, str]] = set()
        self._held: list[Loss] | None = None

    def hold(self) -> None:
        """Keep losses back from now on, and forget those kept before."""
        self._held = []

    def release(self, *, told: bool) -> None:
        """Keep nothing back any more.

        Args:
            told: whether the losses that were kept back are told now, or forgotten.
        """
        held, self._held = self._held or (), None
        for loss in held if told else ():
            self.add(loss)

    def add(self, loss: Loss) -> None:
        """Take note of a loss."""
        if self._held is not None:
            self._held.append(loss)
            return
        # Cut, since a reason can quote the payload and the sender can choose the method.
        kind = (cut(loss.method), cut(loss.reason))
        if kind not in self._logged and len(self._logged) < _KINDS:
            self._logged.add(kind)
            # A pointer has names of the payload, and so has a session's id.
            place = f" at {quotation(loss.pointer)}" if loss.pointer else ""
            method, reason = map(printable, kind)
            text = "%s of the %s%s: %s"
            _log.warning(text, method, loss.side, place, reason, extra={"kind": kind})
        if self._on_loss is not None:
            call_back(self._on_loss, loss, what="the callback for losses", log=_log)
