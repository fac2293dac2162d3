"""Messages that cannot be read: whoever waits for their effect is told."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from acp_bindings.runtime import DecodeError
from acp_bindings.runtime.aio import MemoryStream, connect, memory_streams
from package.jsonrpc.aio_sides import ASK, begin, client, connected, echo
from package.jsonrpc.wire import line

DEEP = b"[" * 200_000 + b"]" * 200_000
HALF = b'"\\ud83d"'
# Values that stand for text that is not JSON, as real peers send it.
VALUES = {
    "half of a surrogate pair": HALF,
    "invalid UTF-8": b'"\xff\xfe"',
    "a number out of range": b"1e400",
    "not a number": b"NaN",
    "a value nested too deeply": DEEP,
    "a line that is too long": b'"' + b"x" * 20_000 + b'"',
    "a value that is cut off": b'{"a": ',
}
MAX_LINE = 10_000 + len(DEEP)
each_value = pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
RESULT_LAST = b'{"jsonrpc":"2.0","id":%(id)d,"result":%(value)s}\n'
ID_LAST = b'{"jsonrpc":"2.0","result":%(value)s, "id" : %(id)d }\n'


def options(value: bytes) -> dict[str, Any]:
    return {"max_line": 10_000 if len(value) == 20_002 else MAX_LINE}


@pytest.mark.parametrize(
    ("form", "value"),
    [*((RESULT_LAST, value) for value in VALUES.values()), (ID_LAST, HALF), (ID_LAST, DEEP)],
    ids=[*VALUES, "id last, short", "id last, deep"],
)
async def test_a_call_fails_when_its_answer_cannot_be_read(form: bytes, value: bytes) -> None:
    async with connected(**options(value)) as (peer, wire):
        call, id_ = await begin(wire, peer.request(ASK, None))
        wire.stream.write(form % {b"id": id_, b"value": value})
        with pytest.raises(DecodeError, match="_ask: expected JSON text"):
            await call


@each_value
async def test_a_request_that_cannot_be_read_is_answered_by_its_id(value: bytes) -> None:
    async with connected(client(ext_request=echo), **options(value)) as (_, wire):
        wire.stream.write(b'{"jsonrpc":"2.0","id":"q","method":"_ask","params":%s}\n' % value)
        answer = await wire.read()
        assert (answer["id"], answer["error"]["code"]) == ("q", -32700)


async def test_two_sides_of_ours_do_not_wait_for_each_other() -> None:
    """Node writes half a pair where it cuts a string; a proxy passes it on."""
    near, middle_near = memory_streams()
    middle_far, far = memory_streams()

    async def forward(source: MemoryStream, target: MemoryStream) -> None:
        while data := await source.read():
            target.write(data.replace(b'"HALF"', HALF))

    directions = [(middle_near, middle_far), (middle_far, middle_near)]
    pumps = [asyncio.create_task(forward(*direction)) for direction in directions]
    async with connect(near, client()) as peer, connect(far, client(ext_request=echo)):
        with pytest.raises(Exception, match="parse error"):
            await peer.request(ASK, "HALF")
    await asyncio.gather(*pumps)


async def test_what_has_no_id_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async with connected() as (peer, wire):
        wire.stream.write(b'{"jsonrpc":"2.0","method":"session/update","params":%s}\n' % HALF)
        assert (await wire.read())["error"]["code"] == -32700
        body = {"code": -32700, "message": "cannot\nread"}
        wire.stream.write(line({"id": None, "error": body}, {"id": 5, "method": "_ask"}))
        await wire.read()
        assert peer.advertised is None
    update, error = caplog.messages
    assert "parse error: text that is not Unicode, in 'session/update'" in update
    assert r"could not read a message: 'cannot\nread' (-32700)" in error
