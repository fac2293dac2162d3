"""Tests of downloads over HTTP: `sync` and `diff` with URLs of a local server."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import itertools
import json
import shutil
import socket
import threading
from collections.abc import Iterable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from acpgen.cli.app import app
from acpgen.common import paths
from acpgen.common.problems import InputError
from acpgen.inputs.sources import http_download
from acpgen.inputs.sources.files import LEGACY_V1, locate_schemas
from typer.testing import CliRunner, Result

from tests.acpgen.diff.small import STRING, method, record
from tests.support.paths import SURFACES

ACP = {"$defs": {"Request": {**method("a/b"), "description": "words"}, "Thing": record(a=STRING)}}
TEXT = json.dumps(ACP).encode()
PATHS = (*SURFACES.values(), LEGACY_V1)


def answer(status: int, body: bytes = b"", **headers: str) -> list[bytes]:
    """Return an HTTP response as a list with one chunk."""
    lines = [f"HTTP/1.0 {status} So", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return ["\r\n".join([*lines, "", ""]).encode() + body]


class Server:
    """A local server with scripted responses.

    Attributes:
        address: The root URL, with a trailing slash.
        answers: The chunks of the response for each path. Other paths get 404.
        asked: The requested paths.
        folder: The folder for downloaded files.
        done: An event that is set at the end of the test so that waiting handlers return.
    """

    def __init__(self, folder: Path) -> None:
        self.answers: dict[str, Iterable[bytes]] = {}
        self.asked: list[str] = []
        self.folder = folder
        self.done = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append(self.path)
                with contextlib.suppress(OSError):
                    for part in outer.answers.get(self.path, answer(404, b"nothing here")):
                        self.wfile.write(part)

            def log_message(self, format: str, *arguments: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )
        self._thread.start()
        self.address = f"http://127.0.0.1:{self._server.server_port}/"

    def close(self) -> None:
        self.done.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def sends(self, path: str, data: Iterable[bytes]) -> str:
        """Serve a raw response at a path and return the URL."""
        self.answers[f"/{path}"] = data
        return self.address + path

    def has(self, path: str, body: bytes = TEXT) -> str:
        """Serve a body at a path and return the URL."""
        return self.sends(path, answer(200, body))

    def redirects(self, path: str, target: str, status: int = 302) -> str:
        """Redirect requests for a path and return the URL."""
        return self.sends(path, answer(status, Location=target))


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    folder = tmp_path / "in" / "made"
    folder.mkdir(parents=True)
    made = Server(folder)
    yield made
    made.close()


@pytest.fixture
def schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A writable copy of the schema folder."""
    folder = tmp_path / "schema"
    shutil.copytree(paths.SCHEMA, folder)
    monkeypatch.setattr(paths, "SCHEMA", folder)
    return folder


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*.json")}


def fetch(server: Server, address: str) -> Path:
    return http_download.download(address, server.folder, PATHS)


def refused(server: Server, address: str) -> str:
    """Attempt a download that must fail without leaving files, and return the reason."""
    with pytest.raises(InputError) as caught:
        fetch(server, address)
    [problem] = caught.value.problems
    assert (problem.code, problem.file, problem.pointer) == ("fetch-failed", address, "")
    assert list(server.folder.iterdir()) == []
    return problem.message


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


# --- successful downloads --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        *((each, True) for each in ("http://host/schema.json", "https://host/v2/", "HTTPS://h/")),
        *((f"{scheme}schema.json", False) for scheme in ("ftp://host/", "file:///", "", "c:/")),
        *((each, False) for each in ("npm:@agentclientprotocol/sdk@2.4.0", "http")),
    ],
)
def test_what_an_address_is(address: str, expected: bool) -> None:
    assert http_download.is_address(address) is expected


@pytest.mark.parametrize("name", ["some/schema.json", "schema.json?version=2"])
def test_a_file(server: Server, name: str) -> None:
    path = fetch(server, server.has(name))
    assert path == server.folder / "schema.json"
    assert path.read_bytes() == TEXT
    assert server.asked == [f"/{name}"]


def test_a_folder_with_some_of_its_files(server: Server) -> None:
    server.has("at/v1/schema.json")
    server.has("at/v2/schema.unstable.json")
    assert fetch(server, f"{server.address}at/") == server.folder
    files = {path.relative_to(server.folder).as_posix() for path in contents(server.folder)}
    assert files == {"v1/schema.json", "v2/schema.unstable.json"}
    assert sorted(server.asked) == sorted(f"/at/{path}" for path in PATHS)


