"""Sample schemas and projects, and functions that run `acpgen diff` on them."""

from __future__ import annotations

from pathlib import Path

from acpgen.cli.app import app
from typer.testing import CliRunner, Result

from tests.acpgen.diff import hostile
from tests.acpgen.diff.small import (
    INTEGER,
    STRING,
    Schema,
    envelopes,
    method,
    record,
    ref,
    save,
)

OLD: dict[str, Schema] = {
    "Outer": record(inner=ref("Inner")),
    "Inner": record("text", text=STRING),
    "Other": record(text=STRING),
    "Ask": method("a/ask", text=STRING),
    **envelopes({}, ("Ask",)),
}
# The type of `text` changes, `Inner` is renamed, and `Outer` refers to an added definition.
NEW: dict[str, Schema] = {
    "Outer": record(inner=ref("Innermost"), more=ref("Added")),
    "Innermost": record("text", text=INTEGER),
    "Added": record(text=STRING),
    "Other": record(text=INTEGER),
    "Ask": method("a/ask", text=INTEGER),
    **envelopes({}, ("Ask",)),
}


def written(folder: Path, text: str, name: str = "code.py") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["diff", *arguments])


def two(folder: Path, *, breaking: bool) -> tuple[str, str]:
    """Write two schemas. The second adds a field, which is required if `breaking` is true."""
    old = save(folder / "old.json", {"Thing": record("a", a=STRING)})
    needed = ("a", "x") if breaking else ("a",)
    new = save(folder / "new.json", {"Thing": record(*needed, a=STRING, x=STRING)})
    return str(old), str(new)


def hostile_pair(folder: Path) -> tuple[str, str]:
    old, new = hostile.schemas()
    return str(save(folder / "old.json", old)), str(save(folder / "new.json", new))


POLICY = """
[fail]
python = "never"

[[exceptions]]
name = "Other.text"
what = "type changed"
reason = "it is\\n: unread, 100 %"
until = 9999-12-31
"""


def project(folder: Path) -> Path:
    """Write a project that uses `Other` and `Outer`, with two schemas and a policy."""
    save(folder / "old.json", OLD)
    save(folder / "new.json", NEW)
    written(folder, POLICY, "policy.toml")
    written(folder / "src", "from acp import v2\nv2.Other\nv2.Outer\n")
    return folder


def run_in_project(*options: str) -> Result:
    """Run `acpgen diff` on the project in the working directory."""
    common = ("old.json", "new.json", "--surface", "v2", "--policy", "policy.toml")
    return run(*common, "--used-by", "src", *options)
