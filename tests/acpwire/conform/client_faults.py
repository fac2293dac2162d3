"""Faulty variants of the handwritten client, and the requirements that each fault violates.

A fault is a subclass of the client. Each is registered with the requirements that it violates and
the protocol version that the check uses.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # isolated mode doesn't add this folder

from client_by_hand import CANCELLED, Client, Refusal


@dataclass(frozen=True)
class Fault:
    version: int
    breaks: frozenset[str]
    client: type[Client]


FAULTS: dict[str, Fault] = {}


def fault(version: int, *breaks: str) -> Callable[[type[Client]], type[Client]]:
    def register(client: type[Client]) -> type[Client]:
        FAULTS[client.__name__] = Fault(version, frozenset(breaks), client)
        return client

    return register


class Crash(Exception):
    """Raised to make the client crash, as if by an unhandled exception."""


# --- messages ------------------------------------------------------------------------------------


@fault(1, "json-lines")
class Logs(Client):
    def introduce(self):
        super().introduce()
        self.input.write(b"started the agent\n")
        self.input.flush()


@fault(1, "jsonrpc-member")
class OmitsVersion(Client):
    def send(self, message):
        self.write(message)


@fault(1, "message-shape")
class ExplainsNoErrors(Client):
    def send(self, message):
        error = message.get("error")
        super().send({**message, "error": {"code": error["code"]}} if error else message)


@fault(2, "response-ids")
class AnswersTwice(Client):
    def decide(self, params, id):
        decision = super().decide(params, id)
        if decision:
            self.send({"id": id, "result": decision})
        return decision


@fault(1, "request-ids", "initialize-first")
class InitializesTwice(Client):
    def introduce(self):
        super().introduce()
        self.called.clear()
        super().introduce()

    def take_response(self, id, result):
        if id != 1 or len(self.called) == 1:
            super().take_response(id, result)


@fault(1, "known-methods")
class CallsItsOwnMethods(Client):
    def call(self, method, params):
        if method == "session/new":
            super().call("session/hello", {})
        super().call(method, params)


@fault(1, "valid-params")
class SendsTextAsPrompt(Client):
    def call(self, method, params):
        prompt = {"prompt": "Hello, agent!"} if method == "session/prompt" else {}
        super().call(method, {**params, **prompt})


@fault(1, "valid-results", "permission")
class ForgetsTheOutcome(Client):
    def decide(self, params, id):
        decision = super().decide(params, id)
        return decision and decision["outcome"]


@fault(1, "agent-capabilities")
class ListsSessions(Client):
    def call(self, method, params):
        if method == "session/new":
            super().call("session/list", {})
        super().call(method, params)


@fault(2, "custom-values")
class InventsAnAudience(Client):
    audience = "robots"


@fault(1, "custom-values", "form", "url")
class InventsAnAction(Client):
    def handle(self, method, params, id):
        result = super().handle(method, params, id)
        return {"action": "ignore"} if method == "elicitation/create" else result


@fault(1, "custom-fields")
class AddsAField(Client):
    def call(self, method, params):
        super().call(method, {**params, "user": "me"})


@fault(2, "trace-context")
class NumbersItsTraces(Client):
    def call(self, method, params):
        super().call(method, {**params, "_meta": {"traceparent": 7}})


@fault(2, "agent-capabilities")
class OffersServers(Client):
    def call(self, method, params):
        server = {"type": "http", "name": "tools", "url": "http://localhost:1/", "headers": []}
        servers = {"mcpServers": [server]} if method == "session/new" else {}
        super().call(method, {**params, **servers})


@fault(1, "known-sessions")
class ChoosesItsSession(Client):
    def call(self, method, params):
        named = {"sessionId": "mine"} if method == "session/prompt" else {}
        super().call(method, {**params, **named})


# --- start and exit ------------------------------------------------------------------------------


@fault(1, "initialize", "valid-params")
class NamesNoVersion(Client):
    def call(self, method, params):
        super().call(
            method, {**params, "protocolVersion": "1"} if method == "initialize" else params
        )


@fault(1, "initialize-first")
class DoesNotWait(Client):
    def introduce(self):
        super().introduce()
        self.call("session/new", {"cwd": "/", "mcpServers": []})

    def take_response(self, id, result):
        if id != 1 or result["protocolVersion"] != self.version:
            super().take_response(id, result)


@fault(1, "client-info")
class IsAnonymous(Client):
    def call(self, method, params):
        super().call(method, {k: v for k, v in params.items() if k != "clientInfo"})


@fault(1, "unsupported-version")
class IgnoresTheVersion(Client):
    def take_response(self, id, result):
        hello = {"protocolVersion": self.version} if id == 1 else {}
        super().take_response(id, {**result, **hello} if result else result)


@fault(2, "ends-agent", "unsupported-version")
class LeavesItsAgentRunning(Client):
    def run(self):
        super().run()
        while self.output.readline():
            pass


# --- ids and forms -------------------------------------------------------------------------------


@fault(1, "number-ids")
class TakesZeroForNoId(Client):
    def take(self, line):
        if b'"id": 0' not in line:
            super().take(line)


@fault(1, "string-ids", "response-ids")
class WritesTextsAsNumbers(Client):
    def send(self, message):
        id = message.get("id")
        digits = type(id) is str and id.isascii() and id.isdigit()
        super().send({**message, "id": int(id)} if digits else message)


@fault(1, "json-forms")
class ReadsWithAPattern(Client):
    def take(self, line):
        if b'"jsonrpc" :' in line:
            raise Crash
        super().take(line)


@fault(1, "long-lines")
class HasASmallBuffer(Client):
    def take(self, line):
        if len(line) > 1 << 16:
            raise Crash
        super().take(line)


@fault(2, "meta")
class RefusesMeta(Client):
    def show(self, update):
        if update.get("_meta"):
            raise Crash
        super().show(update)


@fault(1, "unknown-members")
class IsStrict(Client):
    def take_response(self, id, result):
        if "conformUnknown" in (result or ()):
            raise Crash
        super().take_response(id, result)


@fault(1, "unknown-members")
class IsStrictAboutSessions(Client):
    def take_response(self, id, result):
        if {"conformUnknown", "sessionId"} <= (result or {}).keys():
            raise Crash
        super().take_response(id, result)


@fault(1, "unknown-members")
class IsStrictAboutUpdates(Client):
    def show(self, update):
        if "conformUnknown" in update:
            raise Crash
        super().show(update)


@fault(2, "unknown-members")
class IsStrictAboutContent(Client):
    def show(self, update):
        if "conformUnknown" in (update.get("content") or ()):
            raise Crash
        super().show(update)


@fault(2, "batches")
class AnswersBatchesOneByOne(Client):
    def write(self, message):
        for each in message if type(message) is list else [message]:
            super().write(each)


# --- errors --------------------------------------------------------------------------------------


@fault(1, "unknown-method", "unknown-extension")
class AnswersEverything(Client):
    def handle(self, method, params, id):
        try:
            return super().handle(method, params, id)
        except Refusal as error:
            raise Refusal(-32603 if error.args[0] == -32601 else error.args[0], "failed") from error


@fault(1, "unknown-notification")
class EndsAtUnknownNotifications(Client):
    def take_notification(self, method, params):
        if method.startswith("_"):
            raise Crash


@fault(1, "silent-notifications")
class AnswersNotifications(Client):
    def take_notification(self, method, params):
        if method != "session/update":
            self.refuse(None, -32601, "no such method")


@fault(1, "invalid-notification")
class TrustsUpdates(Client):
    def take_notification(self, method, params):
        if method == "session/update" and type(params["update"]) is not dict:
            raise Crash


@fault(2, "invalid-params")
class HidesInvalidParams(Client):
    def response(self, request):
        response = super().response(request)
        if response and "error" in response and response["error"]["code"] == -32602:
            response["error"]["code"] = -32603
        return response


@fault(1, "unknown-response")
class TrustsResponses(Client):
    def take_response(self, id, result):
        self.called[id - 1 : id] or self.fail()
        super().take_response(id, result)

    def fail(self):
        raise Crash


@fault(1, "parse-error")
class IgnoresWhatIsNoJson(Client):
    def refuse(self, id, code, words):
        if code != -32700:
            super().refuse(id, code, words)


@fault(1, "parse-error", "invalid-request", "message-shape")
class RefusesWithoutAnId(Client):
    def refuse(self, id, code, words):
        self.send({"error": {"code": code, "message": words}})


@fault(2, "invalid-request")
class IgnoresWhatIsNoMessage(Client):
    def refuse(self, id, code, words):
        if code != -32600:
            super().refuse(id, code, words)


@fault(1, "lives-on")
class EndsAtGarbage(Client):
    def take(self, line):
        json.loads(line)
        super().take(line)


# --- turns ---------------------------------------------------------------------------------------


@fault(1, "working-directory")
class HasARelativeFolder(Client):
    def call(self, method, params):
        super().call(method, {**params, "cwd": "."} if method == "session/new" else params)


@fault(1, "working-directory")
class HasServersOnItsPath(Client):
    def call(self, method, params):
        server = {"name": "tools", "command": "npx", "args": [], "env": []}
        servers = {"mcpServers": [server]} if method == "session/new" else {}
        super().call(method, {**params, **servers})


class Sets(Client):
    """A client that changes a setting of each new session and doesn't wait for the response."""

    def take_response(self, id, result):
        super().take_response(id, result)
        if type(id) is int and self.called[id - 1 : id] == ["session/new"]:
            self.set(result)

    def set(self, result):
        raise NotImplementedError


