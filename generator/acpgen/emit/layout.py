"""The layout of packages: their modules, and the sources of modules that are copied unchanged."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

from acpgen.common.paths import BRIDGE, EXTRAS, REMOTE

# The modules that the package of every extension contains.
EXTENSION_MODULES = ("__init__.py", "codec.py", "definitions.py", "types.py")
# The parts of the runtime that only a bridge needs, and the modules generated for a bridge.
_BRIDGING = ("runtime/bridge/", "runtime/aio/bridging.py")
_BRIDGE = (f"{BRIDGE}/__init__.py", f"{BRIDGE}/tables.py")


def copied_modules(
    templates: Path, *, types_only: bool, bridge: bool, extras: Collection[str]
) -> dict[str, Path]:
    """Return the sources of the modules that are copied unchanged, by path within the package."""
    folders = ("runtime/values",) if types_only else ("runtime", *EXTRAS)
    sources = sorted(path for folder in folders for path in (templates / folder).rglob("*.py"))
    modules = {path.relative_to(templates).as_posix(): path for path in sources}
    unwanted = tuple(f"{extra}/" for extra in EXTRAS if extra not in extras)
    left_out = (*(() if bridge else _BRIDGING), *unwanted)
    return {name: path for name, path in modules.items() if not name.startswith(left_out)}


def certain_modules(
    templates: Path,
    surfaces: Iterable[str],
    *,
    types_only: bool,
    bridge: bool = False,
    extras: Collection[str] = (),
) -> list[str]:
    """Return the relative paths of the modules that a package contains for any schema."""
    names = ["__init__", "types", "codec", "definitions", *([] if types_only else ["methods"])]
    own = [f"{surface}/{name}.py" for surface in surfaces for name in names]
    copied = copied_modules(templates, types_only=types_only, bridge=bridge, extras=extras)
    made = (*(_BRIDGE if bridge else ()), *((f"{REMOTE}/methods.py",) if REMOTE in extras else ()))
    return ["__init__.py", "runtime/__init__.py", *copied, *own, *made]
