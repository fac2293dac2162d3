"""The files and folders that tests read."""

from __future__ import annotations

from pathlib import Path

from acpgen.inputs.sources.files import find_surfaces

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "schema"
PACKAGE = ROOT / "generated" / "acp_bindings"
README = ROOT / "README.md"
EXAMPLES = ROOT / "tests" / "project" / "examples"
PROGRAMS = ROOT / "tests" / "examples"
MIGRATED_EXAMPLES = ROOT / "tests" / "acpport" / "migration" / "examples"
DATA = ROOT / "tests" / "support" / "data"
GOLDEN = ROOT / "tests" / "support" / "goldens" / "shapes"
GOLDEN_EXTENSION = GOLDEN.parent / "extension"
GUIDE_TEMPLATES = ROOT / "templates" / "reference" / "guides"
# The path of each vendored surface's schema file, relative to `SCHEMA`.
SURFACES = {
    name: path.relative_to(SCHEMA).as_posix() for name, path in find_surfaces(SCHEMA).items()
}
