"""Gemini's `generateContent` API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .script import Exchange, Reply, Role
from .texts import text_of
from .tools import Tool

USAGE = {"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110}


def read(body: dict[str, Any]) -> Exchange:
    """Convert a request to an `Exchange`. The URL determines whether the reply is streamed."""
    messages: list[tuple[Role, str]] = []
    for content in body["contents"]:
        parts = content.get("parts") or []
        messages += [("tool", "") for part in parts if "functionResponse" in part]
        role: Role = "model" if content.get("role") == "model" else "user"
        if text := text_of(parts):
            messages.append((role, text))
    declared = [
        each for tool in body.get("tools") or [] for each in tool.get("functionDeclarations") or []
    ]
    tools = [Tool(each["name"], _schema(each)) for each in declared]
    settings = body.get("generationConfig") or {}
    schema = settings.get("responseJsonSchema") or settings.get("responseSchema")
    return Exchange(messages, tools, streams=True, schema=_lower(schema))


def _schema(declaration: dict[str, Any]) -> dict[str, Any]:
    schema = declaration.get("parametersJsonSchema") or declaration.get("parameters") or {}
    return dict(_lower(schema))


def _lower(schema: Any) -> Any:
    """Return a schema with lower-case type names."""
    if not isinstance(schema, dict):
        return schema
    return {
        name: value.lower() if name == "type" and isinstance(value, str) else _lower(value)
        for name, value in schema.items()
    }


def document(body: dict[str, Any], reply: Reply, id_: str) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [{"text": reply.text}]
    return _response([*parts, *_calls(reply)], "STOP")


def events(body: dict[str, Any], reply: Reply, id_: str) -> Iterator[tuple[str | None, Any]]:
    """Yield the name and the data of each event of a streamed reply."""
    for part in reply.parts:
        yield None, _response([{"text": part}])
    yield None, _response(_calls(reply) or [{"text": ""}], "STOP")


def _calls(reply: Reply) -> list[dict[str, Any]]:
    if reply.call is None:
        return []
    return [{"functionCall": {"name": reply.call.name, "args": reply.call.arguments}}]


def _response(parts: list[dict[str, Any]], reason: str | None = None) -> dict[str, Any]:
    candidate: dict[str, Any] = {"index": 0, "content": {"role": "model", "parts": parts}}
    if reason:
        candidate["finishReason"] = reason
    return {"candidates": [candidate], "usageMetadata": USAGE, "modelVersion": "fake-model"}
