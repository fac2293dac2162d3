"""Comparison of the public names in the last release and in the current code."""

from __future__ import annotations

import io
import subprocess
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import griffe

# The packages that the guide "Versions" declares public.
MODULES = (
    *("runtime", "runtime.aio", "runtime.jsonrpc", "runtime.session", "testing"),
    *(
        f"{surface}{module}"
        for surface in ("v1", "v2")
        for module in ("", ".agent_session", ".client_session", ".session")
    ),
)


def last_tag(repository: Path) -> str | None:
    command = ["git", "-C", str(repository), "describe", "--tags", "--abbrev=0"]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        return None
    return done.stdout.strip() or None


def extract(repository: Path, tag: str, path: str, folder: Path) -> None:
    command = ["git", "-C", str(repository), "archive", tag, path]
    packed = subprocess.run(command, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")


def breaking(old: Path, new: Path, modules: Iterable[str] = MODULES) -> list[str]:
    before, after = _read(old), _read(new)
    found = {
        change.obj.path
        for module in modules
        for change in _changes(before, after, module.split("."))
    }
    start = len(f"{new.name}.")
    return sorted(name[start:] for name in found)


def _changes(
    before: griffe.Object | griffe.Alias, after: griffe.Object | griffe.Alias, module: list[str]
) -> Iterator[griffe.Breakage]:
    for name in module:
        if name not in before.members:
            return
        if name not in after.members:
            yield griffe.ObjectRemovedBreakage(before[name], None, after)
            return
        before, after = before[name], after[name]
    public = _public(before)
    for change in griffe.find_breaking_changes(before, after):
        if any(f"{change.obj.path}.".startswith(f"{path}.") for path in public):
            yield change


def _public(module: griffe.Object | griffe.Alias) -> set[str]:
    """Return the paths of a module's public names, including the paths of their definitions."""
    names = module.exports
    if names is None:
        names = [name for name, each in module.members.items() if each.is_public]
    members = [module.members[str(name)] for name in names]
    return {path for each in members for path in (each.path, each.canonical_path)}


def _read(folder: Path) -> griffe.Object | griffe.Alias:
    return griffe.load(
        folder.name,
        search_paths=[folder.parent],
        allow_inspection=False,
        resolve_aliases=True,
        resolve_external=False,
    )


def unexplained(names: Iterable[str], changelog: str) -> list[str]:
    words = changelog.split("\n## ")[1] if "\n## " in changelog else ""
    return [name for name in names if not any(f"`{part}`" in words for part in _parts(name))]


def _parts(name: str) -> set[str]:
    """Return the forms in which the changelog can mention a name, its class or its module."""
    parts = name.split(".")
    capital = next((index for index, part in enumerate(parts) if not part.islower()), None)
    start = len(parts) - 1 if capital is None else capital
    found = {name, ".".join(parts[start:]), parts[start], ".".join(parts[:start])}
    return found - {""}
