"""Messages that cannot be read: whoever waits for their effect is told."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.runtime import DecodeError
from acp_bindings.runtime.aio import connect, memory_streams
from package.jsonrpc.aio_sides import ASK, GIVE_UP, client, echo
from package.jsonrpc.loop import handler, run

DEEP = b"[" * 200_000 + b"]" * 200_000
# Values that stand for text that is not JSON, as real peers send it.
VALUES = {
    "half of a surrogate pair": b'"\\ud83d"',
    "invalid UTF-8": b'"\xff\xfe"',
    "a number out of range": b"1e400",
    "not a number": b"NaN",
    "a value nested too deeply": DEEP,
    "a line that is too long": b'"' + b"x" * 20_000 + b'"',
    "a value that is cut off": b'{"a": ',
}
MAX_LINE = 10_000 + len(DEEP)
each_value = pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)


def options(value: bytes) -> dict[str, Any]:
    return {"max_line": 10_000 if len(value) == 20_002 else MAX_LINE}


@each_value
def test_a_call_fails_when_its_answer_cannot_be_read(value: bytes) -> None:
    async def main() -> None:
        near, far = memory_streams()
        async with connect(near, handler(v1.ClientHandler), **options(value)) as peer:
            calling = asyncio.create_task(peer.request(ASK, None))
            asked = json.loads(await far.read())
            far.write(b'{"jsonrpc":"2.0","id":%d,"result":%s}\n' % (asked["id"], value))
            with pytest.raises(DecodeError, match="_ask: expected JSON text"):
                await calling

    run(main())


@pytest.mark.parametrize("value", [VALUES["half of a surrogate pair"], DEEP], ids=["short", "deep"])
def test_the_id_may_come_last(value: bytes) -> None:
    async def main() -> None:
        near, far = memory_streams()
        async with connect(near, handler(v1.ClientHandler)) as peer:
            calling = asyncio.create_task(peer.request(ASK, None))
            asked = json.loads(await far.read())
            far.write(b'{"jsonrpc":"2.0","result":%s, "id" : %d }\n' % (value, asked["id"]))
            with pytest.raises(DecodeError):
                await calling

    run(main())


@each_value
def test_a_request_that_cannot_be_read_is_answered_by_its_id(value: bytes) -> None:
    async def main() -> None:
        near, far = memory_streams()
        async with connect(near, client(ext_request=echo), **options(value)):
            far.write(b'{"jsonrpc":"2.0","id":"q","method":"_ask","params":%s}\n' % value)
            answer = json.loads(await far.read())
            assert (answer["id"], answer["error"]["code"]) == ("q", -32700)

    run(main())


def test_two_sides_of_ours_do_not_wait_for_each_other() -> None:
    """Node writes half a pair where it cuts a string; a proxy passes it on."""

    async def main() -> None:
        near, middle_near = memory_streams()
        middle_far, far = memory_streams()

        async def forward() -> None:
            while data := await middle_near.read():
                middle_far.write(data.replace(b"HALF", b"\\ud83d"))

        async def back() -> None:
            while data := await middle_far.read():
                middle_near.write(data)

        pumps = [asyncio.create_task(forward()), asyncio.create_task(back())]
        agent = connect(far, client(ext_request=echo))
        async with connect(near, handler(v1.ClientHandler)) as peer, agent:
            call = peer.request(ASK, "HALF")
            with pytest.raises(Exception, match="parse error"):
                await asyncio.wait_for(call, GIVE_UP)
        await asyncio.gather(*pumps)

    run(main())


def test_an_update_that_cannot_be_read_is_logged_by_its_name(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def main() -> None:
        near, far = memory_streams()
        async with connect(near, handler(v1.ClientHandler)):
            far.write(b'{"jsonrpc":"2.0","method":"session/update","params":"\\ud83d"}\n')
            await far.read()

    run(main())
    assert "parse error: text that is not Unicode, in 'session/update'" in caplog.text


def test_an_error_without_an_id_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        near, far = memory_streams()
        async with connect(near, handler(v1.ClientHandler)) as peer:
            body = {"code": -32700, "message": "cannot\nread"}
            far.write(json.dumps({"jsonrpc": "2.0", "id": None, "error": body}).encode() + b"\n")
            far.write(b'{"jsonrpc":"2.0","id":5,"method":"_ask"}\n')
            await far.read()
            assert peer.advertised is None

    run(main())
    [message] = [record.getMessage() for record in caplog.records]
    assert r"could not read a message: 'cannot\nread' (-32700)" in message
