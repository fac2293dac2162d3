"""Functions that run sessions between clients and agents and make them comparable."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from . import originals

HERE = Path(__file__).resolve().parent
TEE = HERE.parents[1] / "interop" / "tee.py"
TIMEOUT = 60
# Python starts faster without site-packages, which the programs don't need if they import only the
# standard library.
BARE = [sys.executable, "-S"]
VARIABLES = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"}
# Fields in which absent, empty and false are equivalent.
CAPABILITIES = ("clientCapabilities", "agentCapabilities")
# Capabilities that some originals support but don't advertise. Ours advertise them.
UNTOLD = frozenset({"elicitation", "fs", "loadSession"})


@dataclass
class Conversation:
    """A session: the client's output, its exit code, and the messages of both sides.

    `errors` contains the lines on the client's standard error. If the client forwards the agent's
    standard error, `errors` also contains the agent's lines.
    """

    printed: str
    errors: list[str]
    exit: int
    client: list[Any] = field(default_factory=list)
    agent: list[Any] = field(default_factory=list)


def environment() -> dict[str, str]:
    return {**os.environ, **VARIABLES}


def hold(
    client: tuple[str, str], agent: list[str], folder: Path, *arguments: str, stdin: str = ""
) -> Conversation:
    """Run a client, which starts an agent. Both run in the given folder.

    `client` is the client's origin and name, and `stdin` is its console input.
    """
    transcript = folder / "transcript.jsonl"
    recorded = [*BARE, str(TEE), str(transcript), *agent]
    done = subprocess.run(
        _command(client, recorded, folder, arguments),
        cwd=folder,
        env=environment(),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    lines = [json.loads(line) for line in transcript.read_text("utf-8").split("\n") if line]
    entries = [
        {"from": each["from"], "message": json.loads(each["line"])}
        for each in lines
        if "line" in each
    ]
    return comparable(done.stdout, done.stderr, done.returncode, entries, folder)


def ask(agent: list[str], *messages: dict[str, Any]) -> Conversation:
    """Send messages to an agent, each after the response to the previous request."""
    process = subprocess.Popen(
        agent,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    entries: list[dict[str, Any]] = []
    for message in messages:
        entries.append({"from": "client", "message": {"jsonrpc": "2.0", **message}})
        process.stdin.write(json.dumps(entries[-1]["message"]) + "\n")
        process.stdin.flush()
        answer: dict[str, Any] = {}
        while "id" in message and answer.get("id") != message["id"]:
            answer = json.loads(process.stdout.readline())
            entries.append({"from": "agent", "message": answer})
    rest, errors = process.communicate(timeout=TIMEOUT)
    assert process.returncode is not None
    return comparable(rest, errors, process.returncode, entries, HERE)


def _command(
    client: tuple[str, str], agent: list[str], folder: Path, arguments: tuple[str, ...]
) -> list[str]:
    who, name = client
    program = originals.command(who, name)
    if name == "client":
        return [*program, *agent]
    # The other examples start a given script, which runs the agent and passes on its arguments.
    is_duet = name == "duet"
    script = folder / ("agent.py" if is_duet else "gemini")
    code = f"import os, sys\nos.execv({agent[0]!r}, {agent!r} + sys.argv[1:])\n"
    script.write_text(code if is_duet else f"#!{sys.executable}\n{code}", "utf-8")
    script.chmod(0o755)
    if not is_duet:
        return [*program, "--gemini", str(script), *arguments]
    # `duet.py` expects the client and the agent in its own directory.
    for each in ("client", "duet"):
        text = (originals.folder(who) / f"{each}.py").read_text("utf-8")
        (folder / f"{each}.py").write_text(text, "utf-8")
    return [originals.python(who), str(folder / "duet.py")]


def unordered(held: Conversation) -> Conversation:
    """Return a copy of a session with the lines of the client's output sorted.

    The SDK handles notifications and responses concurrently, so its clients can print an update
    after the end of its turn.
    """
    return replace(held, printed="\n".join(sorted(re.split(r"\n|> (?=> |\| |$)", held.printed))))


def comparable(
    printed: str, errors: str, code: int, entries: list[dict[str, Any]], folder: Path
) -> Conversation:
    """Return a session without details that differ between runs or that don't matter.

    These details include ids, paths, error messages, and capabilities that are empty or that the
    originals support but don't advertise.
    """

    def plain(text: str) -> str:
        text = re.sub(r"^Unknown child process pid \d+, .*\n?", "", text, flags=re.M)
        text = re.sub(r"\b[0-9a-f]{32}\b", "<id>", text.replace(str(folder), "<folder>"))
        text = re.sub(r"(input: .*|\[elicitation\] .*) \(\w+\)", r"\1 (<class>)", text)
        text = re.sub(r"(\[session update\] )(?s:.*?)(?=\n\n|\n> |\Z)", r"\1<update>", text)
        text = re.sub(r"^Traceback .*:\n(?: .*\n|\n)*[\w.]*?(\w+:)", r"raised \1", text, flags=re.M)
        # In our clients, the text of an error also contains its code and data.
        return re.sub(r" \(-\d+\)(: \{.*\})?$", "", text, flags=re.M)

    seen = Conversation(plain(printed), plain(errors).splitlines(), code)
    numbers: dict[tuple[str, Any], int] = {}
    for entry in entries:
        message = json.loads(plain(json.dumps(entry["message"], ensure_ascii=False)))
        side = entry["from"]
        if "id" in message:
            asking = side if "method" in message else {"client": "agent", "agent": "client"}[side]
            message["id"] = numbers.setdefault((asking, message["id"]), len(numbers))
        if "error" in message:
            message["error"] = message["error"]["code"]
        for members in (message.get("params"), message.get("result")):
            for name in CAPABILITIES:
                if members and members.get(name) is not None:
                    members[name] = _told(members[name])
                    if not members[name]:
                        del members[name]
        {"client": seen.client, "agent": seen.agent}[side].append(message)
    return seen


def _told(value: Any) -> Any:
    """Return capabilities without entries that are empty, false, null or in `UNTOLD`."""
    if not isinstance(value, dict):
        return value
    told = {name: _told(each) for name, each in value.items() if name not in UNTOLD}
    return {name: each for name, each in told.items() if each not in ({}, False, None)}
