"""The player of the probes: the client of a tested agent, or the agent of a tested client."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from acpwire.conform.conversation import Conversation
from acpwire.conform.wire import Line
from acpwire.trace.surfaces import Side, facts

# A version that no program supports.
FUTURE = 65_535


class Player:
    """Plays a side in one conversation with a program."""

    answered: tuple[str, dict[str, Any]]
    invalid_calls: Mapping[str, dict[str, Any]]
    may_refuse_batches: bool

    def __init__(self, talk: Conversation) -> None:
        self.talk = talk
        self.wire = talk.wire
        self.judge = talk.judge
        self.version = talk.version
        self.facts = facts(talk.version)

    async def ready(self) -> None:
        """Bring the program to the state where it must respond to requests."""
        raise NotImplementedError

    async def sign_of_life(self) -> Line | None:
        """Return the response to a request; None without one."""
        return await self.talk.call(*self.answered)

    async def lives(self, requirement: str, what: str, sent: Line | None = None) -> bool:
        """Check that the program still responds after it was sent `what`, by default last."""
        sent = sent or next(line for line in reversed(self.wire.lines) if line.sent)
        line = await self.sign_of_life()
        expected = f"a response to the request after {what}"
        return self.judge(requirement, line is not None, expected, line, sent)

    async def varies(self, requirement: str, what: str, vary: Callable[[Any], bytes]) -> None:
        """Judge that a message means the same in another form."""
        raise NotImplementedError

    async def takes(self, requirement: str, more: dict[str, Any]) -> None:
        """Judge that the program accepts further members of objects."""
        raise NotImplementedError


def introduction(side: Side, version: int, **more: Any) -> dict[str, Any]:
    """Return what a side that offers nothing says in `initialize`."""
    names, info = facts(version), {"name": "acpgen-conform", "version": "1"}
    said = {names.infos[side]: info, names.capabilities[side]: {}}
    return {"protocolVersion": version, **said, **more}
