"""Tests of agent tools: display, permission requests, execution, and reports of every outcome."""

from __future__ import annotations

import asyncio
import base64
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.kit.tools import patch
from acp_bindings.runtime import RequestError
from acp_bindings.runtime.aio import connect, connect_memory, serve
from acp_bindings.runtime.aio.streams import memory_streams

from tests.package.session.scripted import run

Work = Callable[[Any], Awaitable[object]]
Json = Any

SURFACES = [pytest.param(v1, id="v1"), pytest.param(v2, id="v2")]
each_surface = pytest.mark.parametrize("surface", SURFACES)
PYTHON = sys.executable


class Played:
    """A conversation with an agent that uses tools in its turn.

    Attributes:
        updates: the updates that the client received, as JSON.
        questions: the permission requests, as JSON, each with the updates received before it.
    """

    def __init__(self, surface: Any, cwd: Path, choices: list[str | None]) -> None:
        self.surface = surface
        self.cwd = cwd
        self.updates: list[Json] = []
        self.questions: list[tuple[Json, list[Json]]] = []
        self.session: Any = None
        self._choices = choices

    async def play(self, work: Work, *, meanwhile: Work | None = None, agent: Any = None) -> object:
        """Play one turn and return its error, or None if it succeeds."""
        surface, played = self.surface, self

        class Coder(agent or surface.SessionAgent):  # type: ignore[misc]
            async def turn(self, session: Any, params: object) -> None:
                await work(session)

        class Editor(surface.SessionClient):  # type: ignore[misc]
            async def session_request_permission(self, params: Any) -> Any:
                played.questions.append((surface.encode(params), list(played.updates)))
                choice = played._choices.pop(0)
                outcome: Any = v2.CancelledPermissionOutcome()
                if surface is v1:
                    outcome = v1.CancelledRequestPermissionOutcome()
                if choice is not None:
                    outcome = surface.SelectedPermissionOutcome(option_id=choice)
                return surface.RequestPermissionResponse(outcome=outcome)

        async with connect_memory(Coder, Editor) as peer:
            await peer.initialize()
            members = {"mcp_servers": []} if surface is v1 else {}
            self.session = await surface.ClientSession.create(peer, cwd=str(self.cwd), **members)
            try:
                async with self.session.prompt("Work") as turn:
                    waiting = asyncio.create_task(self._meanwhile(meanwhile)) if meanwhile else None
                    async for update in turn:
                        self.updates.append(surface.encode(update, surface.SessionUpdate))
                    if waiting is not None:
                        await waiting
            except Exception as error:
                return error
            return getattr(turn.ending, "error", None)

    async def _meanwhile(self, work: Work) -> None:
        """Run the client's part of the test. If this fails, cancel the turn."""
        try:
            await work(self)
        except BaseException:
            await self.session.cancel()
            raise

    async def until(self, found: Callable[[], object]) -> None:
        while not found():
            await asyncio.sleep(0.001)

    @property
    def statuses(self) -> list[str]:
        """The statuses of all tool calls, in order."""
        calls = [each for each in self.updates if each["sessionUpdate"].startswith("tool_call")]
        return [each["status"] for each in calls if "status" in each]

    @property
    def shown(self) -> Json:
        """The contents of the last tool call, which are empty until its command starts."""
        contents = list(self.session.state.tool_calls.values())[-1].content or ()
        return [self.surface.encode(each, self.surface.ToolCallContent) for each in contents]

    def assert_terminals_exited(self) -> None:
        """Assert that all terminals exited. Only protocol 2 has terminals in the session state."""
        terminals = getattr(self.session.state, "terminals", {}).values()
        assert bool(terminals) is (self.surface is v2)
        assert all(each.exit_status for each in terminals)

    @property
    def output(self) -> str:
        """The received output of the last command."""
        if self.surface is v1:
            texts = [each["content"]["text"].partition("\n")[2] for each in self.shown]
            return texts[0] if texts else ""
        pieces = [each["data"] for each in self.updates if "data" in each]
        return b"".join(map(base64.b64decode, pieces)).decode()


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    return tmp_path.resolve()


# --- commands --------------------------------------------------------------------------------


