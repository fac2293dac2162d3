"""Tests of files in root folders: real paths, exact text, atomic writes, and escape attempts."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import stat
import sys
import tempfile
import threading
import unicodedata
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import pytest
from acp_bindings.kit import files as module
from acp_bindings.kit.files import FileLimits, Files
from acp_bindings.runtime import RequestError
from acp_bindings.runtime.jsonrpc.errors import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    RESOURCE_NOT_FOUND,
)
from hypothesis import given
from hypothesis import strategies as st

resource = pytest.importorskip("resource", reason="not on Windows")

T = TypeVar("T")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs links, FIFOs and modes")

SECRET = "the secret of another folder"
IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


@pytest.fixture(params=["descriptors", "paths"], autouse=True)
def _both_ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each test both with folder descriptors and without them (as on Windows)."""
    monkeypatch.setattr(module, "_HAS_FOLDER_DESCRIPTORS", request.param == "descriptors")


@pytest.fixture(autouse=True)
def _no_descriptor_is_left(tmp_path: Path) -> Iterator[None]:
    before = open_descriptors()
    yield
    assert open_descriptors() == before


@pytest.fixture(autouse=True)
def _no_temporary_file_is_left(tmp_path: Path) -> Iterator[None]:
    yield
    assert list(tmp_path.rglob(".*.tmp")) == []


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace folder, next to a folder `outside` that contains a secret file."""
    root = tmp_path / "workspace"
    root.mkdir()
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "notes.md").write_text(SECRET)
    return root


@pytest.fixture
def outside(root: Path) -> Path:
    return root.parent / "outside"


@pytest.fixture
def files(root: Path) -> Files:
    return Files([root])


def open_descriptors() -> set[str]:
    """Return this process's open file and folder descriptors, or an empty set outside Linux."""
    found = set()
    if sys.platform == "linux":
        for each in os.listdir("/proc/self/fd"):
            with suppress(OSError):
                found.add(f"{each} {os.readlink(f'/proc/self/fd/{each}')}")
    return {each for each in found if " /proc/" not in each}


def run(call: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(call)


def read(files: Files, path: Path | str, **options: Any) -> str:
    return run(files.read_text(str(path), **options))


def write(files: Files, path: Path | str, text: str, **options: Any) -> None:
    run(files.write_text(str(path), text, **options))


NOT_REGULAR = "path is not a regular file; use the path of a file"
HARD_LINKS = "file has several names (hard links); use a file with only one name"
TOO_LARGE = "file has more than 10 bytes; read or write a smaller file"
OUTSIDE = "path points outside the allowed folders; use a path inside them"


def refusal(call: Callable[..., object], *args: Any, **options: Any) -> RequestError:
    """Return the error that a call raises. Check that its message contains no path."""
    with pytest.raises(RequestError) as caught:
        call(*args, **options)
    assert "/" not in str(caught.value)
    return caught.value


def outcome(call: Callable[..., T], *args: Any) -> T | int:
    """Return the result of a call, or the code of its error."""
    try:
        return call(*args)
    except RequestError as error:
        return error.code


def everything(folder: Path) -> dict[str, object]:
    """Return every path below a folder, with file contents and link targets."""
    found: dict[str, object] = {}
    for path in folder.rglob("*"):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = os.readlink(path)
        else:
            found[name] = path.read_bytes() if path.is_file() else None
    return found


# Roots


def test_links_out_of_the_root_are_refused(files: Files, root: Path, outside: Path) -> None:
    (root / "file").symlink_to(outside / "notes.md")
    (root / "folder").symlink_to("../outside")
    for path in (root / "file", root / "folder" / "notes.md", root / "folder" / "new.md"):
        assert refusal(files.check, str(path)).code == INVALID_PARAMS
        assert refusal(read, files, path).code == INVALID_PARAMS
        assert refusal(write, files, path, "text").code == INVALID_PARAMS
    assert everything(outside) == {"notes.md": SECRET.encode()}


@pytest.mark.parametrize("target", ["../outside/new.md", "../new.md", "{outside}/new.md"])
def test_dangling_links_out_of_the_root_are_not_written(
    files: Files, root: Path, outside: Path, target: str
) -> None:
    (root / "notes.md").symlink_to(target.format(outside=outside))
    before = everything(root.parent)
    assert refusal(write, files, root / "notes.md", "text").code == INVALID_PARAMS
    assert everything(root.parent) == before


def test_dangling_links_within_the_root_create_their_target(files: Files, root: Path) -> None:
    (root / "notes.md").symlink_to("folder/target.md")
    write(files, root / "notes.md", "text")
    assert everything(root) == {
        "folder": None,
        "folder/target.md": b"text",
        "notes.md": "folder/target.md",
    }


def test_chains_of_links_are_followed_to_their_end(files: Files, root: Path, outside: Path) -> None:
    (root / "target.md").write_text("text")
    (root / "inside 0").symlink_to("target.md")
    (root / "outside 0").symlink_to(outside / "notes.md")
    for number in range(1, 20):
        (root / f"inside {number}").symlink_to(root / f"inside {number - 1}")
        (root / f"outside {number}").symlink_to(f"outside {number - 1}")
    assert read(files, root / "inside 19") == "text"
    refusal(read, files, root / "outside 19")


def test_links_that_leave_the_root_and_come_back_are_allowed(files: Files, root: Path) -> None:
    (root / "target.md").write_text("text")
    (root / "link").symlink_to(f"../{root.name}/target.md")
    write(files, root / "link", "new")
    assert (root / "target.md").read_text() == "new"
    assert (root / "link").is_symlink()


@pytest.mark.parametrize("length", [1, 2, 5])
def test_loops_of_links_are_refused(files: Files, root: Path, length: int) -> None:
    for number in range(length):
        (root / f"loop {number}").symlink_to(f"loop {(number + 1) % length}")
    (root / "longer").symlink_to("longer/and/longer")
    for path in ("loop 0", "loop 0/file", "longer", "longer/file"):
        assert refusal(read, files, root / path).code == INVALID_PARAMS
        assert refusal(write, files, root / path, "text").code == INVALID_PARAMS


def test_a_link_after_a_loop_is_not_taken_for_a_real_path(
    files: Files, root: Path, outside: Path
) -> None:
    (root / "loop").symlink_to("loop")
    (root / "link").symlink_to(outside)
    for path in ("loop/../link", "loop/../link/notes.md"):
        refusal(files.check, f"{root}/{path}")


def test_more_links_than_python_resolves_are_refused_or_resolved(files: Files, root: Path) -> None:
    (root / "0").write_text("text")
    for number in range(1, 2000):
        (root / f"{number}").symlink_to(f"{number - 1}")
    # The maximum length of a link chain depends on the Python version.
    assert outcome(read, files, root / "1999") in ("text", INVALID_PARAMS)


def test_a_workspace_below_a_link_is_usable_by_both_paths(root: Path) -> None:
    link = root.parent / "link"
    link.symlink_to(root)
    (root / "notes.md").write_text("text")
    for files in (Files([root]), Files([link])):
        assert files.roots == (root.resolve(),)
        for path in (root, link):
            assert files.check(str(path / "notes.md")) == root.resolve() / "notes.md"
            assert read(files, path / "notes.md") == "text"
            write(files, path / "new.md", "text")


@pytest.mark.parametrize("name", ["..foo", "...", "..foo/bar", " ", "~", "$HOME", "a\\b", "a\nb"])
def test_names_that_only_look_special_are_names(files: Files, root: Path, name: str) -> None:
    write(files, root / name, "text")
    assert (root / name).read_text() == "text"
    assert read(files, root / name) == "text"


def test_folders_with_the_beginning_of_a_root_in_their_name_are_outside(
    files: Files, root: Path
) -> None:
    other = root.parent / f"{root.name}-secret"
    other.mkdir()
    (other / "notes.md").write_text(SECRET)
    for path in (other / "notes.md", f"{root}/../{other.name}/notes.md"):
        refusal(read, files, path)


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "/", "{root}/..", "{root}/../outside/notes.md", "{root}/../../x"]
)
def test_paths_outside_are_refused(files: Files, root: Path, path: str) -> None:
    for call in (files.check, lambda path: read(files, path)):
        error = refusal(call, path.format(root=root))
        assert (error.code, error.message) == (INVALID_PARAMS, OUTSIDE)


