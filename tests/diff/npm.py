"""Schemas of earlier revisions, fetched once from npm and kept below `.venv`."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from acpgen.diagnostics import InputError
from acpgen.inputs.fetch import fetch
from interop.environments import locked, required

PACKAGE = "npm:@agentclientprotocol/sdk"
HOME = Path(__file__).resolve().parents[2] / ".venv" / "history"


def revision(version: str) -> Path:
    """The folder with the schemas of a revision. Skips the test if npm cannot fetch it.

    With `ACP_REQUIRE_INTEROP=1` in the environment, the test fails instead.
    """
    folder = HOME / version
    with locked(HOME / f"{version}.lock"):
        if not folder.is_dir():
            scratch = HOME / f".{version}"
            shutil.rmtree(scratch, ignore_errors=True)
            download(version, scratch)
            os.replace(scratch, folder)
    return folder


def download(version: str, folder: Path) -> None:
    """Copy the schemas of a revision to a folder."""
    try:
        with fetch(f"{PACKAGE}@{version}") as fetched:
            shutil.copytree(fetched.path, folder)
    except InputError as error:
        if required():
            raise
        pytest.skip(str(error))


def require_npm(version: str) -> None:
    """Skip the test if npm cannot fetch a revision now, even if it was fetched before.

    With `ACP_REQUIRE_INTEROP=1` in the environment, the test fails instead.
    """
    try:
        with fetch(f"{PACKAGE}@{version}"):
            return
    except InputError as error:
        if required():
            raise
        pytest.skip(str(error))
