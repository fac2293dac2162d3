"""The code and output shown in guides, and functions that run the code."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acpdocs.pages.guides import GUIDES
from acpgen.cli.app import app
from typer.testing import CliRunner

from tests.support.paths import GUIDE_TEMPLATES
from tests.support.printed import blocks, fenced, run

PRINTED = {name: blocks(GUIDE_TEMPLATES / name) for name in GUIDES}


def defining(guide: str, name: str) -> dict[str, Any]:
    """Run the guide's block that defines `name`, and return all names that the block defines."""
    [block] = [
        each
        for each in PRINTED[guide]
        if f"class {name}(" in each.text or f"def {name}(" in each.text
    ]
    return run(block)


def write_files(guide: str, folder: Path) -> list[str]:
    """Write the blocks of a guide that represent files, and return the file names."""
    files = {block.title: block.text for block in PRINTED[guide] if block.title is not None}
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return list(files)


def only_block(guide: str, language: str) -> str:
    """Return a guide's only block in this language."""
    [text] = fenced(GUIDE_TEMPLATES / guide, language)
    return text


def python(folder: Path, arguments: Sequence[str], timeout: float = 120) -> str:
    """Run Python in a folder and return its output. The program must succeed."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@dataclass(frozen=True)
class Command:
    """A command that a guide shows.

    Attributes:
        text: the command.
        printed: its output, which is empty if the guide does not show it. "…" matches any text.
    """

    text: str
    printed: str

    def assert_prints(self, output: str) -> None:
        """Check that the output matches the output in the guide."""
        pattern = ".*".join(map(re.escape, self.printed.split("…")))
        assert not self.printed or re.fullmatch(pattern, output, re.S), f"{self.text}\n{output}"


def commands(guide: str) -> list[Command]:
    """Return the commands in the console blocks of a guide, in order."""
    found: list[Command] = []
    for block in fenced(GUIDE_TEMPLATES / guide, "console"):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            text, _, printed = part.partition("\n")
            found.append(Command(text, printed))
    return found


def run_acpgen(command: str) -> str:
    """Run an `acpgen` command from a guide in this process and return its output.

    The command reuses the code that other tests generated in this test run.
    """
    program, _, filtering = command.partition(" | ")
    output = CliRunner().invoke(app, shlex.split(program)[1:]).output
    return _shell(filtering, Path.cwd(), input=output) if filtering else output


def run_command(command: str, folder: Path) -> str:
    """Run a command from a guide in a folder and return its output, even if it fails."""
    path = [str(Path(sys.executable).parent), os.environ["PATH"]]
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    return _shell(command, folder, env={**environment, "PATH": os.pathsep.join(path)})


def _shell(command: str, folder: Path, **more: Any) -> str:
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
        **more,
    )
    return str(done.stdout)
