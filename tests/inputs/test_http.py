"""Schemas from an address: `sync`, `diff` and `vendor` against a server on this machine."""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from acpgen.cli.app import app
from acpgen.commands import sync
from acpgen.common import paths
from acpgen.common.problems import InputError
from acpgen.inputs.sources import http
from acpgen.inputs.sources.fetch import fetch as fetch_source
from acpgen.inputs.sources.files import LEGACY_V1, SURFACES, locate_schemas
from diff.small import STRING, method, record
from typer.testing import CliRunner, Result

ACP = {"$defs": {"Request": {**method("a/b"), "description": "words"}, "Thing": record(a=STRING)}}
TEXT = json.dumps(ACP).encode()
PATHS = (*SURFACES.values(), LEGACY_V1)

# The answer of a server: a status, headers and a body; or a function that does as it likes.
Answer = tuple[int, dict[str, str], bytes]
Act = Callable[[BaseHTTPRequestHandler], None]


class Server:
    """A server on a free port of this machine.

    Attributes:
        address: of its root, with a slash at the end.
        answers: what it says by path; 404 to all else.
        asked: the paths that were asked for.
        done: set when the test is over, for what waits until then.
    """

    def __init__(self) -> None:
        self.answers: dict[str, Answer | Act] = {}
        self.asked: list[str] = []
        self.done = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append(self.path)
                answer = outer.answers.get(self.path, (404, {}, b"nothing here"))
                if callable(answer):
                    answer(self)
                    return
                status, headers, body = answer
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *arguments: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )
        self._thread.start()
        self.address = f"http://127.0.0.1:{self._server.server_port}/"

    def close(self) -> None:
        """End it, and what waits for the end."""
        self.done.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def has(self, path: str, body: bytes = TEXT) -> str:
        """Have it serve a body. Return the address."""
        self.answers[f"/{path}"] = (200, {}, body)
        return self.address + path

    def redirects(self, path: str, target: str, status: int = 302) -> str:
        """Have it redirect. Return the address."""
        self.answers[f"/{path}"] = (status, {"Location": target}, b"")
        return self.address + path


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    made = Server()
    yield made
    made.close()


