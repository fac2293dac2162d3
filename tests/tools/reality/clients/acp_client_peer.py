"""A client built with the acp-client library, which must be installed.

Usage: `acp_client_peer.py SCENE FOLDER PROMPT AGENT...`. The scene `load` loads the session that
the scene `text` created.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import acp_client

WAIT = 60


async def main(scene: str, folder: Path, prompt: str, command: list[str]) -> None:
    kept = folder / "acp-client-session.txt"
    kind = "reject_once" if scene == "denied" else "allow_once"

    async def permission(request: dict[str, Any]) -> str | None:
        options = {each["kind"]: each["optionId"] for each in request["options"]}
        return options.get(kind)

    known = kept.read_text("utf-8") if scene == "load" else None
    agent = acp_client.Agent(command, folder, permission=permission, session=known)
    started = asyncio.Event()

    def on_update(update: dict[str, Any]) -> None:
        print(update)
        if update.get("status") == "in_progress":
            started.set()

    try:
        if scene == "load":
            await agent.start(on_update)
        asking = asyncio.create_task(agent.ask(prompt, on_update=on_update))
        if scene == "stopped":
            await asyncio.wait_for(started.wait(), WAIT)
            agent.cancel()
        print(await asyncio.wait_for(asking, WAIT))
        kept.write_text(agent.session or "", "utf-8")
    finally:
        await agent.stop()


if __name__ == "__main__":
    scene, folder, prompt, *command = sys.argv[1:]
    asyncio.run(main(scene, Path(folder), prompt, command))