@each_surface
def test_a_command_is_shown_then_asked_about_then_run(surface: Any, cwd: Path) -> None:
    results = []

    async def work(session: Any) -> None:
        async with session.tool("Count", kind="execute") as tool:
            await tool.run([PYTHON, "-c", "print('one'); open('made', 'w')"])
        results.append((tool.status, tool.result))

    played = Played(surface, cwd, ["allow_once"])
    assert run(played.play(work)) is None
    [(question, before)] = played.questions
    assert not any("in_progress" in str(each) for each in before)
    told = str(question) + str(before)
    assert "print(" in told
    assert "made" in told
    assert played.output == "one\n"
    assert results == [("completed", "one\n\n[exit status 0]")]
    assert played.statuses == ["pending", "in_progress", "completed"]
    assert (cwd / "made").exists()


@each_surface
def test_a_tool_is_pending_while_the_user_is_asked(surface: Any, cwd: Path) -> None:
    async def work(session: Any) -> None:
        async with session.tool("Add", kind="edit") as tool:
            await tool.write("a.txt", "one\n", ask=False)
            await tool.write("a.txt", await tool.read("a.txt") + "two\n")

    played = Played(surface, cwd, ["allow_once"])
    assert run(played.play(work)) is None
    assert played.statuses == ["pending", "in_progress", "pending", "in_progress", "completed"]
    assert (cwd / "a.txt").read_text("utf-8") == "one\ntwo\n"


@each_surface
def test_output_before_a_silence_is_shown(surface: Any, cwd: Path) -> None:
    code = "import time; print('one', flush=True); time.sleep(0.05); print('two', flush=True); {}"

    async def work(session: Any) -> None:
        async with session.tool("Wait", kind="execute") as tool:
            await tool.run([PYTHON, "-c", code.format("time.sleep(1000)")], ask=False)

    async def meanwhile(played: Played) -> None:
        await played.until(lambda: played.session.state.tool_calls)
        await played.until(lambda: "two" in played.output)
        await played.session.cancel()

    played = Played(surface, cwd, [])
    assert run(played.play(work, meanwhile=meanwhile)) is None
    assert played.output == "one\ntwo\n"


@each_surface
def test_output_after_a_silence_is_shown(surface: Any, cwd: Path) -> None:
    code = (
        "import os, time; print('one', flush=True);"
        " [time.sleep(0.01) for _ in iter(lambda: os.path.exists('go'), True)];"
        " print('two', flush=True); time.sleep(1000)"
    )

    async def work(session: Any) -> None:
        async with session.tool("Wait", kind="execute") as tool:
            await tool.run([PYTHON, "-c", code], ask=False)

    async def meanwhile(played: Played) -> None:
        await played.until(lambda: played.session.state.tool_calls)
        await played.until(lambda: "one" in played.output)
        (cwd / "go").touch()
        await played.until(lambda: "two" in played.output)
        await played.session.cancel()

    played = Played(surface, cwd, [])
    assert run(played.play(work, meanwhile=meanwhile)) is None


@each_surface
def test_a_refused_command_does_not_run(surface: Any, cwd: Path) -> None:
    results = []

    async def work(session: Any) -> None:
        async with session.tool("Touch", kind="execute") as tool:
            await tool.run([PYTHON, "-c", "open('made', 'w')"])
            raise AssertionError("the block continues")
        results.append((tool.status, tool.result))

    played = Played(surface, cwd, ["reject_once"])
    assert run(played.play(work)) is None
    assert results == [("failed", "the user refused this")]
    assert played.statuses == ["pending", "failed"]
    assert "the user refused this" in str(played.shown)
    played.assert_terminals_exited()
    assert not (cwd / "made").exists()


@each_surface
def test_a_question_without_an_answer_is_a_refusal(surface: Any, cwd: Path) -> None:
    results = []

    async def work(session: Any) -> None:
        async with session.tool("Touch", kind="execute") as tool:
            await tool.run([PYTHON, "-c", "open('made', 'w')"])
        results.append((tool.status, tool.result))

    assert run(Played(surface, cwd, [None]).play(work)) is None
    assert results == [("failed", "the user did not answer")]
    assert not (cwd / "made").exists()


