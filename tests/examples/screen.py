"""Terminal input and output of `editor.py`, which shows actions and asks questions."""

import asyncio
import base64
import codecs
import difflib
import re
import sys
import threading
from collections import defaultdict
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import TypeAlias

from acp_bindings import v1, v2
from acp_bindings.runtime.session import Change
from acp_bindings.v2.kit import Question
from rich.console import Console
from rich.markdown import Markdown
from rich.syntax import Syntax
from rich.text import Text

Block: TypeAlias = v1.ContentBlock | v2.ContentBlock
Call: TypeAlias = v1.ToolCallUpdate | v2.ToolCallUpdate
Session: TypeAlias = v1.ClientSession | v2.ClientSession
Turn: TypeAlias = v1.Turn | v2.Turn
MARKS = {"completed": "✓", "failed": "✗", "cancelled": "✗", "in_progress": "▶"}
FINISHED = ("completed", "failed", "cancelled")
STYLES = {"thought": "dim italic", "user": "bold", "completed": "green", "failed": "red"}


def clean(text: str) -> str:
    """Return text without escape sequences and control characters."""
    text = re.sub(r"\x1b\[[0-?]*[ -/]*[@-~]", "", text)
    return "".join(each for each in text if each.isprintable() or each in "\n\t")


def text_of(blocks: Sequence[Block]) -> str:
    texts: list[str] = []
    for block in blocks:
        match block:
            case v1.TextContent(text=text) | v2.TextContent(text=text):
                texts.append(text)
            case v1.ResourceLink(uri=uri) | v2.ResourceLink(uri=uri):
                texts.append(f"<{uri}>")
            case _:
                texts.append(f"[{type(block).__name__}]")
    return "".join(texts)


