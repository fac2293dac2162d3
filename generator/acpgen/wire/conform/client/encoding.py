"""Ids, and the forms that a message may have."""

from __future__ import annotations

import json
from typing import Any

from acpgen.wire.conform.client.agent import PING, Agent, probe
from acpgen.wire.conform.conversation import Unreached

_LARGE = 2**40
_BEYOND_ASCII = "ид-\u2028-😀"
_MEGABYTE = 1 << 20


@probe("number-ids")
async def answers_numbers(agent: Agent) -> None:
    await _answers(agent, "number-ids", 0, _LARGE)


@probe("string-ids")
async def answers_texts(agent: Agent) -> None:
    await _answers(agent, "string-ids", "7", _BEYOND_ASCII)


async def _answers(agent: Agent, requirement: str, *ids: Any) -> None:
    """Judge whether requests with some ids are answered with these."""
    await agent.prompted()
    if await agent.talk.call(PING, {}) is None:
        raise Unreached("requests for unknown methods are not answered")
    for id in ids:
        since = len(agent.wire.lines)
        line = await agent.talk.call(PING, {}, id)
        printed = [line for line in agent.wire.lines[since:] if not line.sent]
        came = printed[-1] if line is None and printed else None
        expected = f"a response with the id {json.dumps(id, ensure_ascii=False)}"
        if not agent.judge(requirement, line is not None, expected, came):
            return


@probe("json-forms")
async def reads_any_form(agent: Agent) -> None:
    await agent.prompted()
    block = '{"text":"\\u0048\\ud83d\\ude00\\/", "type" :"text"}'
    more = ', "messageId":"conform-agent"' if agent.version > 1 else ""
    update = f'{{ "content":{block}{more},\t"sessionUpdate":"agent_\\u006dessage_chunk"}}'
    params = f'{{"update" : {update}, "sessionId":{json.dumps(agent.session)} }}'
    data = f' {{ "params":{params}, "method":"session\\/update" , "jsonrpc" : "2.0"}} '
    sent = agent.wire.send_bytes(data.encode())
    await agent.lives("json-forms", "an update in another form", sent)


@probe("long-lines")
async def reads_long_lines(agent: Agent) -> None:
    await agent.prompted()
    sent = agent.update("agent_message_chunk", **agent.text("Hello. é" * (_MEGABYTE // 9)))
    await agent.lives("long-lines", "a line of one megabyte", sent)


@probe("meta")
async def takes_meta(agent: Agent) -> None:
    await _takes(agent, "meta", {"_meta": {"acpgen.conform/note": [1, None]}})


@probe("unknown-members")
async def takes_unknown_members(agent: Agent) -> None:
    await _takes(agent, "unknown-members", {"conformUnknown": {"a": [1]}})


async def _takes(agent: Agent, requirement: str, more: dict[str, Any]) -> None:
    """Judge whether members may be added to what the agent sends."""
    agent.hello.update(more)
    agent.opened.update(more)
    try:
        await agent.prompted()
    except Unreached:
        expected = f"a prompt, as without {next(iter(more))} in the results of requests"
        agent.judge(requirement, False, expected)
        return
    members = agent.text("Hello.")
    members["content"].update(more)
    sent = agent.update("agent_message_chunk", **members, **more)
    await agent.lives(requirement, f"an update with {next(iter(more))}", sent)


@probe("batches")
async def answers_batches(agent: Agent) -> None:
    await agent.prompted()
    ids = ["first", "second"]
    batch = [{"jsonrpc": "2.0", "id": id, "method": PING, "params": {}} for id in ids]
    since = len(agent.wire.lines)
    sent = agent.wire.send(batch)
    line = await agent.wire.wait(lambda line: type(line.message) is list, since)
    answered = line.message if line is not None else []
    came = {each.get("id") for each in answered if type(each) is dict}
    agent.judge("batches", came == set(ids), "an array of two responses", line, sent)
