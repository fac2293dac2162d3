"""The methods and classes that live sessions are made of, found by what the protocol calls them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from acpgen.build.protocol.index import SchemaIndex
from acpgen.ir import naming
from acpgen.ir.model import Definition, Method, TaggedUnion, UpdateRule

# What a turn takes: who handles it, whether it is a request, its name in JSON.
NEW = ("agent", "request", "session/new")
PROMPT = ("agent", "request", "session/prompt")
CANCEL = ("agent", "notification", "session/cancel")
UPDATE = ("client", "notification", "session/update")
PERMISSION = ("client", "request", "session/request_permission")
# The member of an update's params that it is in.
UPDATE_MEMBER = "update"


class SessionIndex(SchemaIndex):
    """The parts of sessions.

    Attributes:
        found: by their places, the methods that a turn takes, as far as there are any.
        absent: the places of the others.
    """

    def __init__(self, methods: Sequence[Method], definitions: Mapping[str, Definition]) -> None:
        super().__init__(methods, definitions)
        places = (NEW, PROMPT, CANCEL, UPDATE, PERMISSION)
        found = ((place, self.method(*place)) for place in places)
        self.found = {place: method for place, method in found if method is not None}
        self.absent = [place for place in places if place not in self.found]

    # --- updates -----------------------------------------------------------------------------

    def union(self) -> TaggedUnion | None:
        """The union of session updates."""
        method = self.found.get(UPDATE)
        name = self.type(method.params, UPDATE_MEMBER) if method else None
        union = self.definitions.get(name or "")
        return union if isinstance(union, TaggedUnion) else None

    def senders(self, spoken: Collection[str]) -> dict[str, str]:
        """By what agent sessions call their senders, the classes of updates that they send.

        Args:
            spoken: the classes that are sent in other ways.
        """
        union = self.union()
        tags = self.arms(union.name if union else None)
        found: dict[str, str] = {}
        for tag, name in tags.items():
            arms = self.arms(name)
            for each, arm in arms.items() or [(tag, name)]:
                if arm not in spoken:
                    found[naming.sender_name(each, arms or tags, arm, found)] = arm
        return found

    # --- how turns end -----------------------------------------------------------------------

    def is_answered(self) -> bool:
        """Whether the response to a prompt ends its turn."""
        return self.has(self.found[PROMPT].result, "stopReason")

    def working(self) -> tuple[str, str, tuple[str, ...]] | None:
        """Of the updates that say what the agent does: that it works, that it is idle, others."""
        union = self.union()
        for each in union.arms if union else ():
            inner = self.definitions.get(each.target)
            if not isinstance(inner, TaggedUnion):
                continue
            arms = {arm.tag: arm.target for arm in inner.arms}
            for tag, idle in arms.items():
                if self.has(idle, "stopReason") and "running" in arms:
                    busy = [name for other, name in arms.items() if other != tag]
                    busy += [inner.unknown.name] if inner.unknown else []
                    return arms["running"], idle, tuple(busy)
        return None

    def has_background(self, running: str, idle: str) -> bool:
        """Whether the updates that say what the agent does list what goes on in the background."""
        each = (running, idle, *self.special(idle).values())
        return all(self.is_optional(name, "background") for name in each)

    # --- methods of sessions -----------------------------------------------------------------

    def about(self) -> list[Method]:
        """What an agent is asked about sessions, beside what goes on in them."""
        return [
            method
            for method in self.methods
            if method.side == "agent"
            and method.result
            and (method.wire or "").startswith("session/")
            and method.wire != PROMPT[-1]
        ]

    def openers(self) -> list[Method]:
        """The methods of which a new session comes; `session/new` is the first."""
        methods = [m for m in self.about() if not self.unreadable(m.result, "sessionId")]
        return sorted(methods, key=lambda method: method.wire != NEW[-1])

    def loaders(self) -> list[Method]:
        """The methods by which a session that there was comes back."""
        return [m for m in self._others() if self.has(m.params, "sessionId", "cwd")]

    def lists(self) -> list[Method]:
        """The methods about sessions that are about no single one."""
        return [m for m in self._others() if not self.has(m.params, "sessionId")]

    def simple(self) -> list[Method]:
        """The methods that take nothing but the session."""
        return [m for m in self._others() if self.names(m.params) == {"sessionId", "_meta"}]

    def _others(self) -> list[Method]:
        openers = self.openers()
        return [method for method in self.about() if method not in openers]

    def method_names(self) -> dict[str, str]:
        """By name in JSON, what client sessions call the methods that they have."""
        offered = [*self.openers(), *self.loaders(), *self.lists(), *self.simple()]
        found: dict[str, str] = {}
        for method in self.about():
            if method.wire is not None and method in offered:
                found[method.wire] = (
                    naming.CREATE
                    if method.wire == NEW[-1]
                    else naming.session_method(method.wire, method.name, found.values())
                )
        return found


def chunks(updates: Sequence[UpdateRule]) -> dict[str, str]:
    """By role, the class of chunks of messages, as the rules for session updates say."""
    return {u.role: u.classes[0] for u in updates if u.operation == "message_chunk" and u.role}


def user_message(updates: Sequence[UpdateRule]) -> str | None:
    """The class of the user's whole messages, if the rules say that there is one."""
    whole = (u for u in updates if u.operation == "message" and u.role == "user")
    return next((update.classes[0] for update in whole), None)
