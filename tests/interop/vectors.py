"""The recorded conversations: their location, and functions to record and read them.

This command runs conversations and records them:

    python -m tests.interop.vectors [COMBINATION...]

The tests only read the recorded conversations.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.support.paths import DATA

from .combinations import COMBINATIONS
from .running import run

FOLDER = DATA / "vectors"
# All combinations, except bridged combinations and our client with our agent.
RECORDED = [
    name
    for name, each in COMBINATIONS.items()
    if not name.startswith("ours-") and not each.is_bridged
]
# The numbers of the updates to record, out of a thousand numbered updates.
KEPT_NUMBERS = {"0", "1", "999"}


def record(name: str) -> Path:
    """Run a conversation and record it.

    Raises:
        RuntimeError: If the conversation did not finish.
    """
    outcome = run(COMBINATIONS[name])
    problem = outcome.unavailable or outcome.problem
    if problem:
        raise RuntimeError(f"{name}: {problem}\n{outcome.log}")
    path = FOLDER / f"{name}.jsonl"
    FOLDER.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(entry, ensure_ascii=False) for entry in selected(outcome.transcript)]
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


def read(name: str) -> list[dict[str, str]]:
    """Return the lines of a recorded conversation, each with its sender."""
    text = (FOLDER / f"{name}.jsonl").read_text("utf-8")
    # `splitlines` would also split at U+2028 and similar characters within lines.
    return [json.loads(line) for line in text.split("\n") if line]


def selected(transcript: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a transcript, omitting long messages, responses to long requests, and most updates."""
    long_requests = {
        (entry["from"], entry["head"]["id"])
        for entry in transcript
        if "head" in entry and "method" in entry["head"] and "id" in entry["head"]
    }
    found = []
    for entry in transcript:
        if "line" not in entry:
            continue
        message = json.loads(entry["line"])
        asker = "agent" if entry["from"] == "client" else "client"
        if "method" not in message and (asker, message["id"]) in long_requests:
            continue
        if _number(message) is None or _number(message) in KEPT_NUMBERS:
            found.append(entry)
    return found


def _number(message: dict[str, Any]) -> str | None:
    """Return the number in a message if it is one of the thousand numbered updates."""
    if message.get("method") != "session/update":
        return None
    content = message["params"]["update"].get("content")
    text = content.get("text") if isinstance(content, dict) else None
    return text if isinstance(text, str) and text.isascii() and text.isdigit() else None


if __name__ == "__main__":
    for each in sys.argv[1:] or RECORDED:
        print(record(each).name)
