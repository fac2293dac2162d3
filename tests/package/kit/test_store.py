"""Tests of saved sessions: durability, ownership, and leftover files."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import types
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from acp_bindings.kit.store import ClientRecords, SessionStore, StoreLimits
from acp_bindings.runtime.jsonrpc.errors import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    RESOURCE_NOT_FOUND,
    RequestError,
)
from acp_bindings.runtime.values.errors import EncodeError
from hypothesis import given
from hypothesis import strategies as st

RECORDS: list[dict[str, Any]] = [
    {"update": "prompt", "text": "Grüße 🎈"},
    {"update": "chunk", "text": "one\ntwo\u2028three"},
    {"update": "end", "half": "\ud83d", "list": [1, 2.5, None, True]},
]
HOSTILE_IDS = [
    "../../etc/passwd",
    "/etc/passwd",
    "C:\\con",
    "NUL",
    ".",
    "..",
    "",
    "a\0b",
    "\n",
    "\ud83d",
    "x" * 5000,
    "case",
    "CASE",
    "é",
    "e\u0301",
]


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    return SessionStore(tmp_path / "sessions")


def create(store: SessionStore, session_id: str, cwd: str = "/p", records: int = 0) -> None:
    store.create(session_id, version=2, cwd=cwd)
    for record in RECORDS[:records]:
        store.append(session_id, record)


def files(store: SessionStore, ending: str = "") -> list[Path]:
    return sorted(folder(store).glob(f"*{ending}"))


def folder(store: SessionStore) -> Path:
    return store._folder


def lines_of(store: SessionStore) -> Path:
    """Return the path of the records of the only session."""
    (path,) = files(store, ".jsonl")
    return path


def ids(store: SessionStore, **query: Any) -> list[str]:
    return [each.session_id for each in store.list(**query).sessions]


def written_at(path: Path, seconds: int) -> None:
    os.utime(path, (seconds, seconds))


def code_of(error: pytest.ExceptionInfo[RequestError]) -> int:
    return error.value.code


def run(code: str, *args: object) -> subprocess.Popen[str]:
    """Start a Python program that imports the store, with pipes to its input and output."""
    imports = "import os, sys\nfrom acp_bindings.kit.store import *\n"
    command = [sys.executable, "-c", imports + code, *map(str, args)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


# Reading and writing


def test_records_are_read_as_written(store: SessionStore) -> None:
    store.create("s", version=2, cwd="/p", additional_directories=["/a", "/b"])
    for record in RECORDS:
        store.append("s", record)
    stored = store.read("s")
    assert list(stored.records) == RECORDS
    assert stored.damaged == ()
    assert stored.summary.session_id == "s"
    assert stored.summary.version == 2
    assert stored.summary.cwd == "/p"
    assert stored.summary.additional_directories == ("/a", "/b")
    assert stored.summary.title is None


def test_a_session_is_saved_when_create_returns(store: SessionStore) -> None:
    """A session that existed only in memory could be lost before the first prompt."""
    create(store, "s")
    assert SessionStore(folder(store)).read("s").summary.session_id == "s"


def test_a_record_is_in_the_file_when_append_returns(store: SessionStore) -> None:
    create(store, "s")
    with store.own("s"):
        for number, record in enumerate(RECORDS, 1):
            store.append("s", record)
            assert list(SessionStore(folder(store)).read("s").records) == RECORDS[:number]


def test_the_file_has_one_json_line_a_record_and_the_version_in_the_first(
    store: SessionStore,
) -> None:
    create(store, "s", records=3)
    header, *lines = lines_of(store).read_bytes().split(b"\n")[:-1]
    assert json.loads(header)["version"] == 2
    assert [json.loads(line) for line in lines] == RECORDS


@pytest.mark.parametrize("record", [{"a": float("nan")}, {"a": object()}, {1: 2.5, "a": {3}}])
def test_records_that_are_not_json_are_refused(store: SessionStore, record: Any) -> None:
    create(store, "s", records=1)
    with pytest.raises(EncodeError):
        store.append("s", record)
    assert list(store.read("s").records) == RECORDS[:1]


def test_a_leading_tilde_is_the_home_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    create(SessionStore("~/state/agent"), "s")
    assert (tmp_path / "state/agent").is_dir()


def test_only_saving_creates_the_folder(store: SessionStore, tmp_path: Path) -> None:
    assert store.list().sessions == ()
    assert store.data("s") is None
    records = ClientRecords(tmp_path / "client")
    assert records.list() == ()
    records.remove("s", agent="a", cwd="/p")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_files_are_readable_for_the_user_only(store: SessionStore) -> None:
    before = os.umask(0)
    try:
        fresh = SessionStore(folder(store) / "fresh")
        create(fresh, "s", records=1)
        fresh.set_title("s", "title")
        fresh.set_data("s", 1)
    finally:
        os.umask(before)
    assert folder(fresh).stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in files(fresh)} == {0o600}


def test_an_id_can_be_created_once(store: SessionStore) -> None:
    create(store, "s", records=2)
    with pytest.raises(FileExistsError):
        store.create("s", version=1, cwd="/other")
    assert list(store.read("s").records) == RECORDS[:2]


def test_unknown_sessions_are_not_found(store: SessionStore) -> None:
    with ExitStack() as stack:
        for call in (
            lambda: store.read("s"),
            lambda: store.append("s", {}),
            lambda: store.delete("s"),
            lambda: store.fork("s", "new"),
            lambda: store.set_title("s", "title"),
            lambda: store.set_data("s", 1),
            lambda: stack.enter_context(store.own("s")),
        ):
            with pytest.raises(RequestError) as error:
                call()
            assert code_of(error) == RESOURCE_NOT_FOUND
    assert files(store) == []


# Names of files


def test_any_text_is_an_id(store: SessionStore) -> None:
    """Ids can contain path separators, be reserved or long file names, or differ only in case."""
    for number, session_id in enumerate(HOSTILE_IDS):
        store.create(session_id, version=2, cwd="/p")
        store.append(session_id, {"number": number})
        store.set_title(session_id, str(number))
        store.set_data(session_id, number)
    for number, session_id in enumerate(HOSTILE_IDS):
        stored = store.read(session_id)
        assert stored.summary.session_id == session_id
        assert stored.summary.title == str(number)
        assert stored.records == ({"number": number},)
        assert store.data(session_id) == number
    assert sorted(ids(store)) == sorted(HOSTILE_IDS)
    names = [path.name for path in files(store)]
    assert len(names) == 3 * len(HOSTILE_IDS)
    assert all(name == name.lower() and len(name) < 100 and name.isascii() for name in names)
    assert {path.name for path in folder(store).parent.iterdir()} == {"sessions"}


def test_halves_of_a_pair_are_the_same_id_as_the_pair(store: SessionStore) -> None:
    create(store, "\ud83d\ude00", records=1)
    assert len(store.read("\U0001f600").records) == 1
    assert ids(store) == ["\U0001f600"]


# Interruptions


def test_a_cut_at_any_byte_loses_at_most_the_last_line(store: SessionStore) -> None:
    create(store, "s", records=3)
    path = lines_of(store)
    content = path.read_bytes()
    header = content.index(b"\n") + 1
    for size in range(len(content) + 1):
        path.write_bytes(content[:size])
        if size < header:
            with pytest.raises(RequestError) as error:
                store.read("s")
            assert code_of(error) == RESOURCE_NOT_FOUND
            continue
        complete = content[:size].count(b"\n") - 1
        stored = store.read("s")
        assert list(stored.records) == RECORDS[:complete], size
        assert stored.damaged == ()


def test_appending_after_a_cut_at_any_byte_works(store: SessionStore) -> None:
    create(store, "s", records=3)
    path = lines_of(store)
    content = path.read_bytes()
    for size in range(content.index(b"\n") + 1, len(content) + 1):
        path.write_bytes(content[:size])
        store.append("s", {"after": size})
        complete = content[:size].count(b"\n") - 1
        stored = store.read("s")
        assert list(stored.records) == [*RECORDS[:complete], {"after": size}], size
        assert stored.damaged == ()


def test_nothing_is_appended_to_a_file_without_a_complete_header(store: SessionStore) -> None:
    create(store, "s", records=1)
    path = lines_of(store)
    cut = path.read_bytes()[:20]
    path.write_bytes(cut)
    with pytest.raises(RequestError):
        store.append("s", RECORDS[0])
    assert path.read_bytes() == cut
    assert ids(store) == []


@given(text=st.text(max_size=30_000), cut=st.integers(min_value=1))
def test_incomplete_lines_of_any_length_are_removed(
    tmp_path_factory: pytest.TempPathFactory, text: str, cut: int
) -> None:
    store = SessionStore(tmp_path_factory.mktemp("store"))
    create(store, "s", records=1)
    before = lines_of(store).read_bytes()
    store.append("s", {"text": text})
    line = lines_of(store).read_bytes()[len(before) :]
    lines_of(store).write_bytes(before + line[: cut % len(line)])
    store.append("s", RECORDS[1])
    assert list(store.read("s").records) == RECORDS[:2]


def test_damage_before_the_end_is_reported_and_the_rest_is_read(
    store: SessionStore, caplog: pytest.LogCaptureFixture
) -> None:
    create(store, "s", records=3)
    path = lines_of(store)
    lines = path.read_bytes().split(b"\n")
    lines[2] = b"\0" * len(lines[2])
    lines.insert(3, b"[1]")
    path.write_bytes(b"\n".join(lines))
    with caplog.at_level(logging.WARNING):
        stored = store.read("s")
    assert list(stored.records) == [RECORDS[0], RECORDS[2]]
    assert stored.damaged == (3, 4)
    assert "2 damaged lines" in caplog.text


def test_a_damaged_header_is_refused_and_left_out_of_lists(
    store: SessionStore, caplog: pytest.LogCaptureFixture
) -> None:
    create(store, "bad", records=1)
    path = lines_of(store)
    create(store, "good")
    content = path.read_bytes().replace(b'"bad"', b'"b?d"')
    path.write_bytes(content)
    with pytest.raises(RequestError) as error:
        store.read("bad")
    assert code_of(error) == INTERNAL_ERROR
    assert error.value.message == "the saved session is damaged; start a new one"
    with pytest.raises(RequestError):
        store.append("bad", {})
    assert path.read_bytes() == content
    with caplog.at_level(logging.WARNING):
        assert ids(store) == ["good"]
    assert path.stem in caplog.text
    store.delete("bad")
    assert not path.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_records_confirmed_before_a_kill_are_saved(store: SessionStore) -> None:
    create(store, "s")
    process = run(
        """
