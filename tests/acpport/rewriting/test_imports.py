"""Tests that imports of the SDK are replaced in place."""

from __future__ import annotations

from pathlib import Path

import pytest
from acpport.port import port


def test_the_import_after_a_block_is_replaced_in_place(tmp_path: Path) -> None:
    text = """
try:
    import fast
except ImportError:
    fast = None
import first
import acp
import last

acp.text_block("a")
"""
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    new = port(tmp_path).moved[0].new.decode()
    assert [line for line in new.splitlines() if "import" in line][1:] == [
        "import first",
        "from acp_bindings import v1",
        "import last",
    ]


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        (
            "__init__.py",
            [
                "from acp_bindings import v1",
                "from acp_bindings.v1 import TextContent as TextContentBlock",
                "from acp_bindings.v1 import Plan",
                "print(v1.AudioContent)",
            ],
        ),
        ("a.py", ["from acp_bindings import v1", "print(v1.AudioContent)"]),
    ],
)
def test_the_unused_imports_of_a_package_stay_importable(
    name: str, lines: list[str], tmp_path: Path
) -> None:
    text = """
from acp import stdio_streams
from acp.schema import AudioContentBlock, TextContentBlock, Plan
print(AudioContentBlock)
"""
    (tmp_path / name).write_text(text.lstrip(), encoding="utf-8")
    ported = port(tmp_path)
    assert ported.left == []
    assert ported.moved[0].new.decode().splitlines() == lines


def test_a_comment_above_an_import_stays_with_it(tmp_path: Path) -> None:
    text = """
# The SDK.
from acp import text_block
# No longer needed.
from acp.schema import Plan
# Still needed.
from acp.schema import ModelInfo, TextContentBlock
print(text_block("a"), ModelInfo)
"""
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    new = port(tmp_path).moved[0].new.decode()
    assert new.splitlines()[:-2] == [
        "",
        "# The SDK.",
        "from acp_bindings import v1",
        "# Still needed.",
        "from acp.schema import ModelInfo",
    ]


def test_the_requirements_of_a_script_are_replaced(tmp_path: Path) -> None:
    text = """\
#!/usr/bin/env -S uv run --script
#
# /// script
# dependencies = ["httpx", "agent-client-protocol[http]>=0.12,<2", "agent-client-protocol-x"]
# ///

# Says hello.
import acp
print(acp.text_block("hello"))
"""
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    new = port(tmp_path).moved[0].new.decode()
    assert new == """\
#!/usr/bin/env -S uv run --script
#
# /// script
# dependencies = ["httpx", "acp-bindings", "agent-client-protocol-x"]
# ///

# Says hello.
from acp_bindings import v1
print(v1.TextContent(text="hello"))
"""


@pytest.mark.parametrize(
    ("start", "lines"),
    [
        ("import acp as v1", ["from acp_bindings import v1", "print(v1.Plan)"]),
        ("import acp.schema as v1", ["from acp_bindings import v1", "print(v1.Plan)"]),
        ("from acp import schema as v1", ["from acp_bindings import v1", "print(v1.Plan)"]),
        (
            "import other as v1\nfrom acp import schema",
            [
                "import other as v1",
                "from acp_bindings import v1 as acp_v1",
                "print(acp_v1.Plan)",
            ],
        ),
    ],
)
def test_the_surface_has_another_name_if_the_module_uses_its_name(
    start: str, lines: list[str], tmp_path: Path
) -> None:
    module = "schema" if start.endswith("schema") else "v1"
    (tmp_path / "a.py").write_text(f"{start}\nprint({module}.Plan)\n", encoding="utf-8")
    assert port(tmp_path).moved[0].new.decode().splitlines() == lines


def test_imports_that_a_module_already_has_are_not_repeated(tmp_path: Path) -> None:
    text = """
from acp_bindings import v1
from acp_bindings.runtime import UNSET, given, tag
from acp import PROTOCOL_VERSION, RequestError
from acp.schema import ToolCallUpdate

print(ToolCallUpdate(tool_call_id=x, title=y), PROTOCOL_VERSION, RequestError)
"""
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    new = port(tmp_path).moved[0].new.decode()
    assert new == """
from acp_bindings import v1
from acp_bindings.runtime import UNSET, given, tag
from acp_bindings.runtime import RequestError

print(v1.ToolCallUpdate(tool_call_id=x, title=given(y)), v1.SCHEMA.protocol_version, RequestError)
"""


@pytest.mark.parametrize("module", ["acp", "acp.schema"])
def test_a_star_import_is_marked(module: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(f"from {module} import *\n", encoding="utf-8")
    mark = "list the imported names and run the command again."
    assert [place.text for place in port(tmp_path).left] == [mark]


def test_a_star_import_of_a_module_with_the_name_of_the_sdk_stays(tmp_path: Path) -> None:
    text = "import acp\nfrom . import *\nfrom .acp import *\nprint(acp.text_block('a'))\n"
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    assert port(tmp_path).left == []
