"""Access to schemas of earlier revisions, which are fetched from npm once and kept in `.venv`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from acpgen.common.problems import InputError, Problem
from acpgen.inputs.sources.fetch import fetch

from tests.interop.environments import locked, required

PACKAGE = "npm:@agentclientprotocol/sdk"
HOME = Path(__file__).resolve().parents[3] / ".venv" / "history"


def revision(version: str) -> Path:
    """Return the folder with a revision's schemas, or skip the test if npm cannot fetch them.

    With `ACP_REQUIRE_INTEROP=1` in the environment, the test fails instead of being skipped.
    """
    try:
        return kept(PACKAGE, version)
    except InputError as error:
        if required():
            raise
        pytest.skip(str(error))


def kept(package: str, version: str) -> Path:
    """Return the folder with the schemas of a package version. The folder can be empty.

    Raises:
        InputError: If the folder does not exist and npm cannot fetch the version.
    """
    home = HOME / package.rpartition("/")[2]
    folder = home / version
    with locked(home / f"{version}.lock"):
        if not folder.is_dir():
            scratch = home / f".{version}"
            shutil.rmtree(scratch, ignore_errors=True)
            scratch.mkdir()
            with fetch(f"{package}@{version}") as fetched:
                if fetched.path.is_dir():
                    shutil.copytree(fetched.path, scratch, dirs_exist_ok=True)
            os.replace(scratch, folder)
    return folder


def published(package: str) -> list[str]:
    """Return the versions of a package that npm lists, oldest first.

    Raises:
        InputError: If npm is missing or fails.
    """
    npm = shutil.which("npm")
    command = [npm or "npm", "view", "--json", package.removeprefix("npm:"), "versions"]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (subprocess.CalledProcessError, OSError) as error:
        reason = getattr(error, "stderr", None) or error
        raise InputError([Problem(package, "", "fetch-failed", f"npm view: {reason}")]) from error
    versions = json.loads(listed)
    return [versions] if isinstance(versions, str) else list(versions)


def require_npm(version: str) -> None:
    """Skip the test if npm cannot fetch a revision now, even if it was fetched before.

    With `ACP_REQUIRE_INTEROP=1` in the environment, the test fails instead of being skipped.
    """
    try:
        with fetch(f"{PACKAGE}@{version}"):
            return
    except InputError as error:
        if required():
            raise
        pytest.skip(str(error))