@each_surface
@pytest.mark.parametrize(
    ("command", "result"),
    [
        pytest.param([PYTHON, "-c", "print(1); raise SystemExit(3)"], "1\n\n[exit status 3]"),
        pytest.param(["no-such-program"], "no-such-program cannot be run: no such program"),
        pytest.param(["/"], "/ cannot be run: Permission denied"),
        pytest.param(
            [PYTHON, "-c", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"],
            "\n[signal SIGKILL]",
        ),
    ],
    ids=["status", "missing", "refused", "signal"],
)
def test_a_command_that_fails_ends_the_block(
    command: list[str], result: str, surface: Any, cwd: Path
) -> None:
    results = []

    async def work(session: Any) -> None:
        async with session.tool("Fail", kind="execute") as tool:
            await tool.run(command, ask=False)
            raise AssertionError("the block continues")
        results.append((tool.status, tool.result))

    played = Played(surface, cwd, [])
    assert run(played.play(work)) is None
    [(status, told)] = results
    assert status == "failed"
    assert told.startswith(result)
    assert played.statuses[-1] == "failed"
    assert played.questions == []
    played.assert_terminals_exited()


@each_surface
def test_what_the_user_always_allows_is_not_asked_about_again(surface: Any, cwd: Path) -> None:
    async def work(session: Any) -> None:
        for command in (["sh", "-c", "true"], ["sh", "-c", "true"], ["sh", "-c", "exit 0"]):
            async with session.tool("Run", kind="execute") as tool:
                await tool.run(command)

    played = Played(surface, cwd, ["allow_always", "allow_once"])
    assert run(played.play(work)) is None
    assert len(played.questions) == 2  # another command line needs separate permission
    for (question, _), line in zip(played.questions, ("sh -c true", "sh -c 'exit 0'"), strict=True):
        names = [option["name"] for option in question["options"]]
        assert names == ["Allow", f"Always allow {line}", "Reject"]


@each_surface
def test_always_is_for_tool_calls_of_the_same_kind(surface: Any, cwd: Path) -> None:
    async def work(session: Any) -> None:
        for kind in ("fetch", "fetch", "search", None, None):
            async with session.tool("Use", kind=kind) as tool:
                await tool.ask("example.com")

    played = Played(surface, cwd, ["allow_always"] * 3)
    assert run(played.play(work)) is None
    assert len(played.questions) == 3


@each_surface
def test_the_beginning_of_long_output_is_omitted(surface: Any, cwd: Path) -> None:
    results: list[str] = []

    async def work(session: Any) -> None:
        async with session.tool("Print", kind="execute") as tool:
            await tool.run([PYTHON, "-c", "print('x' * 70_000)"], ask=False)
        results.append(tool.result)

    assert run(Played(surface, cwd, []).play(work)) is None
    kept = "x" * ((1 << 16) - 1)
    assert results == [f"[beginning omitted]\n{kept}\n\n[exit status 0]"]


@each_surface
def test_output_is_not_shown_piece_by_piece(
    surface: Any, cwd: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acp_bindings.kit.tools._SHOW_EVERY", 1000.0)
    code = "import time; [(print(each, flush=True), time.sleep(0.02)) for each in '123']"

    async def work(session: Any) -> None:
        async with session.tool("Count", kind="execute") as tool:
            await tool.run([PYTHON, "-c", code], ask=False)

    played = Played(surface, cwd, [])
    assert run(played.play(work)) is None
    calls = [each for each in played.updates if each["sessionUpdate"].startswith("tool_call")]
    assert len(calls) == 4  # pending, with the command, in progress and completed


@each_surface
def test_a_command_that_takes_too_long_is_ended(surface: Any, cwd: Path) -> None:
    results = []

    async def work(session: Any) -> None:
        async with session.tool("Sleep", kind="execute") as tool:
            await tool.run(["sleep", "600"], ask=False, timeout=0.05)
        results.append((tool.status, tool.result))

    played = Played(surface, cwd, [])
    assert run(played.play(work)) is None
    assert results == [("failed", "the command timed out after 0.05 seconds")]
    assert "timed out after 0.05 seconds" in str(played.shown)
    played.assert_terminals_exited()


@each_surface
def test_a_command_runs_in_the_directories_of_the_session_only(surface: Any, cwd: Path) -> None:
    results = []

    async def work(session: Any) -> None:
        async with session.tool("Look", kind="execute") as tool:
            await tool.run(["pwd"], cwd="/", ask=False)
        results.append((tool.status, tool.result.strip() == "/"))

    assert run(Played(surface, cwd, []).play(work)) is None
    assert results == [("failed", False)]


@each_surface
def test_the_folder_of_a_command_can_be_relative(surface: Any, cwd: Path) -> None:
    (cwd / "inner").mkdir()

    async def work(session: Any) -> None:
        async with session.tool("Touch", kind="execute") as tool:
            await tool.run([PYTHON, "-c", "open('made', 'w')"], cwd="inner", ask=False)

    assert run(Played(surface, cwd, []).play(work)) is None
    assert (cwd / "inner" / "made").exists()


@each_surface
@pytest.mark.parametrize("target", ["other", "../outside"])
def test_a_command_does_not_run_in_a_folder_that_was_swapped_behind_the_question(
    target: str, surface: Any, cwd: Path
) -> None:
    project, results = cwd / "project", []
    inner = project / "inner"
    for folder in (project, inner, project / "other", cwd / "outside"):
        folder.mkdir()

    class Swapping(list[str | None]):
        def pop(self, index: Any = -1) -> str | None:
            inner.rmdir()
            inner.symlink_to(target)
            return super().pop(index)

    async def work(session: Any) -> None:
        async with session.tool("Touch", kind="execute") as tool:
            await tool.run(["touch", "made"], cwd=inner)
        results.append(tool.status)

    played = Played(surface, project, Swapping(["allow_once"]))
    assert run(played.play(work)) is None
    assert results == ["failed"]
    assert not list((project / target).iterdir())
    played.assert_terminals_exited()


async def test_the_new_text_of_a_file_is_a_string(cwd: Path) -> None:
    tool = v2.kit.tool(v2.SessionAgent().open("s"), "Write")
    with pytest.raises(TypeError, match="text must be a string, not int"):
        await tool.write("file", 42)  # type: ignore[arg-type]


def test_a_command_is_a_list() -> None:
    tool = v2.kit.tool(v2.SessionAgent().open("s"), "Run")
    problem = r"command must be a list, such as \['pytest', '-q'\], not a string"
    with pytest.raises(TypeError, match=f"^{problem}$"):
        run(tool.run("pytest -q"))


# --- files -----------------------------------------------------------------------------------


@each_surface
@pytest.mark.parametrize("old", [None, "a\nb\n", "a\nb"], ids=["new", "lines", "no end"])
def test_an_edit_is_shown_then_asked_about_then_written(
    old: str | None, surface: Any, cwd: Path
) -> None:
    path = cwd / "file.txt"
    if old is not None:
        path.write_bytes(old.encode())

    async def work(session: Any) -> None:
        async with session.tool("Edit", kind="edit") as tool:
            await tool.write("file.txt", "a\nc\n")

    played = Played(surface, cwd, ["allow_once"])
    assert run(played.play(work)) is None
    assert path.read_bytes() == b"a\nc\n"
    [shown] = played.shown
    assert shown["type"] == "diff"
    if surface is v1:
        assert shown.get("oldText") == old
        assert shown["newText"] == "a\nc\n"
    else:
        assert "+c\n" in shown["patch"]["text"]
        assert ("-b\n" in shown["patch"]["text"]) is (old is not None)
        assert ("No newline at end of file" in shown["patch"]["text"]) is (old == "a\nb")
    [(question, before)] = played.questions
    assert "diff" in str(question) + str(before)
    assert played.statuses == ["pending", "in_progress", "completed"]


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        (None, "a\n", ["new file mode 100644", "--- /dev/null", "+++ /f", "@@ -0,0 +1 @@", "+a"]),
        ("", "a\n", ["--- /f", "+++ /f", "@@ -0,0 +1 @@", "+a"]),
        ("a\n", "", ["--- /f", "+++ /f", "@@ -1 +0,0 @@", "-a"]),
        (
            "a\rb",
            "a\n",
            [
                *("--- /f", "+++ /f", "@@ -1 +1 @@", "-a\rb"),
                *("\\ No newline at end of file", "+a"),
            ],
        ),
    ],
)
def test_patch_is_a_diff_as_git_writes_it(old: str | None, new: str, lines: list[str]) -> None:
    assert patch("/f", old, new).split("\n") == ["diff --git /f /f", *lines, ""]