@pytest.mark.parametrize(
    "path", ["{root}/./notes.md", "{root}//notes.md", "/{root}/notes.md", "{root}/new/../notes.md"]
)
def test_paths_are_normalized(files: Files, root: Path, path: str) -> None:
    (root / "notes.md").write_text("text")
    assert read(files, path.format(root=root)) == "text"


@pytest.mark.parametrize("path", ["", "notes.md", "./notes.md", "../x", "~/notes.md", "file:///x"])
def test_relative_paths_are_refused(files: Files, path: str) -> None:
    with pytest.raises(RequestError) as caught:
        files.check(path)
    assert caught.value.message == "path is not absolute; use an absolute path"


@pytest.mark.parametrize("name", ["a\0b", "\0", "\ud800", "a\udc80", "\udfff\ud800"])
def test_names_that_no_file_can_have_are_refused(files: Files, root: Path, name: str) -> None:
    for call in (files.check, lambda path: read(files, path), lambda path: write(files, path, "")):
        error = refusal(call, f"{root}/{name}")
        assert error.code == INVALID_PARAMS
        assert error.message == "path contains U+0000 or a lone surrogate; use a valid path"
    assert everything(root) == {}


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_names_are_used_in_the_normal_form_they_are_sent_in(
    files: Files, root: Path, form: Any
) -> None:
    name = unicodedata.normalize(form, "\u00e9\u1e9b\u0323\ufb01\uac00.md")
    write(files, root / name / name, "text")
    assert read(files, root / name / name) == "text"
    assert name in os.listdir(root)


@pytest.mark.skipif(sys.platform == "darwin", reason="its file systems compare normal forms")
def test_a_root_in_another_normal_form_is_another_folder(root: Path) -> None:
    composed, decomposed = root / "\u00e9", root / "e\u0301"
    composed.mkdir()
    decomposed.mkdir()
    (decomposed / "notes.md").write_text(SECRET)
    refusal(read, Files([composed]), decomposed / "notes.md")


def test_the_longest_names_are_usable_and_longer_ones_refused(files: Files, root: Path) -> None:
    write(files, root / ("a" * 255), "text")
    assert read(files, root / ("a" * 255)) == "text"
    for name in ("a" * 256, f"new/{'a' * 256}", f"{'a' * 256}/new"):
        assert refusal(read, files, root / name).code in (INVALID_PARAMS, RESOURCE_NOT_FOUND)
        assert refusal(write, files, root / name, "text").code == INVALID_PARAMS
    assert os.listdir(root) == ["a" * 255]


