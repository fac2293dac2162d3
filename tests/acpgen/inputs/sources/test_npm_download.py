"""Tests of downloads with npm, npm's errors, and its cache."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import tarfile
import tempfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from acpgen.cli.app import app
from acpgen.common.problems import InputError
from acpgen.inputs.sources.npm_download import download
from typer.testing import CliRunner, Result

from tests.project.bumping import make_script
from tests.support.paths import SURFACES


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


FAILING = "#!/bin/sh\necho 'npm error code {code}' >&2\nexit 1\n"


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The first folder in `PATH`, for fake programs."""
    folder = tmp_path / "bin"
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return folder


NO_NETWORK = "check the network and npm's registry, or pass a path"


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        *(
            (code, "check the name and version")
            for code in ("E404", "ETARGET", "ENOVERSIONS", "EINVALIDPACKAGENAME", "EINVALIDTAGNAME")
        ),
        *((code, NO_NETWORK) for code in ("ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT")),
        *((code, NO_NETWORK) for code in ("ECONNREFUSED", "ECONNRESET", "ERR_SOCKET_TIMEOUT")),
        *((code, NO_NETWORK) for code in ("ENETUNREACH", "EHOSTUNREACH")),
        ("E500", "run `npm pack` for details, or pass a path"),
    ],
)
def test_npm_fails(code: str, advice: str, programs: Path) -> None:
    make_script(programs / "npm", FAILING.format(code=code))
    result = run("diff", "npm:a@1", "v2")
    assert result.exit_code == 2
    assert result.stderr == (
        f"error[fetch-failed]: npm:a@1: npm pack failed (code {code}); {advice}\n"
    )


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ("npm warn a\nnpm error b\nnpm error c\nnpm error d", "b; c"),
        ("npm error $*", "{command}"),
        ("npm warn a", "1"),
    ],
)
def test_the_reason_is_in_the_first_errors(output: str, reason: str, programs: Path) -> None:
    make_script(programs / "npm", f'#!/bin/sh\nprintf "{output}" >&2\nexit 1\n')
    command = (
        "pack --json --ignore-scripts --fetch-timeout=30000 --fetch-retries=3"
        " --fetch-retry-maxtimeout=10000 -- a"
    )
    reason = reason.format(command=command)
    with pytest.raises(InputError) as caught:
        download("npm:a", programs)
    assert [problem.message for problem in caught.value.problems] == [
        f"npm pack failed ({reason}); run `npm pack` for details, or pass a path"
    ]


def test_without_npm_nothing_is_downloaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError) as caught:
        download("npm:a", tmp_path)
    assert [problem.line() for problem in caught.value.problems] == [
        "error[fetch-failed]: npm:a: needs the npm command; install Node.js, or pass a path"
    ]


FILE = SURFACES["v2"]


MANIFEST = json.dumps({"name": "sample", "version": "1.2.3"})


def pack(path: Path, **files: str) -> str:
    """Write a package file with the given files, and return the source that refers to it."""
    with tarfile.open(path, "w:gz") as archive:
        for name, text in {"package/package.json": MANIFEST, **files}.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    return f"npm:{path}"


class Undated(SimpleHTTPRequestHandler):
    """A handler that omits `Last-Modified`, since the header's resolution is only one second."""

    def send_header(self, keyword: str, value: str) -> None:
        if keyword != "Last-Modified":
            super().send_header(keyword, value)


class Registry:
    """A local npm registry with one package, `sample`."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self.integrity: dict[str, str] = {}
        handler = partial(Undated, directory=str(folder))
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}/"

    def __enter__(self) -> Registry:
        Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def publish(self, version: str) -> None:
        """Publish a version, tagged as latest. The schema file contains only the version."""
        tarball = self.folder / f"{version}.tgz"
        manifest = json.dumps({"name": "sample", "version": version})
        schema = {f"package/schema/{FILE}": version}
        pack(tarball, **{"package/package.json": manifest, **schema})
        digest = hashlib.sha512(tarball.read_bytes()).digest()
        self.integrity[version] = f"sha512-{base64.b64encode(digest).decode()}"
        versions = {
            known: {
                "name": "sample",
                "version": known,
                "dist": {"tarball": f"{self.address}{known}.tgz", "integrity": integrity},
            }
            for known, integrity in self.integrity.items()
        }
        packument = {"name": "sample", "dist-tags": {"latest": version}, "versions": versions}
        (self.folder / "sample").write_text(json.dumps(packument), encoding="utf-8")


def scratch(folder: Path) -> Path:
    return Path(tempfile.mkdtemp(dir=folder))


def test_only_schemas_are_unpacked_and_none_outside_of_the_folder(tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    files = {
        "package/schema/v1/schema.json": "{}",
        "package/index.js": "",
        "package/schema/../../../outside.json": "{}",
        "package/schema/../../inside.json": "{}",
        "/outside.json": "{}",
    }
    package = download(pack(tmp_path / "sample.tgz", **files), scratch)
    assert (package.name, package.version) == ("sample", "1.2.3")
    assert package.integrity.startswith("sha512-")
    unpacked = [path for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".tgz"]
    assert unpacked == [package.folder / "schema/v1/schema.json"]


def test_package_without_schemas(tmp_path: Path) -> None:
    source = pack(tmp_path / "sample.tgz", **{"package/index.js": ""})
    with pytest.raises(InputError) as caught:
        download(source, tmp_path)
    assert [problem.message for problem in caught.value.problems] == [
        "has no folder `schema`; pass a package with ACP schemas, such as"
        " npm:@agentclientprotocol/sdk"
    ]


def test_a_version_is_downloaded_once_and_known_by_its_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cache must not hide a version that is published later."""
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "cache"))
    with Registry(tmp_path / "registry") as registry:
        monkeypatch.setenv("npm_config_registry", registry.address)
        registry.publish("1.0.0")
        first = download("npm:sample@latest", scratch(tmp_path))
        registry.publish("1.1.0")
        later = download("npm:sample@1.1.0", scratch(tmp_path))
    offline = download("npm:sample@1.0.0", scratch(tmp_path))
    assert [each.version for each in (first, later, offline)] == ["1.0.0", "1.1.0", "1.0.0"]
    assert offline.integrity == first.integrity == registry.integrity["1.0.0"] != later.integrity
    assert (offline.folder / "schema" / FILE).read_text("utf-8") == "1.0.0"


def test_npm_that_does_not_answer_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "npm"
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr("acpgen.inputs.sources.npm_download.TIMEOUT", 0.2)
    with pytest.raises(InputError) as caught:
        download("npm:sample", tmp_path)
    assert [problem.message for problem in caught.value.problems] == [
        f"npm pack did not finish within 0.2 seconds; {NO_NETWORK}"
    ]
