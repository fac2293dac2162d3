"""What the tools of `agent_with_tools.py` do, in any protocol version."""

from __future__ import annotations

import asyncio
import difflib
import os
import re
import signal
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, TypeAlias
from uuid import uuid4

from acp_bindings.runtime import RequestError

HELP = "I understand `list`, `read FILE`, `write FILE TEXT` and `run COMMAND`."
ASKED_ABOUT = ("edit", "execute")

Progress: TypeAlias = Literal["pending", "in_progress", "completed"]
Status: TypeAlias = Progress | Literal["failed", "cancelled"]
Step: TypeAlias = tuple[str, Progress]


@dataclass
class Call:
    """A use of a tool."""

    kind: Literal["search", "read", "edit", "execute"]
    title: str
    path: Path
    new_text: str = ""
    old_text: str | None = None  # None for a new file
    output: bytes = b""
    exit_code: int | None = None
    status: Status = "pending"
    id: str = field(default_factory=lambda: uuid4().hex)

    @property
    def text(self) -> str:
        return self.output.decode("utf-8", "replace")

    def patch(self) -> str:
        """Return the edit as Git writes it, with an absolute path, as the protocol demands."""
        name, is_new = str(self.path), self.old_text is None
        head = f"diff --git {name} {name}\n" + "new file mode 100644\n" * is_new
        old, new = (each.splitlines(keepends=True) for each in (self.old_text or "", self.new_text))
        lines = difflib.unified_diff(old, new, "/dev/null" if is_new else name, name)
        no_end = "\n\\ No newline at end of file\n"
        return head + "".join(line if line.endswith("\n") else line + no_end for line in lines)


class Session(Protocol):
    """What the tools need of a session, in every protocol version."""

    cwd: str
    allowed: frozenset[str]  # the kinds of calls that the user always allows

    async def say(self, content: str) -> None: ...
    async def think(self, content: str) -> None: ...
    async def usage(self, *, used: int, size: int) -> None: ...
    async def show_plan(self, plan: list[Step]) -> None: ...
    async def show_call(self, call: Call) -> None: ...
    async def show_output(self, call: Call, data: bytes) -> None: ...
    async def choose(self, call: Call) -> str | None: ...
    async def read_text(self, path: Path) -> str: ...
    async def write_text(self, path: Path, text: str) -> None: ...


class Workspace:
    """The part of a session that is the same in every protocol version."""

    allowed: frozenset[str] = frozenset()

    async def read_text(self, path: Path) -> str:
        return path.read_text("utf-8")

    async def write_text(self, path: Path, text: str) -> None:
        path.write_text(text, "utf-8")


async def work(session: Session, prompt: str) -> None:
    """Do what a prompt says: one command a line, or several with " then " between them."""
    steps = [step.strip() for step in re.split(r"\n| then ", prompt) if step.strip()]
    await session.think(f"Steps to take: {len(steps)}")
    for number, step in enumerate(steps):
        done: list[Step] = [(each, "completed") for each in steps[:number]]
        left: list[Step] = [(each, "pending") for each in steps[number + 1 :]]
        await session.show_plan([*done, (step, "in_progress"), *left])
        if call := understand(step, Path(session.cwd)):
            await use(session, call)
        else:
            await session.say(HELP)
    await session.show_plan([(step, "completed") for step in steps])
    await session.usage(used=len(prompt), size=10_000)


def understand(step: str, cwd: Path) -> Call | None:
    match step.split(maxsplit=2):
        case ["list"]:
            return Call("search", "List files", cwd)
        case ["read", name]:
            return Call("read", f"Read {name}", cwd / name)
        case ["write", name, text]:
            return Call("edit", f"Write {name}", cwd / name, new_text=text + "\n")
        case ["run", _, *_]:
            return Call("execute", step.removeprefix("run").strip(), cwd)
        case _:
            return None


async def use(session: Session, call: Call) -> None:
    """Use a tool, if the user allows it, and report how that goes."""
    try:
        if not call.path.resolve().is_relative_to(Path(session.cwd).resolve()):
            raise PermissionError(f"{call.path} is outside of {session.cwd}")
        if call.kind == "edit" and call.path.exists():
            call.old_text = await session.read_text(call.path)
        await session.show_call(call)
        if call.kind in ASKED_ABOUT and call.kind not in session.allowed:
            choice = await session.choose(call)
            if choice not in ("allow_once", "allow_always"):
                raise PermissionError("not allowed")
            if choice == "allow_always":
                session.allowed |= {call.kind}
        call.status = "in_progress"
        await session.show_call(call)
        answer = await perform(session, call)
        call.status = "completed"
    except asyncio.CancelledError:
        call.status = "cancelled"
        raise
    except (OSError, RequestError, UnicodeError) as error:
        call.status, answer = "failed", f"That failed: {error}"
    finally:
        await session.show_call(call)
    await session.say(answer)


async def perform(session: Session, call: Call) -> str:
    """Do what a call is about, and return what there is to say."""
    match call.kind:
        case "search":
            names = sorted(path.name for path in call.path.iterdir())
            call.output = "\n".join(names).encode()
            return f"Files: {len(names)}"
        case "read":
            call.output = (await session.read_text(call.path)).encode()
            return f"Lines: {len(call.text.splitlines())}"
        case "edit":
            await session.write_text(call.path, call.new_text)
            return f"Wrote `{call.path.name}`."
        case "execute":
            call.exit_code = await run(session, call)
            return f"Exit status: {call.exit_code}"


async def run(session: Session, call: Call) -> int:
    process = await asyncio.create_subprocess_shell(
        call.title,
        cwd=call.path,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        while data := await process.stdout.read(1 << 16):
            call.output += data
            await session.show_output(call, data)
        return await process.wait()
    finally:  # whether it has ended, the turn was cancelled, or the connection has ended
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # the command, and what it has started
        await process.wait()
