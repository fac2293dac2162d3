"""Where the modules of the package come from and go to, as far as no schema decides it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from acpgen.common.paths import BRIDGE

# The modules that the package of an extension has whatever its schema says.
EXTENSION_MODULES = ("__init__.py", "codec.py", "types.py")


# The parts of the runtime that only a bridge needs, and the modules that the schemas add to them.
_BRIDGING = ("runtime/bridge/", "runtime/aio/bridging.py", "runtime/aio/standing_in.py")
_BRIDGE = (f"{BRIDGE}/__init__.py", f"{BRIDGE}/tables.py")


def runtime_modules(templates: Path, *, types_only: bool, bridge: bool = True) -> dict[str, Path]:
    """The modules of the runtime: their sources, by path within the package."""
    folder = templates / "runtime"
    sources = (folder / "values" if types_only else folder).rglob("*.py")
    modules = {f"runtime/{path.relative_to(folder).as_posix()}": path for path in sorted(sources)}
    return {
        name: path for name, path in modules.items() if bridge or not name.startswith(_BRIDGING)
    }


def certain_modules(
    templates: Path, surfaces: Iterable[str], *, types_only: bool, bridge: bool = False
) -> list[str]:
    """The modules that a package has whatever its schemas say, by path within the package."""
    names = (
        ("__init__", "types", "codec") if types_only else ("__init__", "types", "codec", "methods")
    )
    own = [f"{surface}/{name}.py" for surface in surfaces for name in names]
    runtime = runtime_modules(templates, types_only=types_only, bridge=bridge)
    return ["__init__.py", "runtime/__init__.py", *runtime, *own, *(_BRIDGE if bridge else ())]
