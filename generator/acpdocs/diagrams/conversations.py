"""The drawing of a turn as a sequence diagram, made from a conversation that a page prints.

A page prints conversations as `acpgen trace` does. What a message holds for the person, or from
them, goes on between the client and the person, in the same row.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_MARKER = "<!-- drawing: the turns of this page, side by side -->"
_BLOCK = re.compile(r"^```text\n((?:client|agent) → .*?)^```$", re.M | re.S)
_LINE = re.compile(
    r"(?P<sender>client|agent) → \w+  (?P<answer>result of )?(?P<method>\S+)(?: (?P<rest>.+))?"
)
# What a person sees or says.
_SHOWN = re.compile(r'\b(?:text|title|optionId)=("[^"]*"|\S+)')
# What the label of an update or an answer says besides its kind.
_TOLD = re.compile(r"\b(?:state|status|stopReason)=(\S+)")

# Lengths in pixels: two drawings fit beside each other, and one fits a phone.
_WIDTH, _TOP, _ROW = 350, 40, 34
_LANES = {"person": 26, "client": 139, "agent": 320}


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a conversation.

    Attributes:
        sender: the client or the agent.
        method: its method, or that of the request that it answers.
        is_answer: whether it is the result of a request.
        label: what to call it.
        shown: what of it the person sees or says; empty for nothing.
    """

    sender: str
    method: str
    is_answer: bool
    label: str
    shown: str


def draw_turns(text: str) -> str:
    """Put drawings of the conversations of a page where its marker is.

    Args:
        text: the Markdown of a page; without the marker, nothing changes.
    """
    if _MARKER not in text:
        return text
    drawings = [
        draw(messages(block), f"A turn in protocol {number}", f"turn-{number}")
        for number, block in enumerate(_BLOCK.findall(text), 1)
    ]
    return text.replace(_MARKER, '<div class="acp-turns">\n{}\n</div>'.format("\n".join(drawings)))


def messages(block: str) -> list[Message]:
    """Read a conversation."""
    return [_message(line) for line in block.splitlines()]


def _message(line: str) -> Message:
    parts = _LINE.fullmatch(line)
    assert parts is not None, f"not the line of a message: {line}"
    rest = parts["rest"] or ""
    method, is_answer = parts["method"], parts["answer"] is not None
    told = _TOLD.findall(rest)
    if is_answer:
        label = ": ".join(["result", *told])
    elif method == "session/update":
        label = " ".join([rest.partition(" ")[0], *told])
    else:
        label = method
    shown = _SHOWN.search(rest)
    return Message(
        sender=parts["sender"],
        method=method,
        is_answer=is_answer,
        label=label,
        shown=shown[1].strip('"') if shown else "",
    )


def draw(conversation: Sequence[Message], name: str, id_: str) -> str:
    """Draw a conversation as SVG, in the colours of the text around it.

    Args:
        conversation: its messages.
        name: what it shows.
        id_: a name that no other element of the page has.

    Returns:
        HTML without empty lines, which would end a block of it in Markdown.
    """
    height = _TOP + _ROW * len(conversation) + 12
    lines = [
        "<figure>",
        f"<figcaption>{html.escape(name)}</figcaption>",
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" '
        f'aria-labelledby="{id_}-title {id_}-text" fill="currentColor" stroke="none" '
        'font-family="inherit" font-size="12" text-anchor="middle">',
        f'<title id="{id_}-title">{html.escape(name)}</title>',
        f'<desc id="{id_}-text">{html.escape(_in_words(conversation))}</desc>',
        *_lanes(height),
        *_open_requests(conversation),
        *_rows(conversation),
        "</svg>",
        "</figure>",
    ]
    return "\n".join(lines)


def _in_words(conversation: Sequence[Message]) -> str:
    """The messages as sentences, for those who do not see the drawing."""
    return " ".join(
        f"The {message.sender} sends {message.label}{f', {message.shown}' * bool(message.shown)}."
        for message in conversation
    )


def _lanes(height: int) -> Iterator[str]:
    """A line for each of the three."""
    for who, x in _LANES.items():
        yield f'<text x="{x}" y="16" font-weight="600">{who}</text>'
        yield f'<path d="M{x} 24V{height}" stroke="currentColor" opacity="0.4"/>'


def _open_requests(conversation: Sequence[Message]) -> Iterator[str]:
    """A bar on the line of a sender, from the request to its answer."""
    for number, message in enumerate(conversation):
        if message.is_answer:
            asked = next(
                earlier
                for earlier in range(number)
                if conversation[earlier].method == message.method
            )
            top, x = _y(asked), _LANES[conversation[asked].sender]
            yield f'<rect x="{x - 3}" y="{top}" width="6" height="{_y(number) - top}" rx="2"/>'


def _rows(conversation: Sequence[Message]) -> Iterator[str]:
    """The messages, from top to bottom; answers have broken lines."""
    person, client, agent = _LANES.values()
    for number, message in enumerate(conversation):
        for left, right, label in (client, agent, message.label), (person, client, message.shown):
            if label:
                start, end = (left, right) if message.sender == "client" else (right, left)
                yield from _arrow(start, end, _y(number), label, is_broken=message.is_answer)


def _arrow(start: int, end: int, y: int, label: str, *, is_broken: bool) -> Iterator[str]:
    """An arrow below its label."""
    back = -6 if end > start else 6
    dashes = ' stroke-dasharray="5 3"' if is_broken else ""
    yield f'<text x="{(start + end) / 2:g}" y="{y - 6}">{html.escape(label)}</text>'
    yield f'<path d="M{start} {y}H{end + back}" stroke="currentColor" stroke-width="1.25"{dashes}/>'
    yield f'<path d="M{end + back // 2} {y}l{back * 1.5:g} -4.5v9z"/>'


def _y(number: int) -> int:
    return _TOP + _ROW * number + _ROW // 2
