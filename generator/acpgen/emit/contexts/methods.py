"""The methods of a surface as the templates see them."""

from __future__ import annotations

from dataclasses import dataclass

from acpgen.emit.contexts.annotations_and_defaults import annotation
from acpgen.ir import naming
from acpgen.ir.model import Method, Record
from acpgen.ir.queries import find_member, handshake, target
from acpgen.ir.surface import Surface

_VERSION = "protocolVersion"
# The members that `initialize` has besides what a side states of itself.
_OWN = frozenset({_VERSION, "_meta"})
# What it takes to name a program.
_NAME = frozenset({"name", "version"})


@dataclass(frozen=True, slots=True)
class Statement:
    """Something that a handler states of itself, for `initialize`.

    Attributes:
        name: its attribute in the handler.
        member: the member of the params or result of `initialize` that it becomes.
        annotation: its type.
        program: the class of what names a program, where the schema demands it.
    """

    name: str
    member: str
    annotation: str
    program: str | None


class MethodIndex:
    """Answers the questions that templates ask about methods."""

    def __init__(self, surface: Surface) -> None:
        self._methods = surface.methods
        self._definitions = surface.known
        self._session = surface.session

    def sides(self) -> list[str]:
        """Return the sides that handle methods, always including agent, client and protocol."""
        return list(
            dict.fromkeys(["agent", "client", "protocol", *(m.side for m in self._methods)])
        )

    def methods(self, side: str) -> list[Method]:
        """Return the methods that a side handles, extensions last."""
        return [method for method in self._methods if method.side == side]

    def handled(self, side: str) -> list[Method]:
        """Return the methods of a side's handler; agents and clients also handle the protocol's."""
        shared = self.methods("protocol") if side in ("agent", "client") else []
        return [*self.methods(side), *shared]

    def needs_no_result(self, method: Method) -> bool:
        """Return whether an empty object answers a request, so that its handler may return None."""
        result = self._definitions.get(method.result) if method.result else None
        return isinstance(result, Record) and not any(member.required for member in result.members)

    def introduction(self, side: str) -> str | None:
        """Return the class in which a side introduces itself by `initialize`, if there is one."""
        method = handshake(self._methods)
        introduced = {"agent": method.result, "client": method.params} if method else {}
        name = introduced.get(side)
        is_class = isinstance(self._definitions.get(name or ""), Record)
        return name if is_class and find_member(self._definitions, name, _VERSION) else None

    def statements(self, side: str) -> list[Statement]:
        """Return what the handlers of a side state of themselves."""
        record = self._definitions.get(self.introduction(side) or "")
        if not isinstance(record, Record):
            return []
        taken = {method.name for method in self.handled(side)}
        statements: list[Statement] = []
        for member in record.members:
            if member.wire in _OWN or member.const is not None:
                continue
            program = target(member.shape) if member.required else None
            program = program if self.names_program(program) else None
            name = naming.statement_name(side, member.name, taken)
            statements.append(Statement(name, member.name, annotation(member.shape), program))
        return statements

    def names_program(self, name: str | None) -> bool:
        """Return whether a definition is a class with nothing required but what names a program."""
        record = self._definitions.get(name or "")
        if not isinstance(record, Record):
            return False
        return {member.wire for member in record.members if member.required} == _NAME

    def twin(self, method: Method) -> Method | None:
        """Return the notification with the wire name of a request, if there is one."""
        if method.wire is None or method.kind != "request":
            return None
        same = (other for other in self.methods(method.side) if other.wire == method.wire)
        return next((other for other in same if other.kind == "notification"), None)

    def life(self, method: Method) -> str | None:
        """Return what a request does to a session: `opens`, `restores` or `ends` it, if any."""
        session = self._session
        if session is None:
            return None
        lives = {"opens": session.openers, "restores": session.loaders, "ends": session.enders}
        return next((life for life, methods in lives.items() if method in methods), None)

    def table(self, side: str) -> list[Method]:
        """Return one method for each wire name: a request rather than its twin."""
        named: dict[str, Method] = {}
        for method in self.methods(side):
            if method.wire:
                named.setdefault(method.wire, method)
        return list(named.values())

    def takes_null_id(self) -> bool:
        """Return whether the id of some request may be null, or the schema does not say."""
        requests = [method for method in self._methods if method.kind == "request"]
        return not requests or any(method.null_id for method in requests)
