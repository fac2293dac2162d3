"""Finds a project's Python files, excluding third-party files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

# Folders to skip, in addition to hidden folders and virtual environments.
_FOREIGN = frozenset({"__pycache__", "node_modules", "site-packages"})


def python_files(path: Path) -> Iterator[Path]:
    """Yield the given file, or the Python files in a folder and its subfolders, sorted."""
    if path.is_file():
        yield path
    for root, folders, files in os.walk(path):
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".")
            and name not in _FOREIGN
            and not (Path(root, name) / "pyvenv.cfg").exists()
        )
        yield from (Path(root, name) for name in sorted(files) if name.endswith((".py", ".pyi")))