@each_surface
def test_a_file_that_changed_behind_the_question_is_not_overwritten(
    surface: Any, cwd: Path
) -> None:
    path, results = cwd / "file.txt", []
    path.write_text("old")

    async def work(session: Any) -> None:
        async with session.tool("Edit", kind="edit") as tool:
            await tool.write(path, "new")
        results.append((tool.status, tool.result))

    played = Played(surface, cwd, ["allow_once"])

    class Changing(list[str | None]):
        def pop(self, index: Any = -1) -> str | None:
            path.write_text("by the user")
            return super().pop(index)

    played._choices = Changing(["allow_once"])
    assert run(played.play(work)) is None
    assert path.read_text() == "by the user"
    assert results == [("failed", "the file changed since it was read; read it again")]


@each_surface
@pytest.mark.parametrize("action", ["read", "write"])
def test_files_are_those_of_the_session(action: str, surface: Any, cwd: Path) -> None:
    results = []

    async def work(session: Any) -> None:
        async with session.tool("Leave", kind="edit") as tool:
            if action == "read":
                await tool.read("../outside")
            else:
                await tool.write("../outside", "text")
        results.append(tool.status)

    played = Played(surface, cwd / "project", [])
    (cwd / "project").mkdir()
    (cwd / "outside").write_text("secret")
    assert run(played.play(work)) is None
    assert results == ["failed"]
    assert (cwd / "outside").read_text() == "secret"
    assert "secret" not in str(played.updates)
    assert played.questions == []


