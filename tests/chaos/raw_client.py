"""The messages of a client written without the package, and what must come back."""

from __future__ import annotations

import json
import random
import re
from typing import Any

from chaos.raw_agent import GARBAGE, INFO

# What any request may get from an agent with limits: too many of them, or too long.
TOO_MUCH = (-32603, -32700)
NUMBER = re.compile(r"\|(\w+):(\d+);")
SESSIONS = 3


class Expected:
    """What must come back for a request: a result with these members, or one of these errors."""

    def __init__(self, result: Any = None, codes: tuple[int, ...] = (), count: int = 1) -> None:
        self.result = result
        self.codes = codes
        self.count = count  # how often
        self.is_optional = False  # whether it may be nothing
        self.answers: list[Any] = []

    def problem(self) -> str | None:
        if len(self.answers) != self.count and (self.answers or not self.is_optional):
            return f"{len(self.answers)} answers, not {self.count}"
        for answer in self.answers:
            if not self._is_right(answer):
                return f"answer {str(answer)[:300]}"
        return None

    def _is_right(self, answer: Any) -> bool:
        if "error" in answer:
            return answer["error"]["code"] in self.codes
        if self.result is None or isinstance(self.result, list):
            return self.result is not None and answer["result"] == self.result
        return bool(self.result.items() <= answer["result"].items())


