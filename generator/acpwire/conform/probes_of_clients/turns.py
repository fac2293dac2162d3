"""Probes for initialization, sessions, and turns with all types of updates."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from acp_bindings.runtime.jsonrpc.method import INITIALIZE

from acpwire.conform.player import FUTURE, Message, Unreached, text
from acpwire.conform.probes_of_both import judge_silence
from acpwire.conform.probes_of_clients.played_agent import PlayedAgent, probe
from acpwire.conform.probes_of_clients.sample_updates import updates
from acpwire.conform.wire import Line
from acpwire.json_values import at
from acpwire.surfaces import has_method

# The delay before the response to `initialize`, in seconds. The delay reveals clients that don't
# wait for the response.
_PAUSE = 0.2


@probe("initialize", "client-info", "initialize-first")
async def introduces_itself(agent: PlayedAgent) -> None:
    agent.answers[INITIALIZE] = lambda request: None
    line = await agent.wire.wait(lambda line: True)
    message = line.message
    said = at(message, "params", "protocolVersion")
    is_request = line.method == INITIALIZE and at(message, "id") is not None
    expected = "initialize as the first request, with a protocolVersion that is an integer"
    ok = is_request and type(said) is int
    if not agent.judge("initialize", ok, expected, line):
        raise Unreached("no initialize with a protocol version arrived")
    if said == agent.version and agent.applies("client-info"):
        name = agent.facts.infos["client"]
        info = at(message, "params", name)
        agent.judge("client-info", type(info) is dict, f"a {name} in the params", line)
    await asyncio.sleep(_PAUSE)
    for request in [each for each in agent.asked if each["method"] == INITIALIZE]:
        agent.answer(request, {"result": agent.hello})
    await agent.prompted()


@probe("unsupported-version")
async def leaves_what_it_does_not_speak(agent: PlayedAgent) -> None:
    agent.hello["protocolVersion"] = FUTURE
    line = await agent.wire.wait(lambda line: line.method == INITIALIZE)
    if not line:
        raise Unreached(f"initialize did not arrive: {line.text}")
    since = len(agent.wire.lines)
    ended = await agent.wire.wait_end()
    more = next((line for line in agent.wire.lines[since:] if not line.sent), None)
    expected = f"end of input for the agent, since the client does not support {FUTURE}"
    sent = next((line for line in agent.wire.lines if line.sent), None)
    agent.judge("unsupported-version", ended and more is None, expected, more, sent)


@probe(
    *("working-directory", "known-sessions", "prompt-content", "agent-capabilities"),
    "offered-values",
)
async def opens_a_session(agent: PlayedAgent) -> None:
    choices = [{"value": value, "name": value} for value in ("conform-1", "conform-2")]
    option = {"name": "Judge", "type": "select", "currentValue": "conform-1", "options": choices}
    sample = next(
        each["configOptions"] for each in updates(agent.version) if "configOptions" in each
    )
    id = "configId" if "configId" in sample[0] else "id"
    offered = {"configOptions": [{id: "conform", **option}]}
    agent.opened.update(offered)
    if has_method(agent.version, "agent", "session/set_mode"):
        modes = [{"id": "conform", "name": "Judge"}]
        agent.opened["modes"] = {"currentModeId": "conform", "availableModes": modes}
    agent.answers["session/set_config_option"] = lambda request: {"result": offered}
    agent.answers["session/set_mode"] = lambda request: {"result": {}}
    await agent.prompted()  # the rules check the client's messages
    await agent.lives("offered-values", "options and modes")


@probe("ends-agent")
async def ends_its_agent(agent: PlayedAgent) -> None:
    await agent.prompted()
    agent.update("agent_message_chunk", **agent.chunk("Hello."))
    agent.finish_all()
    agent.wire.end_input()
    expected = "end of input for the agent, once the turn is over and the client's input has ended"
    agent.judge("ends-agent", await agent.wire.wait_end(), expected)


@probe("updates")
async def takes_all_updates(agent: PlayedAgent) -> None:
    await _takes(agent, "updates", updates(agent.version))


async def _takes(agent: PlayedAgent, requirement: str, sent: Iterable[dict[str, Any]]) -> None:
    await agent.prompted()
    for update in sent:
        what = f"an update of type {update['sessionUpdate']}"
        if not await agent.lives(requirement, what, agent.update("", **update)):
            return


@probe("early-updates")
async def takes_updates_before_the_prompt(agent: PlayedAgent) -> None:
    sent: list[Line] = []

    def open_and_update(request: Message) -> None:  # called before a prompt can arrive
        agent.answer(request, agent.open(request))
        agent.session = agent.sessions[-1]
        sent.append(agent.update("available_commands_update", availableCommands=[]))

    agent.answers["session/new"] = open_and_update
    await agent.opening()
    if not sent:
        raise Unreached("no session was opened")
    try:
        await agent.prompted()
    except Unreached:
        agent.judge("early-updates", False, "a prompt after the update", None, sent[0])
    else:
        await agent.lives("early-updates", "an update before the prompt", sent[0])


@probe("unknown-updates")
async def takes_unknown_updates(agent: PlayedAgent) -> None:
    content = {"content": text("news"), "conform": [1]}
    kinds = ("_conform_unknown", "conform_unknown")
    await _takes(agent, "unknown-updates", [{"sessionUpdate": kind, **content} for kind in kinds])


@probe("unknown-values")
async def takes_unknown_values(agent: PlayedAgent) -> None:
    block = {"type": "_conform_unknown", "conform": 1}
    chunk = {"sessionUpdate": "agent_message_chunk", "messageId": "conform-agent"}
    call = {"sessionUpdate": "tool_call_update", "toolCallId": "conform-call", "title": "Judge"}
    values: list[dict[str, Any]] = [
        {**chunk, "content": block},
        {**call, "kind": "_conform_unknown"},
        {**call, "status": "_conform_unknown"},
        {**call, "content": [block]},
        {"sessionUpdate": "state_update", "state": "_conform_unknown"},
    ]
    await _takes(agent, "unknown-values", values)


@probe("invalid-notification", "silent-notifications")
async def survives_invalid_notifications(agent: PlayedAgent) -> None:
    await agent.prompted()
    since = len(agent.wire.lines)
    agent.notify("session/update", {"sessionId": agent.session, "update": "no object"})
    sent = agent.wire.lines[-1]
    await agent.lives("invalid-notification", "an update that isn't an object", sent)
    judge_silence(agent, since, sent)


@probe("unknown-response")
async def survives_unknown_responses(agent: PlayedAgent) -> None:
    await agent.prompted()
    for id in (987_654_321, "conform-unknown"):
        sent = agent.wire.send({"jsonrpc": "2.0", "id": id, "result": {}})
        await agent.lives("unknown-response", "a response with an unknown id", sent)
