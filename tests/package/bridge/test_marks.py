"""Tests that the bridge drops nothing silently.

Every message of both versions, generated from the IR, is sent through the bridge with a mark in
each of its objects and strings. Each mark must arrive, or `on_loss` must report its location.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import pytest
from acp_bindings.bridge.tables import ROUTES
from acp_bindings.runtime.jsonrpc.observing import Loss
from acpgen.ir.model import Method

from tests.package.bridge.marked import Maker, marks, surfaces, with_new_marks
from tests.package.bridge.wire import Json, Side, Wire

TEXT: Json = {"type": "text", "text": "hi"}
INFO: Json = {"name": "someone", "version": "1"}
MODE = {"name": "Mode"}
# Pairs of surfaces, the client's first. The bridge itself uses the stable surfaces.
PAIRS = [
    ("v1", "v2"),
    ("v1_unstable", "v2_unstable"),
    ("v2", "v1"),
    ("v2_unstable", "v1_unstable"),
]
STABLE = [("v1", "v2"), ("v2", "v1")]


class Setting(NamedTuple):
    """The state of a conversation before a marked message is sent.

    Attributes:
        is_equipped: whether both sides advertise all capabilities.
        is_busy: whether a prompt is pending and a tool call shows a terminal.
        is_custom: whether messages contain variants and constants that no schema lists.
        is_failing: whether requests fail.
    """

    is_equipped: bool
    is_busy: bool
    is_custom: bool
    is_failing: bool = False


SETTINGS = [
    Setting(is_equipped=True, is_busy=False, is_custom=False),
    Setting(is_equipped=True, is_busy=False, is_custom=False, is_failing=True),
    Setting(is_equipped=True, is_busy=True, is_custom=False),
    Setting(is_equipped=True, is_busy=True, is_custom=True),
    Setting(is_equipped=False, is_busy=False, is_custom=False),
    Setting(is_equipped=False, is_busy=True, is_custom=True),
]


class Talk:
    """A client and an agent, connected by a bridge.

    Attributes:
        wire: the bridge.
        sent: the sender, method and value of each marked message.
        refused: whether the bridge responded to the marked request with an error.
        count: the largest number of variants of any marked value.
    """

    def __init__(self, client: str, agent: str, setting: Setting) -> None:
        self.wire = Wire()
        self.sent: list[tuple[str, str, Json]] = []
        self.refused = False
        self._heard: dict[str, list[str]] = {"client": [], "agent": []}
        self._setting = setting
        self._surfaces = {"client": surfaces()[client], "agent": surfaces()[agent]}
        self._makers = {
            name: Maker(
                surface,
                {"ProtocolVersion": surface.version, "SessionId": "s"},
                is_custom=setting.is_custom,
            )
            for name, surface in self._surfaces.items()
        }
        self.count = 0
        self._turn: Json | None = None  # the prompt that the agent is working on
        self._variant = 0
        self.wire.on_message = self._hear

    def _hear(self, name: str, message: Json) -> None:
        self._heard[name].append(json.dumps(message))

    def side(self, name: str) -> Side:
        side: Side = getattr(self.wire, name)
        return side

    def _speaks(self, name: str, version: int) -> bool:
        return self._surfaces[name].version == version

    # --- the conversation before a message -----------------------------------------------------

    def introduce(self) -> None:
        """Initialize both sides."""
        client, agent = self.wire.client, self.wire.agent
        client.request("initialize", **self._introduction("client", "InitializeRequest"))
        agent.answer(agent.take(), self._introduction("agent", "InitializeResponse"))

    def _introduction(self, name: str, definition: str) -> Json:
        if self._setting.is_equipped:
            return with_new_marks(self._makers[name].values(definition)[0])
        version = self._surfaces[name].version
        info = {"info": INFO, "capabilities": {"session": {}} if name == "agent" else {}}
        return {"protocolVersion": version, **(info if version == 2 else {})}

    def open(self) -> None:
        """Open a session, leave an extension request pending, and begin a turn if `is_busy`."""
        client, agent = self.wire.client, self.wire.agent
        client.request("session/new", cwd="/", mcpServers=[])
        agent.answer(agent.take("session/new"), {"sessionId": "s", **self._modes()})
        identifiers = {
            "client": client.request("_open"),
            "agent": agent.take("_open")["id"],
        }
        if self._setting.is_busy:
            client.request("session/prompt", sessionId="s", prompt=[TEXT])
            self._turn = agent.take("session/prompt")
            identifiers["agent"] = (
                self._turn["id"] if self._speaks("agent", 1) else identifiers["agent"]
            )
            if self._speaks("agent", 2):
                agent.answer(self._turn, {"messageId": "prompt"})
                agent.update(sessionUpdate="user_message", messageId="prompt", content=[TEXT])
                terminal = {"type": "terminal", "terminalId": "TerminalId"}
                call = {"toolCallId": "ToolCallId", "title": "Run", "content": [terminal]}
                agent.update(sessionUpdate="tool_call_update", **call)
        for name, id_ in identifiers.items():
            maker = self._makers[name]
            maker.identifiers = {**maker.identifiers, "RequestId": id_}
            if self._setting.is_equipped and self._speaks("agent", 1):
                maker.identifiers["SessionConfigId"] = "mode"

    def _modes(self) -> Json:
        if not self._setting.is_equipped:
            return {}
        ids = ("SessionModeId", "other")
        if self._speaks("agent", 1):
            modes = [{"id": id_, "name": id_} for id_ in ids]
            return {"modes": {"currentModeId": "other", "availableModes": modes}}
        options = [{"value": id_, "name": id_} for id_ in ids]
        option = {
            "type": "select",
            "category": "mode",
            "configId": "SessionConfigId",
            "name": "Mode",
        }
        return {"configOptions": [{**option, "currentValue": "other", "options": options}]}

    # --- the message -------------------------------------------------------------------------

    def send(self, name: str, method: Method, variant: int) -> None:
        """Send a marked message, and respond to each request that results from it."""
        side, wire = self.side(name), method.wire or "_extension"
        self._variant = variant
        self._heard = {"client": [], "agent": []}
        for other in ("client", "agent"):
            self.side(other).received.clear()
        self.wire.losses.clear()
        params = self._chosen(name, method.params)
        self.sent.append((name, wire, params))
        if method.kind == "notification":
            side.notify(wire, **params)
        else:
            id_ = side.request(wire, **params)
        self._answer()
        self._finish()
        if method.kind == "request":
            is_error = {"code", "message"} <= side.answers[id_].keys()
            self.refused = is_error and len(self.sent) == 1

    def _chosen(self, name: str, definition: str) -> Json:
        values = self._makers[name].values(definition)
        self.count = max(self.count, len(values))
        return with_new_marks(values[self._variant % len(values)])

    def _error(self, name: str) -> Json:
        """Return a marked error with only the fields that JSON-RPC defines."""
        error = self._chosen(name, "Error")
        return {field: error[field] for field in ("code", "message", "data")}

    def _answer(self) -> None:
        """Respond to the requests that have arrived."""
        for name, surface in self._surfaces.items():
            side = self.side(name)
            while request := next((m for m in side.received if "id" in m), None):
                side.received.remove(request)
                wire = request["method"]
                method = next(
                    m
                    for m in surface.methods
                    if m.side == name
                    and m.kind == "request"
                    and (m.wire == wire or (m.wire is None and wire.startswith("_")))
                )
                assert method.result is not None
                if self._setting.is_failing:
                    error = self._error(name)
                    # If the agent rejects `initialize`, the bridge sends `initialize` again for
                    # the other version.
                    self.sent = [each for each in self.sent if each[:2] != (name, wire)]
                    self.sent.append((name, wire, error))
                    side.refuse(request, **error)
                    continue
                result = self._chosen(name, method.result)
                self.sent.append((name, wire, result))
                side.answer(request, result)
                if wire == "session/prompt" and "messageId" in result:
                    content = request["params"]["prompt"]
                    side.update(
                        sessionUpdate="user_message", content=content, messageId=result["messageId"]
                    )

    def _finish(self) -> None:
        """End the turn, so that the bridge releases the messages that it holds back."""
        agent = self.wire.agent
        if self._speaks("agent", 2):
            agent.update(sessionUpdate="state_update", state="running")
            agent.update(sessionUpdate="state_update", state="idle", stopReason="end_turn")
        elif self._turn is not None:
            agent.answer(self._turn, {"stopReason": "end_turn"})

    # --- the law -----------------------------------------------------------------------------

    def missing(self) -> Iterator[str]:
        """Yield the locations of marks that neither arrived nor were reported."""
        for name, method, value in self.sent:
            if self.refused and (name, method, value) == self.sent[0]:
                continue  # the sender received an error response
            other = "agent" if name == "client" else "client"
            heard = "".join(self._heard[other])
            for mark, pointer in marks(value):
                if mark not in heard and not any(
                    names(loss, name, method, pointer) for loss in self.wire.losses
                ):
                    yield f"{name} {method} {re.sub('/[0-9]+', '/#', pointer)}"

    @property
    def has_arrived(self) -> bool:
        """Return whether any mark in the message arrived."""
        name, _, value = self.sent[0]
        heard = "".join(self._heard["agent" if name == "client" else "client"])
        return any(mark in heard for mark, _ in marks(value))


def names(loss: Loss, side: str, method: str, pointer: str) -> bool:
    """Return whether a loss was reported for a location or for a value that contains it."""
    is_there = f"{pointer}/".startswith(f"{loss.pointer}/")
    return is_there and (loss.side, loss.method) == (side, method)


def sent_by(name: str, surface: str) -> list[Method]:
    """Return the methods that a side of a surface can call."""
    other = "agent" if name == "client" else "client"
    return [m for m in surfaces()[surface].methods if m.side in (other, "protocol")]


def talks(pair: tuple[str, str], setting: Setting) -> Iterator[Talk]:
    """Yield a separate conversation for each variant of each message that a side can send."""
    for name, surface in zip(("client", "agent"), pair, strict=True):
        for method in sent_by(name, surface):
            variant, count = 0, 1
            while variant < count:
                talk = Talk(*pair, setting)
                if method.wire != "initialize":
                    talk.introduce()
                    talk.open()
                talk.send(name, method, variant)
                yield talk
                variant, count = variant + 1, talk.count


# The unstable surfaces use the same routes as the stable ones, so fewer settings suffice.
CASES = [
    (pair, setting)
    for pair in PAIRS
    for setting in (SETTINGS[1:] if pair in STABLE else SETTINGS[3:5])
]


def assert_nothing_is_missing(talks: Iterable[Talk]) -> None:
    missing = Counter(place for talk in talks for place in talk.missing())
    assert not missing, "\n".join(f"{place} ({times})" for place, times in missing.items())


@pytest.mark.parametrize(("pair", "setting"), CASES, ids=str)
def test_every_mark_arrives_or_is_reported(pair: tuple[str, str], setting: Setting) -> None:
    assert_nothing_is_missing(talks(pair, setting))


@pytest.mark.parametrize("pair", STABLE, ids="-".join)
def test_every_message_arrives_that_has_a_counterpart(pair: tuple[str, str]) -> None:
    arrived: set[tuple[str, str]] = set()

    def noted() -> Iterator[Talk]:
        for talk in talks(pair, SETTINGS[0]):
            name, method, _ = talk.sent[0]
            if talk.has_arrived:
                arrived.add((name, method))
            yield talk

    assert_nothing_is_missing(noted())
    for route in ROUTES:
        senders = {"agent": ["client"], "client": ["agent"], "protocol": []}[route.side]
        for name in senders:
            version = surfaces()[pair[name == "agent"]].version
            sent = route.older if version == 1 else route.newer
            if sent is not None and route.how != "absent":
                assert (name, sent) in arrived
