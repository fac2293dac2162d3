"""The guides, and the table of the names of the official SDK."""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from acpgen.analysis.extension import read_source
from acpgen.common import paths
from acpgen.ir.surface import Surface

from acpdocs.content import NameGroup, NameRow
from acpdocs.facts.package.targets import Targets

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # the same parser, before it joined the standard library

# The templates of the guides, in the order of the menu.
GUIDES = (
    "getting-started.md",
    "agent.md",
    "client.md",
    "sessions-and-turns.md",
    "states.md",
    "v1-to-v2.md",
    "bridge.md",
    "embedding.md",
    "official-sdk.md",
    "official-sdk-names.md.jinja",
    "extending.md",
    "vendoring.md",
    "testing.md",
    "conformance.md",
    "limits.md",
    "versions.md",
    "maintainers.md",
)
_NAMES = "names.toml"


def sample_extension() -> Surface:
    """Build the extension that the guide about extensions describes."""
    text = (paths.TEMPLATES / "reference" / "guides" / "extending.md").read_text(encoding="utf-8")
    block = re.search(r"^```json[^\n]*\n(.*?)^```", text, re.M | re.S)
    extended = re.search(r"^\$ acpgen extend .*--surface (\w+)", text, re.M)
    assert block is not None, "the guide has the schema of an extension"
    assert extended is not None, "the guide has the command that extends a surface"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "acme.schema.json"
        path.write_text(block[1], encoding="utf-8")
        return read_source(str(path), extended[1]).surface


def guide_page(template: str) -> str:
    """The page of a guide."""
    return f"guides/{template.removesuffix('.jinja')}"


def name_rows(folder: Path) -> list[dict[str, str]]:
    """Read the rows of the table of names in the folder of the guides."""
    return [row for group in _groups(folder) for row in group["rows"]]


def name_groups(folder: Path, targets: Targets) -> tuple[NameGroup, ...]:
    """Read the table of names in the folder of the guides, and link our side of it."""
    return tuple(
        NameGroup(
            title=group["title"],
            anchor=group["title"].lower().replace(" ", "-"),
            text=group.get("text", ""),
            rows=tuple(_row(row, targets) for row in group["rows"]),
        )
        for group in _groups(folder)
    )


def _groups(folder: Path) -> list[dict[str, Any]]:
    table: dict[str, Any] = tomllib.loads((folder / _NAMES).read_text(encoding="utf-8"))
    groups: list[dict[str, Any]] = table["group"]
    return groups


def _row(row: dict[str, str], targets: Targets) -> NameRow:
    here = row.get("here")
    names = here.split(", ") if here else ()
    return NameRow(row["sdk"], tuple(targets.link(name) for name in names), row.get("note", ""))
