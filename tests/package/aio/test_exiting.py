"""Tests that agent processes exit, with a time limit for handlers but not for other code."""

from __future__ import annotations

import asyncio
import io
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from acp_bindings.runtime.aio import exiting
from acp_bindings.runtime.aio.tasks import Dropped, place_of, place_of_thread
from acp_bindings.runtime.jsonrpc.logs import call_back

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


# --- in this process -------------------------------------------------------------------------


class Ends(list[Any]):
    """A recorder of the calls that would end the process."""

    def __init__(self) -> None:
        self.first = threading.Event()

    def __call__(self, *arguments: Any) -> None:
        self.append(arguments)
        self.first.set()


@pytest.fixture
def ends(monkeypatch: pytest.MonkeyPatch) -> Ends:
    ends = Ends()
    monkeypatch.setattr(exiting, "_end_process", ends)
    return ends


class FakeGuard:
    def __init__(self, *arguments: Any) -> None:
        self.arguments = arguments
        self.status = 1
        self.is_started = self.is_closed = False

    def start(self) -> None:
        self.is_started = True

    def close(self) -> None:
        self.is_closed = True


@pytest.mark.parametrize("kind", ["nothing", "task", "dropped task"])
async def test_code_that_is_left_has_the_grace_unless_it_was_dropped(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    guards: list[FakeGuard] = []
    watched: list[Any] = []

    def make(*arguments: Any) -> FakeGuard:
        guards.append(FakeGuard(*arguments))
        return guards[-1]

    monkeypatch.setattr(exiting, "_Guard", make)
    monkeypatch.setattr(exiting, "_watch_exit", lambda *arguments: watched.append(arguments))
    left: list[asyncio.Task[Any]] = []
    codes: list[Any] = []
    try:
        with exiting.exit_in_time(2.0, 3.0, "INFO") as start:
            start()
            if kind != "nothing":
                left.append(asyncio.create_task(asyncio.sleep(NEVER)))
                await asyncio.sleep(0)
            if kind == "dropped task":
                dropped = exiting.dropped.get()
                assert dropped is not None
                dropped.append(Dropped(left[0], "there"))
    except SystemExit as error:
        codes.append(error.code)
    assert codes == ([1] if kind == "dropped task" else [])
    [guard] = guards
    assert guard.arguments == (asyncio.get_running_loop(), 5.0, "INFO")
    assert guard.is_started
    assert guard.is_closed
    assert exiting.dropped.get() is None
    caller = asyncio.current_task()
    if kind == "nothing":
        assert watched == []
    else:
        [(watching, leftovers, *rest)] = watched
        patience = 3.0 if kind == "task" else 0.0
        assert (watching, *rest) == (caller, 1, patience, "INFO")
        place = "there" if kind == "dropped task" else place_of(left[0])
        assert leftovers.places() == [f"a task at {place}"]
        left[0].cancel()
        await asyncio.wait(left)
        assert leftovers.places() == []


async def idle_executor() -> ThreadPoolExecutor:
    """Start a thread of the default executor, and return the executor when the thread is idle."""
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(None, int)
    executor: ThreadPoolExecutor = loop._default_executor  # type: ignore[attr-defined]
    while any(map(exiting._is_busy, executor._threads)):
        await asyncio.sleep(0)
    return executor


async def test_only_new_tasks_and_busy_threads_are_left() -> None:
    over = threading.Event()

    def hold() -> None:
        over.wait()

    def rest() -> None:
        over.wait()

    before, new_thread = (threading.Thread(target=hold) for _ in range(2))
    before.start()
    old = asyncio.create_task(asyncio.sleep(NEVER))
    await asyncio.sleep(0)
    leftovers = exiting.Leftovers()
    new = asyncio.create_task(asyncio.sleep(NEVER))
    executor = await idle_executor()
    daemon = threading.Thread(target=rest, daemon=True)
    for thread, function in ((new_thread, "hold"), (daemon, "rest")):
        thread.start()
        while f" in {function}" not in place_of_thread(thread):
            await asyncio.sleep(0)
    try:
        leftovers.collect()
        of_task, of_thread = leftovers.places()
        assert of_task == f"a task at {place_of(new)}"
        assert of_thread.startswith(f"a thread at {__file__}:")
        assert " in hold > " in of_thread
        # `asyncio.run` waits for the threads of the current executor only.
        loop: Any = asyncio.get_running_loop()
        assert loop._default_executor is not executor
    finally:
        over.set()
        for thread in (before, new_thread, daemon):
            await asyncio.to_thread(thread.join)
        executor.shutdown()
        for task in (old, new):
            task.cancel()
        await asyncio.wait([old, new])
    assert leftovers.places() == []


async def test_a_task_of_another_context_is_not_left_if_its_context_is_known() -> None:
    before = copy_context()
    leftovers = exiting.Leftovers()
    here = copy_context()
    leftovers.collect()
    unknown: Any = object()  # a task before Python 3.12
    assert leftovers._began_here(unknown)
    for context, began_here in ((here, True), (before, False)):
        task: Any = SimpleNamespace(get_context=lambda context=context: context)
        assert leftovers._began_here(task) is began_here


async def test_without_busy_threads_the_executor_is_kept() -> None:
    loop: Any = asyncio.get_running_loop()
    leftovers = exiting.Leftovers()
    executor = await idle_executor()
    leftovers.collect()
    assert leftovers.places() == []
    assert loop._default_executor is executor


async def test_a_program_exits_when_its_agent_ends_with_an_exit() -> None:
    caller: Any = asyncio.Future()
    assert not exiting._is_exiting(caller)
    caller.cancel()
    assert not exiting._is_exiting(caller)
    for error, is_exiting in ((SystemExit(1), True), (LookupError(), False)):
        caller = asyncio.Future()
        caller.set_exception(error)
        assert exiting._is_exiting(caller) is is_exiting
        assert caller.exception() is error


def test_a_program_exits_while_asyncio_cancels_its_tasks() -> None:
    found: list[bool] = []

    async def wait() -> None:
        caller: Any = asyncio.Future()
        try:
            await asyncio.Event().wait()
        finally:
            found.append(exiting._is_exiting(caller))

    async def main() -> None:
        kept.append(asyncio.create_task(wait()))
        await asyncio.sleep(0)

    kept: list[asyncio.Task[None]] = []
    asyncio.run(main())
    assert found == [True]


@pytest.mark.parametrize(
    ("status", "in_handler", "is_ended"),
    [(1, False, False), (1, True, True), (143, False, True)],
)
async def test_an_event_loop_is_ended_if_a_handler_blocks_it_or_after_a_signal(
    status: int,
    in_handler: bool,
    is_ended: bool,
    ends: Ends,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(exiting, "_PATIENCE", 0.01)
    monkeypatch.setattr(exiting, "_TICK", 0.001)
    checked, over = threading.Event(), threading.Event()
    end_if_blocked, watch = exiting._Guard._end_if_blocked, exiting._Guard._watch
    threads: list[int] = []

    def check_and_tell(guard: Any) -> None:
        end_if_blocked(guard)
        checked.set()

    def watch_and_tell(guard: Any) -> None:
        threads.append(threading.get_ident())
        watch(guard)
        over.set()

    monkeypatch.setattr(exiting._Guard, "_end_if_blocked", check_and_tell)
    monkeypatch.setattr(exiting._Guard, "_watch", watch_and_tell)
    guard = exiting._Guard(asyncio.get_running_loop(), 0.0, "INFO")
    guard.status = status
    await asyncio.to_thread(guard.start)  # only the main thread has to exit
    assert not guard._is_watching
    guard.start()
    guard.start()
    if in_handler:
        assert call_back(checked.wait, 10, what="", log=logging.getLogger())
    else:
        assert checked.wait(10)
    guard.close()
    assert await asyncio.to_thread(over.wait, 10)
    assert len(threads) == 1
    if is_ended:
        (ended_with, [place], level), *_ = ends
        assert (ended_with, level) == (status, "INFO")
        assert place.startswith("the event loop at ")
        assert " in wait" in place
    else:
        assert ends == []


def test_the_end_of_the_process_names_ten_places(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    done: list[Any] = []

    class Output(io.StringIO):
        def flush(self) -> None:
            done.append("flush")

    def shutdown() -> None:
        done.append("shutdown")

    monkeypatch.setattr(sys, "stdout", Output())
    monkeypatch.setattr(sys, "stderr", Output())
    monkeypatch.setattr(exiting, "logging", SimpleNamespace(shutdown=shutdown))
    monkeypatch.setattr(exiting, "os", SimpleNamespace(_exit=done.append))
    exiting._end_process(3, [f"place {number}" for number in range(11)], None)
    said = "terminating the process; still running: place "
    assert caplog.messages == [f"{said}{number}" for number in range(10)]
    assert [vars(record)["kind"] for record in caplog.records] == [
        f"place {number}" for number in range(10)
    ]
    assert done == ["flush", "flush", "shutdown", 3]


SIGNALS = [signal.SIGTERM, signal.SIGHUP]


@pytest.fixture
def default_signals() -> Generator[None]:
    """Reset the handlers of signals, since programs inherit ignored signals."""
    before = [signal.signal(number, signal.SIG_DFL) for number in SIGNALS]
    yield
    for number, handler in zip(SIGNALS, before, strict=True):
        signal.signal(number, handler)


def are_default() -> list[bool]:
    """Return for each signal whether it has its default action."""
    return [signal.getsignal(number) is signal.SIG_DFL for number in SIGNALS]


async def guarded(guard: Any, act: Callable[[asyncio.Task[Any]], object]) -> None:
    """Call a function with a task that `_signals` would cancel, and wait."""
    task = asyncio.current_task()
    assert task is not None
    with exiting._signals(guard, asyncio.get_running_loop(), task):
        act(task)
        await asyncio.sleep(NEVER)


@pytest.mark.usefixtures("default_signals")
@pytest.mark.parametrize("number", SIGNALS)
async def test_a_signal_cancels_the_task_and_starts_the_guard(number: signal.Signals) -> None:
    guard: Any = FakeGuard()

    def send(task: object) -> None:
        assert are_default() == [False, False]
        os.kill(os.getpid(), number)
        assert are_default() == [True, True]  # a second signal would end the process immediately

    with pytest.raises(SystemExit) as caught:
        await guarded(guard, send)
    assert caught.value.code == guard.status == 128 + number
    assert guard.is_started
    assert are_default() == [True, True]


@pytest.mark.usefixtures("default_signals")
async def test_without_a_signal_a_cancellation_is_one() -> None:
    guard: Any = FakeGuard()
    with pytest.raises(asyncio.CancelledError):
        await guarded(guard, lambda task: task.cancel())
    assert not guard.is_started
    assert are_default() == [True, True]


@pytest.mark.usefixtures("default_signals")
async def test_the_handler_of_a_program_for_a_signal_is_kept() -> None:
    def own(number: int, frame: object) -> None: ...

    def leave(task: asyncio.Task[Any]) -> None:
        assert signal.getsignal(signal.SIGHUP) is own
        assert are_default() == [False, False]
        task.cancel()

    signal.signal(signal.SIGHUP, own)
    with pytest.raises(asyncio.CancelledError):
        await guarded(FakeGuard(), leave)
    assert signal.getsignal(signal.SIGHUP) is own
