"""The interface of both judges' players, for the probes of either side."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from acpgen.wire.conform.conversation import Conversation
from acpgen.wire.conform.wire import Line, Wire


class Player(Protocol):
    """The side that is played to a program: the client of an agent, or the agent of a client."""

    talk: Conversation
    wire: Wire
    judge: Callable[..., bool]
    version: int
    may_refuse_batches: bool

    @property
    def answered(self) -> tuple[str, dict[str, Any]]:
        """A request that every program answers, if only with an error."""
        ...

    @property
    def invalid_calls(self) -> Mapping[str, dict[str, Any]]:
        """Requests with params that do not match the schema."""
        ...

    async def ready(self) -> None:
        """Get to where the program has to answer requests."""
        ...

    async def lives(self, requirement: str, what: str, sent: Line) -> bool:
        """Judge that the program still answers, after it was sent something."""
        ...

    async def varies(self, requirement: str, what: str, vary: Callable[[Any], bytes]) -> None:
        """Judge that a message means the same in another form."""
        ...

    async def takes(self, requirement: str, more: dict[str, Any]) -> None:
        """Judge that the program accepts further members of objects."""
        ...
