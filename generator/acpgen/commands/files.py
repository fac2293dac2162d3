"""Compare what was rendered with what is on disk, and write it."""

from __future__ import annotations

import difflib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from acpgen.diagnostics import InputError, Problem, display_path

MADE_BY = b"# Made by acpgen "


@dataclass(frozen=True, slots=True)
class Difference:
    """One file that is not as it would be generated now.

    Attributes:
        path: within the package.
        kind: `changed`, `missing` or `extra`.
        diff: a unified diff, from what is on disk to what would be generated.
    """

    path: str
    kind: str
    diff: str


def compare(folder: Path, files: dict[str, bytes], *, whole: bool) -> list[Difference]:
    """Differences between a folder and the files that belong there, by their bytes.

    Args:
        whole: whether the files are all there should be, so that other generated ones are extra.
    """
    found: list[Difference] = []
    for path, wanted in sorted(files.items()):
        target = folder / path
        present = target.read_bytes() if target.is_file() else None
        if present != wanted:
            kind = "missing" if present is None else "changed"
            found.append(Difference(path, kind, _diff(path, present or b"", wanted)))
    if whole:
        for path in leftovers(folder, files):
            present = (folder / path).read_bytes()
            found.append(Difference(path, "extra", _diff(path, present, b"")))
    return found


def leftovers(folder: Path, files: dict[str, bytes]) -> list[str]:
    """Files that an earlier run generated and this one does not; never a file of the user's."""
    if not folder.is_dir():
        return []
    paths = [path for path in sorted(folder.rglob("*.py")) if path.read_bytes().startswith(MADE_BY)]
    return [name for path in paths if (name := path.relative_to(folder).as_posix()) not in files]


def _diff(path: str, present: bytes, wanted: bytes) -> str:
    lines = difflib.unified_diff(
        present.decode("utf-8", "replace").splitlines(),
        wanted.decode("utf-8").splitlines(),
        f"on disk: {path}",
        f"generated: {path}",
        lineterm="",
    )
    return "\n".join(lines)


def refuse_foreign(folder: Path, files: dict[str, bytes]) -> None:
    """Refuse to overwrite modules that were not generated.

    Raises:
        InputError: there are some.
    """
    message = "is not a file of ours; move it out of the way"
    problems = [
        Problem(display_path(folder / path), "", "edited", message)
        for path in files
        if path.endswith(".py")
        and (folder / path).is_file()
        and not (folder / path).read_bytes().startswith(MADE_BY)
    ]
    if problems:
        raise InputError(problems)


def write(folder: Path, files: dict[str, bytes], *, whole: bool) -> list[str]:
    """Write the files that differ, each one atomically.

    Args:
        whole: whether generated files that are no longer wanted are removed.

    Returns:
        The paths written or removed.
    """
    touched: list[str] = []
    for path, content in sorted(files.items()):
        target = folder / path
        if target.is_file() and target.read_bytes() == content:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        replace(target, content)
        touched.append(path)
    if whole:
        for path in leftovers(folder, files):
            (folder / path).unlink()
            touched.append(path)
            parent = (folder / path).parent
            if parent != folder and not any(parent.iterdir()):
                parent.rmdir()
    return touched


def replace(target: Path, content: bytes) -> None:
    """Write one file in full or not at all."""
    descriptor, scratch = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(scratch, 0o666 & ~umask)
        os.replace(scratch, target)
    except BaseException:
        Path(scratch).unlink(missing_ok=True)
        raise