@each_surface
def test_a_file_is_read(surface: Any, cwd: Path) -> None:
    (cwd / "file.txt").write_text("one\ntwo\nthree\n")
    results = []

    async def work(session: Any) -> None:
        async with session.tool("Read", kind="read") as tool:
            results.append(await tool.read("file.txt", line=2, limit=1))

    played = Played(surface, cwd, [])
    assert run(played.play(work)) is None
    assert results == ["two\n"]
    assert played.statuses == ["pending", "in_progress", "completed"]
    call = list(played.session.state.tool_calls.values())[-1]
    assert [each.path for each in call.locations] == [str(cwd / "file.txt")]


# --- files of the client ----------------------------------------------------------------------


class Buffers:
    """A protocol 1 client that offers files to an agent with tools.

    Attributes:
        texts: the text of each file, or the error to raise, by path.
        written: the paths of the files that the agent wrote.
        contents: the contents of the tool calls in permission requests, as JSON.
        results: the status and result of each tool.
        asked: called when the client is asked for permission.
    """

    def __init__(self, *, can_read: bool = True, can_write: bool = True) -> None:
        self.texts: dict[str, str | RequestError] = {}
        self.written: list[str] = []
        self.contents: list[Json] = []
        self.results: list[tuple[str, str]] = []
        self.asked: Callable[[], object] = list
        self._can_read, self._can_write = can_read, can_write

    def client(self) -> Any:
        buffers = self

        class Reading(v1.ClientHandler):
            is_base = True

            async def fs_read_text_file(self, params: Any) -> Any:
                text = buffers.texts.get(params.path, RequestError(-32603, "nothing open"))
                if isinstance(text, RequestError):
                    raise text
                lines = text.splitlines(keepends=True)[(params.line or 1) - 1 :]
                return v1.ReadTextFileResponse(content="".join(lines[: params.limit or None]))

        class Writing(v1.ClientHandler):
            is_base = True

            async def fs_write_text_file(self, params: Any) -> Any:
                buffers.texts[params.path] = params.content
                buffers.written.append(params.path)

        class Asked(v1.SessionClient):
            is_base = True

            async def session_request_permission(self, params: Any) -> Any:
                call = self.session(params.session_id).state.tool_calls
                shown = call[params.tool_call.tool_call_id].content
                buffers.contents += [v1.encode(each, v1.ToolCallContent) for each in shown]
                buffers.asked()
                outcome = v1.SelectedPermissionOutcome(option_id="allow_once")
                return v1.RequestPermissionResponse(outcome=outcome)

        offered = [
            base for base, is_on in ((Reading, self._can_read), (Writing, self._can_write)) if is_on
        ]
        return type("Editor", (*offered, Asked), {})

    async def play(self, cwd: Path, *, is_bridged: bool, use: Work) -> None:
        surface, buffers = v2 if is_bridged else v1, self

        class Coder(surface.SessionAgent):  # type: ignore[misc]
            async def turn(self, session: Any, params: object) -> None:
                async with session.tool("Work", kind="edit") as tool:
                    await use(tool)
                buffers.results.append((tool.status, tool.result))

        near, far = memory_streams()
        serving = asyncio.create_task(serve(far, Coder, bridge=is_bridged))
        async with connect(near, self.client()) as peer:
            await peer.initialize()
            session = await v1.ClientSession.create(peer, cwd=str(cwd), mcp_servers=[])
            async with session.prompt("Work") as turn:
                await turn.wait(timeout=30)
        await serving


