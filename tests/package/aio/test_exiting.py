"""Tests that agent processes exit, with a time limit for handlers but not for other code."""

from __future__ import annotations

import signal
import sys
import threading
import time
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from acp_bindings.runtime.aio import exiting

from tests.package.aio.agent_programs import Program, agent
from tests.package.aio.loop import GUARD
from tests.package.aio.processes import NEVER
from tests.package.jsonrpc.wire import ask

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals of POSIX")

SHORT = "linger=0.1, grace=0.2"
# A sleep duration, in seconds, that is longer than any test, so the exit must not wait for it.
LONG = 600
SAY = "await session.say('at work')\n"
JOB = f"def job():\n    time.sleep({LONG})\n"

# Turns that outlast their connection, each with the line at which it is stuck.
STUCK = {
    "bare except": (
        "while True:\n    try:\n        await asyncio.sleep(600)\n    except:\n        pass",
        "await asyncio.sleep(600)",
    ),
    "cancellation caught": (
        "while True:\n"
        "    try:\n"
        "        await asyncio.sleep(600)\n"
        "    except asyncio.CancelledError:\n"
        "        pass",
        "await asyncio.sleep(600)",
    ),
    "tasks": (
        "async def stubborn():\n"
        "    while True:\n"
        "        try:\n"
        "            await asyncio.sleep(600)\n"
        "        except BaseException:\n"
        "            pass\n"
        "await asyncio.gather(stubborn(), stubborn())",
        "await asyncio.gather(",
    ),
    "a spawned task": (
        "async def stubborn():\n"
        "    while True:\n"
        "        try:\n"
        "            await asyncio.sleep(600)\n"
        "        except BaseException:\n"
        "            pass\n"
        "self.spawn(stubborn())",
        "await asyncio.sleep(600)",
    ),
    "a task that its handler does not wait for": (
        "async def stubborn():\n"
        "    while True:\n"
        "        try:\n"
        "            await asyncio.Event().wait()\n"
        "        except BaseException:\n"
        "            pass\n"
        "await asyncio.gather(stubborn(), asyncio.sleep(600))",
        "await asyncio.Event().wait()",
    ),
    "calls again": (
        "while True:\n"
        "    try:\n"
        "        await self.peer.request('_ask', None)\n"
        "    except Exception:\n"
        "        pass",
        "",  # the turn can be at any of these lines
    ),
    "a thread": ("await asyncio.to_thread(job)", "time.sleep("),
    "an executor": ("await asyncio.get_running_loop().run_in_executor(POOL, job)", "time.sleep("),
    "a separate thread": (
        "threading.Thread(target=job).start()\nawait asyncio.sleep(600)",
        "time.sleep(",
    ),
}
HEAD = f"from concurrent.futures import ThreadPoolExecutor\nPOOL = ThreadPoolExecutor()\n{JOB}"


def place(program: Program, kind: str) -> str:
    """Return the start of the location that is expected in the log entry."""
    line = STUCK[kind][1]
    return f"{program.line_of(line)} in " if line else f"{program.path}:"


def stuck(kind: str, *, serve: str = SHORT) -> str:
    return agent(SAY + STUCK[kind][0], serve=serve, head=HEAD)


@pytest.mark.parametrize("kind", STUCK)
def test_an_agent_exits_with_its_input(kind: str, tmp_path: Path) -> None:
    with Program(tmp_path, stuck(kind)) as program:
        program.open()
        program.begin_turn()
        status, errors = program.end()
        assert status == 1
        assert place(program, kind) in errors


@pytest.mark.parametrize("kind", ["bare except", "a thread"])
def test_an_agent_of_protocol_2_exits_with_its_input(kind: str, tmp_path: Path) -> None:
    with Program(tmp_path, stuck(kind), version=2) as program:
        program.open()
        program.begin_turn()
        status, errors = program.end()
        assert status == 1
        assert place(program, kind) in errors


