"""OpenAI's Chat Completions API, which most compatible servers offer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .script import Exchange, Reply, Role
from .texts import text_of
from .tools import Tool

_ROLES: dict[str, Role] = {"assistant": "model", "tool": "tool", "function": "tool"}
USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


def read(body: dict[str, Any]) -> Exchange:
    messages = [
        (_ROLES.get(message["role"], "user"), text_of(message.get("content")))
        for message in body["messages"]
        if message["role"] not in ("system", "developer")
    ]
    functions = [tool["function"] for tool in body.get("tools") or [] if "function" in tool]
    tools = [Tool(each["name"], each.get("parameters") or {}) for each in functions]
    form = (body.get("response_format") or {}).get("json_schema") or {}
    return Exchange(messages, tools, bool(body.get("stream")), form.get("schema"))


def document(body: dict[str, Any], reply: Reply, id_: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.call is not None:
        message["tool_calls"] = [_call(reply, id_)]
    choice = {"index": 0, "message": message, "finish_reason": _reason(reply)}
    return {**_head(body, id_, "chat.completion"), "choices": [choice], "usage": USAGE}


def events(body: dict[str, Any], reply: Reply, id_: str) -> Iterator[tuple[str | None, Any]]:
    """Yield the name and the data of each event of a streamed reply."""
    head = _head(body, id_, "chat.completion.chunk")

    def chunk(delta: dict[str, Any], reason: str | None = None) -> tuple[None, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return None, {**head, "choices": [choice]}

    yield chunk({"role": "assistant", "content": ""})
    for part in reply.parts:
        yield chunk({"content": part})
    if reply.call is not None:
        yield chunk({"tool_calls": [{"index": 0, **_call(reply, id_)}]})
    yield chunk({}, _reason(reply))
    yield None, {**head, "choices": [], "usage": USAGE}
    yield None, "[DONE]"


def _head(body: dict[str, Any], id_: str, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{id_}", "object": kind, "created": 1, "model": body.get("model", "")}


def _reason(reply: Reply) -> str:
    return "stop" if reply.call is None else "tool_calls"


def _call(reply: Reply, id_: str) -> dict[str, Any]:
    assert reply.call is not None
    function = {"name": reply.call.name, "arguments": reply.call.json}
    return {"id": f"call_{id_}", "type": "function", "function": function}