def test_long_paths_are_refused_before_they_are_resolved(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = Files([root], limits=FileLimits(path=300))
    assert files.check(f"{root}/".ljust(300, "a")) == root / ("a" * (299 - len(str(root))))
    monkeypatch.setattr(os.path, "realpath", None)
    error = refusal(files.check, f"{root}{'/a' * 300}")
    assert error.message == "path has more than 300 characters; use a shorter path"


def test_deep_folders_take_few_descriptors(files: Files, root: Path) -> None:
    folder = root.joinpath(*["a"] * 200)
    folder.mkdir(parents=True)
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = max(map(int, os.listdir("/dev/fd"))) + 50
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, before[1]))
    try:
        write(files, folder / "b", "text")
        assert read(files, folder / "b") == "text"
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_a_write_creates_a_limited_number_of_folders(root: Path) -> None:
    files = Files([root], limits=FileLimits(new_folders=3))
    error = refusal(write, files, root / "1/2/3/4/notes.md", "")
    assert error.message == "path needs more than 3 new folders; use a shorter path"
    assert everything(root) == {}
    write(files, root / "1/2/3/notes.md", "")
    write(files, root / "1/2/3/4/5/6/notes.md", "")


def test_several_roots_are_allowed(root: Path, outside: Path) -> None:
    files = Files([root, outside])
    assert files.roots == (root.resolve(), outside.resolve())
    assert read(files, outside / "notes.md") == SECRET
    write(files, root / "notes.md", "text")
    refusal(files.check, str(root.parent))


def test_the_root_itself_is_a_working_folder_but_no_file(files: Files, root: Path) -> None:
    assert files.check(str(root)) == root.resolve()
    for call in (lambda: read(files, root), lambda: write(files, root, "text")):
        assert "folder" in refusal(call).message


def test_the_root_of_the_file_system_is_usable(root: Path) -> None:
    files = Files(["/"])
    write(files, root / "notes.md", "text")
    assert read(files, root / "notes.md") == "text"
    assert "folder" in refusal(read, files, "/").message


def test_wrong_roots_are_errors_of_the_program(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "file").write_text("")
    for single in (root, str(root)):
        with pytest.raises(TypeError, match="sequence"):
            Files(single)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^no roots; pass at least one folder$"):
        Files([])
    for wrong in (root / "file", root / "missing"):
        with pytest.raises(ValueError, match="not a folder"):
            Files([wrong])
    monkeypatch.chdir(tmp_path)
    assert Files([root.name]).roots == (root.resolve(),)


def test_a_root_that_is_replaced_by_a_link_is_not_followed(
    files: Files, root: Path, outside: Path
) -> None:
    real = files.check(str(root / "notes.md"))
    root.rmdir()
    root.symlink_to(outside)
    with pytest.raises(RequestError):
        files._read(real, threading.Event())
    with pytest.raises(RequestError):
        files._write(real, b"text", threading.Event())
    assert everything(outside) == {"notes.md": SECRET.encode()}


