"""A client without any library, for protocols 1 and 2, that does what the specification demands.

`python client.py VERSION AGENT...` prompts once. It answers the first question about
permission; others wait, as for a person. An interruption cancels the turn.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading

NAME = {"name": "client-by-hand", "version": "1"}
OFFERED = {
    1: {
        "fs": {"readTextFile": True, "writeTextFile": True},
        "terminal": True,
        "elicitation": {"form": {}, "url": {}},
    },
    2: {"elicitation": {"form": {}, "url": {}}},
}


class Refusal(Exception):
    """A request that is answered with an error: a code and a message."""


class Client:
    """One conversation with an agent, whose output and input are binary files."""

    def __init__(self, version, output, input, answers=1):
        self.version, self.output, self.input = version, output, input
        self.answers = answers  # how many questions a person answers
        self.lock = threading.Lock()
        self.session, self.is_over, self.is_cancelled = None, False, False
        self.sent, self.waiting, self.terminals = {}, {}, {}

    # --- messages ---

    def write(self, message):
        data = json.dumps(message, ensure_ascii=False).encode()
        with self.lock:
            self.input.write(data + b"\n")
            self.input.flush()

    def send(self, message):
        self.write({"jsonrpc": "2.0", **message})

    def call(self, method, params):
        id = len(self.sent) + 1
        self.sent[id] = method
        self.send({"id": id, "method": method, "params": params})

    def respond(self, id, result):
        self.send({"id": id, "result": result})

    def refuse(self, id, code, message):
        self.send({"id": id, "error": {"code": code, "message": message}})

    # --- a conversation ---

    def run(self):
        self.start()
        while not self.is_over and (line := self.output.readline()):
            self.take(line)
        self.input.close()

    def start(self):
        self.call("initialize", self.introduction())

    def introduction(self):
        names = ("clientInfo", "clientCapabilities") if self.version == 1 else ("info", "capabilities")
        return {"protocolVersion": self.version, names[0]: NAME, names[1]: OFFERED[self.version]}

    def take(self, line):
        try:
            message = json.loads(line)
        except ValueError:
            return self.refuse(None, -32700, "no JSON")
        if type(message) is list and self.version == 2:
            return self.take_batch(message)
        self.dispatch(message)

    def take_batch(self, batch):
        answers = [self.answer_of(message) for message in batch if "id" in message]
        if answers:
            self.write([{"jsonrpc": "2.0", **answer} for answer in answers])

    def dispatch(self, message):
        if type(message) is not dict or type(message.get("method", "")) is not str:
            self.refuse(None, -32600, "no message")
        elif "method" not in message:
            self.take_response(message)
        elif "id" in message:
            self.take_request(message)
        else:
            self.take_notification(message.get("method"), message.get("params"))

    def take_response(self, message):
        method = self.sent.pop(message["id"], None)
        result = message.get("result")
        if method == "initialize":
            self.initialized(result)
        elif method == "session/new":
            self.opened(result)
        elif method == "session/prompt" and self.version == 1:
            self.is_over = True

    def initialized(self, result):
        if result["protocolVersion"] != self.version:
            self.is_over = True
        else:
            self.call("session/new", {"cwd": self.cwd(), "mcpServers": []})

    def cwd(self):
        return os.getcwd()

    def opened(self, result):
        self.session = result["sessionId"]
        self.call("session/prompt", {"sessionId": self.session, "prompt": self.prompt()})

    def prompt(self):
        return [{"type": "text", "text": "Hello, agent!"}]

    def take_notification(self, method, params):
        if method == "session/update" and type(params.get("update")) is dict:
            self.show(params["update"])

    def show(self, update):
        if update.get("sessionUpdate") == "state_update" and update.get("state") == "idle":
            self.is_over = True

    def interrupt(self, *_):
        """Cancel the turn, and with it the questions that wait."""
        if self.is_cancelled or self.session is None:
            return
        self.is_cancelled = True
        self.send({"method": "session/cancel", "params": {"sessionId": self.session}})
        for id in list(self.waiting):
            self.respond(id, {"outcome": {"outcome": "cancelled"}})
            del self.waiting[id]

    # --- requests ---

    def take_request(self, message):
        answer = self.answer_of(message)
        if answer is not None:
            self.send(answer)

    def answer_of(self, message):
        """The response to a request; None if a person has to decide."""
        id, method, params = message["id"], message["method"], message.get("params")
        try:
            result = self.handle(id, method, params)
        except Refusal as error:
            code, text = error.args
            return {"id": id, "error": {"code": code, "message": text}}
        except (LookupError, TypeError, AttributeError) as error:
            return {"id": id, "error": {"code": -32602, "message": f"invalid params: {error}"}}
        return None if result is None else {"id": id, "result": result}

    def handle(self, id, method, params):
        if method == "session/request_permission":
            return self.decide(id, params)
        if method == "elicitation/create":
            return {"action": "cancel"}
        name = method.replace("/", "_")
        if self.version == 1 and method.startswith(("fs/", "terminal/")) and hasattr(self, name):
            return getattr(self, name)(params)
        raise Refusal(-32601, f"no method {method}")

    def decide(self, id, params):
        chosen = [option["optionId"] for option in params["options"]][0]
        if self.is_cancelled:
            return {"outcome": {"outcome": "cancelled"}}
        if self.answers == 0:
            self.waiting[id] = chosen
            return None
        self.answers -= 1
        return {"outcome": {"outcome": "selected", "optionId": chosen}}

    def fs_read_text_file(self, params):
        try:
            with open(params["path"], encoding="utf-8", newline="") as file:
                lines = file.readlines()
        except OSError as error:
            raise Refusal(-32002, str(error)) from error
        first = max((params.get("line") or 1) - 1, 0)
        return {"content": "".join(lines[first:][: params.get("limit")])}

    def fs_write_text_file(self, params):
        with open(params["path"], "w", encoding="utf-8", newline="") as file:
            file.write(params["content"])
        return {}

    def terminal_create(self, params):
        command = [params["command"], *params.get("args", [])]
        id = f"terminal-{len(self.terminals) + 1}"
        pipe = subprocess.PIPE
        self.terminals[id] = [subprocess.Popen(command, stdout=pipe, stderr=subprocess.STDOUT), b""]
        return {"terminalId": id}

    def terminal(self, params):
        if params["terminalId"] not in self.terminals:
            raise Refusal(-32002, "no such terminal")
        return self.terminals[params["terminalId"]]

    def status(self, process):
        code = process.returncode
        return {"exitCode": code} if code >= 0 else {"signal": signal.Signals(-code).name}

    def terminal_output(self, params):
        terminal = process, _ = self.terminal(params)
        if process.poll() is None:
            return {"output": "", "truncated": False}
        terminal[1] += process.stdout.read()
        status = self.status(process)
        return {"output": terminal[1].decode(), "truncated": False, "exitStatus": status}

    def terminal_wait_for_exit(self, params):
        process, _ = self.terminal(params)
        process.wait()
        return self.status(process)

    def terminal_kill(self, params):
        self.terminal(params)[0].kill()
        return {}

    def terminal_release(self, params):
        process, _ = self.terminal(params)
        process.kill()
        process.wait()
        process.stdout.close()
        del self.terminals[params["terminalId"]]
        return {}


if __name__ == "__main__":
    agent = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    client = Client(int(sys.argv[1]), agent.stdout, agent.stdin)
    signal.signal(signal.SIGINT, client.interrupt)
    client.run()
