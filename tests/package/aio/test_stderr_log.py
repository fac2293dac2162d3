"""Tests of logging to standard error: only agent programs do so, and limits apply."""

from __future__ import annotations

import io
import logging
import os
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager, redirect_stderr
from pathlib import Path
from typing import Any

import pytest
from acp_bindings.runtime import UNSUPPORTED_PROTOCOL_VERSION
from acp_bindings.runtime.aio import stderr_log
from acp_bindings.runtime.aio.stderr_log import log_on_stderr

from tests.package.aio.agent_programs import Program, agent
from tests.package.aio.loop import GUARD
from tests.package.jsonrpc.wire import ask, initialize

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="starts programs with sh")

LOGGER = logging.getLogger("acp_bindings.runtime.test")
FAIL = "await session.say(nothing)"


# --- programs --------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [1, 2])
def test_the_failure_of_a_turn_is_on_standard_error(version: int, tmp_path: Path) -> None:
    with Program(tmp_path, agent(FAIL), version=version) as program:
        program.open()
        assert "-32603" in str(program.finish_turn())
        status, errors = program.end()
    file, number = program.line_of(FAIL).rsplit(":", 1)
    assert status == 0
    assert f'    File "{file}", line {number}, in turn\n' in errors
    assert errors.endswith("    NameError: name 'nothing' is not defined\n")
    assert errors.startswith("ERROR acp_bindings.runtime.")


MISTAKES = {
    "return 5": "a turn cannot end with int; return a stop reason",
    "return 'done'": "'done' is not a stop reason; return one of",
    "await session.say(5)": "expected text or a content block, found int",
    "await session.say({})": "expected ContentBlock, found dict; use v1.decode(v1.ContentBlock",
    "await session.tool_call(tool_call_id='a', title='a', content=[session.say('a')])": (
        "expected ToolCallContent, found coroutine; await it"
    ),
    "await session.tool_call(tool_call_id=3, title='a')": "at /update/toolCallId: expected str",
    "input('name?')": "EOFError: EOF when reading a line",
    "self.spawn(asyncio.sleep('a')); await asyncio.sleep(0.01)": "TypeError",
    "session.say('a')": "RuntimeWarning: coroutine 'AgentSession.say' was never awaited",
}


def test_standard_error_explains_typical_mistakes(tmp_path: Path) -> None:
    functions = "".join(
        f"async def mistake{n}(self, session):\n    {code}\n" for n, code in enumerate(MISTAKES)
    )
    turn = "return await globals()[params.prompt[0].text](self, session)"
    with Program(tmp_path, agent(turn, head=functions)) as program:
        program.open()
        for number in range(len(MISTAKES)):
            program.finish_turn(f"mistake{number}")
        _, errors = program.end()
    assert [text for text in MISTAKES.values() if text not in errors] == []


METHODS = {
    "async def session_new(self, params): 1 / 0": "ZeroDivisionError",
    "async def session_new(self, params): self.open()": "return a NewSessionResponse",
    "async def session_new(self, params):\n"
    "    return surface.NewSessionResponse(session_id='a')": "call self.open('a')",
    "async def session_new(self, params):\n"
    "    return super().session_new(params)": "session_new returned coroutine; await it",
    "async def session_new(self, params):\n"
    "    return surface.NewSessionResponse(session_id=self.open())": (
        "session_new: session_id must be a string, not AgentSession; pass session.session_id"
    ),
}


@pytest.mark.parametrize(
    "method", METHODS, ids=["exception", "no result", "not opened", "no await", "no id"]
)
def test_standard_error_explains_a_session_that_cannot_be_opened(
    method: str, tmp_path: Path
) -> None:
    with Program(tmp_path, agent("pass", more=method)) as program:
        with pytest.raises(KeyError):
            program.open()
        assert METHODS[method] in program.end()[1]


@pytest.mark.parametrize("version", [1, 2])
def test_a_turn_without_async_is_one_clear_error(version: int, tmp_path: Path) -> None:
    code = agent("return None").replace("async def turn", "def turn")
    with Program(tmp_path, code, version=version) as program:
        program.open()
        assert "-32603" in str(program.read_response(program.prompt()))
        _, errors = program.end()
    assert "Agent.turn is not async" in errors
    assert errors.count("Traceback") == 1
    assert errors.endswith(
        "TypeError: Agent.turn is not async; write async def turn(self, session, params)\n"
    )


