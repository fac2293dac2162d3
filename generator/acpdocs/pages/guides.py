"""The guides and their data: example programs, an extension, and names in the official SDK."""

from __future__ import annotations

import ast
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acpgen.analysis.extension import read_source
from acpgen.common import paths, toml
from acpgen.ir.surface import Surface

# The templates of the guides, in menu order.
GUIDES = (
    "getting-started.md",
    "agent.md",
    "testing.md",
    "client.md",
    "editors.md",
    "sessions-and-turns.md",
    "states.md",
    "messages.md",
    "examples.md.jinja",
    "embedding.md",
    "web.md",
    "remote.md",
    "bridge.md",
    "v1-to-v2.md",
    "protocol-1.md",
    "libraries.md",
    "official-sdk.md",
    "official-sdk-names.md.jinja",
    "extending.md",
    "vendoring.md",
    "conformance.md",
    "works-with.md",
    "guarantees.md",
    "limits.md",
    "versions.md",
    "maintainers.md",
    "new-version.md",
)

# The table of names that `acpgen port` uses.
_NAMES = paths.ROOT / "generator" / "acpport" / "counterparts" / "official_sdk.toml"
# The example programs, in the order in which their page lists them.
_EXAMPLES = paths.ROOT / "tests" / "examples"
_PROGRAMS = ("coder", "agent_with_tools", "editor", "screen", "websocket", "web_client", "chat")


@dataclass(frozen=True, slots=True)
class Program:
    """An example program.

    Attributes:
        name: the name of the program's file.
        anchor: the program's anchor on the page.
        summary: the first line of the program's docstring, or the first comment of an HTML page.
        language: "python" or "html".
    """

    name: str
    anchor: str
    summary: str
    language: str
    code: str


def guide_page(template: str) -> str:
    """Return the path of a guide's page."""
    return f"guides/{template.removesuffix('.jinja')}"


def sample_extension() -> Surface:
    """Build the extension that the guide about extensions describes."""
    text = (paths.TEMPLATES / "reference" / "guides" / "extending.md").read_text(encoding="utf-8")
    block = re.search(r"^```json[^\n]*\n(.*?)^```", text, re.M | re.S)
    extended = re.search(r"^\$ acpgen extend generate .*--surface (\w+)", text, re.M)
    assert block is not None, "the guide must contain the schema of an extension"
    assert extended is not None, "the guide must contain the command that extends a surface"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "acme.schema.json"
        path.write_text(block[1], encoding="utf-8")
        return read_source(str(path), extended[1]).surface


def official_sdk_names() -> list[dict[str, Any]]:
    """Read the groups of names in the official SDK. The TOML file explains the keys."""
    groups: list[dict[str, Any]] = toml.loads(_NAMES.read_text(encoding="utf-8"))["group"]
    return groups


def example_programs() -> tuple[Program, ...]:
    """Read the example programs."""
    files = [_EXAMPLES / f"{name}{suffix}" for name in _PROGRAMS for suffix in (".py", ".html")]
    return tuple(_program(file) for file in files if file.exists())


def _program(path: Path) -> Program:
    code = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        summary, *_ = (ast.get_docstring(ast.parse(code)) or "").partition("\n")
        return Program(path.name, path.stem, summary, "python", code.rstrip("\n"))
    comment = re.search(r"<!-- (.+) -->", code)
    assert comment is not None, "the program's page must begin with a comment"
    return Program(path.name, f"{path.stem}-page", comment[1], "html", code.rstrip("\n"))
