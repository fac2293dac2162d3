"""Tests of signing in to agents that require authentication."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.kit import signing_in
from acp_bindings.kit.signing_in import Program, SignInMethod, SignInRequired, run_in_this_terminal
from acp_bindings.runtime import AUTHENTICATION_REQUIRED, RequestError

from tests.package.kit.test_launching import (
    GUARD,
    command,
    crash,
    each_version,
    launched,
    methods,
    noted,
    opened,
    prompt,
    spoken,
)


def ways(surface: Any, *, old: Mapping[str, Any] | None = None) -> list[Any]:
    """Return one sign-in method of each kind, as the agent lists them."""
    id_ = surface.FACTS.sign_in[2]
    env: Any = {"LOGIN": "1"} if surface is v1 else [{"name": "LOGIN", "value": "1"}]
    browser: dict[str, Any] = {id_: "browser", "name": "In the browser", "type": "agent"}
    if old is not None:
        browser["_meta"] = {"terminal-auth": old}
    terminal = {id_: "tty", "name": "Here", "type": "terminal", "args": ["login"], "env": env}
    return [browser, terminal, {id_: "key", "name": "By key", "type": "env_var"}]


class User:
    """A user with a terminal who chooses sign-in methods by kind."""

    def __init__(self, kind: str | None) -> None:
        self.kind = kind
        self.asked: list[Sequence[SignInMethod]] = []

    async def choose(self, offered: Sequence[SignInMethod]) -> SignInMethod | None:
        self.asked.append(offered)
        return next((method for method in offered if method.kind == self.kind), None)

    async def run(
        self, command: Sequence[str], env: Mapping[str, str], cwd: str | None
    ) -> int | None:
        process = await asyncio.create_subprocess_exec(*command, env=env, cwd=cwd)
        return await process.wait()


def logins(folder: Path) -> list[str]:
    return [name for name in methods(folder) if name in ("authenticate", "auth/login", "terminal")]


@each_version
async def test_an_agent_signs_in_by_itself_after_the_user_chose_that(
    surface: Any, tmp_path: Path
) -> None:
    user = User("agent")
    agent = command(tmp_path, surface, locked=True, methods=ways(surface))
    async with launched(agent, surface, sign_in=user.choose) as link:
        assert user.asked == []  # the user isn't asked before the agent requires signing in
        first = link.peer
        await prompt(await opened(link, tmp_path), "one")
        await opened(link, tmp_path)
        assert link.peer is first
    assert len(user.asked) == 1
    assert logins(tmp_path) == [surface.FACTS.sign_in[0]]
    assert [params for name, params in noted(tmp_path, "log") if name in logins(tmp_path)] == [
        {"methodId": "browser"}
    ]


@each_version
async def test_the_program_of_the_agent_runs_in_a_terminal_and_is_then_started_again(
    surface: Any, tmp_path: Path
) -> None:
    """The sign-in method adds arguments and environment variables to the agent's command."""
    user = User("terminal")
    agent = command(tmp_path, surface, locked=True, methods=ways(surface))
    options = {"sign_in": user.choose, "run_in_terminal": user.run, "env": {"BASE": "1"}}
    async with launched(agent, surface, **options) as link:
        first = link.peer
        await prompt(await opened(link, tmp_path), "one")
        assert link.peer is not first
        assert link.restarts == 0
    assert logins(tmp_path) == ["terminal"]
    assert ["terminal", ["login"]] in noted(tmp_path, "log")
    assert methods(tmp_path).count("initialize") == 2
    _, login, _ = noted(tmp_path, "environment")
    assert (login["BASE"], login["LOGIN"]) == ("1", "1")
    assert len(user.asked) == 1


@each_version
@pytest.mark.parametrize("can_run", [False, True])
async def test_sign_in_in_a_terminal_is_advertised_only_with_one(
    surface: Any, can_run: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signing_in, "_has_terminal", lambda: False)
    user = User("terminal")
    options = {"run_in_terminal": user.run} if can_run else {}
    agent = command(tmp_path, surface, locked=True, methods=ways(surface))
    async with launched(agent, surface, sign_in=user.choose, **options) as link:
        if not can_run:
            with pytest.raises(SignInRequired, match="cancelled"):
                await opened(link, tmp_path)
            assert [method.kind for method in user.asked[0]] == ["agent"]
    [params] = [params for name, params in noted(tmp_path, "log") if name == "initialize"]
    *_, auth, terminal = surface.FACTS.terminal_sign_in.pointer.split("/")
    stated = params.get(surface.FACTS.capabilities["client"], {}).get(auth, {})
    expected: Any = {"boolean": True, "object": {}}[surface.FACTS.terminal_sign_in.form]
    assert stated == ({terminal: expected} if can_run else {})


