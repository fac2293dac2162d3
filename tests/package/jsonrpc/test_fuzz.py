"""Fuzzing of both sides with unexpected bytes and faulty conversations."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import random
from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.runtime.aio import Peer, memory_streams
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.package.aio.loop import handler, run
from tests.package.jsonrpc.invariants import BY_VERSION, SURFACES, Ledger, check_connection
from tests.package.jsonrpc.wire import CALLS, each_side, initialize, line

N = int(os.environ.get("FUZZ_N", "60"))
fuzzed = settings(max_examples=N, deadline=None, suppress_health_check=[HealthCheck.too_slow])
each_spoken = pytest.mark.parametrize(
    "surface", [*BY_VERSION.values(), None], ids=["v1", "v2", "chosen"]
)

NAMES = sorted(
    {name for s in SURFACES for table in (s.AGENT_METHODS, s.CLIENT_METHODS) for name in table}
    | {"$/cancel_request", "_ask", "_", "nope", ""}
)
PARAMS: list[Any] = [
    *(params for _, params in CALLS.values()),
    {"sessionId": "s", "prompt": [{"type": "text", "text": "ä😀"}]},
    {"sessionId": "s", "update": {"sessionUpdate": "agent_message_chunk", "content": None}},
    {"requestId": 1},
    {"requestId": "1"},
    {"cwd": "/", "mcpServers": []},
    initialize(1)["params"],
    initialize(2)["params"],
]
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
    | st.just("\ud83d"),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
ids = st.sampled_from([0, 1, 2, 3, "1", "a", None]) | values
messages = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0") | st.sampled_from(["2.0", "1.0", 2.0, None])},
    optional={
        "id": ids,
        "method": st.sampled_from(NAMES) | values,
        "params": st.sampled_from(PARAMS) | values,
        "result": values,
        "error": st.just({"code": 1, "message": "m"}) | values,
    },
)
calls = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0"), "method": st.sampled_from(NAMES)},
    optional={"id": st.sampled_from([0, 1, 2, "1", None]), "params": st.sampled_from(PARAMS)},
)
answers = st.fixed_dictionaries({"jsonrpc": st.just("2.0"), "id": st.integers(0, 4)}).flatmap(
    lambda message: st.sampled_from(
        [
            {**message, "result": {}},
            {**message, "error": {"code": 1, "message": "m"}},
            {**message, "result": None, "error": None},
        ]
    )
)
entries = calls | messages | answers
anything = entries | st.lists(entries | values, max_size=5) | values
dumped = anything.map(
    lambda value: json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace")
)


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """Draw a line in which a few bytes are replaced, removed or inserted."""
    data = draw(dumped)
    start = draw(st.integers(0, len(data)))
    end = draw(st.integers(start, min(len(data), start + 4)))
    return data[:start] + draw(st.binary(max_size=3)) + data[end:]


JUNK = [
    b'"\xff"',
    b"1e400",
    b"[" * 3000,
    b"[" * 3000 + b"]" * 3000,
    b'"',
    b"nul",
    b"}",
]


BESIDE = [b"Loading...", b"\x1b[?25l", b"\xff", b"{", b'{"a":1}', b'"', b" \r"]


@st.composite
def beside(draw: st.DrawFn) -> bytes:
    """Draw a line that mixes messages, parts of messages and other text."""
    parts = st.sampled_from(BESIDE) | calls.map(json.dumps).map(str.encode) | dumped
    return b"".join(draw(st.lists(parts, max_size=4)))


@st.composite
def spoiled(draw: st.DrawFn) -> bytes:
    """Draw a message or batch that contains a value that isn't JSON."""
    message = {**draw(entries), "x": "here"}
    names = draw(st.permutations(sorted(message)))
    others = draw(st.lists(entries, max_size=2))
    found: Any = {name: message[name] for name in names}
    data = json.dumps([found, *others] if others else found).encode()
    return data.replace(b'"here"', draw(st.sampled_from(JUNK)))


