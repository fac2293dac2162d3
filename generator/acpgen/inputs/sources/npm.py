"""Download the schemas of an npm package."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path

from acpgen.common.problems import InputError, Problem

PREFIX = "npm:"

_PACKAGE = "npm:@agentclientprotocol/sdk"
TIMEOUT = 180.0  # seconds, for npm as a whole
# What npm waits for each answer in milliseconds, and how often it asks again. By default, it waits
# for five minutes.
_PATIENCE = ("--fetch-timeout=30000", "--fetch-retries=3", "--fetch-retry-maxtimeout=10000")
# A version never changes once it is published: it is taken from npm's cache, which finds and checks
# tarballs by their digest. What a tag or a range names does change.
_EXACT = re.compile(r"@\d+\.\d+\.\d+(-[\w.-]+)?$")
# Codes of npm: no such package or version, and no answer.
_WRONG_NAME = ("E404", "ETARGET", "ENOVERSIONS", "EINVALIDPACKAGENAME", "EINVALIDTAGNAME")
_NO_NETWORK = (
    "ENOTFOUND",
    "EAI_AGAIN",
    "ECONNREFUSED",
    "ECONNRESET",
    "ETIMEDOUT",
    "ENETUNREACH",
    "EHOSTUNREACH",
    "ERR_SOCKET_TIMEOUT",
)


@dataclass(frozen=True, slots=True)
class NpmPackage:
    """An unpacked npm package.

    Attributes:
        folder: its folder, with only the schemas in it.
        name: its name.
        version: its version.
        integrity: the registry's digest of the tarball.
    """

    folder: Path
    name: str
    version: str
    integrity: str


def download(source: str, scratch: Path) -> NpmPackage:
    """Download an npm package, or take it from npm's cache, and unpack its schemas.

    Args:
        source: `npm:PACKAGE@VERSION`.
        scratch: where to write the files.

    Raises:
        InputError: npm is missing or fails, or the package has no schemas.
    """

    def failed(message: str) -> InputError:
        return InputError([Problem(source, "", "fetch-failed", message)])

    npm = shutil.which("npm")
    if npm is None:
        raise failed("needs the npm command; install Node.js, or give a path")
    specifier = source.removeprefix(PREFIX)
    try:
        # `--prefer-offline` would not find a version that is later than the cached list of them.
        run = _pack(npm, specifier, scratch, "--offline") if _EXACT.search(specifier) else None
        if run is None or run.returncode != 0:
            run = _pack(npm, specifier, scratch, *_PATIENCE)
    except subprocess.TimeoutExpired:
        advice = "check the network and npm's registry, or give a path"
        raise failed(f"npm pack has not ended after {TIMEOUT:g} seconds; {advice}") from None
    if run.returncode != 0:
        lines = [line for line in run.stderr.splitlines() if line.startswith("npm error")]
        reason = "; ".join(line.removeprefix("npm error").strip() for line in lines[:2])
        is_named = any(code in reason for code in _WRONG_NAME)
        is_reached = not any(code in run.stderr for code in _NO_NETWORK)
        advice = (
            "check the name and version"
            if is_named
            else (
                "see why with `npm pack`, or give a path"
                if is_reached
                else "check the network and npm's registry, or give a path"
            )
        )
        raise failed(f"npm pack failed ({reason or run.returncode}); {advice}")
    packed = json.loads(run.stdout)  # a list, or an object by package name, depending on npm
    entry = (packed if isinstance(packed, list) else list(packed.values()))[0]
    _unpack_schemas(scratch / Path(entry["filename"]).name, scratch)
    folder = scratch / "package"
    if not folder.is_dir():
        raise failed("has no folder `schema`; name a package with ACP schemas, such as " + _PACKAGE)
    return NpmPackage(folder, entry["name"], entry["version"], entry["integrity"])


def _pack(
    npm: str, specifier: str, folder: Path, *options: str
) -> subprocess.CompletedProcess[str]:
    """Have npm write the tarball of a package to a folder.

    Raises:
        subprocess.TimeoutExpired: npm has not ended in time.
    """
    command = [npm, "pack", "--json", "--ignore-scripts", *options, "--", specifier]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=TIMEOUT
    )


def _unpack_schemas(tarball: Path, folder: Path) -> None:
    """Unpack the files below `package/schema` of a tarball."""
    with tarfile.open(tarball) as archive:
        for member in archive.getmembers():
            target = folder / member.name
            is_schema = member.name.startswith("package/schema/") and ".." not in target.parts
            content = archive.extractfile(member) if member.isfile() and is_schema else None
            if content is not None:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content.read())
