"""The generated package as Griffe reads it: its source, without importing it."""

from __future__ import annotations

from pathlib import Path

import griffe

# These modules of a surface have pages for their names already, and take most of the time.
_SKIPPED = ("types.py", "codec.py")


def read_package(folder: Path) -> griffe.Module:
    """Read all modules of a package but the types and codecs of its surfaces."""
    modules, lines = griffe.ModulesCollection(), griffe.LinesCollection()

    def read(name: str, file: Path, parent: griffe.Module | None) -> griffe.Module:
        module = griffe.visit(
            name,
            filepath=file,
            code=file.read_text(encoding="utf-8"),
            parent=parent,
            modules_collection=modules,
            lines_collection=lines,
        )
        if parent is None:
            modules[name] = module
        else:
            parent.set_member(name, module)
        return module

    def read_folder(folder: Path, parent: griffe.Module | None) -> griffe.Module:
        module = read(folder.name, folder / "__init__.py", parent)
        skipped = _SKIPPED if (folder / "types.py").is_file() else ()
        for path in sorted(folder.iterdir()):
            if (path / "__init__.py").is_file():
                read_folder(path, module)
            elif path.suffix == ".py" and path.name not in ("__init__.py", *skipped):
                read(path.stem, path, module)
        return module

    return read_folder(folder, None)
