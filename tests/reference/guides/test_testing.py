"""The guide about testing: the printed tests pass, and a conversation is recorded and shown."""

from __future__ import annotations

from pathlib import Path

from support.guides import commands, python, run_command, write_files


def test_printed_tests_pass(tmp_path: Path) -> None:
    assert "cleaner.py" in write_files("testing.md", tmp_path)
    options = ("-q", "-p", "no:cacheprovider", "-o", "addopts=", "--rootdir", str(tmp_path))
    printed = python(tmp_path, ["-m", "pytest", *options, str(tmp_path)])
    assert printed.splitlines()[-1].startswith("4 passed")


def test_the_recorded_conversation_is_shown(tmp_path: Path) -> None:
    write_files("testing.md", tmp_path)
    shown = commands("testing.md")
    assert [command.text.split()[0] for command in shown] == ["python", "acpgen", "sed"]
    for command in shown:
        command.assert_prints(run_command(command.text, tmp_path))