@pytest.mark.parametrize("kind", ["bare except", "tasks", "a thread"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_an_agent_exits_at_a_signal(kind: str, number: signal.Signals, tmp_path: Path) -> None:
    with Program(tmp_path, stuck(kind)) as program:
        program.open()
        program.begin_turn()
        program.process.send_signal(number)
        assert program.process.wait(GUARD) == 128 + number
        _, errors = program.end()
        assert place(program, kind) in errors


@pytest.mark.skipif(find_spec("uvloop") is None, reason="uvloop is not installed")
@pytest.mark.parametrize("kind", ["bare except", "tasks", "a thread"])
def test_an_agent_with_uvloop_exits_with_its_input(kind: str, tmp_path: Path) -> None:
    loop = "import uvloop\nasyncio.set_event_loop_policy(uvloop.EventLoopPolicy())\n"
    with Program(tmp_path, loop + stuck(kind)) as program:
        program.open()
        program.begin_turn()
        assert program.end()[0] == 1


def test_a_handler_of_notifications_cannot_keep_an_agent(tmp_path: Path) -> None:
    body = STUCK["bare except"][0].replace("\n", "\n    ")
    more = f"async def ext_notification(self, method, params):\n    {body}"
    with Program(tmp_path, agent("pass", more=more, serve=SHORT)) as program:
        program.open()
        program.write({"method": "_tell"}, ask(9, "nope"))
        program.read_response(9)
        status, errors = program.end()
        assert status == 1
        assert f"{program.line_of('await asyncio.sleep(600)')} in ext_notification" in errors


# --- a blocked event loop --------------------------------------------------------------------

BLOCKED = f"print('blocked', file=sys.stderr)\ntime.sleep({LONG})"


def test_a_signal_ends_an_agent_with_a_blocked_event_loop(tmp_path: Path) -> None:
    with Program(tmp_path, agent(BLOCKED, serve=SHORT)) as program:
        program.open()
        program.prompt()
        assert program.process.stderr is not None
        assert program.process.stderr.readline() == b"blocked\n"
        program.process.terminate()
        assert program.process.wait(GUARD) == 128 + signal.SIGTERM
        assert f"{program.line_of('time.sleep(')} in turn" in program.end()[1]


def test_a_second_signal_ends_an_agent_immediately(tmp_path: Path) -> None:
    with Program(tmp_path, agent(BLOCKED, serve=f"grace={NEVER}")) as program:
        program.open()
        program.prompt()
        assert program.process.stderr is not None
        assert program.process.stderr.readline() == b"blocked\n"
        deadline = time.monotonic() + GUARD
        # Send the signal repeatedly, since identical pending signals are delivered only once.
        while program.process.poll() is None and time.monotonic() < deadline:
            program.process.terminate()
            time.sleep(0.01)
        assert program.process.returncode == -signal.SIGTERM


# --- code without a time limit ----------------------------------------------------------

DONE = {
    "a handler that honors its cancellation": f"await asyncio.sleep({LONG})",
    "a thread that finishes in time": "await asyncio.to_thread(time.sleep, 0.3)",
    "threads without work": f"await asyncio.to_thread(int)\nawait asyncio.sleep({LONG})",
    "a daemon": "threading.Thread(target=job, daemon=True).start()",
}


def test_an_event_loop_that_is_blocked_for_a_moment_is_left_alone(tmp_path: Path) -> None:
    turn = SAY + "try:\n    await asyncio.sleep(600)\nfinally:\n    time.sleep(0.3)"
    with Program(tmp_path, agent(turn, serve="linger=0, grace=0.01")) as program:
        program.open()
        program.begin_turn()
        assert program.end() == (0, "")


@pytest.mark.parametrize("kind", DONE)
def test_an_agent_whose_handlers_end_exits_with_success(kind: str, tmp_path: Path) -> None:
    code = agent(SAY + DONE[kind], serve=f"linger=0.1, grace={GUARD}", head=HEAD)
    with Program(tmp_path, code) as program:
        program.open()
        program.begin_turn()
        assert program.end() == (0, "")


# A sleep duration, in seconds, that is much longer than the time limit for handlers.
LATER = 1.5
PROGRAM = f"""
async def main():
    work = asyncio.create_task(asyncio.to_thread(time.sleep, {LATER}))
    try:
        await serve_stdio(Agent, {SHORT})
        await asyncio.sleep({LATER})
        print("after it")
    finally:
        await work
        print("finally")

try:
    asyncio.run(main())
finally:
    time.sleep(0.1)
    print("at the end")
"""


def outlasting(turn: str) -> str:
    return agent(SAY + turn, head=HEAD).replace("asyncio.run(serve_stdio(Agent, ))", PROGRAM)


def test_the_program_itself_takes_as_long_as_it_needs(tmp_path: Path) -> None:
    with Program(tmp_path, outlasting("pass")) as program:
        program.open()
        program.begin_turn()
        assert program.end() == (0, "after it\nfinally\nat the end\n")


def test_other_tasks_of_the_program_take_as_long_as_they_need(tmp_path: Path) -> None:
    code = f"""
async def other():
    try:
        await asyncio.Event().wait()
    finally:
        await asyncio.sleep({LATER})
        print("other task")

async def main():
    kept = asyncio.create_task(other())
    await serve_stdio(Agent, {SHORT})

asyncio.run(main())
"""
    code = agent(SAY + "await asyncio.sleep(600)").replace(
        "asyncio.run(serve_stdio(Agent, ))", code
    )
    with Program(tmp_path, code) as program:
        program.open()
        program.begin_turn()
        assert program.end() == (0, "other task\n")


def test_a_thread_of_a_handler_is_ended_only_when_the_program_exits(tmp_path: Path) -> None:
    with Program(tmp_path, outlasting(STUCK["a thread"][0])) as program:
        program.open()
        program.begin_turn()
        status, errors = program.end()
        assert status == 1
        assert errors.startswith("after it\nfinally\nat the end\n")
        assert f"{program.line_of('time.sleep(600)')} in job" in errors


def test_a_task_that_was_dropped_leaves_finally_blocks_their_time(tmp_path: Path) -> None:
    with Program(tmp_path, outlasting(STUCK["bare except"][0])) as program:
        program.open()
        program.begin_turn()
        status, errors = program.end()
        assert status == 1
        assert errors.endswith("finally\nat the end\n")


@pytest.mark.parametrize(("patience", "end"), [(0.0, 3.0), (2.5, 3.0), (7.0, 7.0)])
def test_what_outlasts_the_grace_is_ended_a_second_after_the_exit_begins(
    patience: float, end: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, ends, ended = SimpleNamespace(now=100.0), list[Any](), threading.Event()

    def sleep(seconds: float) -> None:
        clock.now += seconds

    def end_process(*arguments: Any) -> None:
        ends.append((clock.now - 100, *arguments))
        ended.set()

    monkeypatch.setattr(exiting, "time", SimpleNamespace(monotonic=lambda: clock.now, sleep=sleep))
    monkeypatch.setattr(exiting, "_TICK", 0.125)  # a float without rounding errors
    monkeypatch.setattr(exiting, "_is_exiting", lambda caller: clock.now >= 102)
    monkeypatch.setattr(exiting, "_end_process", end_process)
    leftovers: Any = SimpleNamespace(places=lambda: [] if ends else ["a place"])
    caller: Any = None
    exiting._watch_exit(caller, leftovers, 5, patience, "INFO")
    assert ended.wait(GUARD)
    assert ends == [(end, 5, ["a place"], "INFO")]


def test_exit_functions_run_if_nothing_holds_up_the_exit(tmp_path: Path) -> None:
    head = "import atexit\natexit.register(print, 'exit function')"
    code = agent(SAY + STUCK["cancellation caught"][0], serve=SHORT, head=head)
    with Program(tmp_path, code) as program:
        program.open()
        program.begin_turn()
        status, errors = program.end()
        assert status == 1
        assert errors.endswith("exit function\n")


def test_an_agent_in_another_thread_does_not_end_the_program(tmp_path: Path) -> None:
    code = stuck("calls again").replace(
        "asyncio.run(serve_stdio(",
        f"threading.Timer({LATER}, print, ['still there']).start()\n"
        "serving = threading.Thread(target=lambda: asyncio.run(serve_stdio(",
    )
    code = code.rstrip()[:-2] + ")), daemon=True)\nserving.start()\n"
    with Program(tmp_path, code) as program:
        program.open()
        program.begin_turn()
        assert program.end() == (0, "still there\n")
