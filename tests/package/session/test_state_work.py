"""The work of a state: an update, or reading the text, costs what is new, not what is there."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from acp_bindings import v2
from acp_bindings.runtime.session import Message
from acp_bindings.v2.session import SessionState

TEXT = v2.TextContent

# --- the text --------------------------------------------------------------------------------


class Counted:
    """A text block that counts how often its text is read."""

    reads = 0

    @property
    def text(self) -> str:
        Counted.reads += 1
        return "a"


def test_reading_the_text_after_each_chunk_reads_each_block_once() -> None:
    message = Message[Any]("agent")
    Counted.reads = 0
    for number in range(1, 501):
        message.content.append(Counted())
        assert message.text == message.text == "a" * number
    assert Counted.reads == 500


def message(*words: str) -> Message[Any]:
    """A message whose text was read."""
    made = Message[Any]("agent", "m", [TEXT(text=each) for each in words])
    assert made.text == "".join(words)
    return made


def replace(content: list[Any]) -> list[Any]:
    return [TEXT(text="x"), TEXT(text="y"), TEXT(text="z")]


def clear(content: list[Any]) -> None:
    content.clear()


def exchange_first(content: list[Any]) -> None:
    content[0] = TEXT(text="x")


def exchange_last(content: list[Any]) -> None:
    content[-1] = TEXT(text="x")


def cut_front(content: list[Any]) -> None:
    del content[0]
    content.append(TEXT(text="x"))


def cut_back(content: list[Any]) -> None:
    content.pop()
    content.append(TEXT(text="x"))


def insert(content: list[Any]) -> None:
    content.insert(1, TEXT(text="x"))


def turn_round(content: list[Any]) -> None:
    content.reverse()


EDITS = (replace, clear, exchange_first, exchange_last, cut_front, cut_back, insert, turn_round)


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("size", [2, 3, 100])
def test_the_text_follows_an_edited_list(edit: Callable[[Any], Any], size: int) -> None:
    edited = message(*map(str, range(size)))
    edited.content = edit(edited.content) or edited.content
    assert edited.text == "".join(each.text for each in edited.content)
    edited.content.append(TEXT(text="!"))
    assert edited.text == "".join(each.text for each in edited.content)


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))]
)
def test_a_copy_has_a_text_of_its_own(copied: Callable[[Any], Any]) -> None:
    one = message("a")
    other = copied(one)
    one.content.append(TEXT(text="b"))
    assert one.text == "ab"
    other.content.append(TEXT(text="c"))
    for each in (one, other, one):
        assert each.text == "".join(block.text for block in each.content)


def test_blocks_without_text_add_none() -> None:
    image = v2.ImageContent(data="", mime_type="image/png")
    content = [TEXT(text="a"), image, v2.UnknownContentBlock("_x", {"type": "_x"})]
    assert Message[Any]("agent", None, content).text == "a"


# --- patches ---------------------------------------------------------------------------------


def call(**members: Any) -> v2.ToolCallUpdate:
    return v2.ToolCallUpdate(tool_call_id="t", **members)


def said(**members: Any) -> v2.AgentMessage:
    return v2.AgentMessage(message_id="m", **members)


MAKERS = pytest.mark.parametrize(("make", "where"), [(call, "tool_calls"), (said, "messages")])


def entry(state: SessionState, where: str) -> Any:
    return state.messages[0] if where == "messages" else state.tool_calls["t"]


@MAKERS
def test_a_patch_copies_nothing_that_is_there(make: Callable[..., Any], where: str) -> None:
    state = SessionState()
    state.apply(make(meta={"a": 1}, unknown_fields={"x": 1}))
    patched = entry(state, where)
    meta, unknown = patched.meta, patched.unknown_fields
    state.apply(make(meta={"b": 2}, unknown_fields={"y": 2}))
    assert patched.meta is meta
    assert patched.unknown_fields is unknown
    assert (meta, unknown) == ({"a": 1, "b": 2}, {"x": 1, "y": 2})


@MAKERS
def test_a_patch_changes_no_update_that_anyone_has(make: Callable[..., Any], where: str) -> None:
    state = SessionState()
    given = [
        make(),
        make(meta={"a": 1, "b": None}, unknown_fields={"x": 1}),
        make(meta={"b": 2, "a": None}, unknown_fields={"x": 2, "y": 2}),
        make(meta=None, unknown_fields={"z": 3}),
        make(meta={"c": 3}),
        make(meta={"d": 4}, unknown_fields={"x": None}),
    ]
    before = copy.deepcopy(given)
    taken: list[Any] = []
    copies: list[Any] = []
    for update in given:
        state.apply(update)
        taken.append(state.to_updates())
        copies.append(copy.deepcopy(taken[-1]))
    assert given == before
    assert taken == copies
    assert entry(state, where).meta == {"c": 3, "d": 4}
    assert entry(state, where).unknown_fields == {"x": None, "y": 2, "z": 3}
