"""The lock file, which records a package's schemas and the digests of its files.

The lock is sealed with a fingerprint of all inputs that determine the content of the package. If
neither inputs nor files changed, `acpgen check` doesn't generate the package again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from importlib import metadata
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from acpgen import __version__
from acpgen.common import paths
from acpgen.common.display import display_path
from acpgen.common.problems import InputError, Problem
from acpgen.inputs.sources.files import RECORD, locate_schemas
from acpgen.ir.model import Origin

LOCK = "acpgen.lock"
# The distributions that affect the generated code. `pyproject.toml` pins their exact versions.
TOOLS = ("black", "datamodel-code-generator", "isort", "jinja2")
GENERATOR = Path(__file__).resolve().parents[1]
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Lock:
    """The content of a lock file."""

    generator: str  # the version of acpgen
    types_only: bool  # whether methods, stubs and I/O are omitted
    # Maps each surface to the name (`label`) and the digest (`sha256`) of its schema.
    schemas: Mapping[str, Mapping[str, str]]
    files: Mapping[str, str]  # maps each path in the package to the digest of the file
    # A digest of all inputs and the rest of the lock, used to detect edits and merges of the file.
    # The digest is None if any file was generated from another schema or in another run.
    inputs: str | None = None
    # The package that contains the extended surface, or None if the lock is not for an extension.
    bindings: str | None = None
    # The surfaces in a vendored package that only its bridge needs, or None if it has no bridge.
    bridge: tuple[str, ...] | None = None

    def sealed(self, fingerprint: str | None) -> Lock:
        """Return this lock, sealed with a fingerprint, or unsealed if the fingerprint is None."""
        if fingerprint is None:
            return replace(self, inputs=None)
        unsealed = replace(self, inputs=None).encode()
        return replace(self, inputs=content_digest(fingerprint.encode() + unsealed))

    def proves(self, fingerprint: str | None) -> bool:
        """Return whether the lock's files were generated from inputs with this fingerprint."""
        return self.inputs is not None and self == self.sealed(fingerprint)

    def encode(self) -> bytes:
        """Return the content of the lock file."""
        data = {"format": _FORMAT, **asdict(self)}
        for optional in ("inputs", "bindings", "bridge"):
            if data[optional] is None:
                del data[optional]
        return (json.dumps(data, indent=2) + "\n").encode("utf-8")


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """A reason why a vendored package is not fresh.

    `path` is the affected file, or the lock file if the reason concerns the complete package.
    `kind` is `edited`, `missing` or `outdated`.
    """

    path: str
    kind: str
    reason: str


def make_lock(
    origins: Mapping[str, Origin],
    files: Mapping[str, bytes],
    *,
    types_only: bool = False,
    bindings: str | None = None,
    bridge: tuple[str, ...] | None = None,
) -> Lock:
    """Return an unsealed lock for a package.

    Args:
        origins: the origins of the schemas, by surface.
        files: the contents of the files, by path.
        types_only: whether methods, stubs and I/O are omitted.
        bindings: for an extension, the package that contains the extended surface.
        bridge: the surfaces that only the bridge needs, or None if there is no bridge.
    """
    return Lock(
        generator=__version__,
        types_only=types_only,
        schemas={
            name: {"label": origin.label, "sha256": origin.sha256}
            for name, origin in sorted(origins.items())
        },
        files={path: content_digest(content) for path, content in sorted(files.items())},
        bindings=bindings,
        bridge=bridge,
    )


def merge_locks(lock: Lock, previous: Lock | None, inputs: str | None) -> Lock:
    """Return the lock for a package after only some of its surfaces were generated again.

    The previous lock's entries for other surfaces are retained, unless the previous lock is for a
    types-only package or was written by another version of acpgen.
    """
    if previous is None or previous.types_only or previous.generator != lock.generator:
        return lock
    others = previous.schemas.keys() - lock.schemas
    files = {
        path: digest
        for path, digest in previous.files.items()
        if PurePosixPath(path).parts[0] in {*others, paths.BRIDGE}
    }
    both = replace(
        lock,
        schemas=dict(sorted({**previous.schemas, **lock.schemas}.items())),
        files=dict(sorted({**files, **lock.files}.items())),
    )
    return both.sealed(inputs) if previous.proves(inputs) else both


