"""Write the package into another project, and tell later whether it is still as it was written.

A lock file in the package says what it was made from and what its files were. A new copy is made
beside the old one and takes its place at once, so that there is always a whole one.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from acpgen import __version__
from acpgen.diagnostics import InputError, Problem, display_path

LOCK = "acpgen.lock"
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Lock:
    """What a vendored package was made from.

    Attributes:
        generator: the version of acpgen.
        types_only: whether methods, stubs and I/O were left out.
        schemas: by surface, what its schema is called (`label`) and its digest (`sha256`).
        files: by path in the package, the digest of the file.
    """

    generator: str
    types_only: bool
    schemas: Mapping[str, Mapping[str, str]]
    files: Mapping[str, str]

    def text(self) -> bytes:
        """The lock as it is written."""
        return (json.dumps({"format": _FORMAT, **asdict(self)}, indent=2) + "\n").encode("utf-8")


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """Something about a vendored package that is not as it was written, or not up to date.

    Attributes:
        path: the file in the package; the lock where it is about all of it.
        kind: `edited`, `missing` or `outdated`.
        reason: what is wrong, in one line.
    """

    path: str
    kind: str
    reason: str


def make_lock(
    files: Mapping[str, bytes], schemas: Mapping[str, Mapping[str, str]], *, types_only: bool
) -> Lock:
    """The lock for files that are about to be written."""
    return Lock(
        __version__,
        types_only,
        {name: dict(schema) for name, schema in sorted(schemas.items())},
        {path: _digest(content) for path, content in sorted(files.items())},
    )


def read_lock(folder: Path) -> Lock | None:
    """The lock of a vendored package; None if there is none.

    Raises:
        InputError: there is something else in its place.
    """
    path = folder / LOCK
    if not path.is_file():
        return None
    try:
        data: Any = json.loads(path.read_bytes())
        if data["format"] != _FORMAT:
            raise _unreadable(path, f"is of format {data['format']!r}, not {_FORMAT}")
        lock = Lock(
            str(data["generator"]),
            bool(data["types_only"]),
            {
                name: {str(k): str(v) for k, v in each.items()}
                for name, each in data["schemas"].items()
            },
            {str(name): str(digest) for name, digest in data["files"].items()},
        )
        is_whole = all({"label", "sha256"} <= each.keys() for each in lock.schemas.values())
        if not is_whole or not all(map(_is_inside, lock.files)):
            raise _unreadable(path, "is no lock file of acpgen")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _unreadable(path, "is no lock file of acpgen") from error
    return lock


def _is_inside(path: str) -> bool:
    """Whether a path of a lock file leads to somewhere in the package."""
    parts = PurePosixPath(path).parts
    return bool(parts) and parts[0] != "/" and ".." not in parts


def _unreadable(path: Path, what: str) -> InputError:
    message = f"{what}; vendor the package again with --force, and each --surface it is to have"
    return InputError([Problem(display_path(path), "", "bad-lock", message)])


def edits(folder: Path, lock: Lock) -> list[Finding]:
    """The files that are not as they were written."""
    found: list[Finding] = []
    for path, digest in lock.files.items():
        target = folder / path
        if not target.is_file():
            found.append(Finding(path, "missing", "was removed since it was written"))
        elif _digest(target.read_bytes()) != digest:
            found.append(Finding(path, "edited", "was changed since it was written"))
    return found


def check(folder: Path, current: Mapping[str, str]) -> list[Finding]:
    """What is not as it was written, or would be written otherwise now.

    It reads files only, but for putting back what a run that was killed has left aside.

    Args:
        current: by surface, the digest of the schema that this acpgen brings along.

    Raises:
        InputError: the folder is no vendored package.
    """
    folder = folder.resolve()
    restore(folder)
    lock = read_lock(folder)
    if lock is None:
        message = "has no lock file; write the package with `acpgen vendor`"
        raise InputError([Problem(display_path(folder), "", "missing-file", message)])
    found = edits(folder, lock)
    if lock.generator != __version__:
        reason = f"was written by acpgen {lock.generator}; this is {__version__}"
        found.append(Finding(LOCK, "outdated", reason))
    for surface, schema in lock.schemas.items():
        if surface in current and schema["sha256"] != current[surface]:
            reason = (
                f"{surface} is made from {schema['label']}; this acpgen brings another schema"
                " along: vendor it again to have that"
            )
            found.append(Finding(LOCK, "outdated", reason))
    return sorted(found)


def write(folder: Path, files: Mapping[str, bytes], lock: Lock, *, force: bool) -> list[str]:
    """Write a package in place of the one that was there.

    Files of others in the folder stay, those of an earlier run that are no longer made go.

    Args:
        force: whether files that were edited, or are not ours, may be overwritten.

    Returns:
        The paths that differ from before.

    Raises:
        InputError: files were edited, or are not ours; nothing was written.
        OSError: the disk fails; the old copy is as it was.
    """
    folder = folder.resolve()
    if Path.cwd().is_relative_to(folder):
        message = "holds the working directory, which is exchanged; run acpgen from elsewhere"
        raise InputError([Problem(str(folder), "", "usage", message)])
    restore(folder)
    before = find_lock(folder, force=force)
    owned = before.files if before else {}
    _refuse_places(folder, files)
    if not force:
        _refuse(folder, files, before)
    wanted = {**files, LOCK: lock.text()}
    changed = [path for path, content in wanted.items() if _content(folder / path) != content]
    gone = [path for path in owned if path not in wanted and (folder / path).exists()]
    if changed or gone:
        _exchange(folder, wanted, {*owned, LOCK})
    return sorted([*changed, *gone])


def find_lock(folder: Path, *, force: bool) -> Lock | None:
    """The lock of a package that may be overwritten; one that cannot be read is none with force.

    Raises:
        InputError: it cannot be read.
    """
    try:
        return read_lock(folder)
    except InputError:
        if not force:
            raise
        return None


def _refuse_places(folder: Path, files: Mapping[str, bytes]) -> None:
    """Refuse to write where something of another kind stands."""
    places = [] if not folder.exists() or folder.is_dir() else [(folder, "is a file")]
    places += [(folder / path, "is a folder") for path in files if (folder / path).is_dir()]
    parts = map(PurePosixPath, files)
    inside = {folder / each for part in parts for each in (part, *part.parents)}
    places += [(each, "is a link") for each in inside if each != folder and each.is_symlink()]
    if places:
        raise InputError(
            [
                Problem(display_path(place), "", "edited", f"{what}; move it out of the way")
                for place, what in places
            ]
        )


def _refuse(folder: Path, files: Mapping[str, bytes], lock: Lock | None) -> None:
    problems: list[Problem] = []
    if lock is not None:
        for finding in edits(folder, lock):
            if finding.kind == "edited":
                message = (
                    "was edited by hand; keep the change elsewhere, or overwrite it with --force"
                )
                problems.append(Problem(display_path(folder / finding.path), "", "edited", message))
    for path, content in files.items():
        present = _content(folder / path)
        if (lock is None or path not in lock.files) and present not in (None, content):
            message = "is not a file of ours; move it, or overwrite it with --force"
            problems.append(Problem(display_path(folder / path), "", "edited", message))
    if problems:
        raise InputError(problems)


def _exchange(folder: Path, files: Mapping[str, bytes], owned: set[str]) -> None:
    """Make the new package beside the old one, with what else is in there, and swap them."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}.") as scratch:
        new = Path(scratch) / "new"
        if folder.is_dir():
            shutil.copytree(
                folder, new, symlinks=True, ignore=shutil.ignore_patterns("__pycache__")
            )
        for path in owned - files.keys():
            (new / path).unlink(missing_ok=True)
            _remove_empty(new, (new / path).parent)
        for path, content in files.items():
            target = new / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        backup = _backup(folder)
        shutil.rmtree(backup, ignore_errors=True)  # what a run that was killed at its end has left
        if folder.exists():
            os.replace(folder, backup)
        try:
            os.replace(new, folder)
        except BaseException:
            restore(folder)
            raise
        shutil.rmtree(backup, ignore_errors=True)


def restore(folder: Path) -> None:
    """Put back the old copy if an earlier run was killed in the middle of the swap."""
    backup = _backup(folder)
    if backup.is_dir() and not folder.exists():
        os.replace(backup, folder)


def _backup(folder: Path) -> Path:
    return folder.parent / f".{folder.name}.acpgen-old"


def _remove_empty(root: Path, folder: Path) -> None:
    while folder != root and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