@fault(1)
class SetsWhatIsOffered(Sets):
    def set(self, result):
        for option in result.get("configOptions", ()):
            value = option["options"][-1]["value"]
            params = {"configId": option["id"], "value": value}
            self.call("session/set_config_option", {"sessionId": self.session, **params})
        for mode in result.get("modes", {}).get("availableModes", ()):
            self.call("session/set_mode", {"sessionId": self.session, "modeId": mode["id"]})


@fault(2, "offered-values")
class SetsAnotherOption(Sets):
    def set(self, result):
        params = {"configId": "model", "type": "id", "value": "conform-1"}
        self.call("session/set_config_option", {"sessionId": self.session, **params})


@fault(1, "offered-values")
class SetsAnotherValue(Sets):
    def set(self, result):
        for option in result.get("configOptions", ()):
            params = {"configId": option["id"], "value": "best"}
            self.call("session/set_config_option", {"sessionId": self.session, **params})


@fault(1, "offered-values")
class SetsAnotherMode(Sets):
    def set(self, result):
        self.call("session/set_mode", {"sessionId": self.session, "modeId": "plan"})


@fault(1, "prompt-content")
class SendsImages(Client):
    def call(self, method, params):
        image = {"type": "image", "mimeType": "image/png", "data": "aGVsbG8="}
        prompt = {"prompt": [image]} if method == "session/prompt" else {}
        super().call(method, {**params, **prompt})