store = SessionStore(sys.argv[1])
with store.own("s"):
    for number in range(10**9):
        store.append("s", {"number": number, "text": "x" * (number % 5000)})
        print(number, flush=True)
""",
        folder(store),
    )
    assert process.stdout is not None
    confirmed = -1
    for line in process.stdout:
        confirmed = int(line)
        if confirmed == 200:
            process.kill()
    process.communicate()
    records = store.read("s").records
    assert [record["number"] for record in records] == list(range(len(records)))
    assert len(records) > max(confirmed, 200)
    store.append("s", {"number": len(records)})
    assert len(store.read("s").records) == len(records) + 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limits of files")
def test_a_write_that_fails_halfway_leaves_nothing(store: SessionStore) -> None:
    create(store, "s", records=1)
    size = lines_of(store).stat().st_size
    process = run(
        """
import resource
store = SessionStore(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
try:
    store.append("s", {"text": "x" * 1000})
except OSError as error:
    print(type(error).__name__)
""",
        folder(store),
        size + 500,
    )
    assert process.communicate()[0] == "OSError\n"
    assert lines_of(store).stat().st_size == size
    store.append("s", RECORDS[1])
    assert list(store.read("s").records) == RECORDS[:2]


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_a_failed_replacement_keeps_the_old_content(
    store: SessionStore, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    create(store, "s")
    store.set_title("s", "old")
    store.set_data("s", {"old": 1})
    before = files(store)

    def fail(*args: object) -> None:
        raise OSError("no space")

    monkeypatch.setattr(*((os, "fsync") if failing == "fsync" else (Path, "replace")), fail)
    for change in (
        lambda: store.set_title("s", "new"),
        lambda: store.set_data("s", {"new": 1}),
        lambda: store.create("t", version=2, cwd="/p"),
        lambda: store.fork("s", "t"),
    ):
        with pytest.raises(OSError, match="no space"):
            change()
    assert files(store) == before
    assert store.read("s").summary.title == "old"
    assert store.data("s") == {"old": 1}


def test_an_interrupted_creation_is_not_a_session(store: SessionStore) -> None:
    """A session file that is still empty isn't listed."""
    create(store, "s")
    store.set_title("s", "old")
    store.set_data("s", "old")
    lines_of(store).write_bytes(b"")
    assert ids(store) == []
    store.delete("s")
    assert files(store) == []


def test_remains_of_an_interrupted_deletion_are_not_taken_over(store: SessionStore) -> None:
    create(store, "s")
    store.set_title("s", "old")
    store.set_data("s", "old")
    lines_of(store).unlink()
    create(store, "s")
    assert store.read("s").summary.title is None
    assert store.data("s") is None


# Owners


def test_a_session_has_one_owner_in_a_process(store: SessionStore) -> None:
    """Two connections in one process can request the same session."""
    create(store, "s")
    with store.own("s"):
        for other in (store, SessionStore(folder(store))):
            with pytest.raises(RequestError) as error, other.own("s"):
                pass
            assert code_of(error) == INTERNAL_ERROR
            problem = "the session is in use elsewhere; close it there first"
            assert error.value.message == problem
        store.append("s", RECORDS[0])
    with SessionStore(folder(store)).own("s"):
        pass


def test_only_the_owner_changes_a_session(store: SessionStore) -> None:
    create(store, "s")
    other = SessionStore(folder(store))
    with store.own("s"):
        for change in (
            lambda: other.append("s", {}),
            lambda: other.set_title("s", "title"),
            lambda: other.set_data("s", 1),
            lambda: other.delete("s"),
            lambda: store.delete("s"),
        ):
            with pytest.raises(RequestError, match="in use"):
                change()
        assert other.read("s").records == ()
        assert ids(other) == ["s"]
    other.append("s", {})


def test_sessions_are_owned_separately(store: SessionStore) -> None:
    create(store, "s")
    create(store, "t")
    with store.own("s"), SessionStore(folder(store)).own("t"):
        store.append("s", {})


def test_the_lock_of_a_process_that_died_is_no_obstacle(store: SessionStore) -> None:
    create(store, "s")
    process = run(
        """
with SessionStore(sys.argv[1]).own("s"):
    print("owned", flush=True)
    sys.stdin.read()
""",
        folder(store),
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "owned\n"
    with pytest.raises(RequestError, match="in use"):
        store.append("s", RECORDS[0])
    process.kill()
    process.communicate()
    with store.own("s"):
        store.append("s", RECORDS[0])
    assert list(store.read("s").records) == RECORDS[:1]


def test_commands_of_the_owner_do_not_keep_the_lock(store: SessionStore) -> None:
    create(store, "s")
    with store.own("s"):
        child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        with SessionStore(folder(store)).own("s"):
            pass
    finally:
        child.communicate()


def test_processes_do_not_mix_their_records(store: SessionStore) -> None:
    """Without an owner, each append takes ownership, so simultaneous appends are rejected."""
    create(store, "s")
    code = """
from acp_bindings.runtime.jsonrpc.errors import RequestError
store, number = SessionStore(sys.argv[1]), 0
while number < 100:
    try:
        store.append("s", {"by": sys.argv[2], "number": number, "text": "x" * 10_000})
        number += 1
    except RequestError:
        pass
"""
    processes = [run(code, folder(store), name) for name in "ab"]
    assert [process.wait() for process in processes] == [0, 0]
    for process in processes:
        process.communicate()
    stored = store.read("s")
    assert stored.damaged == ()
    for name in "ab":
        numbers = [record["number"] for record in stored.records if record["by"] == name]
        assert numbers == list(range(100))


@pytest.mark.skipif(sys.platform == "win32", reason="flock is of POSIX systems")
def test_a_file_system_without_locks_is_reported(
    store: SessionStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    import fcntl

    def fail(descriptor: int, operation: int) -> None:
        raise OSError("no locks available")

    create(store, "s")
    monkeypatch.setattr(fcntl, "flock", fail)
    with caplog.at_level(logging.WARNING):
        store.append("s", RECORDS[0])
    assert "without a lock: no locks available" in caplog.text
    assert list(store.read("s").records) == RECORDS[:1]


def test_windows_locks_a_byte_after_the_end(
    store: SessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows can't read locked bytes or remove open files."""
    calls: list[tuple[str, int]] = []
    is_locked = False

    def locking(descriptor: int, mode: str, size: int) -> None:
        nonlocal is_locked
        position = os.lseek(descriptor, 0, os.SEEK_CUR)
        assert size == 1
        assert position > store.limits.session_bytes
        if mode == "lock" and is_locked:
            raise OSError("locked")
        is_locked = mode == "lock"
        calls.append((mode, position))

    create(store, "s")
    msvcrt = types.SimpleNamespace(locking=locking, LK_NBLCK="lock", LK_UNLCK="unlock")
    monkeypatch.setitem(sys.modules, "msvcrt", msvcrt)
    monkeypatch.setattr(sys, "platform", "win32")
    with store.own("s"):
        store.append("s", RECORDS[0])
        with pytest.raises(RequestError, match="in use"), SessionStore(folder(store)).own("s"):
            pass
    assert [mode for mode, _ in calls] == ["lock", "unlock"]
    assert list(store.read("s").records) == RECORDS[:1]
    store.delete("s")
    assert not is_locked
    assert files(store) == []


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_descriptors_are_closed(store: SessionStore) -> None:
    before = len(os.listdir("/proc/self/fd"))
    create(store, "s", records=3)
    with store.own("s"), pytest.raises(RequestError), store.own("s"):
        pass
    with pytest.raises(RequestError):
        store.read("t")
    store.read("s")
    store.list()
    store.fork("s", "t")
    store.delete("s")
    assert len(os.listdir("/proc/self/fd")) == before


# Lists


def test_lists_are_newest_first(store: SessionStore) -> None:
    for number, session_id in enumerate("abc"):
        create(store, session_id)
        written_at(newest(store), 1_000 + number)
    assert ids(store) == ["c", "b", "a"]
    store.append("a", {})
    assert ids(store) == ["a", "c", "b"]


def newest(store: SessionStore) -> Path:
    return max(files(store, ".jsonl"), key=lambda path: path.stat().st_mtime_ns)


def test_pages_have_each_session_once(tmp_path: Path) -> None:
    store = SessionStore(tmp_path, limits=StoreLimits(page=3))
    for number in range(8):
        create(store, str(number))
    for path in files(store):  # give all files the same modification time
        written_at(path, 1_000)
    pages = [store.list()]
    while pages[-1].next_cursor is not None:
        pages.append(store.list(cursor=pages[-1].next_cursor))
    assert [len(page.sessions) for page in pages] == [3, 3, 2]
    listed = [each.session_id for page in pages for each in page.sessions]
    assert sorted(listed) == [str(number) for number in range(8)]


def test_a_full_last_page_has_no_cursor(tmp_path: Path) -> None:
    store = SessionStore(tmp_path, limits=StoreLimits(page=2))
    for number in range(4):
        create(store, str(number), cwd="/even" if number % 2 == 0 else "/odd")
    first = store.list(cwd="/odd")
    assert len(first.sessions) == 2
    assert first.next_cursor is None


def test_cursors_stay_valid_when_their_session_is_deleted(tmp_path: Path) -> None:
    store = SessionStore(tmp_path, limits=StoreLimits(page=1))
    for number, session_id in enumerate("abc"):
        create(store, session_id)
        written_at(newest(store), 1_000 + number)
    first = store.list()
    store.delete("c")
    assert [each.session_id for each in first.sessions] == ["c"]
    assert ids(store, cursor=first.next_cursor) == ["b"]


@pytest.mark.parametrize(
    "cursor", ["1", "x", "0.0", "../..", "1.", f"g.{'0' * 64}", f"1.{'0' * 64}\n", "9" * 10_000]
)
def test_wrong_cursors_are_refused(store: SessionStore, cursor: str) -> None:
    with pytest.raises(RequestError) as error:
        store.list(cursor=cursor)
    assert code_of(error) == INVALID_PARAMS
    assert error.value.message == "unknown cursor; list the sessions again without a cursor"
    assert error.value.data == {"cursor": cursor}


def test_a_list_can_be_of_one_directory(store: SessionStore) -> None:
    create(store, "a", cwd="/p/one")
    create(store, "b", cwd="/p/one/")
    create(store, "c", cwd="/p/one/two")
    assert sorted(ids(store, cwd="/p/one")) == ["a", "b"]
    assert ids(store, cwd="/p") == []


def test_the_time_of_a_session_is_that_of_its_last_record(store: SessionStore) -> None:
    create(store, "s")
    written_at(lines_of(store), 86_400)
    assert store.list().sessions[0].updated_at == "1970-01-02T00:00:00.000Z"


def test_other_files_in_the_folder_are_ignored(store: SessionStore) -> None:
    create(store, "s")
    (folder(store) / "notes.txt").write_text("x")
    (folder(store) / "copy.jsonl").write_bytes(lines_of(store).read_bytes())
    assert ids(store) == ["s"]


# Titles, data, deletion and forks


def test_titles_are_listed_cut_and_removed(store: SessionStore) -> None:
    create(store, "s")
    store.set_title("s", "x" * 10_000)
    assert store.list().sessions[0].title == "x" * store.limits.title
    store.set_title("s", None)
    assert store.read("s").summary.title is None


def test_data_is_replaced(store: SessionStore) -> None:
    create(store, "s")
    assert store.data("s") is None
    for data in ({"messages": ["half \ud83d"]}, [], 0, "text", None):
        store.set_data("s", data)
        assert store.data("s") == data
    with pytest.raises(EncodeError):
        store.set_data("s", object())


def test_damaged_titles_and_data_do_not_cost_the_session(
    store: SessionStore, caplog: pytest.LogCaptureFixture
) -> None:
    create(store, "s", records=1)
    store.set_title("s", "title")
    store.set_data("s", 1)
    for path in files(store, ".json"):
        path.write_bytes(b'{"\xff')
    with caplog.at_level(logging.WARNING):
        assert store.data("s") is None
        assert store.read("s").summary.title is None
    assert len(store.read("s").records) == 1
    assert len(caplog.records) >= 2


def test_deleting_removes_all_files(store: SessionStore) -> None:
    create(store, "s", records=1)
    create(store, "t", records=1)
    left = files(store)
    create(store, "u")
    store.set_title("u", "title")
    store.set_data("u", 1)
    store.delete("u")
    assert files(store) == left
    with pytest.raises(RequestError) as error:
        store.delete("u")
    assert code_of(error) == RESOURCE_NOT_FOUND


def test_files_of_interrupted_replacements_are_removed(store: SessionStore) -> None:
    """A process killed between writing and renaming leaves at most one temporary file per file."""
    create(store, "s")
    store.set_title("s", "old")
    (title,) = files(store, ".title.json")
    leftover = title.with_name(f"{title.name}.new")
    leftover.write_bytes(b'"ne')
    assert store.read("s").summary.title == "old"
    store.set_title("s", "new")
    assert not leftover.exists()
    leftover.write_bytes(b"")
    store.delete("s")
    assert files(store) == []


def test_a_fork_is_an_independent_copy(store: SessionStore) -> None:
    store.create("s", version=1, cwd="/p", additional_directories=["/a"])
    store.append("s", RECORDS[0])
    store.set_title("s", "title")
    store.set_data("s", {"n": 1})
    with store.own("s"):  # during a turn, the session has an owner
        store.fork("s", "t")
    store.append("t", RECORDS[1])
    store.append("s", RECORDS[2])
    store.set_data("t", 2)
    fork, origin = store.read("t"), store.read("s")
    assert list(fork.records) == RECORDS[:2]
    assert list(origin.records) == [RECORDS[0], RECORDS[2]]
    assert fork.summary.session_id == "t"
    assert fork.summary.version == 1
    assert fork.summary.cwd == "/p"
    assert fork.summary.additional_directories == ("/a",)
    assert fork.summary.title == "title"
    assert store.data("s") == {"n": 1}
    assert store.data("t") == 2


def test_a_fork_can_work_elsewhere(store: SessionStore) -> None:
    store.create("s", version=2, cwd="/p", additional_directories=["/a"])
    store.fork("s", "t", cwd="/q", additional_directories=[])
    summary = store.read("t").summary
    assert (summary.cwd, summary.additional_directories) == ("/q", ())


def test_a_fork_leaves_out_an_incomplete_line(store: SessionStore) -> None:
    create(store, "s", records=2)
    path = lines_of(store)
    path.write_bytes(path.read_bytes()[:-1])
    store.fork("s", "t")
    assert list(store.read("t").records) == RECORDS[:1]
    with pytest.raises(FileExistsError):
        store.fork("t", "s")


# Limits


def test_records_over_the_limit_are_refused(tmp_path: Path) -> None:
    store = SessionStore(tmp_path, limits=StoreLimits(record_bytes=100))
    create(store, "s")
    with pytest.raises(OSError, match="the record is larger than 100 bytes; shorten its text"):
        store.append("s", {"text": "x" * 100})
    problem = "the session's data is larger than 100 bytes; keep less"
    with pytest.raises(OSError, match=f"{problem}$"):
        store.set_data("s", "x" * 98)
    store.set_data("s", "x" * 97)  # with its quotes and its line end, 100 bytes
    store.set_data("s", None)
    assert store.read("s").records == ()
    assert store.data("s") is None


def test_a_full_session_is_refused_and_stays_readable(tmp_path: Path) -> None:
    store = SessionStore(tmp_path, limits=StoreLimits(session_bytes=300))
    create(store, "s")
    with pytest.raises(OSError, match="start a new session"):  # noqa: PT012 - the number is open
        for _ in range(300):
            store.append("s", {})
    count = len(store.read("s").records)
    assert 0 < count < 300
    assert lines_of(store).stat().st_size <= 300


@pytest.mark.parametrize("limit", ["header_bytes", "record_bytes", "session_bytes"])
def test_a_limit_can_be_reached(limit: str, tmp_path: Path) -> None:
    def saved(name: str, **limits: int) -> SessionStore:
        store = SessionStore(tmp_path / name, limits=StoreLimits(**limits))
        create(store, "s", records=1)
        store.set_data("s", store.read("s").records[0])
        return store

    content = lines_of(saved("unlimited")).read_bytes()
    header, record = content.splitlines(keepends=True)
    parts = {"header_bytes": header, "record_bytes": record, "session_bytes": content}
    size = len(parts[limit])
    exact = saved("exact", **{limit: size})
    assert exact.data("s") == exact.read("s").records[0]
    with pytest.raises((OSError, RequestError)):
        saved("short", **{limit: size - 1})


@pytest.mark.parametrize(("cut", "code"), [(3, RESOURCE_NOT_FOUND), (2, INTERNAL_ERROR)])
def test_a_header_without_its_end_is_damaged_only_if_it_is_too_long(
    cut: int, code: int, store: SessionStore
) -> None:
    create(store, "s")
    content = lines_of(store).read_bytes()
    lines_of(store).write_bytes(content[:-cut])
    limits = StoreLimits(header_bytes=len(content) - 3)
    with pytest.raises(RequestError) as error:
        SessionStore(folder(store), limits=limits).read("s")
    assert code_of(error) == code


def test_too_many_sessions_are_refused(tmp_path: Path) -> None:
    store = SessionStore(tmp_path, limits=StoreLimits(sessions=2))
    create(store, "a")
    create(store, "b")
    for call in (lambda: create(store, "c"), lambda: store.fork("a", "c")):
        with pytest.raises(RequestError, match="2 sessions are already saved; delete some"):
            call()
    store.delete("a")
    create(store, "c")
    assert sorted(ids(store)) == ["b", "c"]


def test_long_ids_and_folders_are_refused(store: SessionStore) -> None:
    for session_id, cwd, others in (
        ("x" * 100_000, "/p", ()),
        ("s", "/" + "x" * 100_000, ()),
        ("s", "/p", ["/a"] * 100_000),
    ):
        with pytest.raises(RequestError) as error:
            store.create(session_id, version=2, cwd=cwd, additional_directories=others)
        assert code_of(error) == INVALID_PARAMS
        reason = "the session's id and directories are too long; use shorter ones"
        assert error.value.message == reason
    assert files(store) == []


# Records of clients


@pytest.fixture
def records(tmp_path: Path) -> ClientRecords:
    return ClientRecords(tmp_path / "client")


def record_ids(records: ClientRecords, **query: Any) -> list[str]:
    return [each.session_id for each in records.list(**query)]


def test_the_key_of_a_client_record_is_agent_folder_and_id(records: ClientRecords) -> None:
    records.record("s", agent="one", cwd="/p", additional_directories=["/a"], title="first")
    records.record("s", agent="two", cwd="/p")
    records.record("s", agent="one", cwd="/q")
    records.record("s", agent="one", cwd="/p/", additional_directories=["/a"], title="second")
    (record,) = ClientRecords(records._folder).list(agent="one", cwd="/p")
    assert (record.session_id, record.agent, record.title) == ("s", "one", "second")
    assert record.additional_directories == ("/a",)
    assert len(records.list()) == 3
    assert len(records.list(cwd="/p")) == 2
    records.remove("s", agent="one", cwd="/p")
    records.remove("unknown", agent="one", cwd="/p")
    assert {(each.agent, each.cwd) for each in records.list()} == {("two", "/p"), ("one", "/q")}


def test_client_records_are_newest_first(records: ClientRecords) -> None:
    for number, session_id in enumerate("abc"):
        before = set(records._folder.glob("*"))
        records.record(session_id, agent="one", cwd="/p")
        (path,) = set(records._folder.iterdir()) - before
        written_at(path, 1_000 - number)
    assert record_ids(records) == ["a", "b", "c"]
    assert records.list()[0].updated_at == "1970-01-01T00:16:40.000Z"


def test_damaged_client_records_are_left_out(
    records: ClientRecords, caplog: pytest.LogCaptureFixture
) -> None:
    for session_id in "abcd":
        records.record(session_id, agent="one", cwd="/p")
    paths = sorted(records._folder.iterdir())
    good = paths[3].read_bytes()
    for path, content in zip(paths, (b"", b'{"sessionId":', b"[]", good), strict=True):
        path.write_bytes(content)
    (records._folder / "copy.json").write_bytes(good)
    with caplog.at_level(logging.WARNING):
        assert record_ids(records) == [json.loads(good)["sessionId"]]
    assert len(caplog.records) == 4
    assert caplog.messages.count("copy.json is not a session record; ignoring it") == 1


def test_a_cut_at_any_byte_of_a_client_record_costs_that_record_only(
    records: ClientRecords,
) -> None:
    records.record("a", agent="one", cwd="/p", title="title")
    (path,) = records._folder.iterdir()
    records.record("b", agent="one", cwd="/p")
    content = path.read_bytes()
    for size in range(len(content) - 1):
        path.write_bytes(content[:size])
        assert record_ids(records) == ["b"]
    records.record("a", agent="one", cwd="/p")
    assert sorted(record_ids(records)) == ["a", "b"]


def test_the_oldest_client_record_is_removed_for_another(tmp_path: Path) -> None:
    records = ClientRecords(tmp_path, limits=StoreLimits(records=3))
    leftover = tmp_path / "x.json.0.new"  # left behind by a killed process
    leftover.write_text("")
    written_at(leftover, 0)
    for number in range(10):
        records.record(str(number), agent="one", cwd="/p")
        for path in tmp_path.iterdir():
            written_at(path, int(path.stat().st_mtime) - 100)
    assert record_ids(records) == ["9", "8", "7"]
    records.record("7", agent="one", cwd="/p")
    assert len(records.list()) == 3
    assert not leftover.exists()


def test_hostile_texts_are_client_records(records: ClientRecords) -> None:
    for text in HOSTILE_IDS:
        records.record(text, agent=text, cwd="/p", title=text)
    assert sorted(record_ids(records)) == sorted(HOSTILE_IDS)
    with pytest.raises(RequestError):
        records.record("x" * 100_000, agent="one", cwd="/p")


def test_a_failed_write_keeps_the_old_client_record(
    records: ClientRecords, monkeypatch: pytest.MonkeyPatch
) -> None:
    records.record("s", agent="one", cwd="/p", title="old")

    def fail(descriptor: int) -> None:
        raise OSError("no space")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="no space"):
        records.record("s", agent="one", cwd="/p", title="new")
    assert [each.title for each in records.list()] == ["old"]
    assert len(list(records._folder.iterdir())) == 1


def test_processes_write_the_same_client_record(records: ClientRecords) -> None:
    code = """
records = ClientRecords(sys.argv[1])
for number in range(50):
    records.record("s", agent="one", cwd="/p", title=sys.argv[2] * 400)
"""
    processes = [run(code, records._folder, name) for name in "ab"]
    titles = {"a" * 400, "b" * 400}
    while any(process.poll() is None for process in processes):
        listed = records.list()
        assert {each.title for each in listed} <= titles
    for process in processes:
        process.communicate()
    assert len(records.list()) == 1
    assert len(list(records._folder.iterdir())) == 1
