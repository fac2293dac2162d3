"""The output of `acpgen generate`."""

from __future__ import annotations

from pathlib import Path

from acpgen.cli.app import app
from typer.testing import CliRunner, Result

from tests.support.paths import GOLDEN

GOLDEN_SCHEMA = GOLDEN / "schema.json"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_files_that_were_removed_are_counted_apart(tmp_path: Path) -> None:
    schema = ("--schema", str(GOLDEN_SCHEMA), "--surface", "v2")
    whole = run("vendor", str(tmp_path / "acp"), *schema)
    assert whole.exit_code == 0, whole.stderr
    files = len([each for each in (tmp_path / "acp").rglob("*") if each.is_file()])
    result = run("vendor", str(tmp_path / "acp"), "--types-only", *schema)
    kept = len([each for each in (tmp_path / "acp").rglob("*") if each.is_file()])
    assert 0 < kept < files
    assert f"of {kept} files changed, {files - kept} removed\n" in result.stdout
