"""The settings of the site: what `zensical.toml` says beside its template."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Sequence

from acpgen import __version__
from acpgen.common import paths

_ADDRESS = re.compile(
    r"(?:https://|ssh://|\S+@)(?:[^@/\s]+@)?(?P<host>[\w.-]+)(?::\d+/|[:/])(?P<path>\S+?)(?:\.git)?/?"
)


def settings(menu: str, surfaces: Sequence[str]) -> str:
    """The first lines of `zensical.toml`.

    Args:
        menu: the menu in TOML.
        surfaces: the names of the surfaces that have an index of the search each.
    """
    lines = [
        "[project]",
        f"nav = {menu}",
        f"extra.surfaces = {json.dumps(list(surfaces))}",
        f"extra.release = {json.dumps(__version__)}",
        f'copyright = "acp-bindings {__version__}, published under Apache-2.0"',
    ]
    address = repository_page(_origin())
    if address is not None:
        lines.append(f"repo_url = {json.dumps(address)}")
    return "\n".join(lines) + "\n"


def repository_page(origin: str) -> str | None:
    """The page of a repository, by the address that Git has for it; None for a folder.

    A user or a token in the address is left out.
    """
    parts = _ADDRESS.fullmatch(origin)
    return parts and f"https://{parts['host']}/{parts['path']}"


def _origin() -> str:
    """The address that the checkout was cloned from; empty if there is none."""
    command = ["git", "-C", str(paths.ROOT), "config", "--get", "remote.origin.url"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except FileNotFoundError:  # no Git
        return ""
