"""A client for protocols 1 and 2 that conforms to the specification and uses no library.

`python client.py VERSION AGENT...` starts an agent and sends one prompt. The client responds only
to the first permission request. Later requests stay pending, as if a user had to decide. Ctrl-C
cancels the turn.
"""

import json
import os
import signal
import subprocess
import sys
import threading

FORMS = {"elicitation": {"form": {}, "url": {}}}
FILES = {"readTextFile": True, "writeTextFile": True}
INFO = {"name": "client-by-hand", "version": "1"}
HELLO = {
    1: {"clientInfo": INFO, "clientCapabilities": {"fs": FILES, "terminal": True, **FORMS}},
    2: {"info": INFO, "capabilities": FORMS},
}
TRACE = {"traceparent": "00-80e1afed08e019fc1110464cfa66635c-7a085853722dc6d2-01"}
CANCELLED = {"outcome": {"outcome": "cancelled"}}


class Refusal(Exception):
    """An error response to a request, raised with the error's code and message."""


class Client:
    """A client for one agent. The agent's output and input are binary files."""

    audience = "user"

    def __init__(self, version, output, input):
        self.version, self.output, self.input = version, output, input
        self.lock = threading.Lock()
        self.session, self.decided, self.is_over, self.is_cancelled = None, 0, False, False
        self.called, self.waiting, self.terminals = [], [], {}

    # --- messages ---

    def write(self, message):
        data = json.dumps(message, ensure_ascii=False).encode()
        with self.lock:
            self.input.write(data + b"\n")
            self.input.flush()

    def send(self, message):
        self.write({"jsonrpc": "2.0", **message})

    def call(self, method, params):
        self.called.append(method)
        self.send({"id": len(self.called), "method": method, "params": params})

    # --- a session ---

    def run(self):
        self.introduce()
        while not self.is_over and (line := self.output.readline()):
            self.take(line)
        self.input.close()

    def introduce(self):
        self.call("initialize", {"protocolVersion": self.version, **HELLO[self.version]})

    def take(self, line):
        try:
            message = json.loads(line)
        except ValueError:
            self.refuse(None, -32700, "no JSON")
            return
        if type(message) is list and self.version == 2:
            self.write([{"jsonrpc": "2.0", **self.response(each)} for each in message])
        elif type(message) is not dict or type(message.get("method", "")) is not str:
            self.refuse(None, -32600, "no message")
        elif "method" not in message:
            self.take_response(message["id"], message.get("result"))
        elif "id" not in message:
            self.take_notification(message["method"], message.get("params"))
        elif response := self.response(message):
            self.send(response)

    def refuse(self, id, code, words):
        self.send({"id": id, "error": {"code": code, "message": words}})

    def take_response(self, id, result):
        method = self.called[id - 1] if id in range(1, len(self.called) + 1) else None
        if method == "initialize" and result["protocolVersion"] == self.version:
            self.call("session/new", {"cwd": os.getcwd(), "mcpServers": []})
        elif method == "session/new":
            self.session = result["sessionId"]
            block = {"type": "text", "text": "Hello, agent!"}
            prompt = [{**block, "annotations": {"audience": [self.audience]}}]
            params = {"sessionId": self.session, "prompt": prompt, "_meta": TRACE}
            self.call("session/prompt", params)
        elif method == "initialize" or (method == "session/prompt" and self.version == 1):
            self.is_over = True

    def take_notification(self, method, params):
        if method == "session/update" and type(params["update"]) is dict:
            self.show(params["update"])

    def show(self, update):
        if update.get("sessionUpdate") == "state_update" and update.get("state") == "idle":
            self.is_over = True

    def interrupt(self):
        """Cancel the turn and its pending permission requests."""
        self.is_cancelled = True
        self.send({"method": "session/cancel", "params": {"sessionId": self.session}})
        while self.waiting:
            self.send({"id": self.waiting.pop(), "result": CANCELLED})

    # --- requests ---

    def response(self, request):
        """Return the response to a request, or None if a user must decide."""
        try:
            result = self.handle(request["method"], request.get("params"), request["id"])
        except Refusal as error:
            code, words = error.args
            return {"id": request["id"], "error": {"code": code, "message": words}}
        except (LookupError, TypeError) as error:
            words = f"invalid params: {error!r}"
            return {"id": request["id"], "error": {"code": -32602, "message": words}}
        return None if result is None else {"id": request["id"], "result": result}

    def handle(self, method, params, id):
        if method == "session/request_permission":
            return self.decide(params, id)
        if method == "elicitation/create":
            return {"action": "cancel"}
        kind, _, name = method.partition("/")
        if kind in ("fs", "terminal") and self.version == 1:
            return getattr(self, name if kind == "fs" else f"{kind}_{name}")(params)
        raise Refusal(-32601, f"no method {method}")

    def decide(self, params, id):
        chosen = params["options"][0]["optionId"]
        self.decided += 1
        if self.is_cancelled:
            return CANCELLED
        if self.decided == 1:
            return {"outcome": {"outcome": "selected", "optionId": chosen}}
        self.waiting.append(id)
        return None

    def read_text_file(self, params):
        try:
            with open(params["path"], encoding="utf-8", newline="") as file:
                lines = file.readlines()
        except OSError as error:
            raise Refusal(-32002, str(error)) from error
        return {"content": "".join(lines[params.get("line", 1) - 1 :][: params.get("limit")])}

    def write_text_file(self, params):
        with open(params["path"], "w", encoding="utf-8", newline="") as file:
            file.write(params["content"])
        return {}

    def terminal_create(self, params):
        id, command = f"terminal-{len(self.terminals) + 1}", [params["command"], *params["args"]]
        self.terminals[id] = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        return {"terminalId": id}

    def terminal(self, params):
        if params["terminalId"] not in self.terminals:
            raise Refusal(-32002, "no such terminal")
        return self.terminals[params["terminalId"]]

    def terminal_output(self, params):
        process = self.terminal(params)
        if process.poll() is None:
            return {"output": "", "truncated": False}
        output = process.stdout.read()
        return {"output": output, "truncated": False, "exitStatus": self.status(process)}

    def status(self, process):
        code = process.returncode
        return {"exitCode": code} if code >= 0 else {"signal": signal.Signals(-code).name}

    def terminal_wait_for_exit(self, params):
        self.terminal(params).wait()
        return self.status(self.terminal(params))

    def terminal_kill(self, params):
        self.terminal(params).kill()
        return {}

    def terminal_release(self, params):
        process = self.terminal(params)
        self.terminal_kill(params)
        process.communicate()
        del self.terminals[params["terminalId"]]
        return {}


if __name__ == "__main__":
    agent = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    client = Client(int(sys.argv[1]), agent.stdout, agent.stdin)
    interrupting = threading.Thread(target=client.interrupt)  # a signal can arrive during a write
    signal.signal(signal.SIGINT, lambda *_: interrupting.start())
    client.run()
