"""The site's settings and its build with Zensical."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from acpgen import __version__
from acpgen.common import paths

from acpdocs.zensical.search import write_indexes

_ADDRESS = re.compile(
    r"(?:https://|ssh://|\S+@)(?:[^@/\s]+@)?(?P<host>[\w.-]+)(?::\d+/|[:/])(?P<path>\S+?)(?:\.git)?/?"
)


class BuildError(Exception):
    """Raised, with Zensical's output as the message, if Zensical rejects the sources."""


def settings(menu: str, surfaces: Sequence[str]) -> str:
    """Return the first lines of `zensical.toml`, with the given menu in TOML."""
    lines = [
        "[project]",
        f"nav = {menu}",
        f"extra.surfaces = {json.dumps(list(surfaces))}",
        f"extra.release = {json.dumps(__version__)}",
        f'copyright = "acp-bindings {__version__}, published under Apache-2.0"',
    ]
    command = ["git", "-C", str(paths.ROOT), "config", "--get", "remote.origin.url"]
    try:
        origin = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except FileNotFoundError:  # Git is not installed
        origin = ""
    page = repository_page(origin.strip())
    if page is not None:
        lines.append(f"repo_url = {json.dumps(page)}")
    return "\n".join(lines) + "\n"


def repository_page(origin: str) -> str | None:
    """Return the URL of a Git repository's web page, or None if its Git URL is a folder.

    A user name or token in the URL is removed.
    """
    parts = _ADDRESS.fullmatch(origin)
    return parts and f"https://{parts['host']}/{parts['path']}"


def build_site(folder: Path, surfaces: Sequence[str] = ()) -> Path:
    """Build the site from `zensical.toml` and `docs` in a folder and return the site's folder.

    Zensical's cache is not used.

    Raises:
        BuildError: If the sources contain a problem, such as a broken link.
    """
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict"]
    run = subprocess.run(
        [*command, "--config-file", str(folder / "zensical.toml")],
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode or "No issues found" not in run.stdout + run.stderr:
        raise BuildError(run.stdout + run.stderr)
    site = folder / "site"
    write_indexes(site, surfaces)
    return site
