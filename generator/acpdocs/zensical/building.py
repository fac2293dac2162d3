"""The sources of the site -> the site, with Zensical: settings, and the build."""

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
    """Raised if Zensical rejects the sources; the message is its output."""


def settings(menu: str, surfaces: Sequence[str]) -> str:
    """Return the first lines of `zensical.toml`; the menu is TOML."""
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
    except FileNotFoundError:  # no Git
        origin = ""
    page = repository_page(origin.strip())
    if page is not None:
        lines.append(f"repo_url = {json.dumps(page)}")
    return "\n".join(lines) + "\n"


def repository_page(origin: str) -> str | None:
    """Return the page of a repository with a URL in Git; None for a folder.

    A user name or a token in the URL is removed.
    """
    parts = _ADDRESS.fullmatch(origin)
    return parts and f"https://{parts['host']}/{parts['path']}"


def build_site(folder: Path, surfaces: Sequence[str] = ()) -> Path:
    """Build `site` from the `zensical.toml` and `docs` in a folder, without its cache; return it.

    Raises:
        BuildError: If the sources have a problem, such as a broken link.
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
