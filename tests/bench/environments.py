"""The environments of the contenders, created on the first run below `.venv/bench`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent
ROOT = TESTS.parent
CACHE = ROOT / ".venv" / "bench"

# The packages of each environment. The generated package is copied into the first.
PACKAGES = {
    "ours": ("orjson==3.13.0",),
    "official-0.12.1": ("agent-client-protocol==0.12.1",),
    "official-1.0.0rc3": ("agent-client-protocol==1.0.0rc3",),
    "msgspec": ("msgspec==0.22.0",),
}
# The files that tell npm what to install; the tests against the TypeScript SDK share them.
NPM_FILES = tuple(
    TESTS / "interop" / name for name in ("package.json", "package-lock.json", ".npmrc")
)


class Unavailable(Exception):
    """An environment cannot be made on this machine."""


def make_pythons() -> dict[str, str]:
    """The Python of each environment, with our current package in its own."""
    pythons = {name: _make_python(name, wanted) for name, wanted in PACKAGES.items()}
    _install_ours(pythons["ours"])
    return pythons


def _make_python(name: str, wanted: tuple[str, ...]) -> str:
    folder = CACHE / name
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

    def install() -> None:
        run([sys.executable, "-m", "venv", str(folder)])
        run([str(python), "-m", "pip", "install", "--quiet", *wanted])

    _make(folder, "\n".join((sys.version, *wanted)), install)
    return str(python)


def _install_ours(python: str) -> None:
    """Copy the generated package and compile it, as an installer does."""
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    target = Path(run([python, "-I", "-c", where]).strip()) / "acp_bindings"
    shutil.rmtree(target, ignore_errors=True)
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "generated" / "acp_bindings", target, ignore=ignore)
    run([python, "-I", "-m", "compileall", "-q", str(target)])


def make_node(name: str) -> tuple[str, str]:
    """Node, and the folder of an environment with the TypeScript SDK.

    Raises:
        Unavailable: Node or npm is not installed, or npm fails.
    """
    node, npm = (_find(program) for program in ("node", "npm"))
    folder = CACHE / name
    contents = "\n".join(path.read_text(encoding="utf-8") for path in NPM_FILES)

    def install() -> None:
        for path in NPM_FILES:
            shutil.copy(path, folder)
        command = [npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
        if done.returncode != 0:
            raise Unavailable("npm cannot install it")

    _make(folder, contents, install)
    return node, str(folder)


def _find(program: str) -> str:
    found = shutil.which(program)
    if found is None:
        raise Unavailable(f"{program} is not installed")
    return found


def _make(folder: Path, contents: str, install: Callable[[], None]) -> None:
    """Create an environment unless it is up to date."""
    done = folder / "contents.txt"
    if done.exists() and done.read_text(encoding="utf-8") == contents:
        return
    log(f"making the environment {folder.name}")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    install()
    # Last, so that an incomplete environment is created again.
    done.write_text(contents, encoding="utf-8")


def python_program(python: str, path: str, *arguments: str) -> list[str]:
    """The command of a program beside this one.

    It runs without the user's PYTHON… variables and packages, and writes no bytecode.
    """
    return [python, "-E", "-s", "-B", str(HERE / path), *arguments]


def run(command: list[str], text: str | None = None) -> str:
    """The standard output of a command that must succeed.

    Args:
        command: the command; it runs in the project's folder.
        text: its standard input.
    """
    done = subprocess.run(
        command,
        cwd=ROOT,
        input=text,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def log(text: str) -> None:
    """Report progress."""
    print(text, file=sys.stderr, flush=True)