class Screen:
    """A terminal interface that prints line by line, so it also works with files and pipes."""

    def __init__(self) -> None:
        self._console = Console(highlight=False)
        self._piece = ("", "", "")  # the unfinished message or output: kind, id, text
        self._shown: dict[tuple[str, int], str] = {}  # printed headings and parts of tool calls
        self._decoders: defaultdict[str, codecs.IncrementalDecoder] = defaultdict(
            lambda: codecs.getincrementaldecoder("utf-8")("replace")
        )
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        read = partial(self._read, asyncio.get_running_loop())
        threading.Thread(target=read, daemon=True).start()  # asyncio can't read regular files

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        with suppress(RuntimeError), open(0, "rb", buffering=0, closefd=False) as lines:
            for line in lines:
                text = line.decode("utf-8", "replace").strip()
                loop.call_soon_threadsafe(self._lines.put_nowait, text)
            loop.call_soon_threadsafe(self._lines.put_nowait, None)

    async def ask(self, question: str) -> str | None:
        """Ask a question and return the user's next line, or None at the end of the input."""
        self.flush()
        self._console.print(question, end=" ")
        line = await self._lines.get()
        if line is None:
            self._lines.put_nowait(None)  # the next call also returns None
        if line is None or not sys.stdin.isatty():
            self.print(line or "")
        return line

    async def choose(self, question: Question) -> str | None:
        """Return the id of the option that the user chooses, or None at the end of the input."""
        if question.tool_call is not None:
            self.show_content(question.tool_call)
        self.print(f"May I? {question.title}", "bold yellow")
        for number, option in enumerate(question.options, 1):
            self.print(f"  {number}  {option.name}")
        while (line := await self.ask("?")) is not None:
            if line.isdecimal() and 0 < int(line) <= len(question.options):
                return question.options[int(line) - 1].id
        return None

    def print(self, text: str, style: str = "") -> None:
        self.flush()
        self._console.print(Text(clean(text), style), soft_wrap=True)

    def add(self, kind: str, id_: object, text: str) -> None:
        """Add a chunk to a message or output. A message is printed when other content follows."""
        if self._piece[:2] != (kind, str(id_)):
            self.flush()
        text = self._piece[2] + clean(text)
        if kind == "output":
            lines, end, text = text.rpartition("\n")
            self._console.print(Text(lines + end), end="", soft_wrap=True)
        self._piece = (kind, str(id_), text)

    def flush(self) -> None:
        kind, _, text = self._piece
        self._piece = ("", "", "")
        if text and kind == "agent":
            self._console.print(Markdown(text))
        elif text:
            self._console.print(Text(text, STYLES.get(kind, "")), soft_wrap=True)

    @contextmanager
    def following(self, session: Session) -> Generator[None]:
        """Print a session's history and, within the context, each new update."""
        for update in session.state.to_updates():
            self.show(update, session)

        def show_change(change: Change) -> None:
            if change.where == "tool_calls":  # calls can stop without an update
                runs = change.update is not None or session.is_running(str(change.key))
                self.show_call(change.entry, runs)
            elif change.update is not None:
                self.show(change.update, session)

        unsubscribe = session.state.subscribe(show_change)
        self.print(f"Session {session.session_id}", "dim")
        try:
            yield
        finally:
            unsubscribe()

    def show(self, update: v1.SessionUpdate | v2.SessionUpdate, session: Session) -> None:
        """Print an update that was already applied to the session's state."""
        match update:
            case v1.AgentMessageChunk() | v2.AgentMessageChunk():
                self.add("agent", update.message_id, text_of([update.content]))
            case v1.AgentThoughtChunk() | v2.AgentThoughtChunk():
                self.add("thought", update.message_id, text_of([update.content]))
            case v1.UserMessageChunk() | v2.UserMessageChunk() if not session.turns:
                self.add("user", update.message_id, text_of([update.content]))
            case v2.AgentMessage():
                self.add("agent", update.message_id, text_of(update.content or []))
            case v2.AgentThought():
                self.add("thought", update.message_id, text_of(update.content or []))
            case v2.UserMessage() if not session.turns:
                self.add("user", update.message_id, text_of(update.content or []))
            case v1.ToolCall(tool_call_id=id_) | v2.ToolCallUpdate(tool_call_id=id_):
                self.show_call(session.state.tool_calls[id_], session.is_running(id_))
            case v2.TerminalUpdate(output=v2.TerminalOutput(data=data)):
                self.show_output(update.terminal_id, data)
            case v2.TerminalOutputChunk(data=data):
                self.show_output(update.terminal_id, data)
            case v1.Plan(entries=entries) | v2.PlanUpdate(plan=v2.PlanItems(entries=entries)):
                for entry in entries:
                    self.print(f"{MARKS.get(entry.status, '○')} {entry.content}", "cyan")
            case v1.Notice() | v2.Notice():
                self.print(f"{update.severity}: {update.title}")
            case _:
                pass

    def show_output(self, terminal_id: str, data: str) -> None:
        self.add("output", terminal_id, self._decoders[terminal_id].decode(base64.b64decode(data)))

    def show_call(self, call: Call, runs: bool) -> None:
        """Print the changes to a tool call, even if it stopped without a final status."""
        status = call.status or "pending"
        mark = MARKS.get(status, "○") if runs or status in FINISHED else "■"
        heading = f"{mark} {call.title or call.tool_call_id} [{status}]"
        is_new = (call.tool_call_id, -1) not in self._shown
        if not is_new:  # print its output first, then its final status
            self.show_content(call)
        if self._shown.get((call.tool_call_id, -1)) != heading:
            self._shown[call.tool_call_id, -1] = heading
            self.print(heading, STYLES.get(status, "dim"))
        if is_new:
            self.show_content(call)

    def show_end(self, turn: Turn) -> int:
        """Print the outcome of a turn and return 1 if the turn failed, otherwise 0."""
        usage = f", {turn.usage.used} of {turn.usage.size} tokens" if turn.usage else ""
        self.print(f"[{turn.stop_reason}{usage}]", "dim")
        if isinstance(turn.ending, v2.ErrorIdleStateUpdate) and turn.ending.error:
            self.print(f"The turn failed: {turn.ending.error.message}", "red")
        return int(turn.stop_reason == "error")

    def show_content(self, call: Call) -> None:
        for number, part in enumerate(call.content or []):
            shown, text = self._shown.get((call.tool_call_id, number), ""), ""
            match part:
                case v1.Content(content=block) | v2.Content(content=block):
                    text = text_of([block])
                    new = text[len(shown) :] if text.startswith(shown) else text
                    self.add("output", call.tool_call_id, new)
                case v1.Diff(path=path, new_text=new_text):
                    old, new_lines = (part.old_text or "").splitlines(), new_text.splitlines()
                    lines = difflib.unified_diff(old, new_lines, path, path, lineterm="")
                    text = "\n".join(lines)
                case v2.Diff(patch=v2.DiffPatch(text=patch)):
                    text = patch
                case _:
                    pass
            if isinstance(part, (v1.Diff, v2.Diff)) and text != shown:
                self.flush()
                self._console.print(Syntax(clean(text), "diff", background_color="default"))
            self._shown[call.tool_call_id, number] = text
