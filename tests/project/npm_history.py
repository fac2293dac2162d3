"""All schemas that upstream has published on npm, from its first package on."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from acpgen.inputs.sources.files import locate_schemas
from diff.npm import PACKAGE, kept, published

# The package of before October 2025, and the one that took its place.
PACKAGES = ("npm:@zed-industries/agent-client-protocol", PACKAGE)
DOWNLOADS = 4


@dataclass(frozen=True)
class PastSchema:
    """A schema file of a revision.

    Attributes:
        revision: the revision that has it.
        surface: what it describes.
        path: where it is.
    """

    revision: Revision
    surface: str
    path: Path

    def __str__(self) -> str:
        return f"{self.revision}_{self.surface}"

    @cached_property
    def digest(self) -> str:
        """The hash of its content."""
        return hashlib.sha256(self.path.read_bytes()).hexdigest()


@dataclass(frozen=True)
class Revision:
    """A version of a package that holds schemas; as text, a name that Python takes.

    Attributes:
        package: its name, as `acpgen` takes it.
        version: the version.
        folder: where it is.
    """

    package: str
    version: str
    folder: Path

    def __str__(self) -> str:
        name = f"{self.package.rpartition('/')[2]}_{self.version}"
        return name.translate(str.maketrans(".-", "__"))

    @cached_property
    def schemas(self) -> tuple[PastSchema, ...]:
        """Its schemas. The only one of early revisions describes protocol 1."""
        sources = locate_schemas(self.folder, [])
        return tuple(PastSchema(self, each.surface, each.path) for each in sources)


def revisions() -> list[Revision]:
    """All revisions in the order of their versions; fetches those that are not there.

    Raises:
        InputError: npm is missing or fails.
    """
    listed = [(package, version) for package in PACKAGES for version in published(package)]
    with ThreadPoolExecutor(DOWNLOADS) as workers:
        folders = list(workers.map(lambda each: kept(*each), listed))
    found = (Revision(*each, folder) for each, folder in zip(listed, folders, strict=True))
    return [each for each in found if (each.folder / "schema").is_dir()]


def distinct_schemas(history: list[Revision]) -> list[PastSchema]:
    """Each content once, in the revision that had it first."""
    found: dict[str, PastSchema] = {}
    for revision in history:
        for schema in revision.schemas:
            found.setdefault(schema.digest, schema)
    return list(found.values())


def distinct_revisions(history: list[Revision]) -> list[Revision]:
    """The revisions that differ from the one before."""
    found: list[Revision] = []
    for revision in history:
        digests = [(each.surface, each.digest) for each in revision.schemas]
        if not found or digests != [(each.surface, each.digest) for each in found[-1].schemas]:
            found.append(revision)
    return found