each_agent = pytest.mark.parametrize("is_bridged", [False, True], ids=["v1", "v2"])


async def edit(tool: Any) -> None:
    await tool.write("file", "new\n")


@each_agent
async def test_unsaved_text_of_the_client_is_read(is_bridged: bool, cwd: Path) -> None:
    (cwd / "file").write_text("on disk")
    buffers = Buffers()
    buffers.texts[str(cwd / "file")] = "one\ntwo\nthree\n"
    texts = []

    async def look(tool: Any) -> None:
        texts.append(await tool.read("file"))
        texts.append(await tool.read("file", line=2, limit=1))

    await buffers.play(cwd, is_bridged=is_bridged, use=look)
    assert texts == ["one\ntwo\nthree\n", "two\n"]


@each_agent
async def test_the_client_writes_an_edit_of_its_unsaved_text(is_bridged: bool, cwd: Path) -> None:
    path = cwd / "file"
    path.write_text("on disk")
    buffers = Buffers()
    buffers.texts[str(path)] = "unsaved\n"
    await buffers.play(cwd, is_bridged=is_bridged, use=edit)
    assert buffers.results == [("completed", f"wrote {path}")]
    assert buffers.texts == {str(path): "new\n"}
    assert buffers.written == [str(path)]
    assert path.read_text() == "on disk"
    assert "unsaved" in str(buffers.contents)
    assert "on disk" not in str(buffers.contents)


@each_agent
@pytest.mark.parametrize("can_read", [True, False])
async def test_only_the_offered_files_of_the_client_are_used(
    can_read: bool, is_bridged: bool, cwd: Path
) -> None:
    path = cwd / "file"
    path.write_text("on disk")
    buffers = Buffers(can_read=can_read, can_write=not can_read)
    buffers.texts[str(path)] = "unsaved\n"
    await buffers.play(cwd, is_bridged=is_bridged, use=edit)
    assert buffers.results == [("completed", f"wrote {path}")]
    assert buffers.written == ([] if can_read else [str(path)])
    assert path.read_text() == ("new\n" if can_read else "on disk")
    assert ("unsaved" in str(buffers.contents)) is can_read


@each_agent
@pytest.mark.parametrize("answer", [RequestError(-32002, "none"), RequestError(-1, "none"), ""])
async def test_a_file_that_the_client_lacks_is_created(
    answer: Any, is_bridged: bool, cwd: Path
) -> None:
    path = str(cwd / "file")
    buffers = Buffers()
    buffers.texts[path] = answer
    await buffers.play(cwd, is_bridged=is_bridged, use=edit)
    assert buffers.results == [("completed", f"wrote {path}")]
    [shown] = buffers.contents
    assert not shown.get("oldText")
    assert (cwd / "file").read_text() == "new\n"
    assert buffers.written == []

    async def look(tool: Any) -> None:
        await tool.read("file")

    (cwd / "file").unlink()
    await buffers.play(cwd, is_bridged=is_bridged, use=look)
    assert buffers.results[-1][0] == "failed"


