"""A benchmark of session states in the current environment. It prints JSON.

    python state.py --contender official-0.12.1

Times are in seconds per update. The form "decoded" applies updates that were decoded beforehand.
For the form "JSON text", the time includes decoding. The form "text read" also reads the message's
text after each update. The resulting states are checked outside the timed part.
"""

from __future__ import annotations

import argparse
import gc
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any

CHUNKS = "chunks of one message"
CALLS = "updates of 100 tool calls"
FORMS = ("decoded", "JSON text")
READ = "text read"
READS = 20_000  # the number of chunks to apply in the form "text read"
_ACTS = {"decoded": "decoded", "JSON text": "text", READ: "read"}
TOOL_CALLS = 100
# Short runs of this package are repeated until about this many updates have been applied. The
# result is the time of the fastest run.
AT_LEAST = 20_000
MOST_RUNS = 20


@dataclass(frozen=True)
class Row:
    protocol: str  # `v1` or `v2`
    what: str  # `CHUNKS` or `CALLS`
    form: str  # one of `FORMS`, or `READ`
    count: int  # how many updates were applied to the state
    seconds: float  # per update


def update(what: str, number: int) -> dict[str, Any]:
    """Return an update that is valid in all protocol versions that define its type."""
    if what == CHUNKS:
        return {
            "sessionUpdate": "agent_message_chunk",
            "messageId": "msg_0b7e1c52",
            "content": {"type": "text", "text": _word(number)},
        }
    content = {"type": "content", "content": {"type": "text", "text": _word(number)}}
    return {
        "sessionUpdate": "tool_call_update",
        "toolCallId": f"call_{number % TOOL_CALLS}",
        "status": "in_progress",
        "content": [content],
    }


def _word(number: int) -> str:
    return f"word {number} "


def expected(what: str, count: int) -> dict[str, str]:
    """Return the expected text of the message or of each tool call, by id."""
    if what == CALLS:
        return {f"call_{number % TOOL_CALLS}": _word(number) for number in range(count)}
    return {"msg_0b7e1c52": "".join(_word(number) for number in range(count))}


# Each class below is a contender. `decode` converts a notification's JSON text to a value that a
# state accepts. The timed methods apply such values (`decoded`) or JSON text (`text`) to a new
# state. `found` returns the state's content in the same form as `expected`.


class Ours:
    def __init__(self, protocol: str) -> None:
        surface = import_module(f"acp_bindings.{protocol}")
        self._state = import_module(f"acp_bindings.{protocol}.session").SessionState
        name = {"v1": "SessionNotification", "v2": "UpdateSessionNotification"}[protocol]
        self._type = surface.TYPES[name]
        self._loads = surface.loads

    def decode(self, text: str) -> Any:
        return self._loads(self._type, text).update

    def decoded(self, values: Sequence[Any]) -> Any:
        state = self._state()
        apply = state.apply
        for value in values:
            apply(value)
        return state

    def text(self, texts: Sequence[str]) -> Any:
        state = self._state()
        apply, loads, type_ = state.apply, self._loads, self._type
        for text in texts:
            apply(loads(type_, text).update)
        return state

    def read(self, values: Sequence[Any]) -> Any:
        """Apply values to a new state, and read the message's text after each value."""
        state = self._state()
        apply, messages = state.apply, state.messages
        for value in values:
            apply(value)
            len(messages[0].text)
        return state

    def found(self, state: Any, what: str) -> dict[str, str]:
        if what == CHUNKS:
            return {message.message_id: message.text for message in state.messages}
        calls = state.tool_calls.items()
        return {key: call.content[0].content.text for key, call in calls}


class Official:
    """The official SDK's `SessionAccumulator`, which takes a snapshot after each update."""

    def __init__(self, protocol: str) -> None:
        if protocol != "v1":
            raise ValueError("the SDK has an accumulator for version 1 only")
        self._model = import_module("acp.schema").SessionNotification
        self._accumulator = import_module("acp.contrib.session_state").SessionAccumulator

    def decode(self, text: str) -> Any:
        return self._model.model_validate(json.loads(text))

    def decoded(self, values: Sequence[Any]) -> Any:
        accumulator = self._accumulator()
        apply = accumulator.apply
        for value in values:
            apply(value)
        return accumulator

    def text(self, texts: Sequence[str]) -> Any:
        accumulator = self._accumulator()
        apply, validate, loads = accumulator.apply, self._model.model_validate, json.loads
        for text in texts:
            apply(validate(loads(text)))
        return accumulator

    def found(self, state: Any, what: str) -> dict[str, str]:
        snapshot = state.snapshot()
        if what == CALLS:
            calls = snapshot.tool_calls.items()
            return {key: call.content[0].content.text for key, call in calls}
        # The accumulator keeps chunks separate, so they are joined here, outside the timed part.
        found: dict[str, str] = {}
        for chunk in snapshot.agent_messages:
            found[chunk.message_id] = found.get(chunk.message_id, "") + chunk.content.text
        return found


CONTENDERS: dict[str, Callable[[str], Any]] = {"ours": Ours, "official-0.12.1": Official}


def measure(contender: str, protocol: str, what: str, form: str, count: int) -> Row:
    side = CONTENDERS[contender](protocol)
    notifications = ({"sessionId": "sess_1", "update": update(what, n)} for n in range(count))
    texts = [json.dumps(each, separators=(",", ":")) for each in notifications]
    items = texts if form == "JSON text" else [side.decode(text) for text in texts]
    act = getattr(side, _ACTS[form])
    best = float("inf")
    runs = min(MOST_RUNS, max(1, AT_LEAST // count)) if contender == "ours" else 1
    for _ in range(runs):
        gc.collect()
        start = time.perf_counter()
        state = act(items)
        best = min(best, time.perf_counter() - start)
    assert side.found(state, what) == expected(what, count), f"{protocol} {count} {what}"
    return Row(protocol, what, form, count, best / count)


def measure_all(contender: str, against: Sequence[tuple[str, int]]) -> list[Row]:
    """Time each kind of update in both forms and, for this package, in the form "text read"."""
    wanted = [("v1", what, form, count) for what, count in against for form in FORMS]
    if contender == "ours":
        wanted.append(("v2", CHUNKS, READ, READS))
    return [measure(contender, *each) for each in wanted]


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the session states of one contender.")
    parser.add_argument("--contender", choices=CONTENDERS, required=True)
    parser.add_argument("--chunks", type=int, required=True, help="how many are compared")
    parser.add_argument("--calls", type=int, required=True, help="how many are compared")
    options = parser.parse_args()
    against = [(CHUNKS, options.chunks), (CALLS, options.calls)]
    rows = measure_all(options.contender, against)
    print(json.dumps([asdict(row) for row in rows]))


if __name__ == "__main__":
    main()
