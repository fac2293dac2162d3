"""Anthropic's Messages API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .script import Exchange, Reply, Role
from .texts import text_of
from .tools import Tool

USAGE = {
    "input_tokens": 100,
    "output_tokens": 10,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 0,
}


def read(body: dict[str, Any]) -> Exchange:
    messages: list[tuple[Role, str]] = []
    for message in body["messages"]:
        content = message["content"]
        results = [part for part in content if _is_result(part)]
        messages += [("tool", "") for _ in results]
        role: Role = "user" if message["role"] == "user" else "model"
        if text := text_of(content):
            messages.append((role, text))
    tools = [Tool(tool["name"], tool.get("input_schema") or {}) for tool in body.get("tools") or []]
    return Exchange(messages, tools, bool(body.get("stream")))


def _is_result(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "tool_result"


def document(body: dict[str, Any], reply: Reply, id_: str) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": reply.text}]
    if reply.call is not None:
        content.append({**_call(reply, id_), "input": reply.call.arguments})
    return {**_head(body, id_), "content": content, "stop_reason": _reason(reply), "usage": USAGE}


def events(body: dict[str, Any], reply: Reply, id_: str) -> Iterator[tuple[str | None, Any]]:
    """Yield the name and the data of each event of a streamed reply."""

    def event(kind: str, **about: Any) -> tuple[str, Any]:
        return kind, {"type": kind, **about}

    yield event("message_start", message={**_head(body, id_), "content": [], "usage": USAGE})
    yield event("content_block_start", index=0, content_block={"type": "text", "text": ""})
    for part in reply.parts:
        delta = {"type": "text_delta", "text": part}
        yield event("content_block_delta", index=0, delta=delta)
    yield event("content_block_stop", index=0)
    if reply.call is not None:
        yield event(
            "content_block_start", index=1, content_block={**_call(reply, id_), "input": {}}
        )
        delta = {"type": "input_json_delta", "partial_json": reply.call.json}
        yield event("content_block_delta", index=1, delta=delta)
        yield event("content_block_stop", index=1)
    reason = {"stop_reason": _reason(reply), "stop_sequence": None}
    yield event("message_delta", delta=reason, usage=USAGE)
    yield event("message_stop")


def _head(body: dict[str, Any], id_: str) -> dict[str, Any]:
    about = {"id": f"msg_{id_}", "type": "message", "role": "assistant"}
    return {**about, "model": body.get("model", ""), "stop_reason": None, "stop_sequence": None}


def _reason(reply: Reply) -> str:
    return "end_turn" if reply.call is None else "tool_use"


def _call(reply: Reply, id_: str) -> dict[str, Any]:
    assert reply.call is not None
    return {"type": "tool_use", "id": f"toolu_{id_}", "name": reply.call.name}