def test_each_kind_appears_once_on_a_connection(tmp_path: Path) -> None:
    turn = """
if params.prompt[0].text == "other":
    raise LookupError("other")
raise ValueError(params.prompt[0].text)
"""
    with Program(tmp_path, agent(turn)) as program:
        program.open()
        for text in ("one", "two", "other", "three"):
            program.finish_turn(text)
        program.write(*[ask(100 + n, f"nope{n}") for n in range(50)])
        program.read_response(149)
        _, errors = program.end()
    texts = [each for each in errors.splitlines() if not each.startswith(" ")]
    failed = "ERROR acp_bindings.runtime.aio.handling: the handler for 'session/prompt' failed"
    refused = "WARNING acp_bindings.runtime.aio.rejections: rejected a message (id 100): "
    assert texts[:2] == [failed, failed]
    assert texts[2].startswith(refused)
    assert "49 more messages like this one" in texts[3]
    assert texts[4:] == [f"2 more entries like this one: {failed}"]
    for text in ("ValueError: one", "LookupError: other"):
        assert errors.count(text) == 1


def test_texts_of_the_client_cannot_pass_for_entries(tmp_path: Path) -> None:
    with Program(tmp_path, agent("raise ValueError(params.prompt[0].text)")) as program:
        program.open()
        program.finish_turn("a\nERROR forged \x1b[31m\r\x85ERROR forged")
        _, errors = program.end()
    assert r"ERROR forged \x1b[31m" in errors
    assert not {"\x1b", "\r", "\x85"} & set(errors)
    assert all(not each.startswith("ERROR forged") for each in errors.splitlines())


def test_a_client_that_asks_for_another_version_is_no_entry(tmp_path: Path) -> None:
    with Program(tmp_path, agent("pass"), version=2) as program:
        program.write(initialize(1))
        assert program.read()["error"]["code"] == UNSUPPORTED_PROTOCOL_VERSION
        program.open()
        assert program.end() == (0, "")


@pytest.mark.parametrize("closed", ["2>&-", "2>/dev/full"])
def test_standard_error_that_takes_nothing_costs_nothing(closed: str, tmp_path: Path) -> None:
    if "full" in closed and not Path("/dev/full").exists():
        pytest.skip("no full device")
    with Program(tmp_path, agent(FAIL), shell=closed) as program:
        program.open()
        assert program.finish_turn()["error"]["code"] == -32603
        assert program.end() == (0, "")


CONFIGURED = {
    "at the start": ("logging.basicConfig(format='own %(message)s')", ""),
    "in the handler": (
        "",
        "def __init__(self, peer):\n"
        "    super().__init__(peer)\n"
        "    logging.basicConfig(format='own %(message)s')",
    ),
    "of the package": (
        "handler = logging.StreamHandler()\n"
        "handler.setFormatter(logging.Formatter('own %(message)s'))\n"
        "logging.getLogger('acp_bindings').addHandler(handler)",
        "",
    ),
}


@pytest.mark.parametrize("how", CONFIGURED)
def test_a_program_that_configures_logging_gets_each_entry_once(how: str, tmp_path: Path) -> None:
    head, more = CONFIGURED[how]
    with Program(tmp_path, agent(FAIL, head=head, more=more)) as program:
        program.open()
        program.finish_turn()
        _, errors = program.end()
    assert errors.startswith("own the handler for 'session/prompt' failed\n")
    assert errors.count("NameError") == 1


def test_a_program_can_silence_entries(tmp_path: Path) -> None:
    with Program(tmp_path, agent(FAIL, serve="log_level=None")) as program:
        program.open()
        program.finish_turn()
        assert program.end() == (0, "")


@pytest.mark.parametrize(("level", "error"), [("loud", "ValueError"), (1.5, "TypeError")])
def test_a_level_that_is_unknown_is_an_error(level: Any, error: str, tmp_path: Path) -> None:
    with Program(tmp_path, agent("pass", serve=f"log_level={level!r}")) as program:
        status, errors = program.end()
    assert status == 1
    assert errors.splitlines()[-1].startswith(f"{error}: ")