@pytest.fixture
def schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A schema folder that a test may write."""
    folder = tmp_path / "schema"
    shutil.copytree(paths.SCHEMA, folder)
    monkeypatch.setattr(paths, "SCHEMA", folder)
    return folder


def fetch(address: str, folder: Path) -> Path:
    return http.download(address, folder, PATHS)


def refused(address: str, folder: Path) -> str:
    """The line that says why something cannot be fetched; nothing is left in the folder."""
    folder.mkdir()
    with pytest.raises(InputError) as caught:
        fetch(address, folder)
    [problem] = caught.value.problems
    assert (problem.code, problem.file, problem.pointer) == ("fetch-failed", address, "")
    assert list(folder.iterdir()) == []
    return problem.message


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


# --- what is fetched -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("http://host/schema.json", True),
        ("https://host/v2/", True),
        ("HTTPS://host/", True),
        ("npm:@agentclientprotocol/sdk@2.4.0", False),
        ("ftp://host/schema.json", False),
        ("file:///schema.json", False),
        ("schema.json", False),
        ("http", False),
        ("c:/schema", False),
    ],
)
def test_what_an_address_is(address: str, expected: bool) -> None:
    assert http.is_address(address) is expected


def test_a_file(server: Server, tmp_path: Path) -> None:
    path = fetch(server.has("some/schema.unstable.json"), tmp_path)
    assert path == tmp_path / "schema.unstable.json"
    assert path.read_bytes() == TEXT
    assert server.asked == ["/some/schema.unstable.json"]


def test_a_file_with_a_query(server: Server, tmp_path: Path) -> None:
    path = fetch(server.has("schema.json?version=2"), tmp_path)
    assert path == tmp_path / "schema.json"
    assert server.asked == ["/schema.json?version=2"]


def test_a_folder_with_some_of_its_files(server: Server, tmp_path: Path) -> None:
    server.has("at/v1/schema.json")
    server.has("at/v2/schema.unstable.json")
    assert fetch(f"{server.address}at/", tmp_path) == tmp_path
    files = sorted(p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*") if p.is_file())
    assert files == ["v1/schema.json", "v2/schema.unstable.json"]
    assert sorted(server.asked) == sorted(f"/at/{path}" for path in PATHS)


def test_a_folder_of_the_time_before_protocol_2(server: Server, tmp_path: Path) -> None:
    server.has("schema.json")
    found = locate_schemas(fetch(server.address, tmp_path), [])
    assert [source.surface for source in found] == ["v1_unstable"]


def test_a_folder_without_any(server: Server, tmp_path: Path) -> None:
    message = refused(f"{server.address}at/", tmp_path / "made")
    assert message.startswith("has none of v1/schema.json, ")
    assert message.endswith("; give the address of one file")


def test_a_folder_of_which_one_file_fails(server: Server, tmp_path: Path) -> None:
    """A file that may be there does not count as missing: the result would be half a schema."""
    server.has("v1/schema.json")
    server.answers["/v2/schema.json"] = (500, {}, b"")
    with pytest.raises(InputError, match="answers 500"):
        fetch(server.address, tmp_path)


# --- redirects -------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_followed(server: Server, tmp_path: Path, status: int) -> None:
    target = server.has("new/schema.json")
    path = fetch(server.redirects("schema.json", target, status), tmp_path)
    assert path.read_bytes() == TEXT
    assert server.asked == ["/schema.json", "/new/schema.json"]


def test_a_relative_redirect_is_followed(server: Server, tmp_path: Path) -> None:
    server.has("new/schema.json")
    path = fetch(server.redirects("schema.json", "/new/schema.json"), tmp_path)
    assert path.read_bytes() == TEXT


@pytest.mark.parametrize("scheme", ["https", "ftp", "file", "data"])
def test_a_redirect_to_another_scheme_is_refused(
    server: Server, tmp_path: Path, scheme: str
) -> None:
    secret = tmp_path / "secret.json"
    secret.write_bytes(TEXT)
    target = {
        "https": server.address.replace("http:", "https:") + "schema.json",
        "ftp": server.address.replace("http:", "ftp:") + "schema.json",
        "file": secret.as_uri(),
        "data": "data:application/json,{}",
    }[scheme]
    message = refused(server.redirects("schema.json", target), tmp_path / "made")
    assert scheme in message
    assert server.asked == ["/schema.json"]


def test_redirects_in_a_circle_end(server: Server, tmp_path: Path) -> None:
    server.redirects("one.json", server.address + "other.json")
    address = server.redirects("other.json", server.address + "one.json")
    message = refused(address, tmp_path / "made")
    assert message.endswith("; check the address")
    assert len(server.asked) < 50


# --- what goes wrong -------------------------------------------------------------------------


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 500, 503])
def test_an_error_is_named(server: Server, tmp_path: Path, status: int) -> None:
    server.answers["/schema.json"] = (status, {}, TEXT)
    message = refused(server.address + "schema.json", tmp_path / "made")
    assert message.startswith(f"answers {status} ")
    assert message.endswith("; check the address")


@pytest.mark.parametrize("length", ["stated", "not stated"])
def test_a_file_over_the_limit(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, length: str
) -> None:
    monkeypatch.setattr(http, "LIMIT", len(TEXT) - 1)
    address = server.has("schema.json")
    if length == "not stated":
        server.answers["/schema.json"] = endless
    message = refused(address, tmp_path / "made")
    assert message == f"is larger than {len(TEXT) - 1} bytes; check the address"


def endless(handler: BaseHTTPRequestHandler) -> None:
    """Send as much as anybody reads."""
    handler.send_response(200)
    handler.end_headers()
    try:
        while True:
            handler.wfile.write(b" " * 65536)
    except OSError:
        handler.close_connection = True


def test_a_file_of_just_the_limit(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "LIMIT", len(TEXT))
    assert fetch(server.has("schema.json"), tmp_path).read_bytes() == TEXT


@pytest.mark.parametrize("sent", [b"", b"HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\n{"])
def test_a_server_that_does_not_answer(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    """Not at all, or not to the end."""

    def wait(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(sent)
        server.done.wait()

    monkeypatch.setattr(http, "TIMEOUT", 0.2)
    server.answers["/schema.json"] = wait
    message = refused(server.address + "schema.json", tmp_path / "made")
    assert message == "cannot be fetched (timed out); check the address"


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"HTTP/1.0 200 OK\r\nContent-Length: 900\r\n\r\n{",
        b"not http at all\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        b"HTTP/1.0 302 Found\r\nLocation: http://[bad/\r\n\r\n",
    ],
    ids=["nothing", "too little", "not HTTP", "bad chunk", "bad redirect"],
)
def test_an_answer_that_is_broken(server: Server, tmp_path: Path, sent: bytes) -> None:
    def send(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(sent)
        handler.close_connection = True

    server.answers["/schema.json"] = send
    message = refused(server.address + "schema.json", tmp_path / "made")
    assert message.startswith("cannot be fetched (")
    assert message.endswith("); check the address")


def test_nobody_listens(server: Server, tmp_path: Path) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{held.getsockname()[1]}/schema.json"
        message = refused(address, tmp_path / "made")
    assert message.startswith("cannot be fetched (")


@pytest.mark.parametrize(
    "address",
    [
        "http://",
        "http:///schema.json",
        "http://[::1/schema.json",
        "http://127.0.0.1:port/schema.json",
        "http://127.0.0.1:99999/schema.json",
        "http://127.0.0.1/a b.json",
        "http://127.0.0.1/a\nb.json",
    ],
)
def test_an_address_that_is_none(server: Server, address: str) -> None:
    """An error says so, whatever is wrong with it, and never a traceback."""
    for command in (("diff", address, "v2"), ("sync", address)):
        result = run(*command, "--surface", "v2")
        assert result.exit_code == 2, repr(result.exception)
        assert result.stderr.startswith("error ")


@pytest.mark.parametrize("path", ["a/..", "a/.", "a/%2e%2e"])
def test_a_name_that_is_no_file_name(server: Server, tmp_path: Path, path: str) -> None:
    """Nothing is written outside the folder: the file gets another name, or fetching fails."""
    address = server.has(path)
    folder = tmp_path / "in" / "made"
    folder.mkdir(parents=True)
    with contextlib.suppress(InputError):
        assert fetch(address, folder).parent == folder
    outside = [p for p in tmp_path.rglob("*") if p.is_file() and folder not in p.parents]
    assert outside == []


# --- commands --------------------------------------------------------------------------------


def test_not_json(server: Server, schema: Path) -> None:
    before = {path: path.read_bytes() for path in schema.rglob("*.json")}
    address = server.has("schema.json", b"<!doctype html><title>Sign in</title>")
    for command in (("sync", address), ("diff", address, "v2")):
        result = run(*command, "--surface", "v2")
        assert result.exit_code == 2
        assert result.stderr.startswith("error invalid-json at ")
    assert {path: path.read_bytes() for path in schema.rglob("*.json")} == before


def test_json_that_is_no_schema(server: Server, schema: Path) -> None:
    address = server.has("schema.json", b'{"$defs": {}}')
    result = run("sync", address, "--surface", "v2")
    assert result.exit_code == 2
    assert result.stderr.startswith("error not-acp at ")


def test_a_file_needs_a_surface(server: Server, schema: Path) -> None:
    result = run("sync", server.has("schema.json"))
    assert result.exit_code == 2
    assert "name the --surface that it describes" in result.stderr


def test_the_record_has_the_digest_of_what_was_fetched(server: Server, tmp_path: Path) -> None:
    address = server.has("at/v2/schema.json")
    with fetch_source(server.address + "at/") as fetched:
        folder = fetched.path
        files = sync.stripped_files(fetched, [])
    assert not folder.exists()
    record = json.loads(files["sources.json"])["files"]
    assert record == {
        "v2/schema.json": {
            "source": server.address + "at/",
            "version": None,
            "integrity": None,
            "path": "v2/schema.json",
            "original_sha256": hashlib.sha256(TEXT).hexdigest(),
            "vendored_sha256": hashlib.sha256(files["v2/schema.json"]).hexdigest(),
        }
    }
    assert b"words" not in files["v2/schema.json"]
    with fetch_source(address) as fetched:
        files = sync.stripped_files(fetched, ["v1"])
    [(name, entry)] = json.loads(files["sources.json"])["files"].items()
    assert (name, entry["source"], entry["path"]) == ("v1/schema.json", address, "schema.json")
    assert entry["original_sha256"] == hashlib.sha256(TEXT).hexdigest()


def test_sync_of_an_address(server: Server, schema: Path) -> None:
    before = (schema / "v1" / "schema.json").read_bytes()
    address = server.has("schema.json")
    result = run("sync", address, "--surface", "v2")
    assert result.exit_code == 0, result.stderr
    record = json.loads((schema / "sources.json").read_text("utf-8"))["files"]
    assert record["v2/schema.json"]["source"] == address
    assert len(record) == 4
    assert (schema / "v1" / "schema.json").read_bytes() == before
    [source] = locate_schemas(schema, ["v2"])
    assert source.origin is not None
    assert source.origin.label == address


def test_sync_of_what_is_not_there_changes_nothing(server: Server, schema: Path) -> None:
    before = {path: path.read_bytes() for path in schema.rglob("*.json")}
    result = run("sync", server.address, "--json")
    assert result.exit_code == 2
    [problem] = json.loads(result.stdout)["problems"]
    assert (problem["code"], problem["file"]) == ("fetch-failed", server.address)
    assert {path: path.read_bytes() for path in schema.rglob("*.json")} == before


def test_diff_of_addresses(server: Server) -> None:
    newer = json.dumps({"$defs": {**ACP["$defs"], "Part": STRING}}).encode()
    old, new = server.has("old.json"), server.has("new.json", newer)
    result = run("diff", old, new, "--surface", "v2", "--json")
    assert result.exit_code == 1, result.stderr
    report = json.loads(result.stdout)
    assert (report["old"], report["new"]) == (old, new)
    assert [change["name"] for change in report["changes"]] == ["Part"]
    assert run("diff", old, old, "--surface", "v2").exit_code == 0


def test_vendor_from_an_address(server: Server, tmp_path: Path) -> None:
    address = server.has("schema.json")
    options = ("--schema", address, "--surface", "v2", "--types-only")
    result = run("vendor", str(tmp_path / "acp"), *options)
    assert result.exit_code == 0, result.stderr
    assert f"v2: {address}\n" in result.stdout
    lock = json.loads((tmp_path / "acp" / "acpgen.lock").read_text("utf-8"))
    assert lock["schemas"]["v2"]["label"] == address
