"""Tests of shell completion for names, surfaces and sources."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from acpgen.cli import completion


def test_shells_complete_names_surfaces_and_sources() -> None:
    assert "ToolCallUpdate" in completion.complete_name("ToolCall")
    assert completion.complete_name("session/pro") == ["session/prompt"]
    assert completion.complete_revision("v2") == ["v2", "v2_unstable"]
    source = "npm:@agentclientprotocol/sdk@"
    sources = completion.complete_source("npm:")
    assert sources[0] == source
    assert len(sources) == 2
    assert sources[1].startswith(source)


IN_BASH = """
eval "$(acpgen --show-completion bash)"
COMP_WORDS=(acpgen {words})
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_acpgen_completion acpgen
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("words", "expected"),
    [("inspect session/pro", ["session/prompt"]), ("generate --surface v1", ["v1", "v1_unstable"])],
)
def test_bash_completes_what_was_begun(words: str, expected: list[str]) -> None:
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", IN_BASH.format(words=words)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.split() == expected, done.stderr
