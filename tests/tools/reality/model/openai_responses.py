"""OpenAI's Responses API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .script import Exchange, Reply, Role
from .texts import text_of
from .tools import Tool

USAGE = {
    "input_tokens": 100,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 10,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 110,
}


def read(body: dict[str, Any]) -> Exchange:
    items = body["input"]
    if isinstance(items, str):
        items = [{"role": "user", "content": items}]
    messages: list[tuple[Role, str]] = []
    for item in items:
        kind = item.get("type", "message")
        if kind == "message" and item["role"] in ("user", "assistant"):
            role: Role = "user" if item["role"] == "user" else "model"
            messages.append((role, text_of(item.get("content"))))
        elif kind.endswith("_call_output"):
            messages.append(("tool", ""))
    tools = [
        Tool(tool["name"], tool.get("parameters") or {}, tool["type"] == "custom")
        for tool in _flat(body.get("tools") or [])
        if "name" in tool
    ]
    form = (body.get("text") or {}).get("format") or {}
    return Exchange(messages, tools, bool(body.get("stream")), form.get("schema"))


def _flat(tools: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield all tools. Prefix the names of a namespace's tools with the namespace's name."""
    for tool in tools:
        if tool.get("type") != "namespace":
            yield tool
        for each in tool.get("tools") or []:
            yield {**each, "name": f"{tool['name']}{each['name']}"}


def document(body: dict[str, Any], reply: Reply, id_: str) -> dict[str, Any]:
    return _response(body, id_, "completed", _items(body, reply, id_))


def events(body: dict[str, Any], reply: Reply, id_: str) -> Iterator[tuple[str | None, Any]]:
    """Yield the name and the data of each event of a streamed reply."""

    def event(kind: str, **about: Any) -> tuple[str, Any]:
        return f"response.{kind}", {"type": f"response.{kind}", **about}

    yield event("created", response=_response(body, id_, "in_progress", []))
    message, *calls = _items(body, reply, id_)
    about = {"item_id": message["id"], "output_index": 0, "content_index": 0}
    empty = {"type": "output_text", "text": "", "annotations": []}
    started = {**message, "status": "in_progress", "content": []}
    yield event("output_item.added", output_index=0, item=started)
    yield event("content_part.added", **about, part=empty)
    for part in reply.parts:
        yield event("output_text.delta", **about, delta=part)
    yield event("output_text.done", **about, text=reply.text)
    yield event("content_part.done", **about, part=message["content"][0])
    yield event("output_item.done", output_index=0, item=message)
    for item in calls:
        of = {"item_id": item["id"], "output_index": 1}
        name = "arguments" if "arguments" in item else "input"
        kind = "function_call_arguments" if name == "arguments" else "custom_tool_call_input"
        begun = {**item, name: "", "status": "in_progress"}
        yield event("output_item.added", output_index=1, item=begun)
        yield event(f"{kind}.delta", **of, delta=item[name])
        yield event(f"{kind}.done", **of, **{name: item[name]})
        yield event("output_item.done", output_index=1, item=item)
    response = _response(body, id_, "completed", [message, *calls])
    yield event("completed", response=response)


def _items(body: dict[str, Any], reply: Reply, id_: str) -> list[dict[str, Any]]:
    text = {"type": "output_text", "text": reply.text, "annotations": []}
    about = {"role": "assistant", "status": "completed", "content": [text]}
    items: list[dict[str, Any]] = [{"type": "message", "id": f"msg_{id_}", **about}]
    if reply.call is not None:
        call = {"id": f"fc_{id_}", "call_id": f"call_{id_}", "status": "completed"}
        name, [space, tool] = reply.call.name, _owner(body, reply.call.name)
        if any(each.get("name") == name and each["type"] == "custom" for each in body["tools"]):
            items.append(
                {"type": "custom_tool_call", **call, "name": name, "input": reply.call.text}
            )
        else:
            where = {"namespace": space} if space else {}
            arguments = {"name": tool, **where, "arguments": reply.call.json}
            items.append({"type": "function_call", **call, **arguments})
    return items


def _owner(body: dict[str, Any], name: str) -> tuple[str, str]:
    """Return a tool's namespace (or an empty string) and the rest of the tool's name."""
    for space in body["tools"]:
        if space.get("type") == "namespace" and name.startswith(space["name"]):
            return space["name"], name.removeprefix(space["name"])
    return "", name


def _response(
    body: dict[str, Any], id_: str, status: str, output: list[dict[str, Any]]
) -> dict[str, Any]:
    about = {"id": f"resp_{id_}", "object": "response", "created_at": 1, "status": status}
    model = {"model": body.get("model", ""), "error": None, "incomplete_details": None}
    settings = {"parallel_tool_calls": False, "tool_choice": "auto", "tools": []}
    usage = USAGE if status == "completed" else None
    return {**about, **model, **settings, "output": output, "usage": usage}
