"""Tests that each API of the scripted model server returns the same reply."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests.tools.reality.model.script import ANSWER, DONE, TITLE, WAITING
from tests.tools.reality.model.server import Server, serving

SHELL = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
RUN = "touch /tmp/ran.txt"


@pytest.fixture
def server(tmp_path: Path) -> Generator[Server]:
    with serving(tmp_path / "model.jsonl") as server:
        yield server


def chat(prompt: str, *, done: bool, tools: bool, stream: bool) -> tuple[str, dict[str, Any]]:
    messages: list[Any] = [{"role": "system", "content": "x"}, {"role": "user", "content": prompt}]
    if done:
        call = {"id": "1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": "1", "content": "ok"})
    function = {"name": "bash", "parameters": SHELL}
    body = {"messages": messages, "stream": stream}
    if tools:
        body["tools"] = [{"type": "function", "function": function}]
    return "/v1/chat/completions", body


def responses(prompt: str, *, done: bool, tools: bool, stream: bool) -> tuple[str, dict[str, Any]]:
    content = [{"type": "input_text", "text": prompt}]
    items: list[Any] = [{"type": "message", "role": "user", "content": content}]
    if done:
        call = {"type": "function_call", "call_id": "1", "name": "bash", "arguments": "{}"}
        items += [call, {"type": "function_call_output", "call_id": "1", "output": "ok"}]
    listed = [{"type": "function", "name": "bash", "parameters": SHELL}] if tools else []
    return "/v1/responses", {"input": items, "stream": stream, "tools": listed}


def messages(prompt: str, *, done: bool, tools: bool, stream: bool) -> tuple[str, dict[str, Any]]:
    said: list[Any] = [{"role": "user", "content": prompt}]
    if done:
        use = {"type": "tool_use", "id": "1", "name": "bash", "input": {}}
        result = {"type": "tool_result", "tool_use_id": "1", "content": "ok"}
        said += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    listed = [{"name": "bash", "input_schema": SHELL}] if tools else []
    return "/v1/messages", {"messages": said, "stream": stream, "tools": listed}


def gemini(prompt: str, *, done: bool, tools: bool, stream: bool) -> tuple[str, dict[str, Any]]:
    contents: list[Any] = [{"role": "user", "parts": [{"text": prompt}]}]
    if done:
        call = {"functionCall": {"name": "bash", "args": {}}}
        result = {"functionResponse": {"name": "bash", "response": {}}}
        contents += [{"role": "model", "parts": [call]}, {"role": "user", "parts": [result]}]
    declared = [{"functionDeclarations": [{"name": "bash", "parametersJsonSchema": SHELL}]}]
    method = "streamGenerateContent?alt=sse" if stream else "generateContent"
    return f"/v1beta/models/fake:{method}", {"contents": contents, "tools": declared * tools}


APIS = [chat, responses, messages, gemini]


def post(server: Server, path: str, body: Any) -> Any:
    request = urllib.request.Request(server.url + path, json.dumps(body).encode())
    return urllib.request.urlopen(request, timeout=30)


def read(answer: Any) -> tuple[str, str]:
    """Return the text and the command in a reply from any API, as a document or as events."""
    data = answer.read().decode()
    if not data.startswith("{"):
        lines = [line[6:] for line in data.splitlines() if line.startswith("data: ")]
        return read_events([json.loads(line) for line in lines if line != "[DONE]"])
    reply = json.loads(data)
    if "choices" in reply:
        message = reply["choices"][0]["message"]
        calls = [json.loads(e["function"]["arguments"]) for e in message.get("tool_calls", [])]
        return message["content"], "".join(call["command"] for call in calls)
    if "output" in reply:
        text = reply["output"][0]["content"][0]["text"]
        return text, "".join(json.loads(e["arguments"])["command"] for e in reply["output"][1:])
    if "candidates" in reply:
        first, *calls = reply["candidates"][0]["content"]["parts"]
        return first["text"], "".join(e["functionCall"]["args"]["command"] for e in calls)
    first, *calls = reply["content"]
    return first["text"], "".join(each["input"]["command"] for each in calls)


def read_events(events: list[dict[str, Any]]) -> tuple[str, str]:
    text, arguments = "", ""
    for event in events:
        if "choices" in event:
            for choice in event["choices"]:
                text += choice["delta"].get("content", "")
                for call in choice["delta"].get("tool_calls", []):
                    arguments += call["function"]["arguments"]
        elif "candidates" in event:
            for part in event["candidates"][0]["content"]["parts"]:
                text += part.get("text", "")
                arguments += json.dumps(part["functionCall"]["args"]) if "text" not in part else ""
        elif event["type"] == "response.output_text.delta":
            text += event["delta"]
        elif event["type"] == "response.function_call_arguments.delta":
            arguments += event["delta"]
        elif event["type"] == "content_block_delta":
            text += event["delta"].get("text", "")
            arguments += event["delta"].get("partial_json", "")
    return text, json.loads(arguments)["command"] if arguments else ""


@pytest.mark.parametrize("stream", [False, True], ids=["document", "events"])
@pytest.mark.parametrize("api", APIS, ids=lambda api: api.__name__)
@pytest.mark.parametrize(
    ("prompt", "done", "tools", "expected"),
    [
        ("Please: scene=say", False, True, (f"{ANSWER} ", "")),
        ("scene=run path=/tmp/ran.txt", False, True, ("I will use a tool.", RUN)),
        ("scene=run path=/tmp/ran.txt", True, True, (DONE, "")),
        ("scene=run path=/tmp/ran.txt", False, False, (TITLE, "")),
        ("What is this about?", False, True, (TITLE, "")),
    ],
    ids=["text", "call", "after the call", "without tools", "no scene"],
)
def test_the_reply_is_that_of_the_script(
    server: Server,
    api: Any,
    stream: bool,
    prompt: str,
    done: bool,
    tools: bool,
    expected: tuple[str, str],
) -> None:
    path, body = api(prompt, done=done, tools=tools, stream=stream)
    with post(server, path, body) as answer:
        assert read(answer) == expected


@pytest.mark.parametrize("api", APIS, ids=lambda api: api.__name__)
def test_a_slow_reply_can_be_left_in_the_middle(server: Server, api: Any) -> None:
    path, body = api("scene=wait", done=False, tools=True, stream=True)
    with post(server, path, body) as answer:
        seen = ""
        while WAITING not in seen:
            line = answer.readline().decode()
            assert line, "the reply ended"
            seen += line
        assert server.waits.wait(30)


SCHEMA = {"type": "object", "properties": {"outcome": {"enum": ["allow", "deny"]}}}
FORMS: list[tuple[Any, dict[str, Any]]] = [
    (chat, {"response_format": {"type": "json_schema", "json_schema": {"schema": SCHEMA}}}),
    (responses, {"text": {"format": {"type": "json_schema", "schema": SCHEMA}}}),
    (gemini, {"generationConfig": {"responseJsonSchema": SCHEMA}}),
]


@pytest.mark.parametrize(("api", "form"), FORMS, ids=["chat", "responses", "gemini"])
def test_the_reply_has_the_required_form(server: Server, api: Any, form: dict[str, Any]) -> None:
    path, body = api("scene=run path=/tmp/ran.txt", done=False, tools=True, stream=False)
    with post(server, path, {**body, **form}) as answer:
        text, command = read(answer)
    assert json.loads(text) == {"outcome": "allow"}
    assert command == ""


def test_an_unknown_path_is_not_found(server: Server) -> None:
    with pytest.raises(urllib.error.HTTPError) as caught:
        post(server, "/v1/embeddings", {})
    assert caught.value.code == 404
    caught.value.close()


def test_models_are_listed(server: Server) -> None:
    with urllib.request.urlopen(f"{server.url}/v1/models", timeout=30) as answer:
        assert [each["id"] for each in json.load(answer)["data"]] == ["fake-model"]
