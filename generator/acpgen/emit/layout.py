"""Where the modules of the package come from and go to, as far as no schema decides it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

# The folder of the bridge between two surfaces.
BRIDGE = "bridge"
# The modules that the package of an extension has whatever its schema says.
EXTENSION_MODULES = ("__init__.py", "codec.py", "types.py")


def runtime_modules(templates: Path, *, types_only: bool) -> dict[str, Path]:
    """The modules of the runtime: their sources, by path within the package."""
    folder = templates / "runtime"
    sources = (folder / "values" if types_only else folder).rglob("*.py")
    return {f"runtime/{path.relative_to(folder).as_posix()}": path for path in sorted(sources)}


def certain_modules(templates: Path, surfaces: Iterable[str], *, types_only: bool) -> list[str]:
    """The modules that a package has whatever its schemas say, by path within the package."""
    names = (
        ("__init__", "types", "codec") if types_only else ("__init__", "types", "codec", "methods")
    )
    own = [f"{surface}/{name}.py" for surface in surfaces for name in names]
    runtime = runtime_modules(templates, types_only=types_only)
    return ["__init__.py", "runtime/__init__.py", *runtime, *own]
