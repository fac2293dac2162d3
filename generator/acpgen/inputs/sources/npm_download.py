"""Downloads schemas from npm packages, with a timeout and retries."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import NamedTuple

from acpgen.common.problems import InputError, Problem

PREFIX = "npm:"

_PACKAGE = "npm:@agentclientprotocol/sdk"
TIMEOUT = 180.0  # the time limit for each npm command, in seconds
# The timeout for each response, in milliseconds, and the number of retries. By default, npm waits
# for five minutes.
_RETRIES = ("--fetch-timeout=30000", "--fetch-retries=3", "--fetch-retry-maxtimeout=10000")
# A published version never changes, so it can be loaded from npm's cache. The cache looks up and
# verifies tarballs by digest. Tags and ranges can refer to different versions over time.
_EXACT = re.compile(r"@\d+\.\d+\.\d+(-[\w.-]+)?$")
# npm's error codes for a missing package or version, and for network errors.
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


class NpmPackage(NamedTuple):
    """The unpacked schemas of an npm package, with the registry's digest of its tarball."""

    folder: Path
    name: str
    version: str
    integrity: str


def download(source: str, scratch: Path) -> NpmPackage:
    """Load `npm:PACKAGE@VERSION` from npm's cache or download it, then unpack its schemas.

    Raises:
        InputError: If npm is missing or fails, or if the package has no schemas.
    """

    def failed(message: str) -> InputError:
        return InputError([Problem(source, "", "fetch-failed", message)])

    npm = shutil.which("npm")
    if npm is None:
        raise failed("needs the npm command; install Node.js, or pass a path")
    specifier = source.removeprefix(PREFIX)
    check_network = "check the network and npm's registry, or pass a path"
    try:
        # `--prefer-offline` does not find versions published after the version list was cached.
        run = _pack(npm, specifier, scratch, "--offline") if _EXACT.search(specifier) else None
        if run is None or run.returncode != 0:
            run = _pack(npm, specifier, scratch, *_RETRIES)
    except subprocess.TimeoutExpired:
        message = f"npm pack did not finish within {TIMEOUT:g} seconds; {check_network}"
        raise failed(message) from None
    if run.returncode != 0:
        lines = [line for line in run.stderr.splitlines() if line.startswith("npm error")]
        reason = "; ".join(line.removeprefix("npm error").strip() for line in lines[:2])
        advice = "run `npm pack` for details, or pass a path"
        if any(code in reason for code in _WRONG_NAME):
            advice = "check the name and version"
        elif any(code in run.stderr for code in _NO_NETWORK):
            advice = check_network
        raise failed(f"npm pack failed ({reason or run.returncode}); {advice}")
    packed = json.loads(run.stdout)  # a list or an object, depending on npm's version
    entry = (packed if isinstance(packed, list) else list(packed.values()))[0]
    with tarfile.open(scratch / Path(entry["filename"]).name) as archive:
        for member in archive.getmembers():
            target = scratch / member.name
            is_schema = member.name.startswith("package/schema/") and ".." not in target.parts
            content = archive.extractfile(member) if member.isfile() and is_schema else None
            if content is not None:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content.read())
    folder = scratch / "package"
    if not folder.is_dir():
        raise failed("has no folder `schema`; pass a package with ACP schemas, such as " + _PACKAGE)
    return NpmPackage(folder, entry["name"], entry["version"], entry["integrity"])


def _pack(
    npm: str, specifier: str, folder: Path, *options: str
) -> subprocess.CompletedProcess[str]:
    """Run `npm pack` to write a package's tarball to a folder."""
    command = [npm, "pack", "--json", "--ignore-scripts", *options, "--", specifier]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=TIMEOUT
    )
