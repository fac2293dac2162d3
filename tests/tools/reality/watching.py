"""Scenes in which clients drive our agent, with checks of their outcomes."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

from .commands import fill, wrapped
from .comparing import entries_of
from .playing import Played
from .results import NOT_OFFERED, PLAYED

HERE = Path(__file__).resolve().parent
TIMEOUT = 120

# The prompt for each scene. `{file}` is replaced with the name of the scene's file.
PROMPTS = {
    "text": "hello",
    "allowed": "run touch {file}",
    "denied": "run touch {file}",
    "edit": "write {file} edited",
    "stopped": "run sleep 20",
    "load": "hello",
}


async def watch(
    command: list[str],
    scenes: Collection[str],
    mode: str,
    folder: Path,
    keep: Path,
    env: dict[str, str],
) -> Played:
    """Run the scenes in which a client drives our agent.

    Args:
        command: the client's command, with placeholders for the scene and the agent.
        scenes: the scenes that the client can play.
        mode: `v1` or `v2`.
        folder: the client's working directory.
        keep: the folder for recordings and logs.
        env: the client's environment variables.
    """
    played = Played()
    for scene, text in PROMPTS.items():
        if scene not in scenes:
            played.outcomes[scene] = NOT_OFFERED
            continue
        log, file = keep / f"{scene}.log", f"{scene}-{mode}.txt"
        agent = wrapped([sys.executable, str(HERE / "our_agent.py"), mode], log)
        values = {"scene": scene, "prompt": text.replace("{file}", file), "work": str(folder)}
        values |= {"agent": shlex.join(agent), "arguments": shlex.join(agent[1:])}
        parts = [part for each in command for part in _parts(each, agent, values)]
        try:
            output = await _run(parts, folder, env, keep / f"{scene}.err")
            _judge(scene, folder / file, output, log)
            played.outcomes[scene] = PLAYED
        except (RuntimeError, OSError) as error:
            played.outcomes[scene] = str(error)
    return played


def _parts(text: str, agent: list[str], values: dict[str, str]) -> list[str]:
    """Replace an argument's placeholders. `{agent...}` expands to several arguments."""
    return agent if text == "{agent...}" else [fill(text, values)]


async def _run(command: list[str], folder: Path, env: dict[str, str], log: Path) -> str:
    """Run a program and return its output. Ignore the exit status, since its meaning varies.

    Raises:
        RuntimeError: If the program exceeds the time limit.
    """
    with log.open("ab") as errors:
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=folder,
            env=env,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=errors,
            start_new_session=True,  # so that its child processes can also be killed
        )
        try:
            output, _ = await asyncio.wait_for(process.communicate(), TIMEOUT)
        except asyncio.TimeoutError:
            os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
            raise RuntimeError(f"it is not over after {TIMEOUT} s") from None
        errors.write(output)
    return output.decode("utf-8", "replace")


def _judge(scene: str, file: Path, output: str, log: Path) -> None:
    """Check the outcome of a client's scene.

    Raises:
        RuntimeError: If the scene did not go as expected.
    """
    entries = entries_of(log)
    answers = [each for each in entries if each.kind == "response" and not each.is_error]
    stops: list[Any] = [
        each.value.get("stopReason") for each in answers if each.method == "session/prompt"
    ]
    wanted = ["cancelled" if scene == "stopped" else "end_turn"]
    text = file.read_text("utf-8") if file.exists() else None
    checks = {
        "the agent was not asked": not stops,
        f"the turn ends with {stops[-1:]}": stops[-1:] != wanted,
        "the answer is not shown": scene in ("text", "load") and "I understand" not in output,
        "the tool did not run": scene == "allowed" and text is None,
        "the tool ran": scene == "denied" and text is not None,
        f"the file contains {text!r}": scene == "edit" and text != "edited\n",
        "the session is not loaded": scene == "load"
        and not any(each.method in ("session/load", "session/resume") for each in answers),
    }
    for problem, is_there in checks.items():
        if is_there:
            raise RuntimeError(problem)
