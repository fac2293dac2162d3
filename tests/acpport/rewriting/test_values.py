"""Tests of converting protocol values: tags, absent fields, and methods of pydantic models."""

from __future__ import annotations

from pathlib import Path

import pytest
from acpport.port import port

from tests.acpport.single import TODO, ported_body


def test_a_comparison_with_every_tag_of_a_union_is_converted(tmp_path: Path) -> None:
    text = """
from acp.schema import RequestPermissionResponse

def is_known(response: RequestPermissionResponse) -> bool:
    return response.outcome.outcome in ("selected", "cancelled")
"""
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    ported = port(tmp_path)
    assert ported.left == []
    assert ported.moved[0].new.decode().splitlines()[-1].strip() == (
        "return isinstance(response.outcome, "
        "(v1.CancelledRequestPermissionOutcome, v1.SelectedPermissionOutcome))"
    )


def test_a_tag_with_a_common_name_is_only_marked(tmp_path: Path) -> None:
    text = "import acp\n\ndef f(answer):\n"
    comparison = '    return answer.outcome == "selected", answer.outcome'
    (tmp_path / "a.py").write_text(f"{text}{comparison}\n", encoding="utf-8")
    ported = port(tmp_path)
    assert ported.moved[0].new.decode().splitlines()[-1] == comparison
    assert [place.text for place in ported.left] == [
        "the tag `outcome` is not a field: use `isinstance` with v1.SelectedPermissionOutcome."
    ]


@pytest.mark.parametrize(
    ("expression", "converted", "marks"),
    [
        ("call.model_copy()", "call.model_copy()", ["use `dataclasses.replace`."]),
        (
            "call.model_construct()",
            "call.model_construct()",
            ["`model_construct` has no counterpart; see the guide."],
        ),
        ("call.copy()", "call.copy()", []),
        ("call.model_dump_json()", "v1.dumps(call)", []),
        ("ToolCallUpdate.model_validate(x)", "v1.decode(v1.ToolCallUpdate, x)", []),
        ("ToolCallUpdate.model_validate(obj=x)", "v1.decode(v1.ToolCallUpdate, x)", []),
        ("ToolCallUpdate.model_validate_json(x)", "v1.loads(v1.ToolCallUpdate, x)", []),
        ("x.model_dump()", "x.model_dump()", []),
        ("call.field_meta is None", "call.meta in (None, UNSET)", []),
        ("x.field_meta is None", "x.meta is None", []),
        ('acp.text_block("a").model_dump()', 'v1.encode(v1.TextContent(text="a"))', []),
        (
            'acp.schema.TextContentBlock(text="a").model_dump()',
            'v1.encode(v1.TextContent(text="a"))',
            [],
        ),
        ("x < call.title < y", "x < call.title < y", []),
        ("call.title == x", "call.title == x", []),
        ("call.title < None", "call.title < None", []),
        ("x() == 1", "x() == 1", []),
        ('x(call, "title") is None', 'x(call, "title") is None', []),
        ('getattr(x, "title", None) is None', 'getattr(x, "title", None) in (None, UNSET)', []),
        ("getattr(call, x) is None", "getattr(call, x) is None", []),
        ('getattr(call, "title") is None', 'getattr(call, "title") in (None, UNSET)', []),
        ('getattr(x, "color", None) is None', 'getattr(x, "color", None) is None', []),
        (
            "x.to_error_obj()",
            '{"code": x.code, "message": x.message, "data": None if x.data is UNSET else x.data}',
            [],
        ),
    ],
)
def test_methods_of_models_are_converted_or_marked(
    expression: str, converted: str, marks: list[str], tmp_path: Path
) -> None:
    text = f"""
import acp
from acp.schema import ToolCallUpdate

def f(call: ToolCallUpdate, x, y):
    return {expression}
"""
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    ported = port(tmp_path)
    assert ported.moved[0].new.decode().splitlines()[-1] == f"    return {converted}"
    assert [place.text for place in ported.left] == marks