lines = dumped | mutated() | spoiled() | beside() | st.binary(max_size=20) | st.just(b"")
conversations = st.lists(lines, max_size=8).flatmap(
    lambda found: st.sampled_from([b"\n", b"\r\n"]).map(lambda end: end.join([*found, b""]))
) | st.lists(lines, max_size=8).map(b"\n".join)


def cut(data: bytes, dice: random.Random) -> list[bytes]:
    """Split bytes at random positions."""
    places = sorted(dice.randrange(len(data) + 1) for _ in range(dice.randrange(6)))
    return [data[a:b] for a, b in zip([0, *places], [*places, len(data)], strict=True)]


@each_spoken
@each_side
@fuzzed
@given(data=conversations | st.binary(), own=st.integers(0, 3), seed=st.integers(0, 1 << 16))
def test_every_request_gets_one_reply_and_nothing_else_does(
    side: Any, surface: Any, data: bytes, own: int, seed: int
) -> None:
    dice = random.Random(seed)
    check_connection(side, surface, cut(data, dice), own, dice.randrange)


def test_the_ledger_is_not_empty_for_lack_of_requests() -> None:
    ledger = Ledger("agent")
    ledger.line(b'{"jsonrpc":"2.0","id":1,"method":"m"}', takes_arrays=False)
    ledger.line(b'[{"jsonrpc":"2.0","id":2,"method":"m"}, 5]', takes_arrays=True)
    assert (ledger.single, ledger.arrays) == ([1], [[2, None]])
    with pytest.raises(AssertionError):
        ledger.settle(b"")


def test_the_ledger_reads_what_is_no_json() -> None:
    ledger = Ledger("agent", [3])
    ledger.line(b'{"jsonrpc":"2.0","id":1,"method":"m","params":NaN}', takes_arrays=False)
    ledger.line(b'[{"id":2,"method":"m"},{"id":3,"result":NaN},', takes_arrays=True)
    ledger.line(b'{"params":{"id":4},"method":"m"', takes_arrays=False)
    ledger.line(b'{"id":3,"result":NaN}', takes_arrays=False)
    assert (ledger.single, ledger.arrays) == ([1, None], [[2]])


# --- through the asyncio adapter -------------------------------------------------------------


async def echo(peer: Peer, method: str, params: Any) -> Any:
    if peer.handler is not None and method == "_ask":
        await asyncio.sleep(0)
    return params


async def converse(side: Any, surface: Any, chunks: list[bytes]) -> bytes:
    """Feed chunks to a peer until the end of its input and return its output."""
    base = surface.AgentHandler if side == "agent" else surface.ClientHandler
    near, far = memory_streams()
    peer = Peer(near, side, handler(base, ext_request=echo, ext_notification=echo))
    running = asyncio.create_task(peer.run())
    for chunk in chunks:
        far.write(chunk)
        await asyncio.sleep(0)
    far._outgoing.close()  # close only one direction, so that pending requests get responses
    await running
    assert not peer._calling._calls
    assert not peer._running._unfinished()
    assert not peer._handling.lanes._lanes
    assert not peer._connection.pending
    written = b""
    while data := await far.read():
        written += data
    return written


@pytest.mark.parametrize("surface", BY_VERSION.values(), ids=["v1", "v2"])
@each_side
@settings(fuzzed, max_examples=max(N // 3, 1))
@given(data=conversations, seed=st.integers(0, 1 << 16))
def test_a_peer_answers_every_request_once(side: Any, surface: Any, data: bytes, seed: int) -> None:
    ledger = Ledger(side)
    data = line(initialize(surface.SCHEMA.protocol_version, "initialize")) + data
    *complete, rest = data.split(b"\n")
    for each in complete:
        ledger.line(each, surface is not v1)
    ledger.line(rest, surface is not v1, is_last=True)
    logging.disable()  # suppress the many log messages
    try:
        written = run(converse(side, surface, cut(data, random.Random(seed))))
    finally:
        logging.disable(logging.NOTSET)
    ledger.settle(written)
