"""Generates the package for an extension, which adds a custom schema to a surface."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from acpgen.analysis.extension import read_base, read_source
from acpgen.commands.disk import package_folder, restore
from acpgen.commands.freshness import Checked, compare
from acpgen.commands.generation import OnStep
from acpgen.commands.lock_file import Lock, make_lock, read_lock
from acpgen.commands.package_vendoring import check_destination, lock_to_replace, write
from acpgen.common import paths
from acpgen.common.problems import InputError, Problem, collecting
from acpgen.emit.layout import EXTENSION_MODULES
from acpgen.ir import naming

BINDINGS = "acp_bindings"
_EXTENSION = "extension"


@dataclass(frozen=True, slots=True)
class Choices:
    """An extension's schema, and the settings for generating the extension's package."""

    source: str  # a source that `fetch` accepts
    surface: str | None  # the surface to extend, or None for the old package's surface
    # The import name of the package that contains the surface. If None, the old package's setting
    # is used, or `acp_bindings` if there is no old package.
    bindings: str | None
    strict: bool
    allow_unprefixed: bool


@dataclass(frozen=True, slots=True)
class ExtensionPackage:
    """An extension's generated package: its files by path, and counts of its parts."""

    files: dict[str, bytes]
    lock: Lock
    counts: dict[str, int]
    notes: list[Problem]


def extend(
    folder: Path,
    choices: Choices,
    on_step: OnStep = lambda step, done, total: None,
    *,
    force: bool = False,
) -> tuple[ExtensionPackage, list[str]]:
    """Generate an extension's package and write it to a folder, with a lock file.

    Return the package and the paths that were written or removed.

    Raises:
        InputError: If the schema cannot be used, or if files would be lost and `force` is false.
            Nothing is written.
        OSError: If writing fails. The old package remains unchanged.
    """
    problems: list[Problem] = []
    with collecting(problems):
        folder = package_folder(folder).resolve()
        restore(folder)
        before = lock_to_replace(folder, force=force)
        check_destination(folder, EXTENSION_MODULES, before, force=force)
    package = generate(folder, choices, on_step, problems)
    return package, write(folder, package.files, package.lock, force=force)


def check(
    folder: Path, choices: Choices, on_step: OnStep = lambda step, done, total: None
) -> Checked:
    """Check whether the package in a folder matches the output of `extend`."""
    package = generate(package_folder(folder), choices, on_step)
    differences = compare(folder, package.files, package.lock)
    return Checked(len(package.files) + 1, differences, package.notes)


def generate(
    folder: Path, choices: Choices, on_step: OnStep, problems: Iterable[Problem] = ()
) -> ExtensionPackage:
    """Generate the package for a folder.

    `problems` contains known problems with the folder. They are raised together with the problems
    in the schema.
    """
    from acpgen.emit.contexts.codec import CodecContext
    from acpgen.emit.extension import render_extension

    problems = list(problems)
    try:
        before = read_lock(folder)
    except InputError:  # `write` reports the error
        before = None
    bindings = choices.bindings or (before and before.bindings) or BINDINGS
    with collecting(problems):
        name = bindings.lstrip(".")  # leading dots: relative to the extension's package
        if not all(map(naming.is_python_name, name.split("."))):
            message = f"{bindings!r} cannot be imported; pass a package name such as my.acp"
            raise InputError([Problem("--bindings", "", "bad-name", message)])
    with collecting(problems):
        surface = choices.surface or _extended_surface(before)
        base = read_base(surface)[1]
        on_step(f"built {surface}", 1, 3)
        built = read_source(
            choices.source,
            surface,
            strict=choices.strict,
            allow_unprefixed=choices.allow_unprefixed,
        )
    if problems:
        raise InputError(problems)
    on_step("built the extension", 2, 3)
    rendered = render_extension(built.surface, paths.TEMPLATES, bindings)
    on_step("rendered the extension", 3, 3)
    files = {path: text.encode("utf-8") for path, text in sorted(rendered.items())}
    origins = {_EXTENSION: built.surface.origin, surface: base.origin}
    lock = make_lock(origins, files, bindings=bindings)
    return ExtensionPackage(files, lock, CodecContext(built.surface).counts(), list(built.notes))


def _extended_surface(before: Lock | None) -> str:
    for name in before.schemas if before else ():
        if name != _EXTENSION:
            return name
    message = "is required for a new package; pass a surface, such as --surface v2"
    raise InputError([Problem("--surface", "", "usage", message)])