def test_only_tags_of_protocol_classes_are_removed_from_patterns(tmp_path: Path) -> None:
    text = """
from acp.schema import TextContentBlock

match x:
    case Other(type="a", text=text): ...
    case TextContentBlock(type="text", text=text): ...
"""
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    ported = port(tmp_path)
    assert ported.left == []
    assert ported.moved[0].new.decode().splitlines()[-2:] == [
        '    case Other(type="a", text=text): ...',
        "    case v1.TextContent(text=text): ...",
    ]


TAG = "v1.tag(response.outcome, v1.RequestPermissionOutcome)"
NOT_SELECTED = "not isinstance(response.outcome, v1.SelectedPermissionOutcome)"


@pytest.mark.parametrize(
    ("comparison", "converted"),
    [
        ('response.outcome.outcome != "selected"', [NOT_SELECTED]),
        ('response.outcome.outcome not in ("selected",)', [NOT_SELECTED]),
        (
            'response.outcome.outcome == "red"',
            [
                f"{TODO}the tag `outcome` is not a field: use `isinstance`.",
                'response.outcome.outcome == "red"',
            ],
        ),
        ("response.outcome.outcome == other", [f"{TAG} == other"]),
        ('response.outcome.outcome in ["selected", other]', [f'{TAG} in ["selected", other]']),
        ('response.outcome.outcome < "selected"', [f'{TAG} < "selected"']),
        ('response.outcome.option_id == "selected"', ['response.outcome.option_id == "selected"']),
        ('other.outcome == "red"', ['other.outcome == "red"']),
        ('other.outcome in ("selected", other)', ['other.outcome in ("selected", other)']),
    ],
)
def test_a_tag_is_compared_with_strings(
    comparison: str, converted: list[str], tmp_path: Path
) -> None:
    start = """
from acp.schema import RequestPermissionResponse

def f(response: RequestPermissionResponse, other):"""
    assert ported_body(start, comparison, tmp_path) == converted


@pytest.mark.parametrize(
    ("call", "is_marked"),
    [
        ("isinstance(call, BaseModel)", True),
        ("isinstance(call, (str, pydantic.BaseModel))", True),
        ("isinstance(x, BaseModel)", False),
        ("isinstance(call, str)", False),
        ("isinstance(call)", False),
        ("show(call, BaseModel)", False),
        ('hasattr(call, "model_dump")', True),
        ('getattr(call, "model_dump", None)', True),
        ('hasattr(x, "model_dump")', False),
        ('hasattr(call, "title")', False),
        ('show(call, "model_dump")', False),
    ],
)
def test_a_question_about_models_is_marked(call: str, is_marked: bool, tmp_path: Path) -> None:
    start = "from acp.schema import ToolCallUpdate\n\ndef f(call: ToolCallUpdate, x):"
    mark = f"{TODO}protocol values are `runtime.Record`s and not pydantic models."
    assert ported_body(start, call, tmp_path) == ([mark, call] if is_marked else [call])


OR_NONE = '(None if getattr(call, "content", None) is UNSET else getattr(call, "content", None))'


@pytest.mark.parametrize(
    ("before", "after", "is_converted"),
    [
        ("if ", ": pass", False),
        ("while ", ": pass", False),
        ("assert ", "", False),
        ("not ", "", False),
        ("1 if ", " else 2", False),
        ("", " or []", False),
        ("[y for y in x if ", "]", False),
        ("", " if x else 1", True),
        ("x or ", "", True),
        ("x = ", "", True),
        ("x: object = ", "", True),
        ("x += ", "", True),
        ("x(", ")", True),
        ("return ", "", True),
    ],
)
def test_an_absent_value_that_is_only_tested_stays(
    before: str, after: str, is_converted: bool, tmp_path: Path
) -> None:
    start = "from acp.schema import ToolCallUpdate\n\ndef f(call: ToolCallUpdate, x):"
    value = 'getattr(call, "content", None)'
    assert ported_body(start, f"{before}{value}{after}", tmp_path) == [
        f"{before}{OR_NONE if is_converted else value}{after}"
    ]


