"""The programs' environments, which are created on demand in folders of `.venv/reality`."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

from tests.interop.environments import HOME as INTEROP
from tests.interop.environments import Unavailable, find, install_with, make

from .programs import HERE, Program, Programs

HOME = INTEROP.parent / "reality"
_MACHINES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}


def install(program: Program, programs: Programs) -> tuple[Path, str]:
    """Create a program's environment.

    Returns:
        The environment's folder, and the PATH for its commands.

    Raises:
        Unavailable: If the program can't be installed.
    """
    source, _, package = program.package.partition(":")
    folder = HOME / program.folder
    if source == "npm":
        node = _npm("node", [_node(programs.node)], programs.before)
        _npm(program.folder, [f"{package}@{program.version}", *program.extras], programs.before)
        paths = [*node.glob("node_modules/node-*/bin"), folder / "node_modules" / ".bin"]
    else:
        _pip(folder, program.python, [f"{package}=={program.version}", *program.extras])
        paths = [folder / "bin"]
    return folder, os.pathsep.join([*map(str, paths), os.environ["PATH"]])


def _node(version: str) -> str:
    """Return the npm package that contains the Node.js binary for this machine."""
    machine = platform.machine().lower()
    return f"node-{sys.platform}-{_MACHINES.get(machine, machine)}@{version}"


def _npm(name: str, packages: list[str], before: str) -> Path:
    folder = HOME / name
    npm = find("npm")
    options = ["--no-audit", "--no-fund", "--ignore-scripts", "--save-exact", "--prefer-offline"]

    def install() -> None:
        (folder / "package.json").write_text(json.dumps({"private": True}))
        # Node.js programs in `clients` import packages from the `node_modules` folder next to it.
        (folder / "clients").symlink_to(HERE / "clients")
        install_with([npm, "install", *options, "--before", before, *packages], folder)

    make(folder, "\n".join([before, *packages]), install)
    return folder


def _pip(folder: Path, version: str, packages: list[str]) -> None:
    python = _python(version) if version else sys.executable

    def install() -> None:
        install_with([python, "-m", "venv", str(folder)], folder)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        install_with([*pip, "--disable-pip-version-check", *packages], folder)

    make(folder, "\n".join([python, *packages]), install)


def _python(version: str) -> str:
    """Return the path of the interpreter for a Python version.

    Raises:
        Unavailable: If the interpreter is not installed or does not start.
    """
    program = find(f"python{version}")
    # pyenv runs a version only if this variable or one of pyenv's files selects the version.
    variables = {**os.environ, "PYENV_VERSION": version}
    command = [program, "-c", "import sys; print(sys.executable)"]
    found = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    if found.returncode:
        raise Unavailable(f"python{version} does not start")
    return found.stdout.strip()