class Talk:
    """The messages of a client, and the messages of the agent."""

    def __init__(self, version: int, faults: dict[str, Any], errors: tuple[str, ...] = ()) -> None:
        self.lines: list[bytes] = []  # the lines to write, without line ends
        self.expected: dict[Any, Expected] = {}  # the requests by id
        self.notes: list[int] = []  # the numbers of the notes
        self.replies: list[bytes] = []  # lines that answer requests of the agent, yet to be written
        self.turns: dict[str, int] = {}
        self._prompts: dict[str, int] = {}
        self.said: dict[str, list[int]] = {}
        self.idle = 0
        self.refusals = 0
        self.flooded = False
        self._version = version
        self._faults = faults
        self._errors = errors
        self._chance = random.Random(faults["seed"])
        self._held: list[Any] = []
        self._last = 0

    def write(self, work: list[dict[str, Any]]) -> None:
        params: dict[str, Any] = {"protocolVersion": self._version, "info": INFO}
        self._ask("initialize", params, Expected({"protocolVersion": self._version}))
        self._flush()
        for number in range(SESSIONS):
            new = {"cwd": "/", "mcpServers": []}
            opened = {} if self._errors else {"sessionId": f"s{number + 1}"}
            self._ask("session/new", new, Expected(opened))
        self._flush()
        for step in work:
            getattr(self, f"do_{step['do']}")(step)
            for _ in range(self._faults.get("flood", 0)):
                self._flood()
        if not self._faults.get("nags"):  # no request waits for handlers that wait for this side
            self._ask("_seen", {}, Expected(self.notes))
        self._flush()

    # --- writing -----------------------------------------------------------------------------

    def _ask(self, method: str, params: Any, expected: Expected) -> int:
        self._last += 1
        self.expected[self._last] = expected
        if self._errors:
            expected.codes += TOO_MUCH
        message = {"id": self._last, "method": method, "params": params}
        for _ in range(expected.count):
            self._send(message)
        may_cancel = method != "initialize"
        if may_cancel and self._chance.random() < self._faults.get("cancel", 0):
            expected.codes += (-32800,)
            for _ in range(2):
                self._send({"method": "$/cancel_request", "params": {"requestId": self._last}})
        return self._last

    def _send(self, message: dict[str, Any]) -> None:
        self._held.append({"jsonrpc": "2.0", **message})
        most = min(6, self._faults.get("held", 6))
        if len(self._held) >= most or self._chance.random() >= self._faults.get("batch", 0):
            self._flush()

    def _flush(self) -> None:
        held, self._held = self._held, []
        if not held:
            return
        if self._chance.random() < self._faults.get("garbage", 0):
            self.lines.append(self._chance.choice(GARBAGE))
        self.lines.append(json.dumps(held[0] if len(held) == 1 else held).encode())

    def do_echo(self, step: Any) -> None:
        params = {"n": step["n"], "pad": step["pad"]}
        self._ask("_echo", params, Expected(params))

    def do_ask(self, step: Any) -> None:
        params = {"n": step["n"]}
        self._ask("_ask", params, Expected(params, self._lost()))

    def do_note(self, step: Any) -> None:
        self.notes.append(step["n"])
        self._send({"method": "_note", "params": {"n": step["n"]}})

    def do_flood(self, step: Any) -> None:
        params = {"n": step["n"], "pad": "f" * step["count"]}
        self._ask("_echo", params, Expected(params))

    def do_slow(self, step: Any) -> None:
        id_ = self._ask("_slow", {}, Expected(codes=(-32800,)))
        if step["after"]:
            self._flush()
        self._send({"method": "$/cancel_request", "params": {"requestId": id_}})

    def do_turn(self, step: Any) -> None:
        label = f"t{step['n']}"
        order = {"label": label, **{k: step[k] for k in ("count", "pad", "ask", "pause")}}
        prompt = [{"type": "text", "text": json.dumps(order)}]
        params = {"sessionId": f"s{step['session'] + 1}", "prompt": prompt}
        right = {"stopReason": "end_turn"} if self._version == 1 else {}
        self._prompts[label] = self._ask("session/prompt", params, Expected(right, self._lost()))
        self.turns[label] = step["count"]

    def do_burst(self, step: Any) -> None:
        for number in range(step["count"]):
            params = {"n": number}
            again = 3 if self._chance.random() < self._faults["reuse"] else 1
            self._ask("_echo", params, Expected(params, count=again))
        for number in range(self._faults["notes"]):
            self._send({"method": "_lost", "params": {"n": number}})
        self._ask_at_once()

    def _ask_at_once(self) -> None:
        """Send an array of requests. It may be refused, and they get no answers."""
        self._flush()
        for number in range(self._faults["big_batch"]):
            expected = Expected({"n": number}, TOO_MUCH)
            expected.is_optional = True
            self._last += 1
            self.expected[self._last] = expected
            message = {"id": self._last, "method": "_echo", "params": {"n": number}}
            self._held.append({"jsonrpc": "2.0", **message})
        self._flush()

    def do_visit(self, step: Any) -> None:
        """Open a session, and close it or not."""
        params = {"id": f"v{step['n']}"}
        self._ask("_open", params, Expected(params))
        if self._chance.random() < 0.5:
            self._ask("session/close", {"sessionId": params["id"]}, Expected({}))

    def _lost(self) -> tuple[int, ...]:
        """The errors of a request that may come too late to ask back."""
        return (-32603, -32800) if "end_after" in self._faults else ()

    def _flood(self) -> None:
        kind = self._chance.randrange(5)
        if kind == 0:
            self._ask("nope", {}, Expected(codes=(-32601,)))
        elif kind == 1:
            self._ask("session/prompt", {"sessionId": 1}, Expected(codes=(-32602,)))
        elif kind == 2:
            self._ask("_echo", {"m": 1}, Expected({"m": 1}))
        elif kind == 3:
            self._send({"method": "_unknown", "params": []})
        else:
            self._flush()
            self.lines.append(self._chance.choice(GARBAGE))

    # --- reading -----------------------------------------------------------------------------

    def take(self, line: bytes) -> None:
        message = json.loads(line)
        for each in message if isinstance(message, list) else [message]:
            assert each["jsonrpc"] == "2.0"
            if "method" not in each:
                self._take_answer(each)
            elif "id" in each:
                reply = {"jsonrpc": "2.0", "id": each["id"], "result": each["params"]}
                self.replies.append(json.dumps(reply).encode() + b"\n")
            elif each["method"] == "session/update":
                self._take_update(each["params"]["update"])
            else:
                assert each["method"] == "$/cancel_request", each

    def _take_answer(self, answer: Any) -> None:
        if answer["id"] is None:
            assert "error" in answer
            self.refusals += 1
        else:
            self.expected[answer["id"]].answers.append(answer)

    def _take_update(self, update: Any) -> None:
        if update["sessionUpdate"] == "agent_message_chunk":
            (found,) = NUMBER.findall(update["content"]["text"])
            self.said.setdefault(found[0], []).append(int(found[1]))
        elif update.get("state") == "idle":
            self.idle += 1
            assert update["stopReason"] in ("end_turn", "cancelled", "error"), update

    def is_done(self) -> bool:
        for each in self.expected.values():
            if len(each.answers) < each.count and not each.is_optional:
                return False
        return self._version == 1 or self.idle >= len(self._accepted())

    def _accepted(self) -> list[str]:
        """Return the labels of the turns whose prompts were not refused."""
        return [
            label
            for label, id_ in self._prompts.items()
            if all("result" in answer for answer in self.expected[id_].answers)
        ]

    def problems(self) -> list[str]:
        found = [
            f"request {id_}: {problem}"
            for id_, each in self.expected.items()
            if (problem := each.problem()) is not None
        ]
        for label, count in self.turns.items():
            said, is_accepted = self.said.get(label, []), label in self._accepted()
            if said != list(range(count if is_accepted else len(said))):
                found.append(f"turn {label}: {said} of {count}")
        return found

    def disorder(self) -> list[str]:
        """Return what is wrong with what has arrived, where something may be missing."""
        found = [
            f"{id_}: doubled"
            for id_, each in self.expected.items()
            if len(each.answers) > each.count
        ]
        for label, said in self.said.items():
            if said != list(range(len(said))):
                found.append(f"turn {label}: {said}")
        return found
