"""A fixture that copies the overlay to an empty working directory."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from acpgen.common import paths


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def overlay(folder: Path) -> Path:
    return Path(shutil.copytree(paths.SCHEMA / "overlay", folder / "schema" / "overlay"))
