"""Tests of converting protocol values: tags, absent fields, and methods of pydantic models."""

from __future__ import annotations

from pathlib import Path

import pytest
from acpport.port import port


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
        ("x < call.title < y", "x < call.title < y", []),
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
