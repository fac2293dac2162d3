"""The files and folders that tests read."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "schema"
PACKAGE = ROOT / "generated" / "acp_bindings"
README = ROOT / "README.md"
EXAMPLES = ROOT / "tests" / "project" / "examples"
PROGRAMS = ROOT / "tests" / "examples"
MIGRATED_EXAMPLES = ROOT / "tests" / "migration" / "examples"
DATA = ROOT / "tests" / "support" / "data"
GOLDEN = ROOT / "tests" / "support" / "goldens" / "shapes"
GOLDEN_EXTENSION = GOLDEN.parent / "extension"
GUIDE_TEMPLATES = ROOT / "templates" / "reference" / "guides"