@each_version
async def test_a_program_without_a_user_gets_an_error_that_lists_the_methods(
    surface: Any, tmp_path: Path
) -> None:
    agent = command(tmp_path, surface, locked=True, methods=ways(surface))
    async with launched(agent, surface) as link:
        with pytest.raises(SignInRequired) as caught:
            await opened(link, tmp_path)
    assert caught.value.code == AUTHENTICATION_REQUIRED
    assert [method.id for method in caught.value.methods] == ["browser", "tty"]
    assert caught.value.message == (
        "the agent requires a sign-in: there is no user to ask; pass `sign_in` to let the user "
        "choose a method; available methods: 'In the browser' (agent), 'Here' (terminal)"
    )
    assert logins(tmp_path) == []


@each_version
async def test_a_cancelled_dialog_signs_nobody_in(surface: Any, tmp_path: Path) -> None:
    user = User(None)
    agent = command(tmp_path, surface, locked=True, methods=ways(surface))
    async with launched(agent, surface, sign_in=user.choose) as link:
        with pytest.raises(SignInRequired, match="the user cancelled the sign-in"):
            await opened(link, tmp_path)
        assert link.sessions == []
        user.kind = "agent"
        await opened(link, tmp_path)
    assert len(logins(tmp_path)) == 1


async def test_without_methods_nothing_is_asked(tmp_path: Path) -> None:
    user = User("agent")
    async with launched(command(tmp_path, v1, locked=True), v1, sign_in=user.choose) as link:
        with pytest.raises(SignInRequired) as caught:
            await opened(link, tmp_path)
    assert caught.value.message == (
        "the agent requires a sign-in: none of its methods is supported here; sign in with the "
        "agent's own program; available methods: none"
    )
    assert user.asked == []


@each_version
async def test_a_refused_sign_in_is_raised(surface: Any, tmp_path: Path) -> None:
    agent = command(tmp_path, surface, locked=True, methods=ways(surface), login_fails=True)
    async with launched(agent, surface, sign_in=User("agent").choose) as link:
        with pytest.raises(RequestError, match="wrong password"):
            await opened(link, tmp_path)
    assert len(logins(tmp_path)) == 1


async def test_a_failed_command_is_no_sign_in_and_restarts_nothing(tmp_path: Path) -> None:
    user = User("terminal")
    agent = command(tmp_path, v2, locked=True, methods=ways(v2), login_fails=True)
    options = {"sign_in": user.choose, "run_in_terminal": user.run}
    async with launched(agent, v2, **options) as link:
        with pytest.raises(SignInRequired, match="'Here' exited with status 4"):
            await opened(link, tmp_path)
    assert methods(tmp_path).count("initialize") == 1


async def test_an_agent_that_still_refuses_after_a_sign_in_is_asked_once_more_only(
    tmp_path: Path,
) -> None:
    user = User("terminal")

    async def do_nothing(*args: object) -> int:
        return 0

    agent = command(tmp_path, v2, locked=True, methods=ways(v2))
    options = {"sign_in": user.choose, "run_in_terminal": do_nothing}
    async with launched(agent, v2, **options) as link:
        with pytest.raises(RequestError) as caught:
            await opened(link, tmp_path)
    assert caught.value.code == AUTHENTICATION_REQUIRED
    assert methods(tmp_path).count("session/new") == 2
    assert len(user.asked) == 1


async def test_sessions_that_are_opened_together_ask_once(tmp_path: Path) -> None:
    user = User("agent")
    agent = command(tmp_path, v2, locked=True, methods=ways(v2))
    async with launched(agent, v2, sign_in=user.choose) as link:
        await asyncio.gather(*(opened(link, tmp_path) for _ in range(3)))
        assert len(link.sessions) == 3
    assert len(user.asked) == 1


async def test_a_method_that_was_not_offered_is_refused(tmp_path: Path) -> None:
    async def choose(offered: Sequence[SignInMethod]) -> SignInMethod:
        return SignInMethod("other", "Other", "terminal", "", ("rm",), {})

    agent = command(tmp_path, v2, locked=True, methods=ways(v2))
    async with launched(agent, v2, sign_in=choose) as link:
        with pytest.raises(ValueError, match="was not offered"):
            await opened(link, tmp_path)


async def test_a_session_is_kept_while_the_user_signs_in_again(tmp_path: Path) -> None:
    user = User("terminal")
    agent = command(tmp_path, v2, methods=ways(v2))
    options = {"sign_in": user.choose, "run_in_terminal": user.run}
    async with launched(agent, v2, **options) as link:
        session = await opened(link, tmp_path)
        await prompt(session, "one")
        with pytest.raises(RequestError) as caught:
            await prompt(session, "unauthorized")
        assert caught.value.code == AUTHENTICATION_REQUIRED
        await asyncio.wait_for(link.sign_in(), GUARD)
        assert link.sessions == [session]
        await prompt(session, "two")
        assert spoken(session)[:2] == [("user", "one"), ("agent", "heard one")]
        assert spoken(session)[-2:] == [("user", "two"), ("agent", "heard two")]


