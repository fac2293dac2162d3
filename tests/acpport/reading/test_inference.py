"""Tests of type inference for values without annotations."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acpport.single import ported_body, ported_lines


@pytest.mark.parametrize(
    "function",
    [
        "def make(id):\n    return ToolCallUpdate(tool_call_id=id)",
        "def make(id) -> ToolCallUpdate: ...",
        "def make(id) -> 'ToolCallUpdate | None': ...",
    ],
)
def test_the_type_of_a_call_is_found_in_the_functions_returns(
    function: str, tmp_path: Path
) -> None:
    text = f"""
from acp.schema import ToolCallUpdate

{function}

print(make("a").title is None)
"""
    last = ported_lines(text, tmp_path)[-1]
    assert last == 'print(make("a").title in (None, UNSET))'


@pytest.mark.parametrize(
    "value",
    [
        "list(calls)[0]",
        "tuple(calls)[0]",
        "sorted(calls)[0]",
        "reversed(calls)[0]",
        "set(calls).pop()",
        "replace(call)",
        "copy(call)",
        "deepcopy(call)",
        "[each for each in calls][0]",
        "(calls or [call])[0]",
        "calls.copy()[0]",
        "calls.pop()",
        "calls.popleft()",
        'table.get("a")',
        "list(table.values())[0]",
        "list(each for each in calls)[0]",
        "(call if x else call)",
        "(named := call)",
        'getattr(x, "color", call)',
        "(x and call)",
        "(call and x)",
    ],
)
def test_the_type_of_an_expression_is_found_in_its_parts(value: str, tmp_path: Path) -> None:
    text = f"""
from acp.schema import ToolCallUpdate as T

def f(call: T, calls: list[T], table: dict[str, T], x):
    return {value}.title is None
"""
    last = ported_lines(text, tmp_path)[-1]
    assert last == f"    return {value}.title in (None, UNSET)"


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        ("found: object = call", "found"),
        ("print(found := call)", "found"),
        ("with call as found: pass", "found"),
        ("with calls as (found, other): pass", "found[0]"),
        ("first, second = calls", "second"),
        ("for each in calls: pass", "each"),
        ('table["a"] = call', 'table["b"]'),
        ("more.append(call)", "more[0]"),
        ("more.appendleft(call)", "more[0]"),
        ("more.add(call)", "more.pop()"),
        ("more.put(call)", "more.get()"),
        ("more.put_nowait(call)", "more.get()"),
        ("assert isinstance(x, ToolCallUpdate)", "x"),
        ("assert isinstance(x, (str, ToolCallUpdate))", "x"),
        ("Data(item=call)", "x.item"),
    ],
)
def test_the_type_of_a_variable_is_found_in_statements(
    statement: str, value: str, tmp_path: Path
) -> None:
    text = f"""
from acp.schema import ToolCallUpdate

class Data:
    item: object

def f(call: ToolCallUpdate, calls: list[ToolCallUpdate], table, more, x):
    {statement}
    return {value}.title is None
"""
    last = ported_lines(text, tmp_path)[-1]
    assert last == f"    return {value}.title in (None, UNSET)"


@pytest.mark.parametrize(
    "annotation",
    [
        "Optional[T]",
        "Union[str, T]",
        "Annotated[T, 1]",
        "Final[T]",
        "ClassVar[T]",
        "Awaitable[T]",
        "str | T",
        "'T'",
    ],
)
def test_the_type_of_a_variable_is_found_in_its_annotation(annotation: str, tmp_path: Path) -> None:
    text = f"""
from acp.schema import ToolCallUpdate as T

found: {annotation}
print(found.title is None)
"""
    last = ported_lines(text, tmp_path)[-1]
    assert last == "print(found.title in (None, UNSET))"


@pytest.mark.parametrize("alias", ["ToolCallUpdate | None", "Optional[ToolCallUpdate]"])
def test_an_annotation_can_name_an_alias(alias: str, tmp_path: Path) -> None:
    text = f"""
from acp.schema import ToolCallUpdate

Call = {alias}

def f(call: Call):
    return call.title is None
"""
    last = ported_lines(text, tmp_path)[-1]
    assert last == "    return call.title in (None, UNSET)"


@pytest.mark.parametrize(
    ("call", "names"),
    [
        ("Keeper(call, 1)", ["first"]),
        ("Keeper(1, call)", ["second"]),
        ("Keeper(1, 2, named=call)", ["named"]),
        ("Keeper(call, *more, call)", ["first"]),
        ("Keeper(*more, call)", []),
        ("Keeper(1, 2, call, named=call)", []),
        ("Keeper().keep(call)", []),
    ],
)
def test_the_types_of_arguments_are_passed_to_parameters(
    call: str, names: list[str], tmp_path: Path
) -> None:
    text = f"""
from acp.schema import ToolCallUpdate

class Keeper:
    def __init__(self, first, second, *, named):
        print(first.title is None)
        print(second.title is None)
        print(named.title is None)

def f(call: ToolCallUpdate, more):
    {call}
"""
    lines = ported_lines(text, tmp_path)
    converted = [line.partition("(")[2].partition(".")[0] for line in lines if "UNSET)" in line]
    assert converted == names


def test_the_type_of_a_response_is_that_of_the_method(tmp_path: Path) -> None:
    text = """
import acp

async def f(conn: acp.Agent):
    answer = await conn.new_session(cwd="/", mcp_servers=[])
    return answer.modes is None
"""
    last = ported_lines(text, tmp_path)[-1]
    assert last == "    return answer.modes in (None, UNSET)"


@pytest.mark.parametrize("call", ["check(x, T)", "isinstance(x)", "more.keep(call)"])
def test_the_type_of_a_variable_is_not_found_in_other_calls(call: str, tmp_path: Path) -> None:
    start = """
from acp.schema import ToolCallUpdate

T = ToolCallUpdate

def f(call: T, more, x):"""
    body = f"{call}\n    return x.title is None, more[0].title is None"
    assert ported_body(start, body, tmp_path) == body.replace("    ", "").splitlines()


def test_the_mode_of_an_elicitation_has_the_types_of_its_params(tmp_path: Path) -> None:
    text = """
import acp

class A(acp.Client):
    async def create_elicitation(self, message, mode, **kwargs):
        return mode.mode == "url"
"""
    last = ported_lines(text, tmp_path)[-1]
    classes = "(v1.SessionUrlCreateElicitationRequest, v1.RequestUrlCreateElicitationRequest)"
    assert last == f"        return isinstance(mode, {classes})"


@pytest.mark.parametrize("receiver", ["self", "cls"])
def test_the_types_of_arguments_are_passed_to_own_methods(receiver: str, tmp_path: Path) -> None:
    text = f"""
from acp.schema import ToolCallUpdate

class Keeper:
    def keep({receiver}, call: ToolCallUpdate):
        {receiver}.show(1, call)

    def show({receiver}, first, second):
        print(first.title is None)
        print(second.title is None)
"""
    assert [line.strip() for line in ported_lines(text, tmp_path)[-2:]] == [
        "print(first.title is None)",
        "print(second.title in (None, UNSET))",
    ]
