"""The methods of a surface, for use by the templates."""

from __future__ import annotations

from dataclasses import dataclass

from acpgen.emit.contexts.annotations_and_defaults import annotation
from acpgen.ir import naming
from acpgen.ir.model import Method, Record
from acpgen.ir.queries import find_member, handshake, target
from acpgen.ir.surface import Surface

_VERSION = "protocolVersion"
# The `initialize` fields that don't describe the side that sends them.
_OWN = frozenset({_VERSION, "_meta"})
# The required fields of a class that names a program.
_NAME = frozenset({"name", "version"})


@dataclass(frozen=True, slots=True)
class Statement:
    """A handler attribute that describes the handler's side in `initialize`."""

    name: str  # the attribute of the handler
    member: str  # the field of the params or result of `initialize`
    annotation: str  # the type
    program: str | None  # the class that names the program, if the field is required


class MethodIndex:
    """Method lookups for templates."""

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
        """Return the methods of a side's handler, including the methods that both sides handle."""
        shared = self.methods("protocol") if side in ("agent", "client") else []
        return [*self.methods(side), *shared]

    def needs_no_result(self, method: Method) -> bool:
        """Return whether a handler can return None because an empty result is valid."""
        result = self._definitions.get(method.result) if method.result else None
        return isinstance(result, Record) and not any(member.required for member in result.members)

    def introduction(self, side: str) -> str | None:
        """Return the class that a side uses to describe itself in `initialize`, if there is one."""
        method = handshake(self._methods)
        introduced = {"agent": method.result, "client": method.params} if method else {}
        name = introduced.get(side)
        is_class = isinstance(self._definitions.get(name or ""), Record)
        return name if is_class and find_member(self._definitions, name, _VERSION) else None

    def statements(self, side: str) -> list[Statement]:
        """Return the handler attributes that describe a side in `initialize`."""
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
        """Return whether a definition is a class that requires only a name and a version."""
        record = self._definitions.get(name or "")
        if not isinstance(record, Record):
            return False
        return {member.wire for member in record.members if member.required} == _NAME

    def twin(self, method: Method) -> Method | None:
        """Return the notification that has the same wire name as a request, if there is one."""
        if method.wire is None or method.kind != "request":
            return None
        same = (other for other in self.methods(method.side) if other.wire == method.wire)
        return next((other for other in same if other.kind == "notification"), None)

    def life(self, method: Method) -> str | None:
        """Return the effect of a request on a session: `opens`, `restores`, `ends` or None."""
        session = self._session
        if session is None:
            return None
        lives = {"opens": session.openers, "restores": session.loaders, "ends": session.enders}
        return next((life for life, methods in lives.items() if method in methods), None)

    def table(self, side: str) -> list[Method]:
        """Return one method for each wire name, preferring requests to notifications."""
        named: dict[str, Method] = {}
        for method in self.methods(side):
            if method.wire:
                named.setdefault(method.wire, method)
        return list(named.values())

    def takes_null_id(self) -> bool:
        """Return whether a request's id can be null. Return True if there are no requests."""
        requests = [method for method in self._methods if method.kind == "request"]
        return not requests or any(method.null_id for method in requests)
