"""Environments with the official SDKs, created on demand in `.venv/interop` and then reused."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from tests.support import preloaded

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent
HOME = TESTS.parent / ".venv" / "interop"
NPM_FILES = ("package.json", "package-lock.json", ".npmrc")
PYTHON_SDK = "agent-client-protocol"
INSTALL_TIMEOUT = 1800
# Modules to preload for our programs, and for each version of the Python SDK.
OURS_IMPORTED = (
    "asyncio.subprocess",
    "acp_bindings.remote",
    "acp_bindings.v1.agent_session",
    "acp_bindings.v1.client_session",
    "acp_bindings.v2.agent_session",
    "acp_bindings.v2.client_session",
)
SDK_IMPORTED = {
    "0.12.1": ("acp",),
    "1.0.0rc3": (
        *("acp", "acp.experimental.v2", "acp.http.asgi", "acp.ws"),
        *("httpx2", "hypercorn.asyncio", "uvicorn"),
    ),
}


class Unavailable(Exception):
    """Raised when an environment cannot be created."""


def required() -> bool:
    """Return whether tests fail instead of being skipped if an environment is missing."""
    return os.environ.get("ACP_REQUIRE_INTEROP") == "1"


@contextmanager
def locked(path: Path) -> Generator[None]:
    """Lock a file against other processes. The lock is released even if this process is killed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def command(environment: str, program: str) -> list[str]:
    """Return the command that runs a test program, and create its environment if necessary.

    Args:
        environment: `ours`, `node`, or a version of the Python SDK.
        program: a Python module, a file in `peers`, or a path in `node_modules`, followed by
            arguments.

    Raises:
        Unavailable: If the environment cannot be created.
    """
    name, *arguments = program.split()
    if environment == "ours":
        return [*preloaded.command(sys.executable, OURS_IMPORTED, name), *arguments]
    if environment == "node":
        folder = node() / ("node_modules" if "/" in name else "peers")
        # Run the peers through a link next to `node_modules`, so that Node.js finds their imports.
        flags = ["--preserve-symlinks", "--preserve-symlinks-main"]
        return [find("node"), *flags, str(folder / name), *arguments]
    sdk = preloaded.command(str(python(environment)), SDK_IMPORTED[environment], name)
    return [*sdk, *arguments]


def variables() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(TESTS.parent)}


def node() -> Path:
    """Return the folder of the Node.js environment, with the TypeScript SDK in `node_modules`.

    Raises:
        Unavailable: If the environment cannot be created.
    """
    folder = HOME / "node"
    find("node")
    npm = find("npm")

    def install() -> None:
        for name in NPM_FILES:
            shutil.copy(HERE / name, folder)
        (folder / "peers").symlink_to(HERE / "peers")
        install_with([npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"], folder)

    make(folder, "\n".join((HERE / name).read_text() for name in NPM_FILES), install)
    return folder


def python(version: str) -> Path:
    """Return the Python interpreter of an environment with the given version of the Python SDK.

    Raises:
        Unavailable: If the environment cannot be created.
    """
    folder = HOME / f"python-{version}"
    interpreter = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    # Without the `http` extra, some modules of the SDK cannot be imported. One of the SDK's
    # examples uses hypercorn, and the remote agents run under both servers.
    requirements = [f"{PYTHON_SDK}[http]=={version}", "hypercorn>=0.17", "uvicorn>=0.30"]

    def install() -> None:
        venv.create(folder, with_pip=True)
        pip = [str(interpreter), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        install_with([*pip, *requirements], folder)

    make(folder, "\n".join([sys.version, *requirements]), install)
    return interpreter


def sdist(version: str) -> Path:
    """Return the unpacked source distribution of the given version of the Python SDK.

    Raises:
        Unavailable: If the distribution cannot be downloaded or has another version.
    """
    folder = HOME / f"sdist-{version}"
    requirement = f"{PYTHON_SDK}=={version}"
    name = f"{PYTHON_SDK.replace('-', '_')}-{version}"

    def download() -> None:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
        only_source = ["--no-deps", "--no-binary", PYTHON_SDK]
        install_with([*pip, *only_source, "--dest", str(folder), requirement], folder)
        with tarfile.open(folder / f"{name}.tar.gz") as archive:
            archive.extraction_filter = getattr(tarfile, "data_filter", None)
            archive.extractall(folder)
        about = (folder / name / "PKG-INFO").read_text("utf-8").splitlines()
        if f"Version: {version}" not in about:
            raise Unavailable(f"{name}.tar.gz is not of version {version}")

    make(folder, requirement, download)
    return folder / name


def make(folder: Path, content: str, install: Callable[[], None]) -> None:
    """Create an environment, unless it already exists with this content."""
    stamp = folder / ".made-of"
    with locked(folder.parent / f"{folder.name}.lock"):
        if stamp.exists() and stamp.read_text() == content:
            return
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        install()
        stamp.write_text(content)


def find(program: str) -> str:
    """Return the path of a program.

    Raises:
        Unavailable: If the program is not installed.
    """
    found = shutil.which(program)
    if found is None:
        raise Unavailable(f"{program} is not installed")
    return found


def install_with(arguments: list[str], folder: Path) -> None:
    """Run an installer in a folder.

    Raises:
        Unavailable: If the installer fails or takes too long.
    """
    try:
        subprocess.run(
            arguments, cwd=folder, check=True, capture_output=True, timeout=INSTALL_TIMEOUT
        )
    except (subprocess.SubprocessError, OSError) as error:
        output = (getattr(error, "stderr", None) or b"").decode(errors="replace")
        lines = [line for line in output.splitlines() if "error" in line.lower()]
        name = Path(arguments[0]).name
        # The first lines contain the reason, while later lines only refer to a log. URLs are
        # removed because they differ between machines.
        reason = re.sub(r"\S+://\S+", "…", " ".join(lines[:2]))
        raise Unavailable(f"{name} fails: {reason or type(error).__name__}") from error