@each_agent
async def test_a_file_that_only_the_disk_has_is_read_and_written_there(
    is_bridged: bool, cwd: Path
) -> None:
    (cwd / "file").write_text("on disk")
    buffers = Buffers()
    buffers.texts[str(cwd / "file")] = RequestError.resource_not_found()
    await buffers.play(cwd, is_bridged=is_bridged, use=edit)
    assert (cwd / "file").read_text() == "new\n"
    assert buffers.written == []
    assert "on disk" in str(buffers.contents)


@each_agent
async def test_a_refusal_of_the_client_is_not_evaded_by_the_disk(
    is_bridged: bool, cwd: Path
) -> None:
    (cwd / "file").write_text("private")
    buffers = Buffers()
    buffers.texts[str(cwd / "file")] = RequestError(-32602, "this file is private")

    async def look(tool: Any) -> None:
        await tool.read("file")

    for use in (look, edit):
        await buffers.play(cwd, is_bridged=is_bridged, use=use)
    assert buffers.results == [("failed", "this file is private")] * 2
    assert buffers.written == []


@each_agent
async def test_text_that_the_user_changed_behind_the_question_is_not_overwritten(
    is_bridged: bool, cwd: Path
) -> None:
    path = str(cwd / "file")
    buffers = Buffers()
    buffers.texts[path] = "unsaved"
    buffers.asked = lambda: buffers.texts.update({path: "by the user"})
    await buffers.play(cwd, is_bridged=is_bridged, use=edit)
    assert buffers.results == [("failed", "the file changed since it was read; read it again")]
    assert buffers.texts == {path: "by the user"}


@each_surface
def test_a_session_directory_that_is_not_absolute_is_named(surface: Any, cwd: Path) -> None:
    results = []

    async def work(session: Any) -> None:
        for operation, *arguments in (("read", "file"), ("write", "file", "new"), ("run", ["ls"])):
            session.cwd = "project"
            async with session.tool("Work") as tool:
                await getattr(tool, operation)(*arguments)
            results.append((tool.status, tool.result))

    assert run(Played(surface, cwd, []).play(work)) is None
    assert results == [("failed", "the session's directory 'project' is not absolute")] * 3


@each_agent
async def test_the_client_is_not_asked_for_files_outside(is_bridged: bool, cwd: Path) -> None:
    (cwd / "project").mkdir()
    (cwd / "project" / "link").symlink_to(cwd)
    buffers = Buffers()

    async def leave(tool: Any) -> None:
        await tool.write("link/outside", "text")

    await buffers.play(cwd / "project", is_bridged=is_bridged, use=leave)
    assert [status for status, _ in buffers.results] == ["failed"]
    assert buffers.written == buffers.contents == []


@each_agent
async def test_a_folder_that_is_swapped_behind_the_question_is_not_written(
    is_bridged: bool, cwd: Path
) -> None:
    for name in ("inner", "other"):
        (cwd / name).mkdir()
    buffers = Buffers()
    buffers.texts[str(cwd / "inner/file")] = "old"

    def swap() -> None:
        (cwd / "inner").rmdir()
        (cwd / "inner").symlink_to("other")

    async def add(tool: Any) -> None:
        await tool.write("inner/file", "text")

    buffers.asked = swap
    await buffers.play(cwd, is_bridged=is_bridged, use=add)
    [(status, reason)] = buffers.results
    assert status == "failed"
    assert "path no longer resolves to the approved location" in reason
    assert buffers.written == []


# --- custom tools, and ends ---------------------------------------------------------------


@each_surface
def test_a_tool_of_ones_own_shows_texts_and_blocks(surface: Any, cwd: Path) -> None:
    async def work(session: Any) -> None:
        async with session.tool("Search", kind="search") as tool:
            await tool.ask()
            await tool.show("first", surface.TextContent(text="second"))

    played = Played(surface, cwd, ["allow_once"])
    assert run(played.play(work)) is None
    assert [each["content"]["text"] for each in played.shown] == ["first", "second"]
    assert played.statuses == ["pending", "in_progress", "completed"]


@each_surface
def test_another_exception_is_reported_and_ends_the_turn(surface: Any, cwd: Path) -> None:
    async def work(session: Any) -> None:
        async with session.tool("Search") as tool:
            raise RequestError(-32000, f"no {tool.title}")

    played = Played(surface, cwd, [])
    error = run(played.play(work))
    assert error is not None
    assert "no Search" in str(error)
    assert played.session.state.tool_calls
    assert played.statuses == ["pending", "failed"]
    assert "no Search" in str(played.shown)


