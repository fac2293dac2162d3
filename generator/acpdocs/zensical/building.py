"""The sources of the site -> the site, with Zensical."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from acpdocs.zensical.search import write_indexes


class BuildError(Exception):
    """Zensical refused the sources; the message is its output."""


def build_site(folder: Path, surfaces: Sequence[str] = ()) -> Path:
    """Build `site` from the `zensical.toml` and `docs` in a folder, without its cache.

    Args:
        folder: the folder.
        surfaces: the names of the surfaces that share the entries of the search.

    Returns:
        The folder of the site.

    Raises:
        BuildError: something is wrong with the sources, such as a link that leads nowhere.
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
