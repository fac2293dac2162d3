"""Format the same source only once in a test run, whichever process asks."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import black

# Names the folder in which the processes of a test run keep formatted source.
VARIABLE = "ACP_TESTS_FORMATTED"


def remember_formatted(format_str: Callable[..., str], folder: Path) -> Callable[..., str]:
    """A `black.format_str` that looks in a folder first."""

    def remembering(source: str, *, mode: black.Mode) -> str:
        key = f"{mode.get_cache_key()}\n{source}".encode("utf-8", "surrogatepass")
        path = folder / hashlib.sha256(key).hexdigest()
        if not path.exists():
            scratch = folder / f".{path.name}.{os.getpid()}"
            scratch.write_bytes(format_str(source, mode=mode).encode("utf-8", "surrogatepass"))
            scratch.replace(path)
        return path.read_bytes().decode("utf-8", "surrogatepass")

    return remembering
