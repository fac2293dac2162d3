"""Tests that commands pass their options on, and of the defaults."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from acpgen.cli.app import app
from acpwire import bridge, connect, serve
from acpwire.credentials import token_to_serve
from acpwire.wrap import forwarding
from typer.testing import CliRunner

Call = Callable[..., tuple[Any, ...]]


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch) -> Call:
    """Return a function that runs a command and returns what the command passes on."""

    def invoke(module: Any, *arguments: str) -> tuple[Any, ...]:
        calls: list[tuple[Any, ...]] = []

        def run(*positional: Any, **named: Any) -> int:
            calls.append((*positional, *named.values()))
            return 7

        monkeypatch.setattr(module, "run", run)
        result = CliRunner().invoke(app, arguments)
        assert (result.exit_code, result.stderr) == (7, "")
        [found] = calls
        return found

    monkeypatch.delenv("ACP_TOKEN", raising=False)
    return invoke


def test_bridge(call: Call, tmp_path: Path) -> None:
    assert call(bridge, "bridge", "--", "agent", "--acp") == (["agent", "--acp"], None, None)
    log = tmp_path / "log"
    command, versions, file = call(bridge, "bridge", "--speak", "1", "--log", str(log), "agent")
    assert (command, versions, file.name) == (["agent"], (1,), str(log))
    assert file.closed


def test_serve(call: Call, tmp_path: Path) -> None:
    local = serve.parse_address("127.0.0.1:8080")
    expected = serve.Service(["agent"], local, "/acp", None, False, (), None, 100)
    assert call(serve, "serve", "--no-token", "agent")[0] == expected
    certificate, key, token = (tmp_path / name for name in ("certificate", "key", "token"))
    certificate.touch()
    key.touch()
    options = (
        "--listen",
        "[::1]:0",
        "--path",
        "/a",
        "--token-file",
        token,
        "--origin",
        "https://x",
    )
    more = ("--certificate", certificate, "--key", key, "--max-connections", "3")
    assert call(serve, "serve", *map(str, (*options, *more)), "agent", "--acp")[0] == serve.Service(
        ["agent", "--acp"],
        serve.parse_address("[::1]:0"),
        "/a",
        token.read_text().strip(),
        False,
        ["https://x"],
        (certificate, key),
        3,
    )
    everyone = call(serve, "serve", "--no-token", "--anyone", "--listen", "0.0.0.0:1", "agent")[0]
    assert (everyone.token, everyone.is_open) == (None, True)


def test_serve_prints_where_the_token_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(service: serve.Service, on_ready: Callable[[str], object]) -> int:
        on_ready("ws://127.0.0.1:8080/acp")
        return 0

    monkeypatch.setattr(serve, "run", run)
    monkeypatch.setenv("ACP_TOKEN", "secret")
    result = CliRunner().invoke(app, ["serve", "agent"])
    assert result.stdout == "ws://127.0.0.1:8080/acp\n"
    assert result.stderr == f"acpgen serve: token {token_to_serve(None)[1]}\n"
    assert CliRunner().invoke(app, ["serve", "--no-token", "agent"]).stderr == ""


def test_connect(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = "https://example.org/acp"
    assert call(connect, "connect", url) == (connect.Remote(url, {}, None, None, None, False),)
    (token := tmp_path / "token").write_text("secret")
    (ca := tmp_path / "ca").touch()
    monkeypatch.setenv("TEAM", "editors")
    options = ("--token-file", token, "--header", "X-Team: @TEAM", "--transport", "http")
    more = ("--ca", ca, "--reconnect")
    [remote] = call(connect, "connect", *map(str, (*options, *more)), url)
    assert remote == connect.Remote(url, {"X-Team": "editors"}, "secret", "http", ca, True)


def test_wrap(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forwarding, "end_like", lambda status: status)
    found = call(forwarding, "wrap", "--", "agent", "--acp")
    assert found == (["agent", "--acp"], None, 50_000_000, 4, False)
    log = tmp_path / "log"
    options = ("--log", str(log), "--max-size", "3", "--keep", "2", "-q")
    assert call(forwarding, "wrap", *options, "agent") == (["agent"], log, 3_000_000, 2, True)
