"""Permission requests and elicitations from a v2 agent to a v1 client.

A v1 permission request concerns a tool call, and clients show the call's title as the question. A
v2 request has its own title and an optional subject, which can be a command. If the subject does
not identify a tool call, the bridge creates one. An existing tool call is shown with the request's
title and description until the response arrives.
"""

from __future__ import annotations

from typing import Any

from ...jsonrpc.events import Request
from ...values.errors import Path
from ..exchange import Exchange
from ..rules import LOST, JsonValue, object_at, without
from .updates import V1View

_METHOD = "session/request_permission"
_SUBJECT: Path = ((), "subject")


class Questions:
    """The agent's permission requests and elicitations."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self._client, self._agent = exchange.client, exchange.agent
        self._count = 0

    def ask_permission(self, request: Request, view: V1View) -> None:
        """Forward a permission request for the session shown by `view`."""
        exchange, name = self._exchange, request.method.name
        params = self._agent.encode(request.params, request.method.params)
        session_id, path = params["sessionId"], ((), "options")
        options = exchange.convert_items(
            self._agent, "PermissionOption", params["options"], name, session_id, path
        )
        if not options:
            exchange.refuse(self._agent, request)
            return
        call_id, is_made_up = self._subject(request.params, params, view)
        shown = view.calls.shown[call_id]
        asked = {**shown, "title": params["title"]}
        words = [text for text in (params.get("description"), _command(params)) if text]
        if words:
            described = [
                {"type": "content", "content": {"type": "text", "text": text}} for text in words
            ]
            asked["content"] = [*described, *shown.get("content", ())]

        def restore(status: str) -> None:
            """Show the tool call as it was before the request, unless this was already done."""
            if restore not in view.questions:
                return
            view.questions.remove(restore)
            now = view.calls.shown[call_id]
            if is_made_up:
                del view.calls.shown[call_id]
                changed: dict[str, JsonValue] = {"status": status}
            else:
                names = [name for name in ("title", "content") if asked.get(name) != now.get(name)]
                changed = {name: now.get(name, []) for name in names}
            if changed:
                update = {"sessionUpdate": "tool_call_update", "toolCallId": call_id, **changed}
                view.show_again(update)

        def then(result: JsonValue) -> None:
            restore("completed")
            exchange.respond(self._agent, request, result)

        def otherwise(error: BaseException) -> None:
            restore("failed")
            exchange.fail(self._agent, request, error)

        question = {
            **without(params, "title", "description", "subject"),
            "toolCall": asked,
            "options": options,
        }
        view.questions.append(restore)
        exchange.call(self._client, name, question, then, otherwise, request)

    def _subject(self, typed: Any, params: JsonValue, view: V1View) -> tuple[str, bool]:
        """Return the id of the request's tool call, and true if the bridge generated the id."""
        subject = object_at(params, "subject")
        if subject.get("type") == "tool_call":
            call = subject["toolCall"]
            view.state.apply(typed.subject.tool_call)
            view.calls.update(call["toolCallId"], call, (_SUBJECT, "toolCall"), _METHOD)
            self._lose_others(params, subject, ("type", "toolCall"))
            return call["toolCallId"], False
        if subject.get("type") == "command":
            is_known = subject.get("toolCallId") in view.calls.shown
            named = ("toolCallId",) if is_known else ()
            self._lose_others(params, subject, ("type", "command", "cwd", *named))
            if is_known:
                return subject["toolCallId"], False
        elif subject:
            reason = f"protocol 1 does not support subjects of type {subject.get('type')!r}"
            self._exchange.lose(self._agent, _METHOD, _SUBJECT, reason, params["sessionId"])
        self._count += 1
        call_id = f"permission-{self._count}"
        kind = "execute" if subject.get("type") == "command" else "other"
        made_up = {"toolCallId": call_id, "title": params["title"], "kind": kind}
        view.calls.shown[call_id] = {**made_up, "status": "pending"}
        view.show_again({"sessionUpdate": "tool_call", **view.calls.shown[call_id]})
        return call_id, True

    def _lose_others(self, params: JsonValue, subject: JsonValue, known: tuple[str, ...]) -> None:
        self._exchange.lose_others(
            self._agent, _METHOD, subject, _SUBJECT, known, params["sessionId"]
        )

    def elicit(self, request: Request) -> None:
        """Forward an elicitation."""
        exchange, name = self._exchange, request.method.name
        params = self._agent.encode(request.params, request.method.params)
        if "requestId" in params:
            # The client knows the request by a different id.
            named = exchange.named_by(params["requestId"], self._agent)
            if named is None:
                exchange.refuse(self._agent, request, "the request already has a response")
                return
            params["requestId"] = named
        session_id = params.get("sessionId")
        params = exchange.convert(self._agent, "CreateElicitationRequest", params, name, session_id)
        if params is LOST:
            exchange.refuse(self._agent, request)
            return

        def then(result: JsonValue) -> None:
            rule = "CreateElicitationResponse"
            result = exchange.convert(self._client, rule, result, name, session_id)
            exchange.respond(self._agent, request, result)

        otherwise = exchange.passing_error(self._agent, request)
        exchange.call(self._client, name, params, then, otherwise, request)


def _command(params: JsonValue) -> str | None:
    """Return a permission request's command and its directory, or None if it has no command."""
    subject = object_at(params, "subject")
    if subject.get("type") != "command":
        return None
    return f"$ {subject['command']}\nin {subject['cwd']}"
