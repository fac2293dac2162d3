"""Ids, and the forms that a message may have."""

from __future__ import annotations

import json
from typing import Any

from acpgen.wire.conform.agent.client import (
    Client,
    has_result,
    introduction,
    probe,
)
from acpgen.wire.conform.conversation import error_code
from acpgen.wire.conform.wire import Line

_INVALID_REQUEST = -32600
_LARGE = 2**40
_BEYOND_ASCII = "ид-\u2028-😀"
_MEGABYTE = 1 << 20


@probe("number-ids")
async def answers_numbers(client: Client) -> None:
    await _answers(client, "number-ids", 0, _LARGE)


@probe("string-ids")
async def answers_texts(client: Client) -> None:
    await _answers(client, "string-ids", "7", _BEYOND_ASCII)


async def _answers(client: Client, requirement: str, first: Any, second: Any) -> None:
    """Judge whether requests with two ids are answered with these."""
    calls = {"initialize": introduction(client.version), "session/new": client.new_session()}
    for (method, params), id in zip(calls.items(), (first, second), strict=True):
        line = await client.talk.call(method, params, id)
        printed = [line for line in client.wire.lines if not line.sent]
        came = printed[-1] if line is None and printed else None
        expected = f"a response with the id {json.dumps(id, ensure_ascii=False)}"
        if not client.judge(requirement, line is not None, expected, came):
            return


@probe("json-forms")
async def reads_any_form(client: Client) -> None:
    params = json.dumps(introduction(client.version))
    data = f' {{ "params" :\t{params}, "id" : 1, "method":"initi\\u0061lize","jsonrpc":"2.0" }} '
    client.wire.send_bytes(data.encode())
    line = await client.talk.response(1)
    client.judge("json-forms", has_result(line), "a result, as for any other form", line)


@probe("long-lines")
async def reads_long_lines(client: Client) -> None:
    await client.initialize()
    message = {
        "jsonrpc": "2.0",
        "id": "long",
        "method": "session/new",
        "params": client.new_session(),
    }
    start, end = json.dumps(message)[:-1], "}"
    client.wire.send_bytes((start + " " * _MEGABYTE + end).encode())
    line = await client.talk.response("long")
    client.judge("long-lines", has_result(line), "a result, as for a short line", line)


@probe("meta", "unknown-members")
async def takes_more_members(client: Client) -> None:
    meta: dict[str, Any] = {"_meta": {"acpgen.conform/note": [1, None]}}
    line = await client.talk.call("initialize", introduction(client.version, **meta))
    if not client.judge("meta", has_result(line), "a result, as without _meta", line):
        return
    line = await client.talk.call("session/new", client.new_session(**meta))
    client.judge("meta", has_result(line), "a result, as without _meta", line)
    line = await client.talk.call("session/new", client.new_session(conformUnknown={"a": [1]}))
    expected = "a result, as without the member conformUnknown"
    client.judge("unknown-members", has_result(line), expected, line)


@probe("batches")
async def answers_batches(client: Client) -> None:
    await client.initialize()
    ids = ["first", "second"]
    batch = [
        {"jsonrpc": "2.0", "id": id, "method": "session/new", "params": client.new_session()}
        for id in ids
    ]
    since = len(client.wire.lines)
    client.wire.send(batch)
    line = await client.wire.wait(_answers_batch, since)
    answered = line.message if line is not None else None
    if type(answered) is list:
        ok = {each.get("id") for each in answered if type(each) is dict} == set(ids)
    else:
        ok = type(answered) is dict and error_code(line) == _INVALID_REQUEST
    expected = f"an array of two responses, or an error with the code {_INVALID_REQUEST}"
    client.judge("batches", ok, expected, line)


def _answers_batch(line: Line) -> bool:
    message = line.message
    return type(message) is list or (type(message) is dict and "method" not in message)
