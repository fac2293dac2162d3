"""The model's script: chooses replies based on the prompt's scene and the actions already taken.

A prompt contains its scene and the values that tool calls need: `scene=edit path=/tmp/notes.txt`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from .tools import Call, Tool, choose, fill

Role: TypeAlias = Literal["user", "model", "tool"]

TITLE = "A session with a scripted model"
ANSWER = "The scripted model says hello."
DONE = "The scripted model is done."
WAITING = "The scripted model is waiting."
SLOW_PARTS = 100

_SCENE = re.compile(r"scene=(\w+)((?: \w+=\S+)*)")

# The actions of each scene. After the last action, or if a tool is missing, the model says DONE.
_DEEDS = {
    "say": [],
    "wait": [],
    "run": ["run"],
    "edit": ["read", "edit"],
    "greet": ["search", "greet"],
}


@dataclass
class Exchange:
    """A request to the model, independent of its API.

    Attributes:
        messages: the role and text of each message, in order. A message with several tool calls
            or results appears once for each of them.
        tools: the tools that the model may call.
        streams: whether the reply must be a stream of events.
        schema: the JSON schema for the text of the reply, if any.
    """

    messages: list[tuple[Role, str]]
    tools: list[Tool]
    streams: bool
    schema: dict[str, Any] | None = None


@dataclass
class Reply:
    """The model's reply: text and, optionally, a tool call.

    Attributes:
        parts: the parts of the text, each of which is sent as a separate event.
        call: the tool call, if any.
        is_slow: whether the reply is slow enough that the agent can cancel it midway.
    """

    parts: list[str] = field(default_factory=list[str])
    call: Call | None = None
    is_slow: bool = False

    @property
    def text(self) -> str:
        return "".join(self.parts)


def reply(exchange: Exchange) -> Reply:
    if exchange.schema is not None:  # a side task, such as generating a title
        return Reply([json.dumps(fill(exchange.schema))])
    scene, values, since = _read_scene(exchange.messages)
    # Requests without tools are for side tasks, such as generating a title or a summary.
    if scene is None or not exchange.tools:
        return Reply([TITLE])
    if scene == "wait":
        return Reply([f"{WAITING} ", *[". "] * SLOW_PARTS], is_slow=True)
    if scene == "say":
        return Reply([f"{word} " for word in ANSWER.split()])
    done = sum(role == "tool" for role, _ in since)
    calls = [choose(deed, exchange.tools, values) for deed in _DEEDS[scene]]
    left = [call for call in calls if call is not None][done:]
    if not left:
        return Reply([DONE])
    return Reply(["I will use a tool."], left[0])


def _read_scene(
    messages: list[tuple[Role, str]],
) -> tuple[str | None, dict[str, Any], list[tuple[Role, str]]]:
    """Return the last scene in the user messages, its values, and the messages after that scene."""
    for index in range(len(messages) - 1, -1, -1):
        role, text = messages[index]
        found = _SCENE.findall(text) if role == "user" else []
        if found:
            scene, rest = found[-1]
            values = dict(pair.split("=", 1) for pair in rest.split())
            return scene, values, messages[index + 1 :]
    return None, {}, []