def test_a_root_inside_another_is_reached_from_the_outer_one(
    root: Path, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = root / "folder" / "inner"
    inner.mkdir(parents=True)
    (inner / "notes.md").write_text("text")
    (outside / "inner").mkdir()
    (outside / "inner" / "notes.md").write_text(SECRET)
    files = Files([inner, root])
    check = files.check

    def check_and_swap(path: str) -> Path:
        real = check(path)
        (root / "folder").rename(root / "moved")
        (root / "folder").symlink_to(outside)
        return real

    monkeypatch.setattr(files, "check", check_and_swap)
    refusal(read, files, inner / "notes.md")


# Races


CALLS = ("stat", "lstat", "readlink", "open", "mkdir", "replace", "fsync")


@contextmanager
def at_call(number: int, action: Callable[[], None]) -> Iterator[list[str]]:
    """Run an action before the system call with the given index (starting at 0)."""
    made: list[str] = []

    def wrapped(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **options: Any) -> Any:
            made.append(name)
            if len(made) - 1 == number:
                action()
            return call(*args, **options)

        return counted

    with pytest.MonkeyPatch.context() as patch:
        supported = set()
        for name in CALLS:
            call = getattr(os, name)
            patch.setattr(os, name, wrapped(name, call))
            if call in os.supports_dir_fd:
                supported.add(getattr(os, name))
        patch.setattr(os, "supports_dir_fd", os.supports_dir_fd | supported)
        yield made


def swap_file(root: Path, outside: Path) -> None:
    (root / "folder" / "notes.md").unlink(missing_ok=True)
    (root / "folder" / "notes.md").symlink_to(outside / "notes.md")


def swap_file_for_dangling(root: Path, outside: Path) -> None:
    (root / "folder" / "notes.md").unlink(missing_ok=True)
    (root / "folder" / "notes.md").symlink_to(outside / "created.md")


def swap_folder(root: Path, outside: Path) -> None:
    (root / "folder").rename(root / "moved")
    (root / "folder").symlink_to(outside)


def swap_file_for_fifo(root: Path, outside: Path) -> None:
    (root / "folder" / "notes.md").unlink(missing_ok=True)
    os.mkfifo(root / "folder" / "notes.md")


def swap_file_for_hard_link(root: Path, outside: Path) -> None:
    (root / "folder" / "notes.md").unlink(missing_ok=True)
    os.link(outside / "notes.md", root / "folder" / "notes.md")


each_swap = pytest.mark.parametrize(
    "swap",
    [swap_file, swap_file_for_dangling, swap_folder, swap_file_for_fifo, swap_file_for_hard_link],
)


@contextmanager
def a_tree() -> Iterator[tuple[Path, Path]]:
    with tempfile.TemporaryDirectory() as folder:
        root, outside = Path(folder, "workspace"), Path(folder, "outside")
        (root / "folder").mkdir(parents=True)
        (root / "folder" / "notes.md").write_text("old")
        outside.mkdir()
        (outside / "notes.md").write_text(SECRET)
        yield root, outside


def undisturbed_calls(operation: Callable[..., Any], name: str, *arguments: Any) -> int:
    """Return the number of system calls that an operation makes if nothing is swapped."""
    with a_tree() as (root, _):
        files = Files([root])
        with at_call(-1, lambda: None) as made:
            operation(files, root / "folder" / name, *arguments)
    assert len(made) > 5
    return len(made)


@each_swap
def test_no_swap_at_any_call_lets_a_read_out(swap: Callable[[Path, Path], None]) -> None:
    for number in range(undisturbed_calls(read, "notes.md")):
        with a_tree() as (root, outside):
            files = Files([root])
            with at_call(number, lambda: swap(root, outside)):
                result = outcome(read, files, root / "folder" / "notes.md")
            assert result in ("old", INVALID_PARAMS, RESOURCE_NOT_FOUND)


@each_swap
@pytest.mark.parametrize("name", ["notes.md", "new.md", "new/new.md"])
def test_no_swap_at_any_call_lets_a_write_out(
    swap: Callable[[Path, Path], None], name: str
) -> None:
    for number in range(undisturbed_calls(write, name, "new")):
        with a_tree() as (root, outside):
            files = Files([root])
            with at_call(number, lambda: swap(root, outside)):
                outcome(write, files, root / "folder" / name, "new")
            assert everything(outside) == {"notes.md": SECRET.encode()}
            if module._HAS_FOLDER_DESCRIPTORS:  # otherwise, files in moved folders can't be removed
                assert list(root.rglob(".*.tmp")) == []


def test_a_link_swapped_while_a_dialog_is_open_is_noticed(
    files: Files, root: Path, outside: Path
) -> None:
    (root / "approved.md").write_text("old")
    (root / "other.md").write_text("old")
    (root / "link").symlink_to("approved.md")
    approved = files.check(str(root / "link"))
    for target in (root / "other.md", outside / "notes.md"):
        (root / "link").unlink()
        (root / "link").symlink_to(target)
        error = refusal(write, files, root / "link", "new", approved=approved)
        reason = "path no longer resolves to the approved location; ask for approval again"
        assert error.message == (OUTSIDE if target.is_relative_to(outside) else reason)
        assert target.read_text() in ("old", SECRET)
    (root / "link").unlink()
    (root / "link").symlink_to("approved.md")
    write(files, root / "link", "new", approved=approved)
    assert approved.read_text() == "new"


# Files that aren't regular


def test_fifos_are_refused_without_a_wait(files: Files, root: Path) -> None:
    os.mkfifo(root / "fifo")
    assert refusal(read, files, root / "fifo").message == NOT_REGULAR
    assert refusal(write, files, root / "fifo", "text").message == NOT_REGULAR
    assert stat.S_ISFIFO(os.lstat(root / "fifo").st_mode)


def test_sockets_are_refused(files: Files, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)  # relative, because socket paths must be short
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("socket")
        assert refusal(read, files, root / "socket").message == NOT_REGULAR
        assert refusal(write, files, root / "socket", "text").message == NOT_REGULAR


@pytest.mark.parametrize("name", ["null", "zero", "tty"])
def test_devices_are_refused_without_opening_them(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, opened, open_ = Files(["/dev"]), [], os.open

    def noted(path: Any, *args: Any, **options: Any) -> int:
        opened.append(os.path.basename(path))
        return open_(path, *args, **options)

    monkeypatch.setattr(os, "open", noted)
    assert refusal(read, files, f"/dev/{name}").message == NOT_REGULAR
    assert refusal(write, files, f"/dev/{name}", "text").message == NOT_REGULAR
    assert name not in opened


def test_folders_are_refused(files: Files, root: Path) -> None:
    (root / "folder").mkdir()
    assert "folder" in refusal(read, files, root / "folder").message
    assert "folder" in refusal(write, files, root / "folder", "text").message
    assert os.listdir(root) == ["folder"]


@pytest.mark.parametrize("path", ["notes.md/below", "notes.md/below/that"])
def test_paths_through_a_file_are_refused(files: Files, root: Path, path: str) -> None:
    (root / "notes.md").write_text("old")
    message = (
        "path leads through a file that is not a folder, a loop of links, or a link created after"
        " the path was checked; use another path"
    )
    for error in (refusal(read, files, root / path), refusal(write, files, root / path, "text")):
        assert (error.code, error.message) == (INVALID_PARAMS, message)
    assert everything(root) == {"notes.md": b"old"}


def test_hard_links_are_refused_unless_allowed(root: Path, outside: Path) -> None:
    os.link(outside / "notes.md", root / "notes.md")
    files = Files([root])
    assert refusal(read, files, root / "notes.md").message == HARD_LINKS
    assert refusal(write, files, root / "notes.md", "text").message == HARD_LINKS
    files = Files([root], limits=FileLimits(names=2))
    assert read(files, root / "notes.md") == SECRET
    write(files, root / "notes.md", "text")
    assert (outside / "notes.md").read_text() == SECRET


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_files_without_a_size_are_read_up_to_the_limit() -> None:
    folder = f"/proc/{os.getpid()}"
    assert "Pid:" in read(Files([folder]), f"{folder}/status")
    small = Files([folder], limits=FileLimits(size=10))
    assert refusal(read, small, f"{folder}/status").message == TOO_LARGE


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_links_of_the_system_lead_where_they_say(root: Path) -> None:
    folder = f"/proc/{os.getpid()}"
    files = Files([folder])
    for path in ("root/etc/passwd", "cwd", "exe", "fd/0"):
        refusal(read, files, f"{folder}/{path}")


# Sizes


def test_large_files_are_refused_before_they_are_read(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = Files([root], limits=FileLimits(size=10))
    (root / "exact").write_text("a" * 10)
    (root / "large").write_text("a" * 11)
    assert read(files, root / "exact") == "a" * 10
    monkeypatch.setattr(os, "read", None)
    for options in ({}, {"line": 1, "limit": 1}):
        assert refusal(read, files, root / "large", **options).message == TOO_LARGE


def test_sizes_of_written_text_count_bytes(root: Path) -> None:
    files = Files([root], limits=FileLimits(size=10))
    write(files, root / "notes.md", "\u00e9" * 5)
    for text in ("\u00e9" * 6, "a" * 11):
        assert refusal(write, files, root / "folder" / "notes.md", text).message == TOO_LARGE
    assert everything(root) == {"notes.md": "\u00e9\u00e9\u00e9\u00e9\u00e9".encode()}


def test_default_sizes_allow_large_logs(files: Files, root: Path) -> None:
    text = "a line of a log\n" * 500_000
    (root / "log").write_text(text)
    assert read(files, root / "log") == text
    assert read(files, root / "log", line=499_999) == "a line of a log\n" * 2


# Missing files


@pytest.mark.parametrize("path", ["missing.md", "missing/folder/notes.md", "dangling"])
def test_a_missing_file_is_not_found(files: Files, root: Path, path: str) -> None:
    (root / "dangling").symlink_to("missing.md")
    before = everything(root)
    assert refusal(read, files, root / path).code == RESOURCE_NOT_FOUND
    assert everything(root) == before


@pytest.mark.parametrize("path", ["missing.md", "missing/folder/notes.md"])
def test_a_missing_file_is_empty_with_the_switch(root: Path, path: str) -> None:
    files = Files([root], missing_is_empty=True)
    assert read(files, root / path) == ""
    assert read(files, root / path, line=3, limit=4) == ""
    assert everything(root) == {}


def test_the_switch_for_missing_files_leaves_other_errors(root: Path) -> None:
    files = Files([root], missing_is_empty=True)
    (root / "notes.md").write_text("text")
    for path in (root, root / "notes.md" / "below", root.parent / "missing"):
        assert refusal(read, files, path).code == INVALID_PARAMS


# Lines


@pytest.mark.parametrize(
    ("line", "limit", "expected"),
    [
        (None, None, "1\n2\n3\n"),
        (1, None, "1\n2\n3\n"),
        (0, 1, "1\n"),
        (None, 2, "1\n2\n"),
        (2, None, "2\n3\n"),
        (2, 1, "2\n"),
        (3, 1, "3\n"),
        (3, 9, "3\n"),
        (4, None, ""),
        (4, 1, ""),
        (9, 9, ""),
        (1, 0, ""),
        (10**30, 10**30, ""),
        (1, 10**30, "1\n2\n3\n"),
    ],
)
def test_lines_count_from_one(
    files: Files, root: Path, line: int | None, limit: int | None, expected: str
) -> None:
    (root / "notes.md").write_text("1\n2\n3\n")
    assert read(files, root / "notes.md", line=line, limit=limit) == expected


@pytest.mark.parametrize("name", ["line", "limit"])
@pytest.mark.parametrize(
    "value", [-1, 1.5, 1.0, True, False, float("nan"), float("inf"), "1", -(10**30)]
)
def test_numbers_of_lines_that_are_not_whole_are_refused(
    files: Files, root: Path, name: str, value: Any
) -> None:
    (root / "notes.md").write_text("1\n2\n3\n")
    error = refusal(read, files, root / "notes.md", **{name: value})
    assert error.code == INVALID_PARAMS
    assert error.message.startswith(f"{name} is ")
    assert error.message.endswith("; use a non-negative integer")


def test_only_newlines_end_lines(files: Files, root: Path) -> None:
    first = "1\r2\x0b3\x0c4\x1c5\x855\u20286\u20297\r\n"
    (root / "notes.md").write_bytes(f"{first}last".encode())
    assert read(files, root / "notes.md", limit=1) == first
    assert read(files, root / "notes.md", line=2) == "last"


@given(text=st.text("a\n\r\u2028"), size=st.integers(1, 4))
def test_parts_add_up_to_the_text(text: str, size: int) -> None:
    parts = [module._lines_of(text, line, size) for line in range(1, len(text) + 2, size)]
    assert "".join(parts) == text
    *ended, last = text.split("\n")
    lines = [*(f"{each}\n" for each in ended), last]
    for line in range(1, len(lines) + 3):
        assert module._lines_of(text, line, None) == "".join(lines[line - 1 :])
        assert module._lines_of(text, line, size) == "".join(lines[line - 1 :][:size])


# Exact text


@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_is_read_as_it_was_written(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = Files([folder])
        write(files, f"{folder}/notes.md", text)
        assert Path(folder, "notes.md").read_bytes() == text.encode()
        assert read(files, f"{folder}/notes.md") == text


@pytest.mark.parametrize(
    "text", ["", "\n", "a", "a\r\nb\r\n", "\ufeffa\n", "a\rb", "a\x00b", "\U0001f600", "a\x1a"]
)
def test_nothing_in_a_text_is_translated(files: Files, root: Path, text: str) -> None:
    (root / "old.md").write_bytes(text.encode())
    assert read(files, root / "old.md") == text
    write(files, root / "new.md", text)
    assert (root / "new.md").read_bytes() == text.encode()


@pytest.mark.parametrize(
    "content", [b"\xff", b"a\xc3", b"\xed\xa0\x80", "\u00e9".encode("latin-1")]
)
def test_files_that_are_not_utf8_are_refused_and_kept(
    files: Files, root: Path, content: bytes
) -> None:
    (root / "notes.md").write_bytes(content)
    error = refusal(read, files, root / "notes.md", limit=0)
    assert error.message == "file is not UTF-8 text; read it another way"
    assert (root / "notes.md").read_bytes() == content


@pytest.mark.parametrize("text", ["\ud83d", "a\udc00b"])
def test_text_with_half_a_pair_is_refused(files: Files, root: Path, text: str) -> None:
    (root / "notes.md").write_text("old")
    for path in ("notes.md", "folder/new.md"):
        error = refusal(write, files, root / path, text)
        assert error.message == "text contains a lone surrogate; send valid Unicode"
    assert everything(root) == {"notes.md": b"old"}


# Unsaved text


def test_unsaved_text_wins_over_the_disk(root: Path) -> None:
    buffers = {root.resolve() / "open.md": "1\n2\n3", root.resolve() / "new.md": "only here"}
    threads = []

    def unsaved(path: Path) -> str | None:
        threads.append(threading.current_thread())
        return buffers.get(path)

    files = Files([root], unsaved=unsaved)
    for name in ("open.md", "closed.md"):
        (root / name).write_text("on disk")
    (root / "link.md").symlink_to("open.md")
    assert read(files, root / "open.md") == "1\n2\n3"
    assert read(files, root / "link.md", line=2, limit=1) == "2\n"
    assert read(files, root / "new.md") == "only here"
    assert read(files, root / "closed.md") == "on disk"
    assert set(threads) == {threading.main_thread()}


def test_empty_unsaved_text_counts(root: Path) -> None:
    (root / "notes.md").write_text("on disk")
    assert read(Files([root], unsaved=lambda path: ""), root / "notes.md") == ""


def test_unsaved_text_is_asked_for_only_below_the_root(root: Path, outside: Path) -> None:
    files = Files([root], unsaved=lambda path: "unsaved")
    (root / "link").symlink_to(outside / "notes.md")
    refusal(read, files, root / "link")
    refusal(read, files, outside / "notes.md")


# Writes


def test_missing_folders_are_created(files: Files, root: Path) -> None:
    write(files, root / "a" / "b" / "notes.md", "text")
    assert everything(root) == {"a": None, "a/b": None, "a/b/notes.md": b"text"}


def test_nothing_is_written_without_permission_to_write(root: Path) -> None:
    files = Files([root], write=False)
    (root / "notes.md").write_text("old")
    for name in ("notes.md", "folder/new.md"):
        error = refusal(write, files, root / name, "new")
        assert error.message == "files are read-only; do not write to them"
    assert everything(root) == {"notes.md": b"old"}
    assert read(files, root / "notes.md") == "old"


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o755, 0o666, 0o400 | 0o200 | 0o001])
def test_a_written_file_keeps_its_mode(files: Files, root: Path, mode: int) -> None:
    (root / "notes.md").write_text("old")
    (root / "notes.md").chmod(mode)
    write(files, root / "notes.md", "new")
    assert stat.S_IMODE((root / "notes.md").stat().st_mode) == mode


def test_a_new_file_has_the_mode_of_the_program(files: Files, root: Path) -> None:
    before = os.umask(0o027)
    try:
        write(files, root / "folder" / "notes.md", "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((root / "folder").stat().st_mode) == 0o750
    assert stat.S_IMODE((root / "folder" / "notes.md").stat().st_mode) == 0o640


def test_private_text_is_never_readable_for_others(
    files: Files, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "notes.md").write_text("old")
    (root / "notes.md").chmod(0o600)
    modes, write_ = [], os.write

    def noted(descriptor: int, content: Any) -> int:
        modes.append(stat.S_IMODE(os.fstat(descriptor).st_mode))
        return write_(descriptor, content)

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", noted)
        files._write(files.check(str(root / "notes.md")), b"new", threading.Event())
    assert modes == [0o600]


@pytest.mark.skipif(not IS_ROOT, reason="only the superuser can give files away")
def test_a_written_file_keeps_its_owner(files: Files, root: Path) -> None:
    (root / "notes.md").write_text("old")
    os.chown(root / "notes.md", 12345, 23456)
    write(files, root / "notes.md", "new")
    status = (root / "notes.md").stat()
    assert (status.st_uid, status.st_gid) == (12345, 23456)


@contextmanager
def as_a_user() -> Iterator[Path]:
    """Yield a folder.

    Within the context, this process has only an ordinary user's permissions, even if it was started
    as root.
    """
    with tempfile.TemporaryDirectory() as folder:
        if not IS_ROOT:
            yield Path(folder)
            return
        os.chown(folder, 65534, 65534)
        os.setegid(65534)
        os.seteuid(65534)
        try:
            yield Path(folder)
        finally:
            os.seteuid(0)
            os.setegid(0)


def test_read_only_files_are_not_replaced() -> None:
    with as_a_user() as root:
        (root / "notes.md").write_text("old")
        (root / "notes.md").chmod(0o444)
        error = refusal(write, Files([root]), root / "notes.md", "new")
        assert error.code == INTERNAL_ERROR
        assert error.message == "cannot write the file: permission denied"
        assert everything(root) == {"notes.md": b"old"}


def test_unreadable_files_and_folders_are_errors_with_the_reason() -> None:
    with as_a_user() as root:
        (root / "folder").mkdir()
        for name in ("notes.md", "folder/notes.md"):
            (root / name).write_text("old")
        (root / "notes.md").chmod(0)
        (root / "folder").chmod(0)
        for name in ("notes.md", "folder/notes.md"):
            error = refusal(read, Files([root]), root / name)
            assert error.code == INTERNAL_ERROR
            assert error.message == "cannot read the file: permission denied"
        (root / "folder").chmod(0o700)


def test_folders_that_cannot_be_listed_are_passed() -> None:
    with as_a_user() as root:
        (root / "folder").mkdir()
        (root / "folder" / "notes.md").write_text("text")
        (root / "folder").chmod(0o300)
        try:
            assert read(Files([root]), root / "folder" / "notes.md") == "text"
            write(Files([root]), root / "folder" / "notes.md", "new")
        finally:
            (root / "folder").chmod(0o700)


@pytest.mark.parametrize("name", ["write", "fchmod", "fsync", "replace"])
@pytest.mark.parametrize("path", ["notes.md", "new/folder/notes.md"])
def test_a_failed_write_leaves_everything_as_it_was(
    files: Files, root: Path, monkeypatch: pytest.MonkeyPatch, name: str, path: str
) -> None:
    (root / "notes.md").write_text("old")
    if name == "fchmod" and path != "notes.md":
        return  # only an existing file has a mode to keep

    def fail(*args: Any, **options: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", f"{root}/secret")

    with monkeypatch.context() as patch:
        patch.setattr(os, name, fail)
        with pytest.raises(RequestError) as caught:
            files._write(files.check(str(root / path)), b"new", threading.Event())
    assert caught.value.code == INTERNAL_ERROR
    assert caught.value.message == "cannot write the file: no space left on device"
    assert everything(root) == {"notes.md": b"old"}


def test_partial_writes_of_the_system_are_continued(
    files: Files, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_ = os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda descriptor, content: write_(descriptor, content[:3]))
        files._write(files.check(str(root / "notes.md")), b"0123456789", threading.Event())
    assert (root / "notes.md").read_bytes() == b"0123456789"


def test_text_is_on_the_disk_before_it_replaces_a_file(
    files: Files, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "notes.md").write_text("old")
    synced, fsync = [], os.fsync

    def noted(descriptor: int) -> None:
        size = os.fstat(descriptor).st_size
        synced.append((size, (root / "notes.md").read_text()))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    write(files, root / "notes.md", "newer")
    assert synced == [(5, "old")]
    assert (root / "notes.md").read_text() == "newer"


def test_a_write_at_the_same_time_as_reads_shows_one_text(files: Files, root: Path) -> None:
    texts = [letter * 300_000 for letter in "abcd"]
    (root / "notes.md").write_text(texts[0])

    async def together() -> list[str]:
        path = str(root / "notes.md")
        writes = [files.write_text(path, text) for text in texts]
        reads = [files.read_text(path) for _ in range(8)]
        *seen, _, _, _, _ = await asyncio.gather(*reads, *writes)
        return [text for text in seen if text is not None]

    assert set(run(together())) <= set(texts)
    assert os.listdir(root) == ["notes.md"]


# Cancellation


@contextmanager
def held(name: str) -> Iterator[tuple[threading.Event, threading.Event]]:
    """Block a system call. Yield two events: the call sets the first and waits for the second."""
    entered, gate, call = threading.Event(), threading.Event(), getattr(os, name)

    def hold(*args: Any, **options: Any) -> Any:
        entered.set()
        assert gate.wait(60)
        return call(*args, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, name, hold)
        yield entered, gate


async def until_set(event: threading.Event) -> None:
    while not event.is_set():
        await asyncio.sleep(0.001)


async def steps() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


@pytest.mark.parametrize("path", ["notes.md", "new/folder/notes.md"])
def test_a_cancelled_write_ends_before_its_cancellation_does(
    files: Files, root: Path, path: str
) -> None:
    (root / "notes.md").write_text("old")

    async def cancelled() -> None:
        with held("fsync") as (entered, gate):
            task = asyncio.create_task(files.write_text(str(root / path), "new"))
            await until_set(entered)
            task.cancel()
            await steps()
            assert not task.done()
            gate.set()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert everything(root) == {"notes.md": b"old"}

    run(cancelled())


def test_a_write_cancelled_after_its_last_step_is_complete(files: Files, root: Path) -> None:
    (root / "notes.md").write_text("old")

    async def cancelled() -> None:
        with held("replace") as (entered, gate):
            task = asyncio.create_task(files.write_text(str(root / "notes.md"), "new"))
            await until_set(entered)
            task.cancel()
            await steps()
            gate.set()
            with pytest.raises(asyncio.CancelledError):
                await task
        assert everything(root) == {"notes.md": b"new"}

    run(cancelled())


@pytest.mark.parametrize("times", [1, 2])
def test_a_disk_that_does_not_respond_does_not_hold_a_cancellation(
    root: Path, times: int, caplog: pytest.LogCaptureFixture
) -> None:
    # After one cancellation, the call waits up to a time limit. After two cancellations, it stops
    # waiting immediately.
    files = Files([root], limits=FileLimits(cancelling=0.0 if times == 1 else 1e6))
    (root / "notes.md").write_text("old")

    async def cancelled() -> None:
        with held("fsync") as (entered, gate):
            task = asyncio.create_task(files.write_text(str(root / "new" / "notes.md"), "new"))
            await until_set(entered)
            for _ in range(times):
                task.cancel()
                await steps()
            with pytest.raises(asyncio.CancelledError):
                await task
            gate.set()

    run(cancelled())  # `run` waits for the thread
    assert everything(root) == {"notes.md": b"old"}
    assert caplog.records == []


def test_a_cancelled_read_ends(files: Files, root: Path) -> None:
    (root / "notes.md").write_text("old")

    async def cancelled() -> None:
        with held("read") as (entered, gate):
            task = asyncio.create_task(files.read_text(str(root / "notes.md")))
            await until_set(entered)
            task.cancel()
            await steps()
            gate.set()
            with pytest.raises(asyncio.CancelledError):
                await task

    run(cancelled())


def test_other_tasks_run_while_the_disk_is_slow(files: Files, root: Path) -> None:
    async def together() -> None:
        with held("fsync") as (entered, gate):
            task = asyncio.create_task(files.write_text(str(root / "notes.md"), "new"))
            await until_set(entered)
            gate.set()
            await task

    run(together())
    assert (root / "notes.md").read_text() == "new"


# Windows, as text


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("C:\\project\\notes.md", True),
        ("d:/project/notes.md", True),
        ("\\\\host\\share\\notes.md", False),
        ("\\\\SERVER\\Project\\notes.md", True),
        ("//server/project/notes.md", True),
        ("\\\\?\\C:\\project\\notes.md", False),
        ("\\\\.\\pipe\\name", False),
        ("C:\\project\\notes.md:stream", False),
        ("C:\\project\\notes.md::$DATA", False),
        ("C:\\project:x\\notes.md", False),
        ("\\project\\notes.md", False),
        ("project\\notes.md", False),
    ],
)
def test_windows_paths_to_other_hosts_and_streams_are_refused(path: str, expected: bool) -> None:
    roots = ["C:\\project", "\\\\server\\project\\inner"]
    assert module._is_plain_windows_path(path, roots) is expected


# Random trees


NAMES = ["a", "b", "..a"]
PARTS = st.lists(st.sampled_from([*NAMES, "..", ".", "workspace", "outside"]), max_size=5)
# Each entry is a file, a folder, or a link with a relative or absolute target.
ENTRIES = st.lists(
    st.tuples(
        st.sampled_from(["workspace", "outside"]),
        st.lists(st.sampled_from(NAMES), min_size=1, max_size=3),
        st.sampled_from(["file", "folder", "relative", "absolute"]),
        PARTS,
    ),
    max_size=12,
)


def plant(top: Path, entries: list[tuple[str, list[str], str, list[str]]]) -> None:
    """Create a file tree, skipping entries that conflict with earlier ones."""
    for folder in ("workspace", "outside"):
        (top / folder).mkdir()
    for where, names, kind, target in entries:
        path = top.joinpath(where, *names)
        with suppress(OSError):
            # Create entries only in plain folders, never through a link.
            if os.path.realpath(path.parent) == str(path.parent):
                path.parent.mkdir(parents=True, exist_ok=True)
                if kind == "file":
                    with path.open("x") as file:
                        file.write(f"{where} {'/'.join(names)}")
                elif kind == "folder":
                    path.mkdir()
                else:
                    start = f"{top}/" if kind == "absolute" else ""
                    path.symlink_to(start + "/".join(target) or ".")


def opened_by_the_system(path: str) -> Path | None:
    """Return the real path of the regular file that the operating system opens for a path."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return None
    try:
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            return Path(os.readlink(f"/proc/self/fd/{descriptor}"))
        return None
    finally:
        os.close(descriptor)


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
@given(entries=ENTRIES, parts=PARTS)
def test_random_trees_are_read_as_the_system_reads_them_inside_only(
    entries: list[tuple[str, list[str], str, list[str]]], parts: list[str]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder).resolve()
        plant(top, entries)
        root = top / "workspace"
        path = f"{root}/{'/'.join(parts)}"
        found = opened_by_the_system(path)
        try:
            text = read(Files([root]), path)
        except RequestError:
            assert found is None or not found.is_relative_to(root)
        else:
            # The text must come from a file in the root, even if the system can't open the path, as
            # with `missing/..`.
            assert text.startswith("workspace ")
            assert found is None or text == found.read_text()


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
@given(entries=ENTRIES, parts=PARTS)
def test_random_trees_are_written_inside_only(
    entries: list[tuple[str, list[str], str, list[str]]], parts: list[str]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder).resolve()
        plant(top, entries)
        root = top / "workspace"
        path = f"{root}/{'/'.join(parts)}"
        outside, inside = everything(top / "outside"), everything(root)
        found = opened_by_the_system(path)
        try:
            write(Files([root]), path, "new")
        except RequestError:
            assert found is None or not found.is_relative_to(root)
            assert everything(root) == inside
        else:
            assert read(Files([root]), path) == "new"
            changed = {name for name, content in everything(root).items() if content == b"new"}
            assert len(changed) == 1
            assert found is None or changed == {str(found.relative_to(root))}
            links = {name: at for name, at in inside.items() if isinstance(at, str)}
            assert links.items() <= everything(root).items()
        assert everything(top / "outside") == outside
        assert sorted(os.listdir(top)) == ["outside", "workspace"]