def test_a_folder_of_the_time_before_protocol_2(server: Server) -> None:
    server.has("schema.json")
    found = locate_schemas(fetch(server, server.address), [])
    assert [source.surface for source in found] == ["v1_unstable"]


def test_a_folder_without_any_or_of_which_one_file_fails(server: Server) -> None:
    """A server error doesn't mean that a file is missing. Ignoring it would drop a surface."""
    message = refused(server, f"{server.address}at/")
    assert message == f"contains none of {', '.join(PATHS)}; pass the URL of one file"
    server.has("v1/schema.json")
    server.sends("v2/schema.json", answer(500))
    with pytest.raises(InputError, match="responds with 500"):
        fetch(server, server.address)


# --- redirects -------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("is_relative", [False, True])
def test_a_redirect_is_followed(server: Server, status: int, is_relative: bool) -> None:
    target = server.has("new/schema.json")
    target = "/new/schema.json" if is_relative else target
    assert fetch(server, server.redirects("schema.json", target, status)).read_bytes() == TEXT
    assert server.asked == ["/schema.json", "/new/schema.json"]


@pytest.mark.parametrize("scheme", ["https", "ftp", "file", "data"])
def test_a_redirect_to_another_scheme_is_refused(
    server: Server, tmp_path: Path, scheme: str
) -> None:
    secret = tmp_path / "secret.json"
    secret.write_bytes(TEXT)
    target = server.address.replace("http:", f"{scheme}:") + "schema.json"
    target = {"file": secret.as_uri(), "data": "data:application/json,{}"}.get(scheme, target)
    assert scheme in refused(server, server.redirects("schema.json", target))
    assert server.asked == ["/schema.json"]


def test_redirects_in_a_circle_end(server: Server) -> None:
    server.redirects("one.json", server.address + "other.json")
    address = server.redirects("other.json", server.address + "one.json")
    assert refused(server, address).endswith("; check the URL")
    assert len(server.asked) < 50


# --- failures --------------------------------------------------------------------------------


TOO_LITTLE = b"HTTP/1.0 200 OK\r\nContent-Length: 900\r\n\r\n{"
BAD_CHUNK = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        *(
            (answer(status, TEXT), f"responds with {status} So;")
            for status in (400, 401, 403, 404, 410, 500, 503)
        ),
        *(
            ([each], "cannot be fetched (")
            for each in (b"", TOO_LITTLE, b"not http at all\r\n\r\n", BAD_CHUNK)
        ),
        (answer(302, Location="http://[bad/"), "cannot be fetched ("),
    ],
)
def test_an_answer_that_is_none(server: Server, sent: list[bytes], said: str) -> None:
    message = refused(server, server.sends("schema.json", sent))
    assert message.startswith(said)
    assert message.endswith("; check the URL")


def test_the_number_of_missing_bytes_is_reported(server: Server) -> None:
    message = refused(server, server.sends("schema.json", [TOO_LITTLE]))
    assert "1 bytes read, 899 more expected" in message


