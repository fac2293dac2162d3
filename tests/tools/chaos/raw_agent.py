"""An agent that doesn't use the package and misbehaves as its options specify.

    python raw_agent.py OPTIONS

OPTIONS is a JSON object with the required field `version`, the protocol version. The optional
fields are:

- `repeats`: whether the agent repeats the protocol version that the client requests
- `as_text`: whether the agent sends the protocol version as a string
- `seed`: the seed for all random choices
- `chunk`: the maximum size of a write, in bytes
- `pause`: the delay after each write, in seconds
- `read_size`, `read_pause`: the maximum size of a read, and the delay after it
- `garbage`: the probability that a line of garbage precedes a message
- `beside`: the probability that a message shares its line with other text or the next message
- `spelled`: the probability that the id of a response is sent as a string
- `halves`: the probability that text is split within a character
- `batch`: the probability that a message is held back and sent in an array with later messages
- `held`: the maximum number of messages in such an array
- `die_after`, `close_out_after`, `close_in_after`: how many bytes the agent writes before it kills
  itself, closes its output, or closes its input
- `flood`: the number of unsolicited messages after each chunk
- `reuse`: the probability that the agent's request reuses the id of another request
- `cancel`: the probability that the agent cancels its request immediately, with two notifications
- `pad`: the size of the padding in the agent's requests
- `big_batch`: the number of requests that the agent sends in an array, which the client can reject
- `notes`: the number of notifications that the agent sends together
- `mute`: whether the agent never responds to slow requests
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from typing import Any

INFO = {"name": "chaos", "version": "1"}
# The client must ignore these lines. The client may only respond with an error whose id is null or
# the id from the line.
GARBAGE = [
    b"[INFO] starting",
    b"",
    b"   \t",
    b"\xff\xfe\x00",
    b"null",
    b"[]",
    b"1e400",
    b'"text"',
    b"{}",
    b'{"jsonrpc": "2.0"}',
    b'{"jsonrpc": "2.0", "id": 99999999, "result": {}}',
    b'{"jsonrpc": "2.0", "id": "one", "result": {}}',
    b'{"jsonrpc": "2.0", "id": null, "error": {"code": -32700, "message": "x\\ny"}}',
    b'{"jsonrpc": "2.0", "method": "nope\\r\\n"}',
    b'{"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": 1}}',
    b'{"jsonrpc": "2.0", "method": "_note", "params": {"n": "\xff"}}',
    b'{"jsonrpc": "2.0", "method": "_note", "params": {"n": 1',
    b'{"jsonrpc": "2.0", "method": "_note", "params": {"n": 1e400}}',
    b"[" * 5000,
    b"Traceback (most recent call last):\r",
    b'{"jsonrpc": "2.0", "id": 99999998, "result": "\xff"}',
    b"GET / HTTP/1.1\r",
    b"[[]]",
    b'{"jsonrpc": "2.0", "id": "one", "error": {"code": 1, "message": ""}}',
    b'{"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": 1}}',
    b'{"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "none"}}',
    b'{"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": "none"}}',
    # Log lines that contain the id of a call.
    b'{"level": 30, "id": %d, "msg": "saved"}',
    b'{"level": 30, "id": "%d", "msg": "saved", "size": NaN}',
    b'{"level": 50, "id": %d, "error": "ENOENT"}',
    b'{"level": 50, "id": %d, "error": {"code": 1, "message": "\xff"}}',
    b'{"level": 20, "id": %d, "method": "session/prompt"}',
    b'{"jsonrpc": "2.0", "id": %d}',
]
# Other text that can share a line with a message.
BESIDE = [
    b"\x1b[?25l",
    b"Loading...",
    b"\xef\xbb\xbf",
    b"\xff\xfe ",
    b"[INFO] {x}",
    b'{"level": 30, "id": 1}',
]
HIGH, LOW = "\ud83d", "\ude00"


class Output:
    def __init__(self, options: dict[str, Any], chance: random.Random) -> None:
        self._options = options
        self._chance = chance
        self._written = 0
        self._is_open = False  # whether the next message continues the current line
        self._held: list[Any] = []

    def send(self, message: dict[str, Any]) -> None:
        """Send a message, or hold it back to send it in an array with later messages."""
        self._held.append({"jsonrpc": "2.0", **message})
        if self._chance.random() < self._options.get("batch", 0) and len(
            self._held
        ) < self._options.get("held", 20):
            return
        self.flush()

    def flush(self) -> None:
        held, self._held = self._held, []
        if not held:
            return
        if self._chance.random() < self._options.get("garbage", 0):
            self.write_garbage()
        line = json.dumps(held[0] if len(held) == 1 else held).encode()
        self._is_open, is_alone = False, not self._is_open
        if is_alone and self._chance.random() < self._options.get("beside", 0):
            text = self._chance.choice(BESIDE)
            # Only a chunk can omit its line break, since another message always follows a chunk.
            self._is_open = b"|" in line and self._chance.random() < 0.5
            line = self._chance.choice([text + line, line + text]) if not self._is_open else line
        self.write(line if self._is_open else line + b"\n")

    def write_garbage(self) -> None:
        line = self._chance.choice(GARBAGE)
        if b"%d" in line:
            line = line.replace(b"%d", b"%d" % self._chance.randint(1, 30))
        self.write(b"\n" * self._is_open + line + b"\n")
        self._is_open = False

    def write(self, data: bytes) -> None:
        chunk = self._options.get("chunk", 0)
        while data:
            size = min(len(data), self._chance.randint(1, chunk) if chunk else len(data))
            for name in ("die_after", "close_out_after", "close_in_after"):
                left = self._options.get(name, 1 << 60) - self._written
                size = min(size, left) if left > 0 else size
            while size:
                done = os.write(1, data[:size])
                self._written, data, size = self._written + done, data[done:], size - done
            self._fault()
            if self._options.get("pause"):
                time.sleep(self._options["pause"])

    def _fault(self) -> None:
        options = self._options
        if options.get("die_after") == self._written:
            os.kill(os.getpid(), signal.SIGKILL)
        if options.get("close_out_after") == self._written:
            os.close(1)
            rest()
        if options.get("close_in_after") == self._written:
            os.close(0)


def rest() -> None:
    while os.read(0, 1 << 16):
        pass
    os._exit(0)


class Agent:
    def __init__(self, options: dict[str, Any]) -> None:
        self._options = options
        self._chance = random.Random(options.get("seed", 0))
        self._version = options["version"]
        self._output = Output(options, self._chance)
        self._sessions = 0
        self._turns = 0
        self._notes: list[Any] = []
        self._answers: dict[str, int] = {}
        self._slow: list[Any] = []
        self._asked: dict[str, int] = {}
        self._batched: set[str] = set()

    def run(self) -> None:
        data = b""
        while True:
            try:
                more = os.read(0, self._options.get("read_size", 1 << 16))
            except OSError:  # the agent has closed its own input
                break
            if not more:
                break
            *lines, data = (data + more).split(b"\n")
            for line in lines:
                self._take(json.loads(line))
            self._output.flush()
            time.sleep(self._options.get("read_pause", 0))

    def _take(self, message: Any) -> None:
        for each in message if isinstance(message, list) else [message]:
            if "method" not in each:
                id_ = str(each["id"])
                self._answers[id_] = self._answers.get(id_, 0) + 1
            else:
                name = each["method"].replace("/", "_").replace("$", "").lstrip("_")
                getattr(self, f"do_{name}")(each.get("id"), each.get("params"))

    def _answer(self, id_: Any, result: Any) -> None:
        is_text = self._chance.random() < self._options.get("spelled", 0)
        self._output.send({"id": str(id_) if is_text else id_, "result": result})

    def _tell(self, method: str, params: Any) -> None:
        self._output.send({"method": method, "params": params})

    def do_initialize(self, id_: Any, params: Any) -> None:
        if self._version == 1:
            answer: Any = {"protocolVersion": 1, "agentCapabilities": {}}
        else:
            answer = {"protocolVersion": 2, "info": INFO, "capabilities": {"session": {}}}
        if self._options.get("repeats"):
            answer["protocolVersion"] = params["protocolVersion"]
        if self._options.get("as_text"):
            answer["protocolVersion"] = str(answer["protocolVersion"])
        self._answer(id_, answer)

    def do_session_new(self, id_: Any, params: Any) -> None:
        self._sessions += 1
        self._answer(id_, {"sessionId": f"s{self._sessions}"})

    def do_session_prompt(self, id_: Any, params: Any) -> None:
        order = json.loads(params["prompt"][0]["text"])
        session, self._turns = params["sessionId"], self._turns + 1
        if self._version == 2:
            self._answer(id_, {"messageId": f"u{self._turns}"})
            self._update(session, sessionUpdate="state_update", state="running")
        for number in range(order["count"]):
            words = f"|{order['label']}:{number};{order.get('pad', '')}"
            content, message = {"type": "text", "text": words}, f"m{self._turns}"
            kind = "agent_message_chunk"
            is_cut = self._chance.random() < self._options.get("halves", 0)
            content["text"] += HIGH * is_cut
            self._update(session, sessionUpdate=kind, messageId=message, content=content)
            if is_cut:
                rest = {"type": "text", "text": LOW}
                self._update(session, sessionUpdate=kind, messageId=message, content=rest)
            self._flood()
        self._ask_at_once()
        if self._version == 2:
            stop = {"state": "idle", "stopReason": "end_turn"}
            self._update(session, sessionUpdate="state_update", **stop)
        else:
            self._answer(id_, {"stopReason": "end_turn"})

    def _update(self, session: str, **update: Any) -> None:
        self._tell("session/update", {"sessionId": session, "update": update})

    def _flood(self) -> None:
        for _ in range(self._options.get("flood", 0)):
            kinds = [self._flood_request, self._flood_stray, self._flood_garbage]
            self._chance.choice(kinds)()

    def _flood_request(self) -> None:
        self._ask(self._chance.choice(["_echo", "nope", "session/update"]))

    def _ask(self, method: str) -> None:
        is_again = self._chance.random() < self._options.get("reuse", 0)
        id_ = self._chance.choice("xyz") if is_again else f"a{len(self._asked)}"
        self._asked[id_] = self._asked.get(id_, 0) + 1
        params = {"n": len(self._asked), "pad": "p" * self._options.get("pad", 0)}
        self._output.send({"id": id_, "method": method, "params": params})
        if self._chance.random() < self._options.get("cancel", 0):
            for _ in range(2):
                self._tell("$/cancel_request", {"requestId": id_})

    def _ask_at_once(self) -> None:
        """Send an array of requests, which get no responses if the client rejects the array."""
        self._output.flush()
        batch = []
        for number in range(self._options.get("big_batch", 0)):
            self._batched.add(id_ := f"b{len(self._batched)}")
            message = {"id": id_, "method": "_echo", "params": {"n": number}}
            batch.append({"jsonrpc": "2.0", **message})
        if batch:
            self._output.write(json.dumps(batch).encode() + b"\n")

    def _flood_stray(self) -> None:
        chunk = {"type": "text", "text": "stray"}
        name = f"stray{self._chance.randint(0, 50)}"
        self._update(name, sessionUpdate="agent_message_chunk", messageId="m", content=chunk)

    def _flood_garbage(self) -> None:
        self._output.flush()
        self._output.write_garbage()

    def do_session_cancel(self, id_: Any, params: Any) -> None:
        pass

    def do_cancel_request(self, id_: Any, params: Any) -> None:
        if params["requestId"] in self._slow and not self._options.get("mute"):
            self._slow.remove(params["requestId"])
            error = {"code": -32800, "message": "cancelled"}
            self._output.send({"id": params["requestId"], "error": error})

    def do_echo(self, id_: Any, params: Any) -> None:
        self._answer(id_, params)

    def do_slow(self, id_: Any, params: Any) -> None:
        self._slow.append(id_)

    def do_ask(self, id_: Any, params: Any) -> None:
        self._ask("_echo")
        self._answer(id_, params)

    def do_note(self, id_: Any, params: Any) -> None:
        self._notes.append(params["n"])

    def do_seen(self, id_: Any, params: Any) -> None:
        self._answer(id_, self._notes)

    def do_flood(self, id_: Any, params: Any) -> None:
        for number in range(params["count"]):
            self._tell("_note", {"n": number})
        for number in range(self._options.get("notes", 0)):
            self._tell("_lost", {"n": number})
        self._answer(id_, params["count"])

    def do_session_close(self, id_: Any, params: Any) -> None:
        self._answer(id_, {})
        chunk = {"type": "text", "text": "late"}
        session, kind = params["sessionId"], "agent_message_chunk"
        self._update(session, sessionUpdate=kind, messageId="m", content=chunk)

    def do_counts(self, id_: Any, params: Any) -> None:
        """Report the number of sent requests and the ids with missing or extra responses."""
        answers = self._answers
        wrong = {name: answers.get(name, 0) - n for name, n in self._asked.items()}
        wrong.update({name: answers.get(name, 0) - 1 for name in self._batched if name in answers})
        wrong = {name: more for name, more in wrong.items() if more}
        self._answer(id_, {"asked": sum(self._asked.values()), "wrong": wrong})


if __name__ == "__main__":
    os.closerange(3, 256)  # descriptors inherited from uvloop would keep the pipes open
    Agent(json.loads(sys.argv[1])).run()
