"""Diagrams of turns as SVG, in the colors of the surrounding text.

A sequence diagram shows a conversation that a page quotes from the output of `acpgen trace`. If the
user sees or writes part of a message, the message's row also contains an arrow between client and
user.

The phases of a turn are read from the runtime's transition tables. A turn that ends with an update
has too many transitions for a box-and-arrow diagram to fit on a phone. Therefore, phases are drawn
as vertical lines, and transitions are drawn as rows with an arrow, as in a sequence diagram.
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
# The fields that are added to the label of an update or a result.
_LABELED = re.compile(r"\b(?:state|status|stopReason)=(\S+)")


@dataclass(frozen=True, slots=True)
class Message:
    """A message in a conversation.

    Attributes:
        sender: `client` or `agent`.
        method: the method or, for a result, the method of the request.
        shown: the text that the user sees or writes, or an empty string.
    """

    sender: str
    method: str
    is_result: bool
    label: str
    shown: str


def draw_turns(text: str) -> str:
    """Replace the marker in a Markdown page, if any, with diagrams of the page's conversations."""
    if _MARKER not in text:
        return text
    drawings = [
        _draw("turn.svg.jinja", number=number, messages=messages(block))
        for number, block in enumerate(_BLOCK.findall(text), 1)
    ]
    return text.replace(_MARKER, '<div class="acp-turns">\n{}\n</div>'.format("\n".join(drawings)))


def messages(block: str) -> list[Message]:
    """Parse a conversation into messages."""
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

# Maps each phase and event to the next phase.
Transitions: TypeAlias = Mapping[str, Mapping[str, str]]

_PHASES = paths.TEMPLATES / "runtime" / "session" / "turn_phases.py"
# The events in a turn of an agent built with this package.
_USUAL = ("response", "echo", "busy", "output", "idle")


def transitions(name: str) -> Transitions:
    """Return the runtime's transition table with the given name."""
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
    """Draw a transition table. Turns begin in the table's first phase.

    Returns:
        HTML without empty lines, because an empty line ends an HTML block in Markdown.
    """
    usual: set[tuple[str, str]] = set()
    phase = next(iter(table))
    for event in _USUAL:
        if event in table[phase]:
            usual.add((phase, event))
            phase = table[phase][event]
    # The phases before and after each event, in the order in which the events first occur.
    events: dict[str, list[tuple[str, str]]] = {}
    for phase, row in table.items():
        for event, then in row.items():
            events.setdefault(event, []).append((phase, then))
    return _draw("phases.svg.jinja", table=table, events=events, usual=usual, name=name, id=id_)


def _draw(template: str, **names: Any) -> str:
    return _TEMPLATES.get_template(template).render(names).rstrip()