@pytest.mark.parametrize("kind", ["agent", "terminal"])
@each_version
async def test_sessions_come_back_after_a_sign_in(surface: Any, kind: str, tmp_path: Path) -> None:
    user = User("agent")
    agent = command(tmp_path, surface, locked=True, methods=ways(surface))
    options = {"sign_in": user.choose, "run_in_terminal": user.run}
    async with launched(agent, surface, **options) as link:
        sessions = [await opened(link, tmp_path) for _ in range(2)]
        (tmp_path / "token").unlink()
        user.kind = kind
        await crash(link, sessions[0])
        assert link.sessions == sessions
        for session in sessions:
            await prompt(session, "two")
    assert len(user.asked) == 2


async def test_sessions_are_closed_if_nobody_signs_in_when_they_come_back(tmp_path: Path) -> None:
    user = User("agent")
    agent = command(tmp_path, v2, locked=True, methods=ways(v2))
    async with launched(agent, v2, sign_in=user.choose) as link:
        session = await opened(link, tmp_path)
        (tmp_path / "token").unlink()
        user.kind = None
        await crash(link, session)
        assert session.is_closed
        assert "requires a sign-in" in session.closed_reason


# --- the old form ----------------------------------------------------------------------------


async def test_the_old_form_runs_the_program_of_the_agent(tmp_path: Path) -> None:
    words = command(tmp_path, v1, locked=True)
    old = {"label": "Log in", "command": words[0], "args": [*words[1:], "old"], "env": {"C": "1"}}
    agent = command(tmp_path, v1, locked=True, methods=ways(v1, old=old)[:1])
    user = User("terminal")
    options = {"sign_in": user.choose, "run_in_terminal": user.run}
    async with launched(agent, v1, **options) as link:
        await opened(link, tmp_path)
    assert ["terminal", ["old"]] in noted(tmp_path, "log")
    assert logins(tmp_path) == ["terminal"]


@pytest.mark.parametrize("program", ["/bin/sh", "no-such-program", 1, None])
async def test_the_old_form_runs_no_other_program(program: Any, tmp_path: Path) -> None:
    old = {"command": program, "args": ["-c", "exit 0"]}
    agent = command(tmp_path, v1, locked=True, methods=ways(v1, old=old)[:1])
    user = User("agent")
    options = {"sign_in": user.choose, "run_in_terminal": user.run}
    async with launched(agent, v1, **options) as link:
        await opened(link, tmp_path)
    assert [method.kind for method in user.asked[0]] == ["agent"]
    assert logins(tmp_path) == ["authenticate"]


@pytest.mark.parametrize("is_linked", [True, False])
def test_the_old_form_may_name_the_program_of_the_agent_in_two_ways(
    is_linked: bool, tmp_path: Path
) -> None:
    named = own = "no-such-agent"
    if is_linked:
        own, named = sys.executable, str(tmp_path / "python")
        Path(named).symlink_to(own)
    old = {"command": named, "args": ["login"]}
    data = {"protocolVersion": 1, "authMethods": ways(v1, old=old)[:1]}
    found = signing_in.SigningIn(v1, program=Program([own, "acp"], {})).methods(
        v1.decode(v1.InitializeResponse, data)
    )
    assert [(method.kind, method.command) for method in found] == [("terminal", (own, "login"))]


# --- this terminal ---------------------------------------------------------------------------

ASK = """
import asyncio, os, sys
from acp_bindings.kit.signing_in import run_in_this_terminal
code = "import sys; print('name?', flush=True); sys.exit(len(input()))"
print(asyncio.run(run_in_this_terminal([sys.executable, "-c", code], os.environ)))
"""


def test_a_command_uses_the_input_and_output_of_this_program() -> None:
    import subprocess

    done = subprocess.run(
        [sys.executable, "-c", ASK], input="12345\n", capture_output=True, text=True, check=True
    )
    assert done.stdout == "name?\n5\n"


async def test_a_cancelled_command_is_killed(tmp_path: Path) -> None:
    code = f"import os, time; open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid())); "
    words = [sys.executable, "-c", code + "time.sleep(3600)"]
    task = asyncio.create_task(run_in_this_terminal(words, os.environ))
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.wait([task])
    pid = int((tmp_path / "pid").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_odd_methods_are_left_out() -> None:
    data = {
        "protocolVersion": 2,
        "info": {"name": "agent", "version": "1"},
        "authMethods": [{"methodId": 3}, "?", *ways(v2)],
    }
    advertised = v2.decode(v2.InitializeResponse, data)
    found = signing_in.SigningIn(v2, program=Program(["agent", "acp"], {})).methods(advertised)
    assert [(method.id, method.command) for method in found] == [
        ("browser", ()),
        ("tty", ("agent", "acp", "login")),
    ]
