"""The drawings of turns, as SVG in the colors of the text around them.

A sequence diagram shows a conversation that a page prints as `acpgen trace` does. The part of a
message that the user sees or writes continues between the client and the user, in the same row.

The phases of a turn come from the tables of transitions in the runtime. A turn that an update ends
has too many transitions for boxes and arrows on a phone. So their drawing has a vertical line for
each phase and, as in a sequence diagram, an arrow in its own row for each transition.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from acpgen.common import paths
from acpgen.emit.template_environment import environment

_TEMPLATES = environment(paths.TEMPLATES / "reference" / "overview", autoescape=True)

# --- conversations ---------------------------------------------------------------------------

_MARKER = "<!-- drawing: the turns of this page, side by side -->"
_BLOCK = re.compile(r"^```text\n((?:client|agent) → .*?)^```$", re.M | re.S)
_LINE = re.compile(
    r"(?P<sender>client|agent) → \w+  (?P<result>result of )?(?P<method>\S+)(?: (?P<rest>.+))?"
)
# The fields that the user sees or writes.
_SHOWN = re.compile(r'\b(?:text|title|optionId)=("[^"]*"|\S+)')
# The fields in the label of an update or a result.
_LABELED = re.compile(r"\b(?:state|status|stopReason)=(\S+)")


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a conversation.

    Attributes:
        sender: the client or the agent.
        method: its method, or that of the request with this result.
        shown: the part that the user sees or writes; empty for none.
    """

    sender: str
    method: str
    is_result: bool
    label: str
    shown: str


def draw_turns(text: str) -> str:
    """Insert drawings of a Markdown page's conversations at its marker, if it has one."""
    if _MARKER not in text:
        return text
    drawings = [
        _draw("turn.svg.jinja", number=number, messages=messages(block))
        for number, block in enumerate(_BLOCK.findall(text), 1)
    ]
    return text.replace(_MARKER, '<div class="acp-turns">\n{}\n</div>'.format("\n".join(drawings)))


def messages(block: str) -> list[Message]:
    """Read a conversation."""
    return [_message(line) for line in block.splitlines()]


def _message(line: str) -> Message:
    parts = _LINE.fullmatch(line)
    assert parts is not None, f"not a message line: {line}"
    rest = parts["rest"] or ""
    label, is_result = parts["method"], parts["result"] is not None
    if is_result:
        label = ": ".join(["result", *_LABELED.findall(rest)])
    elif label == "session/update":
        label = " ".join([rest.partition(" ")[0], *_LABELED.findall(rest)])
    shown = _SHOWN.search(rest)
    text = shown[1].strip('"') if shown else ""
    return Message(parts["sender"], parts["method"], is_result, label, text)


# --- phases ----------------------------------------------------------------------------------

# The next phase, by phase and event.
Transitions: TypeAlias = Mapping[str, Mapping[str, str]]

_PHASES = paths.TEMPLATES / "runtime" / "session" / "turn_phases.py"
# The events from the messages that an agent built with this package sends for a prompt.
_USUAL = ("response", "echo", "busy", "output", "idle")


def transitions(name: str) -> Transitions:
    """Return the runtime's table of transitions with a name."""
    module = ast.parse(_PHASES.read_text(encoding="utf-8"))
    [table] = [
        statement.value
        for statement in module.body
        if isinstance(statement, ast.AnnAssign)
        and statement.value is not None
        and ast.unparse(statement.target) == name
    ]
    read: Transitions = ast.literal_eval(table)
    return read


def draw_phases(table: Transitions, name: str, id_: str) -> str:
    """Draw a table of transitions for a turn that begins in the first phase.

    Returns:
        HTML without empty lines, which would end a block of it in Markdown.
    """
    usual: set[tuple[str, str]] = set()
    phase = next(iter(table))
    for event in _USUAL:
        if event in table[phase]:
            usual.add((phase, event))
            phase = table[phase][event]
    # Event by event, in the order of their first use: the phases before and after it.
    events: dict[str, list[tuple[str, str]]] = {}
    for phase, row in table.items():
        for event, then in row.items():
            events.setdefault(event, []).append((phase, then))
    return _draw("phases.svg.jinja", table=table, events=events, usual=usual, name=name, id=id_)


def _draw(template: str, **names: Any) -> str:
    return _TEMPLATES.get_template(template).render(names).rstrip()
