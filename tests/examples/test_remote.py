"""Tests of the editor, connected by `acpgen connect` to an agent that `acpgen serve` runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acpwire.remote import serving
from tests.examples.driving import agent_with_tools, editor, lines, running
from tests.support import preloaded


@pytest.mark.parametrize("transport", ["websocket", "http"])
@pytest.mark.parametrize("protocol", [1, 2])
def test_the_editor_talks_with_a_remote_agent(
    protocol: int, transport: str, tmp_path: Path
) -> None:
    folder, sessions = tmp_path / "work", tmp_path / "sessions"
    folder.mkdir()
    # The text exceeds the default limits on frames and buffers and contains U+2028, which
    # `str.splitlines` treats as a line break.
    (folder / "long.txt").write_text("word\u2028 " * 300_000 + "end\n", "utf-8")
    environment = {"AGENT_SESSIONS": str(sessions)}
    with serving(agent_with_tools(), environment=environment) as server:
        token = tmp_path / "token"
        token.write_text(server.token or "", "utf-8")
        connect = [
            *preloaded.acpgen(),
            "connect",
            "--transport",
            transport,
            "--token-file",
            str(token),
        ]
        with running(editor(*connect, server.url, protocol=protocol), folder) as program:
            program.type("write new.txt text\u2028\U0001f600", "1", "read long.txt")
            assert program.end() == 0, program.output
            program.output = program.output.replace("\u2028", "")
            assert any(line.endswith("word end") for line in lines(program.output))
            program.output = ""
        assert (folder / "new.txt").read_text("utf-8") == "text\u2028\U0001f600\n"
        with running(editor(*connect, server.url, protocol=protocol), folder) as program:
            program.type("run echo started; exec sleep 1000", "1")
            program.wait_for("\nstarted\n")
            program.interrupt()
            program.wait_for("[cancelled]\n> ")
            assert program.end() == 0
