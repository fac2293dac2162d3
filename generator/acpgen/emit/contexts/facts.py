"""Facts about a surface's sessions, for use by version-independent code."""

from __future__ import annotations

from acpgen.emit.contexts.methods import MethodIndex
from acpgen.ir.model import Boolean, Capability, Member, TaggedUnion
from acpgen.ir.queries import (
    arms_by_tag,
    classes_of,
    find_member,
    members_along,
    members_of,
    target,
    unwrap,
)
from acpgen.ir.surface import Surface

# The field of the `initialize` result that lists the sign-in methods, and the path to the client
# capability for signing in through a terminal.
_WAYS = "authMethods"
_IN_TERMINAL = "auth/terminal"


class SessionFacts:
    """Queries about session facts, for use by the template for `FACTS`."""

    def __init__(self, surface: Surface) -> None:
        self._surface = surface
        self._definitions = surface.definitions
        self._rules = surface.updates
        self._methods = MethodIndex(surface)

    def chunks(self) -> dict[str, str]:
        """Return the tags of the updates that append to a message, by role."""
        return self._tags("append_to_message")

    def messages(self) -> dict[str, str]:
        """Return the tags of the updates that contain a complete message, by role."""
        return self._tags("patch_message")

    def tool_calls(self) -> tuple[str, ...]:
        """Return the tags of the updates that create or change a tool call."""
        return tuple(
            rule.tag
            for operation in ("upsert", "patch")
            for rule in self._rules
            if rule.operation == operation
            and rule.collection
            and rule.collection.name == "tool_calls"
        )

    def state(self, class_: str) -> dict[str, str]:
        """Return the tags that select a class of updates in nested unions, by tag field."""
        union = self._definitions[self._surface.session_update or ""]
        assert isinstance(union, TaggedUnion)
        for tag, arm in arms_by_tag(union).items():
            inner = self._definitions.get(arm)
            if isinstance(inner, TaggedUnion):
                for state, name in arms_by_tag(inner).items():
                    if name == class_:
                        return {union.tag: tag, inner.tag: state}
        raise KeyError(class_)

    def infos(self) -> dict[str, str]:
        """Return, by side, the `initialize` field that contains the name of the side's program."""
        return {
            side: member.wire
            for side, record in self._introductions().items()
            for member in members_of(self._definitions, record)
            if self._methods.names_program(target(member.shape))
        }

    def capabilities(self) -> dict[str, str]:
        """Return the `initialize` fields that contain the capabilities of each side, by side."""
        found: dict[str, str] = {}
        for side, record in self._introductions().items():
            for method in self._methods.methods(side):
                step = method.capability.pointer.split("/")[1] if method.capability else ""
                member = find_member(self._definitions, record, step)
                if member is not None and target(member.shape) is not None:
                    found.setdefault(side, step)
        return found

    def sign_in(self) -> tuple[str, str, str] | None:
        """Return the request for signing in and two fields that contain a sign-in method's id.

        The first field is the only required field of the request's params. The second field is in
        the agent's description of the sign-in method. The result is None if the schema has no such
        request.
        """
        ways = find_member(self._definitions, self._introductions().get("agent"), _WAYS)
        classes = [] if ways is None else classes_of(ways.shape, self._definitions)
        members = [member for class_ in classes for member in self._required(class_)]
        ids = {target(member.shape): member.wire for member in members}
        ids.pop(None, None)
        for method in self._methods.methods("agent"):
            match self._required(method.params):
                case [asked] if method.wire is not None and target(asked.shape) in ids:
                    return method.wire, asked.wire, ids[target(asked.shape)]
        return None

    def terminal_sign_in(self) -> Capability | None:
        """Return the client capability for signing in through a terminal, if there is one."""
        record = self._introductions().get("client")
        root = self.capabilities().get("client")
        if record is None or root is None:
            return None
        path = f"{root}/{_IN_TERMINAL}"
        members = members_along(self._definitions, record, path)
        if not members:
            return None
        is_boolean = isinstance(unwrap(members[-1].shape, self._definitions), Boolean)
        names = tuple(member.name for member in members)
        return Capability(f"/{path}", names, "boolean" if is_boolean else "object")

    def _required(self, name: str) -> list[Member]:
        return [member for member in members_of(self._definitions, name) if member.required]

    def _tags(self, operation: str) -> dict[str, str]:
        rules = [rule for rule in self._rules if rule.operation == operation]
        return {rule.role: rule.tag for rule in rules if rule.role is not None}

    def _introductions(self) -> dict[str, str]:
        records = {side: self._methods.introduction(side) for side in ("agent", "client")}
        return {side: record for side, record in records.items() if record is not None}