@each_surface
def test_a_cancelled_turn_ends_its_command(surface: Any, cwd: Path) -> None:
    ended: list[Any] = []

    async def work(session: Any) -> None:
        try:
            async with session.tool("Sleep", kind="execute") as tool:
                await tool.run(["sh", "-c", "echo begun; sleep 600"], ask=False)
            ended.append("the turn continues")
        finally:
            ended.append((tool.status, tool.result))

    async def cancel(played: Played) -> None:
        await played.until(lambda: "in_progress" in played.statuses)
        await played.session.cancel()

    played = Played(surface, cwd, [])
    assert run(played.play(work, meanwhile=cancel)) is None
    assert ended == [("cancelled", "the user cancelled this")]
    assert played.statuses[-1] == ("failed" if surface is v1 else "cancelled")
    played.assert_terminals_exited()


@pytest.mark.parametrize("method", ["tool_call_cancel", "terminal_cancel"])
def test_a_cancelled_tool_call_ends_its_block_alone(method: str, cwd: Path) -> None:
    ended: list[str] = []

    async def work(session: Any) -> None:
        async with session.tool("Sleep", kind="execute") as tool:
            await tool.run(["sleep", "600"], ask=False)
        ended.append(tool.status)
        if sys.version_info >= (3, 11):
            task = asyncio.current_task()
            assert task is not None
            assert task.cancelling() == 0
        async with session.tool("Next") as tool:
            await tool.show("still there")

    async def cancel(played: Played) -> None:
        await played.until(lambda: "in_progress" in played.statuses)
        [call] = played.session.state.tool_calls.values()
        assert call.capabilities.cancel
        name = "tool_call_id" if method == "tool_call_cancel" else "terminal_id"
        call_method = getattr(played.session, method)
        # Cancelling it again changes nothing.
        await asyncio.gather(*(call_method(**{name: call.tool_call_id}) for _ in range(2)))

    played = Played(v2, cwd, [])
    assert run(played.play(work, meanwhile=cancel, agent=v2.kit.ToolAgent)) is None
    assert ended == ["cancelled"]
    assert played.statuses == [
        "pending",
        "in_progress",
        "cancelled",
        "pending",
        "in_progress",
        "completed",
    ]


@each_surface
def test_a_cancelled_task_does_not_continue_after_its_block(surface: Any, cwd: Path) -> None:
    ended: list[str] = []

    async def work(session: Any) -> None:
        async def use() -> None:
            async with session.tool("Wait") as tool:
                await tool.show("waiting")
                tool.result = "half of it"
                shown.set()
                await asyncio.Event().wait()
            ended.append("the task continues")

        shown = asyncio.Event()
        task = asyncio.create_task(use())
        await shown.wait()
        task.cancel()
        await asyncio.wait([task])
        ended.append("cancelled" if task.cancelled() else "finished")

    played = Played(surface, cwd, [])
    assert run(played.play(work)) is None
    assert ended == ["cancelled"]
    assert played.statuses[-1] == ("failed" if surface is v1 else "cancelled")
    assert [each["content"]["text"] for each in played.shown] == ["waiting", "half of it"]


def test_a_tool_call_that_is_over_cannot_be_cancelled(cwd: Path) -> None:
    errors: list[RequestError] = []

    async def work(session: Any) -> None:
        async with session.tool("Look") as tool:
            pass
        try:
            await session.agent.tool_call_cancel(
                v2.CancelToolCallRequest(session_id=session.session_id, tool_call_id=tool.id)
            )
        except RequestError as error:
            errors.append(error)

    played = Played(v2, cwd, [])
    assert run(played.play(work, agent=v2.kit.ToolAgent)) is None
    [error] = errors
    assert error.code == RequestError.invalid_params().code


@each_surface
def test_a_tool_is_entered_once(surface: Any, cwd: Path) -> None:
    async def work(session: Any) -> None:
        tool = session.tool("Look")
        async with tool:
            pass
        with pytest.raises(RuntimeError, match="entered twice"):
            async with tool:
                pass

    assert run(Played(surface, cwd, []).play(work)) is None
