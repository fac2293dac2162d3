"""Runs one program: installs it, plays scenes in both modes, and collects the findings."""

from __future__ import annotations

import asyncio
import datetime
import sys
import tempfile
from pathlib import Path

from tests.interop.environments import Unavailable

from .commands import fill, wrapped
from .comparing import entries_of, version_of, violations
from .environments import install
from .model.server import serving
from .playing import Played, play
from .programs import HERE, Program, Programs
from .results import MODES, Measured
from .watching import watch


def run(program: Program, programs: Programs, keep: Path) -> Measured:
    """Play scenes with an agent, or let a client drive our agent.

    Args:
        keep: the folder for recordings and logs.
    """
    try:
        environment, path = install(program, programs)
    except Unavailable as error:
        return Measured(datetime.date.today(), program.version, unavailable=str(error))
    measured = Measured(datetime.date.today(), program.version)
    problems = set[str]()
    for mode in MODES:
        folder = keep / program.folder / mode
        folder.mkdir(parents=True)
        # Use a short path: some agents create sockets in it, and socket paths must be short.
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
            played = _play(program, mode, environment, path, folder, Path(temporary))
        recordings = list(folder.glob("*.log"))
        measured.speaks[mode] = max((version_of(entries_of(log)) for log in recordings), default=0)
        measured.scenes[mode] = {
            scene: outcome.replace(temporary, "…") for scene, outcome in played.outcomes.items()
        }
        found = played.problems.union(*map(violations, recordings))
        problems |= {each.replace(temporary, "…") for each in found}
    measured.problems = sorted(problems)
    return measured


def _play(
    program: Program, mode: str, environment: Path, path: str, keep: Path, temporary: Path
) -> Played:
    """Play scenes with a program in one mode.

    Args:
        mode: `v1` or `v2`.
        environment: the folder of the program's environment.
        path: the PATH for the program's commands.
        keep: the folder for recordings and logs.
        temporary: an empty folder for the program's home and the sessions' files.
    """
    home, work = temporary / "home", temporary / "work"
    home.mkdir()
    work.mkdir()
    with serving(keep / "model.jsonl") as server:
        values = {"model": server.url, "environment": str(environment), "home": str(home)}
        values |= {"python": sys.executable, "here": str(HERE)}
        for name, text in program.files.items():
            file = home / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(fill(text, values), "utf-8")
        env = {name: fill(value, values) for name, value in program.env.items()}
        # Don't pass our environment variables, since they might configure the program.
        env = {"PATH": path, "HOME": str(home), "LANG": "C.UTF-8", "TERM": "dumb", **env}
        command = [fill(part, values) for part in program.command]
        if program.scenes:
            return asyncio.run(watch(command, program.scenes, mode, work, keep, env))
        logs = [keep / "first.log", keep / "second.log"]
        commands = {log: wrapped(command, log) for log in logs}
        ways = program.authenticate, program.mode
        return asyncio.run(play(commands, mode, server, work, env, *ways))
