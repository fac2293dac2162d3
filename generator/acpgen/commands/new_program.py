"""Creates an agent or a client from a template."""

from __future__ import annotations

import re
from pathlib import Path

from acpgen.common import paths
from acpgen.common.display import display_path
from acpgen.common.problems import InputError, Problem

# A valid project name for `pyproject.toml`. The name is also inserted into the programs.
_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")


def new(kind: str, folder: Path) -> list[Path]:
    """Write the files of a new program named after its folder, and return their paths.

    `kind` is `agent` or `client`.

    Raises:
        InputError: If the folder isn't empty or cannot be written, or if its name isn't a valid
            project name.
    """
    name = folder.absolute().name
    if not _NAME.fullmatch(name):
        message = (
            "is not a valid name; use ASCII letters and digits, with `.`, `_` or `-` in between"
        )
        raise InputError([Problem(display_path(folder), "", "bad-name", message)])
    template = paths.TEMPLATES / "new" / kind
    texts = {
        folder / path.name: path.read_text("utf-8").replace(f"my-{kind}", name)
        for path in sorted(template.iterdir())
        if path.is_file()
    }
    written: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            message = "is not empty; choose another folder"
            raise InputError([Problem(display_path(folder), "", "edited", message)])
        for path, text in texts.items():
            written.append(path)
            path.write_text(text, "utf-8")
    except OSError as error:
        for path in written:  # empty the folder for the next attempt
            path.unlink(missing_ok=True)
        message = f"cannot be written ({error.strerror}); choose another folder"
        raise InputError([Problem(display_path(folder), "", "io", message)]) from error
    return list(texts)
