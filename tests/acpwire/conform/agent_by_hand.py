"""An agent for protocols 1 and 2 that conforms to the specification and uses no library.

If a prompt begins with `tool`, the agent uses a tool that requires permission.
"""

import json
import os
import sys

MODES = [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}]
VALUES = [{"value": "a", "name": "A"}, {"value": "b", "name": "B"}]
CONTENT = ("text", "image", "audio", "resource", "resource_link")
TRACE = {"traceparent": "00-80e1afed08e019fc1110464cfa66635c-7a085853722dc6d2-01"}
OPTIONS = [
    {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
]


class Refusal(Exception):
    """Raised to respond to a request with an error. The arguments are its code and message."""


class Session:
    def __init__(self, agent, id, cwd):
        self.agent, self.id, self.cwd = agent, id, cwd
        self.history, self.values, self.count = [], {"x": "a", "y": "a", "z": True}, 0
        self.turn = None  # the request id of the current prompt
        self.is_cancelled = False

    def update(self, tag, **members):
        update = {"sessionUpdate": tag, **members}
        self.agent.notify("session/update", {"sessionId": self.id, "update": update})

    def say(self, kind, content, id):
        more = {} if self.agent.version == 1 else {"messageId": id}
        self.history.append((f"{kind}_message_chunk", {"content": content, **more}))
        self.update(f"{kind}_message_chunk", content=content, **more)

    def replay(self):
        for tag, members in self.history:
            self.update(tag, **members)

    def state(self, state, **more):
        if self.agent.version == 2:
            self.update("state_update", state=state, **more)

    def config(self):
        name = "id" if self.agent.version == 1 else "configId"
        select, flag = {"type": "select", "options": VALUES}, {"type": "boolean"}
        return [
            {name: key, "name": key, "currentValue": value, **(flag if key == "z" else select)}
            for key, value in self.values.items()
            if key != "z" or self.agent.takes_flags
        ]

    def commands(self):
        kind = {} if self.agent.version == 1 else {"type": "command"}
        return [{"name": "plan", "description": "Plan the work", **kind}]

    def prompt(self, id, blocks):
        self.count += 1
        self.update("available_commands_update", availableCommands=self.commands(), _meta=TRACE)
        self.turn = id
        if self.agent.version == 2:
            self.agent.send({"id": id, "result": {"messageId": f"u{self.count}"}})
        self.repeat(blocks)
        self.state("running")
        if blocks[0].get("text", "").startswith("tool"):
            self.use_tool()
        else:
            self.say("agent", {"type": "text", "text": "Hello. é"}, f"a{self.count}")
            self.finish("end_turn")

    def repeat(self, blocks):
        for block in blocks:
            self.say("user", block, f"u{self.count}")

    def finish(self, reason):
        id, self.turn, self.is_cancelled = self.turn, None, False
        if self.agent.version == 2:
            self.state("idle", stopReason=reason)
        else:
            self.agent.send({"id": id, "result": {"stopReason": reason}})

    def cancel(self):
        if self.turn is not None:
            self.is_cancelled = True

    def call(self):
        """Return the update type and the fields that first report a tool call."""
        common = {"title": "Tool", "status": "pending"}
        if self.agent.version == 1:
            return "tool_call", common
        return "tool_call_update", {**common, "capabilities": {"cancel": {}}}

    def question(self):
        call = {"toolCallId": f"t{self.count}"}
        if self.agent.version == 1:
            return {"sessionId": self.id, "toolCall": call, "options": OPTIONS}
        subject = {"type": "tool_call", "toolCall": call}
        return {"sessionId": self.id, "title": "May I?", "subject": subject, "options": OPTIONS}

    def use_tool(self):
        tag, members = self.call()
        self.update(tag, toolCallId=f"t{self.count}", **members)
        self.agent.ask("session/request_permission", self.question(), self.go_on)
        self.state("requires_action")

    def report(self, status):
        self.update("tool_call_update", toolCallId=f"t{self.count}", status=status)

    def go_on(self, outcome):
        """Use or skip the tool, depending on the user's decision, and finish the turn."""
        if self.turn is None:
            return
        self.state("running")
        self.run() if outcome.get("optionId") == "yes" else self.give_up()
        self.finish("cancelled" if self.is_cancelled else "end_turn")

    def run(self):
        self.report("in_progress")
        self.report("completed")

    def give_up(self):
        is_cancelled = self.is_cancelled and self.agent.version == 2
        self.report("cancelled" if is_cancelled else "failed")


class Agent:
    def __init__(self):
        self.version, self.takes_flags = None, False
        self.sessions, self.count = {}, 0
        self.questions = {}  # handlers for responses, by request id

    def send(self, message):
        self.print(self.as_line({"jsonrpc": "2.0", **message}))

    def as_line(self, message):
        text = json.dumps(message, ensure_ascii=False)
        return text.encode("utf-8", "backslashreplace") + b"\n"

    def print(self, data):
        os.write(1, data)

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def ask(self, method, params, then):
        self.count += 1
        self.questions[self.count] = then
        self.send({"id": self.count, "method": method, "params": params})

    def serve(self):
        for line in sys.stdin.buffer:
            self.take_line(line)

    def take_line(self, line):
        try:
            message = json.loads(line)
        except ValueError:
            self.refuse(-32700)
            return
        if isinstance(message, list) and self.version == 2:
            self.print(self.as_line([{"jsonrpc": "2.0", **self.answer(each)} for each in message]))
        elif not isinstance(message, dict) or not isinstance(message.get("method", ""), str):
            self.refuse(-32600)
        elif "method" not in message:
            self.questions[message["id"]](message.get("result", {}).get("outcome", {}))
        elif "id" in message:
            self.take_request(message)
        else:
            self.take_notification(message["method"], message["params"])

    def refuse(self, code):
        """Respond to a line that isn't a valid message."""
        self.send({"id": None, "error": {"code": code, "message": "not understood"}})

    def take_notification(self, method, params):
        if method == "session/cancel":
            self.session(params).cancel()

    def take_request(self, message):
        if (response := self.answer(message)) is not None:
            self.send(response)

    def answer(self, request):
        """Return the response to a request, or None if the response will be sent later."""
        method, params = request["method"], request["params"]
        try:
            if method == "session/prompt":
                self.session(params).prompt(request["id"], self.supported(params["prompt"]))
                return None
            handle = getattr(self, "do_" + method.replace("/", "_"), None)
            if handle is None:
                raise Refusal(-32601, f"no method {method}")
            return {"id": request["id"], "result": handle(params)}
        except Refusal as refusal:
            code, message = refusal.args
        except (KeyError, TypeError, AttributeError):
            code, message = -32602, "invalid params"
        return {"id": request["id"], "error": {"code": code, "message": message}}

    def supported(self, blocks):
        if any(block["type"] not in CONTENT for block in blocks):
            raise Refusal(-32602, "unsupported content")
        return blocks

    def session(self, params):
        if (session := self.sessions.get(params["sessionId"])) is None:
            raise Refusal(-32002, "no such session")
        return session

    def do_initialize(self, params):
        asked = params["protocolVersion"]
        self.version = asked if asked in (1, 2) else 2
        offered = params.get("clientCapabilities", {}).get("session", {})
        self.takes_flags = self.version == 2 or "boolean" in offered.get("configOptions", {})
        info = {"name": "by-hand", "version": "1"}
        if self.version == 2:
            session = {"prompt": {"image": {}, "audio": {}, "embeddedContext": {}}, "delete": {}}
            session["mcp"] = {"stdio": {}}
            return {"protocolVersion": 2, "info": info, "capabilities": {"session": session}}
        capabilities = {
            "loadSession": True,
            "promptCapabilities": {"image": True, "audio": True, "embeddedContext": True},
            "sessionCapabilities": {"list": {}, "resume": {}, "close": {}, "delete": {}},
        }
        return {"protocolVersion": 1, "agentInfo": info, "agentCapabilities": capabilities}

    def do_session_new(self, params):
        params["cwd"].encode()  # raises AttributeError if not a string
        id = self.new_id()
        session = self.sessions[id] = Session(self, id, params["cwd"])
        result = {"sessionId": id, "configOptions": session.config()}
        if self.version == 1:
            result["modes"] = {"currentModeId": "ask", "availableModes": MODES}
        return result

    def new_id(self):
        return f"s{len(self.sessions)}"

    def do_session_load(self, params):
        self.session(params).replay()
        return {}

    def do_session_resume(self, params):
        session = self.session(params)
        if params.get("replayFrom"):
            if params["replayFrom"]["type"] != "start":
                raise Refusal(-32602, "no such position")
            session.replay()
        session.state("idle")
        return {}

    def do_session_list(self, params):
        known = [{"sessionId": each.id, "cwd": each.cwd} for each in self.sessions.values()]
        return {"sessions": [each for each in known if params.get("cwd") in (None, each["cwd"])]}

    def do_session_close(self, params):
        session = self.session(params)
        if session.turn is not None:
            session.is_cancelled = True
            session.go_on({})
        return {}

    def do_session_delete(self, params):
        self.sessions.pop(params["sessionId"], None)
        return {}

    def do_session_set_mode(self, params):
        return {} if self.session(params) else None

    def do_session_set_config_option(self, params):
        session = self.session(params)
        id, value = params["configId"], params["value"]
        fits = isinstance(value, bool) if id == "z" else value in ("a", "b")
        if id not in session.values or not fits:
            raise Refusal(-32602, "no such option or value")
        session.values[id] = value
        return {"configOptions": session.config()}

    def do_tool_call_cancel(self, params):
        session = self.session(params)
        session.report("cancelled")
        session.give_up = lambda: None
        return {}


if __name__ == "__main__":
    Agent().serve()
