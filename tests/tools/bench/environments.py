"""The environments of the contenders, created in `.venv/bench` on the first run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
CACHE = ROOT / ".venv" / "bench"

# The packages for serving remote agents.
SERVER = ("uvicorn==0.54.0", "websockets==17.4")
# The packages of each environment. The generated package is copied into the first environment.
PACKAGES = {
    "ours": ("orjson==3.13.0", "h11==0.16.0", "h2==4.4.1", *SERVER),
    "official-0.12.1": ("agent-client-protocol==0.12.1",),
    "official-1.0.0rc3": ("agent-client-protocol[http,ws]==1.0.0rc3", *SERVER),
}


def make_pythons() -> dict[str, str]:
    """Create the environments, install our current package, and return the interpreters by name."""
    pythons = {name: _make_python(name, wanted) for name, wanted in PACKAGES.items()}
    _install_ours(pythons["ours"])
    return pythons


def _make_python(name: str, wanted: tuple[str, ...]) -> str:
    folder = CACHE / name
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    done = folder / "contents.txt"
    contents = "\n".join((sys.version, *wanted))
    if not done.exists() or done.read_text(encoding="utf-8") != contents:
        log(f"making the environment {name}")
        run([sys.executable, "-m", "venv", "--clear", str(folder)])
        run([str(python), "-m", "pip", "install", "--quiet", *wanted])
        # Written last, so that an incomplete environment is created again.
        done.write_text(contents, encoding="utf-8")
    return str(python)


def _install_ours(python: str) -> None:
    """Copy the generated package and compile it, as an installer does."""
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    target = Path(run([python, "-I", "-c", where]).strip()) / "acp_bindings"
    shutil.rmtree(target, ignore_errors=True)
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "generated" / "acp_bindings", target, ignore=ignore)
    run([python, "-I", "-m", "compileall", "-q", str(target)])


def python_program(python: str, path: str, *arguments: str) -> list[str]:
    """Return a command that runs a program in this folder.

    The command ignores the user's PYTHON… variables and packages, and writes no bytecode.
    """
    return [python, "-E", "-s", "-B", str(HERE / path), *arguments]


def run(command: list[str], text: str | None = None) -> str:
    """Run a command that must succeed, and return its standard output."""
    done = subprocess.run(
        command, cwd=ROOT, input=text, capture_output=True, text=True, encoding="utf-8", check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def log(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
