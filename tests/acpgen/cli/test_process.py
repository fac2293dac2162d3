"""Tests of acpgen when it cannot print or is interrupted during startup."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

ACPGEN = [sys.executable, "-m", "acpgen"]


COMMANDS = (["inspect", "ToolCallUpdate"], ["diff", "v1", "v2", "--json"], ["--help"])


needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")


@needs_full
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_full_disk_is_one_error(command: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run([*ACPGEN, *command], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert line.startswith("error[io]: standard output: cannot be written (No space left on device")


@pytest.mark.skipif(sys.platform == "win32", reason="a shell closes it")
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_closed_output_is_one_error(command: list[str]) -> None:
    shell = ["sh", "-c", 'exec "$@" >&-', "sh", *ACPGEN, *command]
    done = subprocess.run(shell, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert line.startswith("error[io]: standard output: is closed; ")


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_reader_that_has_enough_ends_it_quietly(command: list[str]) -> None:
    with subprocess.Popen(
        [*ACPGEN, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent to the process")
def test_an_interrupt_at_the_start_is_one_line() -> None:
    """The interrupt arrives in `find_spec`, the first function that `main` calls."""
    program = (
        "import importlib.util, time\n"
        "def slow(name): print('started', flush=True); time.sleep(60)\n"
        "importlib.util.find_spec = slow\n"
        "from acpgen.__main__ import main\n"
        "main()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
    assert (process.returncode, told) == (130, "interrupted, nothing written\n")


@pytest.mark.parametrize("module", ["importlib.util", "traceback", "acpgen.cli", "typer", "rich"])
def test_an_interrupt_while_modules_are_imported_is_one_line(module: str) -> None:
    program = (
        "import builtins, sys\n"
        "from acpgen.__main__ import main\n"
        "original = builtins.__import__\n"
        "def interrupted(name, *rest, **named):\n"
        f"    if name.startswith({module!r}): raise KeyboardInterrupt\n"
        "    return original(name, *rest, **named)\n"
        "builtins.__import__ = interrupted\n"
        "sys.argv = ['acpgen', 'inspect', 'ToolCall']\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (130, "interrupted, nothing written\n")


def test_the_entry_point_imports_nothing_that_takes_time() -> None:
    program = (
        "import sys; before = {*sys.modules}; import acpgen.__main__;"
        " print(*sorted({*sys.modules} - before))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", program],
        cwd=ROOT / "generator",
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["__future__", "acpgen", "acpgen.__main__"]
