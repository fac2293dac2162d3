"""The fingerprint of everything that decides the bytes of the generated package.

The lock file is sealed with it, so that `acpgen check` need not render a package whose inputs and
files are as they were.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from acpgen.common import paths
from acpgen.inputs.sources.files import RECORD, locate_schemas

# The distributions that the package is rendered with; `pyproject.toml` pins them exactly.
TOOLS = ("black", "datamodel-code-generator", "isort", "jinja2")
GENERATOR = Path(__file__).resolve().parents[2]


def fingerprint() -> str:
    """The digest of the vendored schema, the overlay, the templates, acpgen and its tools.

    It depends neither on the platform nor on where the files are.

    Raises:
        InputError: there is no vendored schema, or its record cannot be read.
    """
    digest = hashlib.sha256()
    for name, content in sorted(_inputs()):
        digest.update(f"{hashlib.sha256(content).hexdigest()} {name}\n".encode())
    return digest.hexdigest()


def _inputs() -> Iterator[tuple[str, bytes]]:
    """The names and contents of all inputs; a tool's content is its version."""
    folders = {"acpgen": GENERATOR, "schema": paths.SCHEMA, "templates": paths.TEMPLATES}
    # No file of the package follows from the reference, which the wheel lacks, nor from
    # the first files of programs.
    ignored = [paths.SCHEMA / RECORD, paths.TEMPLATES / "reference", paths.TEMPLATES / "new"]
    for part, folder in folders.items():
        # Once installed, the folder of acpgen holds the other two.
        inner = [other for other in folders.values() if folder in other.parents]
        for path in folder.rglob("*"):
            name = path.relative_to(folder)
            is_cache = any(step == "__pycache__" or step.startswith(".") for step in name.parts)
            is_ignored = any(path.is_relative_to(other) for other in (*ignored, *inner))
            if path.is_file() and not is_cache and not is_ignored:
                yield f"{part}/{name.as_posix()}", path.read_bytes()
    # Of the record, only this has a use in the package.
    for source in locate_schemas(paths.SCHEMA, []):
        if source.origin is not None:
            origin = f"{source.origin.label}, {source.origin.path}, {source.origin.sha256}"
            yield f"origin/{source.surface}", origin.encode()
    for tool in TOOLS:
        yield f"tool/{tool}", metadata.version(tool).encode()