@fault(1, "updates")
class KnowsNoPlans(Client):
    def show(self, update):
        if update["sessionUpdate"] == "plan":
            raise Crash


@fault(2, "early-updates")
class WaitsForNoUpdates(Client):
    """A client that pauses before a prompt and crashes if an update arrives during the pause."""

    def call(self, method, params):
        if method == "session/prompt":
            threading.Timer(0.05, self.call_late, [method, params]).start()
        else:
            super().call(method, params)

    def call_late(self, method, params):
        with suppress(ValueError, OSError):  # the connection might already be closed
            super().call(method, params)

    def show(self, update):
        if self.called[-1] != "session/prompt":
            raise Crash
        super().show(update)


@fault(2, "unknown-updates")
class KnowsAllUpdates(Client):
    def show(self, update):
        if "conform" in update:
            raise Crash
        super().show(update)


@fault(2, "unknown-values")
class KnowsAllKinds(Client):
    def show(self, update):
        if update.get("kind", "read") not in ("read", "edit", "execute"):
            raise Crash
        super().show(update)


@fault(2, "unknown-values")
class KnowsAllContent(Client):
    def show(self, update):
        content = update.get("content")
        blocks = content if type(content) is list else [content or {}]
        if any(block.get("type") == "_conform_unknown" for block in blocks):
            raise Crash
        super().show(update)


@fault(2, "unknown-values")
class KnowsAllStatuses(Client):
    def show(self, update):
        if update.get("status") == "_conform_unknown":
            raise Crash
        super().show(update)


@fault(2, "unknown-values")
class TakesUnknownStatesForTheEnd(Client):
    def show(self, update):
        if update.get("state") == "_conform_unknown":
            raise Crash
        super().show(update)


# --- permission requests and elicitations --------------------------------------------------------


@fault(1, "permission")
class InventsAnOption(Client):
    def decide(self, params, id):
        super().decide(params, id)
        return {"outcome": {"outcome": "selected", "optionId": "always"}}


@fault(2, "other-options")
class NeedsAnOptionToAllow(Client):
    def decide(self, params, id):
        kinds = [option["kind"] for option in params["options"]]
        params["options"][kinds.index("allow_once")]
        return super().decide(params, id)


@fault(1, "form")
class HasNoForms(Client):
    def handle(self, method, params, id):
        if method == "elicitation/create" and params["mode"] == "form":
            raise Refusal(-32603, "not yet")
        return super().handle(method, params, id)