@pytest.mark.parametrize("sent", [b"", TOO_LITTLE], ids=["nothing", "too little"])
def test_a_server_that_does_not_answer(
    server: Server, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    def pieces() -> Iterator[bytes]:
        yield sent
        server.done.wait()

    monkeypatch.setattr(http_download, "TIMEOUT", 0.2)
    message = refused(server, server.sends("schema.json", pieces()))
    assert message == "cannot be fetched (timed out); check the URL"


@pytest.mark.parametrize(
    ("error", "checked"),
    [
        (socket.gaierror(socket.EAI_NONAME, "unknown"), "the network and the URL"),
        (OSError(errno.ENETUNREACH, "unreachable"), "the network and the URL"),
        (OSError(errno.EHOSTUNREACH, "no route"), "the network and the URL"),
        (OSError(errno.ECONNREFUSED, "refused"), "the URL"),
        (ValueError("odd"), "the URL"),
    ],
    ids=["unknown", "unreachable", "no route", "refused", "other"],
)
def test_the_network_is_to_be_checked_if_no_host_is_reached(
    error: Exception, checked: str, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: object, **options: object) -> None:
        raise error

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    message = refused(server, "http://schema.test/schema.json")
    assert message == f"cannot be fetched ({error}); check {checked}"


def test_a_file_may_have_as_many_bytes_as_the_limit(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_download, "LIMIT", len(TEXT))
    said = f"is larger than {len(TEXT)} bytes; check the URL"
    assert refused(server, server.has("schema.json", TEXT + b" ")) == said
    endless = itertools.chain([b"HTTP/1.0 200 OK\r\n\r\n"], itertools.repeat(b" " * 65536))
    assert refused(server, server.sends("schema.json", endless)) == said
    assert fetch(server, server.has("schema.json")).read_bytes() == TEXT


def test_nobody_listens(server: Server) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        message = refused(server, f"http://127.0.0.1:{held.getsockname()[1]}/schema.json")
    assert message.startswith("cannot be fetched (")


@pytest.mark.parametrize(
    "address",
    [
        *("http://", "http:///schema.json", "http://[::1/schema.json"),
        *(f"http://127.0.0.1{end}" for end in (":port/x", ":99999/x", "/a b.json", "/a\nb.json")),
    ],
)
def test_an_address_that_is_none(server: Server, address: str) -> None:
    """An invalid URL is reported as an error, without a traceback."""
    for command in (("diff", address, "v2"), ("sync", address)):
        result = run(*command, "--surface", "v2")
        assert result.exit_code == 2, repr(result.exception)
        assert result.stderr.startswith("error[")


@pytest.mark.parametrize("path", ["a/..", "a/.", "a/%2e%2e"])
def test_a_name_that_is_no_file_name(server: Server, tmp_path: Path, path: str) -> None:
    """The download fails or uses another file name. Nothing is written outside the folder."""
    address = server.has(path)
    with contextlib.suppress(InputError):
        assert fetch(server, address).parent == server.folder
    files = [each for each in tmp_path.rglob("*") if each.is_file()]
    assert {each.parent for each in files} <= {server.folder}


# --- commands --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "options", "said"),
    [
        (b"<!doctype html><title>Sign in</title>", ("--surface", "v2"), "error[invalid-json]: "),
        (b'{"$defs": {}}', ("--surface", "v2"), "error[not-acp]: "),
        (TEXT, (), "specify its surface with --surface"),
        (None, (), "responds with 404 "),
    ],
)
def test_what_cannot_be_taken_changes_nothing(
    server: Server, schema: Path, body: bytes | None, options: tuple[str, ...], said: str
) -> None:
    before = contents(schema)
    address = server.address + "x" if body is None else server.has("schema.json", body)
    result = run("sync", address, *options)
    assert result.exit_code == 2
    assert said in result.stderr
    assert contents(schema) == before


def test_sync_records_what_was_fetched(server: Server, schema: Path) -> None:
    before = (schema / "v1" / "schema.json").read_bytes()
    address = server.has("at/v2/schema.json")
    for source, path in ((f"{server.address}at/", "v2/schema.json"), (address, "schema.json")):
        result = run("sync", source, "--surface", "v2")
        assert result.exit_code == 0, result.stderr
        record = json.loads((schema / "sources.json").read_text("utf-8"))["files"]
        vendored = (schema / "v2" / "schema.json").read_bytes()
        assert record["v2/schema.json"] == {
            "source": source,
            "version": None,
            "integrity": None,
            "path": path,
            "original_sha256": hashlib.sha256(TEXT).hexdigest(),
            "vendored_sha256": hashlib.sha256(vendored).hexdigest(),
        }
        assert len(record) == 4
        assert b"words" not in vendored
    assert (schema / "v1" / "schema.json").read_bytes() == before
    [located] = locate_schemas(schema, ["v2"])
    assert located.origin is not None
    assert located.origin.label == address


def test_diff_of_addresses(server: Server) -> None:
    newer = json.dumps({"$defs": {**ACP["$defs"], "Part": STRING}}).encode()
    bad = run("diff", server.has("bad.json", b"<html>"), "v2", "--surface", "v2")
    assert bad.exit_code == 2
    assert bad.stderr.startswith("error[invalid-json]: ")
    old, new = server.has("old.json"), server.has("new.json", newer)
    result = run("diff", old, new, "--surface", "v2", "--json")
    assert result.exit_code == 1, result.stderr
    report = json.loads(result.stdout)
    assert (report["old"], report["new"]) == (old, new)
    assert [change["name"] for change in report["changes"]] == ["Part"]
    assert run("diff", old, old, "--surface", "v2").exit_code == 0