@pytest.mark.parametrize(
    ("before", "after", "is_converted"),
    [
        ("print(", ")", True),
        ("str(", ")", True),
        ("repr(", ")", True),
        ("show(", ")", False),
        ('f"{', '}"', True),
        ('{"a": ', "}", True),
        ("print(", ") if call.title else x", False),
        ("print(", ") if call.status else x", True),
        ("print(x) if call.title else print(", ")", True),
        ("if call.title: print(", ")", False),
        ("if call.status: print(", ")", True),
        ("call.title = ", "", False),
        ("x.title = ", "", False),
    ],
)
def test_an_absent_value_in_a_text_is_none(
    before: str, after: str, is_converted: bool, tmp_path: Path
) -> None:
    start = "from acp.schema import ToolCallUpdate\n\ndef f(call: ToolCallUpdate, x):"
    converted = "(None if call.title is UNSET else call.title)" if is_converted else "call.title"
    body = ported_body(start, f"{before}call.title{after}", tmp_path)
    assert body == [f"{before}{converted}{after}"]


@pytest.mark.parametrize(
    ("statement", "converted"),
    [
        ("kind = block.type", "kind = v1.tag(block, v1.ContentBlock)"),
        ("kind: str = block.type", "kind: str = v1.tag(block, v1.ContentBlock)"),
        ("show(block.type, x.type)", "show(v1.tag(block, v1.ContentBlock), x.type)"),
        ("x.session_update", "v1.tag(x, v1.SessionUpdate)"),
        ('getattr(block, "type", None)', "v1.tag(block, v1.ContentBlock)"),
        ('getattr(x, "session_update")', "v1.tag(x, v1.SessionUpdate)"),
        ('{block.type: 1, "a": block.type}', '{TAG: 1, "a": TAG}'),
        ('f"{block.type}"', 'f"{v1.tag(block, v1.ContentBlock)}"'),
        ("block.type == x", "v1.tag(block, v1.ContentBlock) == x"),
        ("block.type is None", "v1.tag(block, v1.ContentBlock) is None"),
        ('"text" == block.type', '"text" == v1.tag(block, v1.ContentBlock)'),
        ('block.type == "text"', "isinstance(block, v1.TextContent)"),
        ('(block.type == "text")', "(isinstance(block, v1.TextContent))"),
        ('not (block.type == "text")', "not (isinstance(block, v1.TextContent))"),
        ('not block.type != "text"', "not not isinstance(block, v1.TextContent)"),
        ('(block.type != "text")', "(not isinstance(block, v1.TextContent))"),
        (
            'block.type in ["text", "image"]',
            "isinstance(block, (v1.TextContent, v1.ImageContent))",
        ),
        ('getattr(block, "type", "x") == "text"', "isinstance(block, v1.TextContent)"),
        ('x.session_update == "plan"', "isinstance(x, v1.Plan)"),
        ('x.session_update == "red"', 'v1.tag(x, v1.SessionUpdate) == "red"'),
        ('show(x, "session_update") == "plan"', 'show(x, "session_update") == "plan"'),
        ('show(block, "type")', 'show(block, "type")'),
        ("getattr(block, x)", "getattr(block, x)"),
        ("block.type = 5", "block.type = 5"),
        ("block.type += 5", "block.type += 5"),
        ("del block.type", "del block.type"),
        ("block.type()", "block.type()"),
        ("block.text", "block.text"),
        ("x.type", "x.type"),
        ('hasattr(x, "color")', 'hasattr(x, "color")'),
    ],
)
def test_a_tag_is_read_with_a_function(statement: str, converted: str, tmp_path: Path) -> None:
    start = "from acp.schema import TextContentBlock\n\ndef f(block: TextContentBlock, x):"
    expected = converted.replace("TAG", "v1.tag(block, v1.ContentBlock)")
    assert ported_body(start, statement, tmp_path) == [expected]


@pytest.mark.parametrize(
    "call", ['hasattr(block, "type")', 'hasattr(x, "session_update")', 'getattr(x, "type")']
)
def test_a_question_about_a_tag_is_marked(call: str, tmp_path: Path) -> None:
    start = "from acp.schema import TextContentBlock\n\ndef f(block: TextContentBlock, x):"
    name = call.split('"')[1]
    mark = f"{TODO}the tag `{name}` is not a field: use `isinstance`."
    assert ported_body(start, call, tmp_path) == [mark, call]
