"""Paths of the schema, the templates and the package, in a checkout or in the installed wheel."""

from __future__ import annotations

from pathlib import Path


def _root() -> Path:
    """The folder that holds `schema` and `templates`."""
    package = Path(__file__).resolve().parents[1]
    checkout = package.parent.parent
    return checkout if (checkout / "templates").is_dir() else package / "data"


ROOT = _root()
SCHEMA = ROOT / "schema"
TEMPLATES = ROOT / "templates"
PACKAGE = ROOT / "generated" / "acp_bindings"
BRIDGE = "bridge"  # the folder in the package that has the bridge between two surfaces
TESTING = "testing"  # the folder, in the package and in the templates, with what tests need
IN_CHECKOUT = (ROOT / "pyproject.toml").is_file()