def test_clients_and_embedded_agents_write_nothing(tmp_path: Path) -> None:
    code = """
from acp_bindings.runtime import RequestError
from acp_bindings.runtime.aio import connect_memory
class Agent(surface.SessionAgent):
    async def turn(self, session, params):
        raise ValueError
async def main():
    async with connect_memory(Agent, surface.SessionClient) as peer:
        await peer.initialize()
        session = await surface.ClientSession.create(peer, cwd="/", mcp_servers=[])
        try:
            async with session.prompt("a") as turn:
                await turn.wait()
        except RequestError:
            print("failed", file=sys.stderr)
asyncio.run(main())
"""
    with Program(tmp_path, code) as program:
        assert program.end() == (0, "failed\n")


# --- entries ---------------------------------------------------------------------------------


class Errors(io.StringIO):
    """A standard error stream without a file descriptor."""

    encoding = "ascii"  # type: ignore[assignment]


@contextmanager
def written(level: int | str | None = logging.NOTSET, stream: Any = None) -> Generator[io.StringIO]:
    """Disable the test run's log handlers and log to a stream with `log_on_stderr`."""
    errors = Errors() if stream is None else stream
    root = logging.getLogger()
    before, root.handlers[:] = root.handlers[:], []
    try:
        with redirect_stderr(errors), log_on_stderr(level):
            yield errors
    finally:
        root.handlers[:] = before


def fail(error: BaseException) -> None:
    try:
        raise error
    except BaseException:
        LOGGER.exception("failed")


def test_entries_are_written_within_the_context_only() -> None:
    LOGGER.error("before")
    with written() as errors:
        LOGGER.warning("within %s", "it")
        LOGGER.info("less severe")
    LOGGER.error("after")
    assert errors.getvalue() == "WARNING acp_bindings.runtime.test: within it\n"


@pytest.mark.parametrize("level", ["DEBUG", logging.DEBUG])
def test_a_lower_level_writes_more_and_is_undone(level: int | str) -> None:
    package = logging.getLogger("acp_bindings")
    with written(level) as errors:
        LOGGER.debug("less severe")
    assert errors.getvalue() == "DEBUG acp_bindings.runtime.test: less severe\n"
    assert package.level == logging.NOTSET
    assert [type(each) for each in package.handlers] == [logging.NullHandler]


@pytest.mark.parametrize(("level", "expected"), [("DEBUG", ["debug", "error"]), ("CRITICAL", [])])
def test_a_level_of_the_program_holds_by_default(level: str, expected: list[str]) -> None:
    package = logging.getLogger("acp_bindings")
    package.setLevel(level)
    try:
        with written() as errors:
            LOGGER.debug("debug")
            LOGGER.error("error")
        assert package.level == getattr(logging, level)
    finally:
        package.setLevel(logging.NOTSET)
    assert [each.split(": ")[1] for each in errors.getvalue().splitlines()] == expected


def test_a_program_can_silence_its_loggers(monkeypatch: pytest.MonkeyPatch) -> None:
    with written() as errors:
        logging.disable()
        LOGGER.error("text")
        logging.disable(logging.NOTSET)
        monkeypatch.setattr(logging.getLogger("acp_bindings"), "propagate", False)
        LOGGER.error("text")
    assert errors.getvalue() == ""


def test_a_program_with_a_log_gets_no_more_for_another_level() -> None:
    seen: list[str] = []
    own = logging.Handler()
    own.emit = lambda record: seen.append(record.getMessage())  # type: ignore[method-assign]
    package = logging.getLogger("acp_bindings")
    package.addHandler(own)
    try:
        with written("DEBUG") as errors:
            LOGGER.debug("less severe")
            LOGGER.warning("severe")
    finally:
        package.removeHandler(own)
    assert (seen, errors.getvalue()) == (["severe"], "")


def test_an_entry_has_a_limit() -> None:
    with written() as errors:
        fail(ValueError("\n".join(f"{n} " + "x" * 5_000 for n in range(5_000))))
        LOGGER.warning("y" * 1_000_000)
    lines = errors.getvalue().splitlines()
    assert len(lines) == 82
    assert max(map(len, lines)) < 1_100
    assert "in fail" in errors.getvalue()
    assert any(each.strip() == "... (4924 lines)" for each in lines)
    assert lines[-2].strip().startswith("4999 x")


