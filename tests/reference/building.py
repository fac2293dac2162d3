"""Building the site from its sources, as `make docs` does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def build(folder: Path) -> Path:
    """Build the sources in a folder; warnings are errors."""
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict"]
    run = subprocess.run(
        [*command, "-f", str(folder / "mkdocs.yml")],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    return folder / "site"