def read_lock(folder: Path) -> Lock | None:
    """Read a package's lock, or return None if there is no lock file.

    Raises:
        InputError: If the lock file is invalid or has an unsupported format.
    """
    path = folder / LOCK
    if not path.is_file():
        return None
    try:
        data: Any = json.loads(path.read_bytes())
        if data["format"] != _FORMAT:
            raise _bad_lock(path, f"has format {data['format']!r}, not {_FORMAT}")
        lock = Lock(
            generator=data["generator"],
            types_only=data["types_only"],
            schemas={name: {**schema} for name, schema in data["schemas"].items()},
            files={**data["files"]},
            inputs=data.get("inputs"),
            bindings=data.get("bindings"),
            bridge=tuple(data["bridge"]) if "bridge" in data else None,
        )
        if not _is_valid(lock):
            raise _bad_lock(path, "is not an acpgen lock file")
        for name in lock.files:
            if not _is_file_of(lock, name):
                raise _bad_lock(path, f"lists {name!r}, which is not a valid path")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _bad_lock(path, "is not an acpgen lock file") from error
    return lock


def _is_valid(lock: Lock) -> bool:
    """Return whether the values read from a lock file have the right types."""
    schemas = lock.schemas.values()
    texts = [lock.generator, *lock.files.values()]
    texts += [text for schema in schemas for text in schema.values()]
    texts += [text for text in (lock.inputs, lock.bindings) if text is not None]
    texts += lock.bridge or ()
    is_typed = type(lock.types_only) is bool and all(type(text) is str for text in texts)
    return is_typed and all({"label", "sha256"} <= schema.keys() for schema in schemas)


def _is_file_of(lock: Lock, name: str) -> bool:
    """Return whether a path refers to a file inside the package, on all operating systems."""
    for path in (PurePosixPath(name), PureWindowsPath(name)):
        # Windows ignores dots and spaces at the end of a name.
        is_plain = all(part == part.rstrip(". ") for part in path.parts)
        if not path.parts or path.anchor or not is_plain:
            return False
    is_below_file = any(str(parent) in lock.files for parent in PurePosixPath(name).parents[:-1])
    return name.isprintable() and not is_below_file


def _bad_lock(path: Path, reason: str) -> InputError:
    message = f"{reason}; vendor the package again with --force and every --surface it needs"
    return InputError([Problem(display_path(path), "", "bad-lock", message)])


def find_edits(folder: Path, lock: Lock) -> list[Finding]:
    """Find the files that were edited or removed since the package was written."""
    edits: list[Finding] = []
    for path, digest in lock.files.items():
        target = folder / path
        if not target.is_file():
            edits.append(Finding(path, "missing", "was removed after it was written"))
        elif content_digest(target.read_bytes()) != digest:
            edits.append(Finding(path, "edited", "was changed after it was written"))
    return edits


def content_digest(content: bytes) -> str:
    """Return the SHA-256 digest of a file's content in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def fingerprint() -> str:
    """Return a digest of the vendored schema, the overlay, the templates, acpgen and its tools.

    The digest depends neither on the platform nor on the location of the files.
    """
    digest = hashlib.sha256()
    for name, content in sorted(_inputs()):
        digest.update(f"{content_digest(content)} {name}\n".encode())
    return digest.hexdigest()


def _inputs() -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of each input; for a tool, the content is its version."""
    folders = {"acpgen": GENERATOR, "schema": paths.SCHEMA, "templates": paths.TEMPLATES}
    # The package depends neither on the reference, which is missing from the wheel, nor on the
    # templates for `acpgen new`.
    ignored = [paths.SCHEMA / RECORD, paths.TEMPLATES / "reference", paths.TEMPLATES / "new"]
    for part, folder in folders.items():
        # In an installed acpgen, the first folder contains the other two.
        inner = [other for other in folders.values() if folder in other.parents]
        for path in folder.rglob("*"):
            name = path.relative_to(folder)
            is_cache = any(step == "__pycache__" or step.startswith(".") for step in name.parts)
            is_ignored = any(path.is_relative_to(other) for other in (*ignored, *inner))
            if path.is_file() and not is_cache and not is_ignored:
                yield f"{part}/{name.as_posix()}", path.read_bytes()
    # Only the origins in the record affect the package, so yield them instead of the file.
    for source in locate_schemas(paths.SCHEMA, []):
        if source.origin is not None:
            origin = f"{source.origin.label}, {source.origin.path}, {source.origin.sha256}"
            yield f"origin/{source.surface}", origin.encode()
    for tool in TOOLS:
        yield f"tool/{tool}", metadata.version(tool).encode()