@fault(1, "url")
class HasNoAddresses(Client):
    def handle(self, method, params, id):
        if method == "elicitation/create" and params["mode"] == "url":
            raise Refusal(-32603, "not yet")
        return super().handle(method, params, id)


@fault(2, "url")
class HasNoBrowser(Client):
    def take_notification(self, method, params):
        if method == "elicitation/complete":
            raise Crash
        super().take_notification(method, params)


@fault(1, "cancel-answers")
class LeavesQuestionsOpen(Client):
    def interrupt(self):
        self.waiting.clear()
        super().interrupt()


@fault(2, "cancel-answers")
class AllowsWhatWasCancelled(Client):
    def send(self, message):
        if message.get("result") == CANCELLED:
            outcome = {"outcome": "selected", "optionId": "conform-yes"}
            message = {**message, "result": {"outcome": outcome}}
        super().send(message)


@fault(1, "late-updates")
class RefusesLateUpdates(Client):
    def show(self, update):
        if self.is_cancelled:
            raise Crash


# --- files and terminals -------------------------------------------------------------------------


@fault(1, "read-file")
class ReadsLatin(Client):
    def read_text_file(self, params):
        content = super().read_text_file(params)["content"]
        return {"content": content if "line" in params else content.encode().decode("latin-1")}


@fault(1, "read-lines")
class CountsLinesFromZero(Client):
    def read_text_file(self, params):
        return super().read_text_file({**params, "line": params.get("line", 0) + 1})


@fault(1, "read-lines")
class IgnoresTheLimit(Client):
    def read_text_file(self, params):
        return super().read_text_file({**params, "limit": None})


@fault(1, "read-missing")
class ReadsMissingFilesAsEmpty(Client):
    def read_text_file(self, params):
        try:
            return super().read_text_file(params)
        except Refusal:
            return {"content": ""}


@fault(1, "write-file")
class WritesNothing(Client):
    def write_text_file(self, params):
        raise Refusal(-32002, "read-only")


@fault(1, "write-file")
class AppendsToFiles(Client):
    def write_text_file(self, params):
        with open(params["path"], "a", encoding="utf-8", newline="") as file:
            file.write(params["content"])
        return {}


@fault(1, "write-file")
class KeepsExistingFiles(Client):
    def write_text_file(self, params):
        return {} if os.path.exists(params["path"]) else super().write_text_file(params)


@fault(1, "write-file")
class WritesNoNewFiles(Client):
    def write_text_file(self, params):
        return super().write_text_file(params) if os.path.exists(params["path"]) else {}


@fault(1, "terminal-create", "valid-results")
class NamesNoTerminal(Client):
    def terminal_create(self, params):
        super().terminal_create(params)
        for process in self.terminals.values():
            process.kill()
        return {}


@fault(1, "terminal-exit")
class AlwaysSucceeds(Client):
    def terminal_wait_for_exit(self, params):
        super().terminal_wait_for_exit(params)
        return {"exitCode": 0}


@fault(1, "terminal-output")
class ForgetsTheStatus(Client):
    def terminal_output(self, params):
        output = super().terminal_output(params)
        return {"output": output["output"], "truncated": False}


@fault(1, "terminal-output")
class HasAStatusTooEarly(Client):
    def terminal_output(self, params):
        return {"exitStatus": {"exitCode": 0}, **super().terminal_output(params)}


@fault(1, "terminal-output")
class ForgetsTheOutput(Client):
    def terminal_output(self, params):
        return {**super().terminal_output(params), "output": ""}


@fault(1, "terminal-create")
class WaitsForTheCommand(Client):
    def terminal_create(self, params):
        created = super().terminal_create(params)
        if "600" in params["args"][-1]:
            self.terminals[created["terminalId"]].kill()
            raise Refusal(-32603, "it takes too long")
        return created


@fault(1, "terminal-kill")
class ReleasesWhatIsKilled(Client):
    def terminal_kill(self, params):
        return self.terminal_release(params) if params["terminalId"] in self.alive() else {}

    def alive(self):
        return [id for id, process in self.terminals.items() if process.poll() is None]

    def terminal_release(self, params):
        process = self.terminals.pop(params["terminalId"])
        process.kill()
        process.communicate()
        return {}


@fault(1, "terminal-release")
class KeepsTerminals(Client):
    def terminal_release(self, params):
        self.terminal_kill(params)
        return {}