@pytest.mark.parametrize(("extra", "is_cut"), [(-1, False), (0, False), (1, True)])
def test_only_longer_entries_are_cut(extra: int, is_cut: bool) -> None:
    with written() as errors:
        fail(ValueError("one line"))
    others = len(errors.getvalue().splitlines()) - 1
    text = "\n".join(f"line {n}" for n in range(2 * stderr_log._LINES - others + extra))
    with written() as errors:
        fail(ValueError(text))
    assert ("... (" in errors.getvalue()) == is_cut


@pytest.mark.parametrize(("extra", "end"), [(-1, "y"), (0, "y"), (1, "y...")])
def test_only_longer_lines_are_cut(extra: int, end: str) -> None:
    start = "WARNING acp_bindings.runtime.test: "
    with written() as errors:
        LOGGER.warning("y" * (stderr_log._WIDTH - len(start) + extra))
    count = stderr_log._WIDTH - len(start) + min(extra, 0)
    assert errors.getvalue() == start + "y" * (count - 1) + end + "\n"


def test_kinds_have_a_limit() -> None:
    with written() as errors:
        for number in range(60):
            for _ in range(3):
                LOGGER.warning("text", extra={"kind": number})
    lines = errors.getvalue().splitlines()
    assert lines.count("WARNING acp_bindings.runtime.test: text") == 50
    assert (
        lines.count("2 more entries like this one: WARNING acp_bindings.runtime.test: text") == 50
    )
    assert lines[100:] == ["30 more entries of other kinds"]


def test_the_kind_of_a_failure_is_its_class_and_its_way() -> None:
    def recurse(depth: int) -> None:
        if depth:
            recurse(depth - 1)
        raise ValueError(depth)

    with written() as errors:
        fail(ValueError(1))
        fail(ValueError(2))
        fail(LookupError(3))
        for depth in (3, 4):
            try:
                recurse(depth)
            except ValueError:
                LOGGER.exception("failed")
    text = errors.getvalue()
    assert text.count("Traceback") == 3
    assert text.count("1 more entries like this one: ERROR acp_bindings.runtime.test: failed") == 2


@pytest.mark.parametrize(
    ("text", "escaped"),
    [("ä \ud800 \x1b \n €", r"\xe4 \ud800 \x1b \n \u20ac"), ("ä €", r"\xe4 \u20ac")],
)
def test_characters_that_standard_error_cannot_take_are_escaped(text: str, escaped: str) -> None:
    with written() as errors:
        LOGGER.warning(text)
    assert errors.getvalue() == f"WARNING acp_bindings.runtime.test: {escaped}\n"


def test_a_stream_without_an_encoding_takes_all_characters() -> None:
    with written(stream=io.StringIO()) as errors:
        LOGGER.warning("ä €")
    assert errors.getvalue() == "WARNING acp_bindings.runtime.test: ä €\n"


def test_without_a_level_nothing_is_written() -> None:
    with written(None) as errors:
        LOGGER.error("text")
    assert errors.getvalue() == ""


def test_two_connections_write_each_entry_once() -> None:
    with written() as errors, log_on_stderr(logging.NOTSET):
        LOGGER.error("text")
    assert errors.getvalue() == "ERROR acp_bindings.runtime.test: text\n"


class Textless:
    def __str__(self) -> str:
        raise ValueError


def test_an_entry_without_text_is_counted() -> None:
    with written() as errors:
        LOGGER.warning("%s", Textless())
    assert errors.getvalue() == "1 more entries of other kinds\n"


@pytest.mark.parametrize("kind", ["none", "other", "closed"])
def test_a_broken_standard_error_is_ignored(kind: str) -> None:
    closed = io.StringIO()
    closed.close()
    streams: dict[str, Any] = {"none": None, "other": object(), "closed": closed}
    with written() as errors, redirect_stderr(streams[kind]):
        LOGGER.warning("text")
    assert errors.getvalue() == ""


def test_standard_error_that_is_not_read_is_not_waited_for() -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    try:
        while os.write(writing, b"x" * 4096):
            pass
    except BlockingIOError:
        os.set_blocking(writing, True)

    def write() -> None:
        with os.fdopen(writing, "w") as file, written(stream=file):
            LOGGER.warning("text")

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    thread.join(GUARD)
    assert not thread.is_alive()
    with os.fdopen(reading, "rb") as file:
        assert b"text" not in file.read()
