"""Tests of the conversion between a program's lines and a remote connection's messages."""

from __future__ import annotations

import asyncio

import pytest
from acp_bindings.runtime.aio import memory_messages, memory_streams
from acp_bindings.runtime.jsonrpc.envelope import Message
from acpwire.message_lines import Unreadable, read_lines, write_lines

from tests.acpwire.remote import PATIENCE


async def sent(lines: bytes, *, parses: bool = True) -> list[Message | Unreadable]:
    """Pass lines to `read_lines` and return the messages it sends and the lines it rejects."""
    near, far = memory_streams(1 << 20)
    here, there = memory_messages(1 << 20)
    found: list[Message | Unreadable] = []

    async def keep(unreadable: Unreadable) -> None:
        found.append(unreadable)

    near.write(lines)
    await near.close()
    await read_lines(far, here, keep, parses=parses, max_line=100)
    await here.close()
    return [*await there.receive(), *found]


async def test_lines_become_messages_with_their_envelopes() -> None:
    first, second = await sent(
        b'{"id":1,"method":"a","params":{"sessionId":"s"}}\r\n\n \n{"method":"b"}'
    )
    assert isinstance(first, Message)
    assert isinstance(second, Message)
    assert first.envelope is not None
    assert (first.envelope.session_id, first.envelope.id) == ("s", 1)
    assert second.text == b'{"method":"b"}'


async def test_lines_are_not_parsed_without_need() -> None:
    (message,) = await sent(b'{"method":\r1\n', parses=False)
    assert isinstance(message, Message)
    assert (message.envelope, message.text) == (None, b'{"method": 1')


@pytest.mark.parametrize("parses", [True, False])
async def test_a_line_that_is_too_long_is_not_sent(parses: bool) -> None:
    line = b'{"jsonrpc":"2.0","id":3,"method":"a","params":{"a":"%s"}}\n' % (b"x" * 100)
    message, unreadable = await sent(line + b'{"method":"b"}\n', parses=parses)
    assert isinstance(message, Message)
    assert isinstance(unreadable, Unreadable)
    assert unreadable.parts == [{"jsonrpc": "2.0", "id": 3, "method": "a"}]


@pytest.mark.parametrize(
    ("line", "problem", "parts"),
    [
        (
            b'{"jsonrpc":"2.0","id":3,"method":"\xff"}',
            "text that is not valid Unicode",
            [{"jsonrpc": "2.0", "id": 3}],
        ),
        (
            b'{"jsonrpc":"2.0","id":3,"result":NaN}',
            "NaN is not valid JSON",
            [{"jsonrpc": "2.0", "id": 3, "result": None}],
        ),
        (b"Loading", "no value at character 0", []),
        (b"\xff", "text that is not valid Unicode", []),
    ],
)
async def test_a_line_that_is_not_json_is_not_sent(
    line: bytes, problem: str, parts: list[object]
) -> None:
    (unreadable,) = await sent(line + b"\n")
    assert isinstance(unreadable, Unreadable)
    assert (unreadable.line, unreadable.problem, unreadable.parts) == (line, problem, parts)


async def test_a_line_that_is_not_unicode_is_not_sent_unparsed() -> None:
    (unreadable,) = await sent(b'{"jsonrpc":"2.0","id":3,"method":"\xff"}\n', parses=False)
    assert isinstance(unreadable, Unreadable)
    assert unreadable.problem == "text that is not valid Unicode"
    assert unreadable.parts == [{"jsonrpc": "2.0", "id": 3}]


async def test_messages_become_lines() -> None:
    near, far = memory_streams(1 << 20)
    here, there = memory_messages(1 << 20)
    there.send([Message(b'{\n"a":\r\n1}'), Message(b"[]")])
    await there.close()
    assert await write_lines(here, near)
    assert await far.read() == b'{ "a":  1}\n[]\n'


async def test_messages_end_if_the_program_reads_nothing_more() -> None:
    near, far = memory_streams()
    here, there = memory_messages()
    await far.close()
    there.send([Message(b"{}")])
    assert not await asyncio.wait_for(write_lines(here, near), PATIENCE)
