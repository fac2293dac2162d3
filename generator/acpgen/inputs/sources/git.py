"""Check the schema out of a git revision of this project."""

from __future__ import annotations

import io
import subprocess
import tarfile
from pathlib import Path

from acpgen.common import paths
from acpgen.common.problems import InputError, Problem
from acpgen.inputs.sources.files import is_schema_file


def check_out(revision: str, folder: Path) -> str:
    """Write the schema files at a git revision of this project to a folder.

    Returns:
        The commit, shortened; for a revision that is a tree, its name.

    Raises:
        InputError: there is no such revision, no git or no history.
    """
    archive = ("archive", "--format=tar", "--end-of-options", revision, "schema")
    command = ["git", "-C", str(paths.ROOT), *archive]
    try:
        run = subprocess.run(command, capture_output=True, check=False)
    except OSError:
        run = None
    if run is None or run.returncode != 0 or not paths.IN_CHECKOUT:
        message = (
            "is neither a path nor a git revision of this project; give one of these, an address or"
            " npm:PACKAGE@VERSION"
        )
        raise InputError([Problem(revision, "", "missing-file", message)])
    with tarfile.open(fileobj=io.BytesIO(run.stdout)) as tar:
        commit = tar.pax_headers.get("comment", revision)
        for member in tar.getmembers():
            name = member.name.removeprefix("schema/")
            content = tar.extractfile(member) if is_schema_file(name) else None
            if content is not None:
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content.read())
    return commit[:12]
