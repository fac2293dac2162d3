"""`acpgen diff`: its arguments, its output, its exit codes."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from acpgen.cli.app import app
from acpgen.cli.output import terminal
from acpgen.common.paths import ROOT, SCHEMA
from markdown_it import MarkdownIt
from markdown_it.token import Token
from typer.testing import CliRunner, Result

from tests.acpgen.diff import hostile
from tests.acpgen.diff.npm import PACKAGE, require_npm, revision
from tests.acpgen.diff.small import STRING, envelopes, method, record, save
from tests.support.paths import GOLDEN


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["diff", *arguments])


def two(folder: Path, *, breaking: bool) -> tuple[str, str]:
    """Two schema files; the second one adds a member, which is required if `breaking`."""
    old = save(folder / "old.json", {"Thing": record("a", a=STRING)})
    needed = ("a", "x") if breaking else ("a",)
    new = save(folder / "new.json", {"Thing": record(*needed, a=STRING, x=STRING)})
    return str(old), str(new)


def hostile_pair(folder: Path) -> tuple[str, str]:
    old, new = hostile.schemas()
    return str(save(folder / "old.json", old)), str(save(folder / "new.json", new))


# --- exit codes ------------------------------------------------------------------------------


FORMATS: list[tuple[str, ...]] = [
    (),
    ("--json",),
    ("--format", "markdown"),
    ("--format", "html"),
    ("--format", "junit"),
]
each_format = pytest.mark.parametrize("options", FORMATS, ids=lambda options: "".join(options))


@each_format
def test_exit_codes(options: tuple[str, ...], tmp_path: Path) -> None:
    """0 without changes, 1 with harmless ones, 3 with those that break something."""
    old, broken = two(tmp_path / "broken", breaking=True)
    _, new = two(tmp_path / "new", breaking=False)
    for other, code in ((old, 0), (new, 1), (broken, 3)):
        result = run(old, other, "--surface", "v2", *options)
        assert (result.exit_code, result.stderr) == (code, "")
        assert ("Thing.x" in result.stdout) == (code != 0)
        assert result.stdout


def test_no_shape_differs_from_itself() -> None:
    """Compare the schema that holds each kind of shape with itself."""
    schema = str(GOLDEN / "schema.json")
    result = run(schema, schema, "--surface", "v2", "--json")
    assert (result.exit_code, json.loads(result.stdout)["changes"]) == (0, [])


def test_a_change_that_breaks_code_only_exits_with_3(tmp_path: Path) -> None:
    old, new = two(tmp_path, breaking=False)
    result = run(new, old, "--surface", "v2", "--json")
    [change] = json.loads(result.stdout)["changes"]
    assert (change["wire"], change["python"]) == ("compatible", "breaking")
    assert result.exit_code == 3


@pytest.mark.parametrize("source", ["no-such-thing", "no/such/folder", "v3", "HEAD~1000000", "--x"])
def test_an_unknown_source_exits_with_2(source: str, tmp_path: Path) -> None:
    old, _ = two(tmp_path, breaking=True)
    for pair in ((source, old), (old, source)):
        result = run("--surface", "v2", "--", *pair)
        assert result.exit_code == 2
        assert result.stdout == ""
        assert result.stderr.startswith("error[missing-file]: ")
        assert len(result.stderr.splitlines()) == 1


def test_problems_are_errors(tmp_path: Path) -> None:
    old, new = two(tmp_path, breaking=True)
    result = run(old, "no-such-thing", "--surface", "v2", "--json")
    assert result.exit_code == 2
    [problem] = json.loads(result.stdout)["problems"]
    assert (problem["file"], problem["code"]) == ("no-such-thing", "missing-file")
    result = run(old, new)
    assert result.exit_code == 2
    assert "is one file; name the --surface that it describes" in result.stderr
    Path(new).write_text("{", encoding="utf-8")
    result = run(old, new, "--surface", "v2")
    assert result.exit_code == 2
    assert result.stderr.startswith("error[invalid-json]: ")


@pytest.mark.parametrize("arguments", [(), ("v1",), ("v1", "v2", "v1"), ("v1", "v2", "--surface")])
def test_wrong_usage_exits_with_2(arguments: tuple[str, ...]) -> None:
    assert run(*arguments).exit_code == 2


def test_problems_of_a_git_revision_name_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def check_out(revision: str, folder: Path) -> str:
        save(folder / "v2" / "schema.json", {"Thing": {"type": "strnig"}})
        return "abc"

    monkeypatch.setattr("acpgen.inputs.sources.fetch.check_out", check_out)
    result = run("then", "v2")
    assert result.exit_code == 2
    assert result.stderr.startswith("error[invalid-schema]: then/v2/schema.json#/$defs/Thing/")


def test_two_surfaces_and_a_third_exit_with_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("v1", "v2", "--surface", "v2")
    assert result.exit_code == 2
    assert result.stderr.startswith("error[usage]: --surface: ")


def test_output_that_is_no_terminal_is_not_wrapped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other programs find whole names in it."""
    monkeypatch.chdir(tmp_path)
    command = [sys.executable, "-m", "acpgen", "diff", "v1", "v2"]
    environment = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 3
    assert [line for line in done.stdout.splitlines() if "\tauth/logout\t" in line]
    assert [line for line in done.stdout.splitlines() if "\tSetSessionConfigOptionRequest" in line]


def test_two_formats_at_once_exit_with_2() -> None:
    result = run("v2", "v2", "--format", "html", "--json")
    assert result.exit_code == 2
    words = (result.stdout + result.stderr).replace("│", " ").split()
    assert "choose one of them" in " ".join(words)


# --- sources ---------------------------------------------------------------------------------


def test_folder_and_file() -> None:
    """The vendored folder against one of its files, for their common surface."""
    result = run(str(SCHEMA), str(SCHEMA / "v2" / "schema.json"), "--surface", "v2", "--json")
    assert result.exit_code == 0
    report = json.loads(result.stdout)
    assert report["old"] == str(SCHEMA)
    assert report["changes"] == []


def test_a_surface_name_chooses_the_surface_of_the_other_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for other in (str(SCHEMA), str(SCHEMA / "v2" / "schema.json")):
        for sides in (("v2", other), (other, "v2")):
            result = run(*sides, "--json")
            assert (result.exit_code, json.loads(result.stdout)["changes"]) == (0, [])
    assert run("v2", str(SCHEMA / "v2" / "schema.json"), "--surface", "v2").exit_code == 0


def test_a_path_goes_before_a_surface_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder `v1` in the working directory takes precedence."""
    monkeypatch.chdir(tmp_path)
    save(tmp_path / "v1" / "v1" / "schema.json", {"Thing": STRING})
    result = run("v1", "v1", "--json")
    assert result.exit_code == 0
    result = run("v1", str(SCHEMA), "--surface", "v1", "--json")
    assert ("Thing", "removed") in [
        (change["name"], change["action"]) for change in json.loads(result.stdout)["changes"]
    ]


def test_a_git_revision_is_one_of_this_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From any working directory."""
    command = ["git", "-C", str(ROOT), "show", "HEAD:schema/v2/schema.json"]
    try:
        shown = subprocess.run(command, capture_output=True, check=False)
    except OSError:
        pytest.skip("git is not installed")
    if shown.returncode != 0:
        pytest.skip("the checkout has no history")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "head.json").write_bytes(shown.stdout)
    assert run("HEAD", "HEAD").exit_code == 0
    assert run("HEAD", "head.json", "--surface", "v2").exit_code == 0
    result = run("HEAD", "head.json", "--surface", "v1")
    assert result.exit_code == 3


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("HEAD", "is neither a path nor a git revision of this project"),
        (f"{PACKAGE}@2.3.0", "needs the npm command"),
    ],
)
def test_without_programs_it_says_so(
    source: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    result = run(source, "v2")
    assert result.exit_code == 2
    assert words in result.stderr


def test_npm_and_the_folder_it_holds() -> None:
    require_npm("2.3.0")
    folder = str(revision("2.3.0"))
    result = run(f"{PACKAGE}@2.3.0", folder, "--json")
    assert result.exit_code == 0, result.stderr
    report = json.loads(result.stdout)
    assert (report["old"], report["new"]) == (f"{PACKAGE}@2.3.0", folder)


def test_npm_and_the_vendored_schema() -> None:
    """The vendored schema is that of the version it states, without descriptions."""
    record = json.loads((SCHEMA / "sources.json").read_text(encoding="utf-8"))
    if any("patched_from" in entry for entry in record["files"].values()):
        pytest.skip("it is patched")
    [version] = {entry["version"] for entry in record["files"].values()}
    assert run(str(revision(version)), str(SCHEMA)).exit_code == 0


def test_a_surface_that_one_side_lacks(tmp_path: Path) -> None:
    save(tmp_path / "one" / "v1" / "schema.json", {"Thing": STRING})
    save(tmp_path / "other" / "v1" / "schema.json", {"Thing": STRING})
    save(tmp_path / "other" / "v2" / "schema.json", {"Thing": STRING})
    one, other = str(tmp_path / "one"), str(tmp_path / "other")
    result = run(one, other, "--json")
    assert result.exit_code == 1
    [change] = json.loads(result.stdout)["changes"]
    assert (change["subject"], change["name"], change["action"]) == ("surface", "v2", "added")
    assert run(other, one).exit_code == 3
    assert run(one, other, "--surface", "v1").exit_code == 0
    assert run(one, other, "--surface", "v2").exit_code == 2


# --- formats ---------------------------------------------------------------------------------


def test_json_has_every_field(tmp_path: Path) -> None:
    result = run(*two(tmp_path, breaking=True), "--surface", "v2", "--json")
    report = json.loads(result.stdout)
    assert list(report) == ["old", "new", "counts", "unused", "changes", "notes"]
    assert report["counts"] == {
        "breaking": {"wire": 1, "python": 1},
        "unknown": {"wire": 0, "python": 0},
        "compatible": {"wire": 0, "python": 0},
        "internal": {"wire": 0, "python": 0},
    }
    assert report["changes"] == [
        {
            "surface": "v2",
            "subject": "member",
            "name": "Thing.x",
            "action": "added",
            "before": None,
            "after": "required string",
            "reads": False,
            "writes": True,
            "wire": "breaking",
            "python": "breaking",
            "pointer": "/$defs/Thing/properties/x",
            "outcome": "fails",
            "reason": "",
            "used_in": None,
        }
    ]


def test_the_table_has_what_the_json_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal.out, "width", 400)
    result = run(*two(tmp_path, breaking=True), "--surface", "v2")
    words = result.stdout.split()
    for word in ("v2", "Thing.x", "member", "added", "required", "breaking"):
        assert word in words
    assert result.stdout.endswith(
        "breaking: 1 on the wire, 1 in Python\n"
        "unknown: 0 on the wire, 0 in Python\n"
        "compatible: 0 on the wire, 0 in Python\n"
        "internal: 0 on the wire, 0 in Python\n"
    )


def test_the_table_takes_nothing_for_markup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal.out, "width", 400)
    result = run(*hostile_pair(tmp_path), "--surface", "v2")
    assert result.exit_code == 3
    for word in hostile.WORDS:
        assert word.split("\n")[0] in result.stdout


def test_the_table_escapes_control_characters(tmp_path: Path) -> None:
    """A constant must not move the cursor or colour the terminal."""
    old = save(tmp_path / "old.json", {"Manner": {"enum": ["a"]}})
    new = save(tmp_path / "new.json", {"Manner": {"enum": ["a", "\x1b[2J\x1b]0;title\x07\r\x08"]}})
    result = run(str(old), str(new), "--surface", "v2")
    assert result.exit_code == 1
    assert not {"\x1b", "\x07", "\x08", "\r"} & set(result.stdout)


def cells(tokens: list[Token]) -> list[list[str]]:
    """The rows of all tables, each cell as text; cells hold only plain text and code."""
    rows: list[list[str]] = []
    for token, inner in itertools.pairwise(tokens):
        if token.type == "tr_open":
            rows.append([])
        elif token.type in ("th_open", "td_open"):
            children = inner.children or []
            assert {child.type for child in children} <= {"text", "code_inline"}
            rows[-1].append("".join(child.content for child in children))
    return rows


def parsed(text: str) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(text)


def test_markdown_is_a_table_for_each_surface() -> None:
    result = run("v1", "v2", "--format", "markdown")
    found = json.loads(run("v1", "v2", "--json").stdout)
    tokens = parsed(result.stdout)
    rows = cells(tokens)
    assert rows[0] == ["", "wire", "Python", "what", "before", "after"]
    assert {len(row) for row in rows} == {6}
    assert sorted(row[:4] for row in rows[1:]) == sorted(
        [c["name"], c["wire"], c["python"], f"{c['subject']} {c['action']}"]
        for c in found["changes"]
    )
    # Breaking changes come first.
    broken = ["breaking" in row[1:3] for row in rows[1:]]
    assert broken == sorted(broken, reverse=True)


def test_markdown_takes_nothing_for_markup(tmp_path: Path) -> None:
    arguments = (*hostile_pair(tmp_path), "--surface", "v2")
    tokens = parsed(run(*arguments, "--format", "markdown").stdout)
    changes = json.loads(run(*arguments, "--json").stdout)["changes"]
    assert not {"html_block", "fence", "code_block", "blockquote_open"} & {t.type for t in tokens}
    assert sum(token.type == "heading_open" for token in tokens) == 2
    rows = cells(tokens)[1:]
    assert {len(row) for row in rows} == {6}
    assert len(rows) == len(changes)
    # Only characters that a code span cannot hold are replaced.
    expected = {" ".join(change["name"].split()).replace("`", "'") for change in changes}
    assert {row[0] for row in rows} == expected
    after = {" ".join((c["after"] or "").split()).replace("`", "'") for c in changes}
    assert {row[5] for row in rows} == after


def test_markdown_takes_nothing_of_the_command_line_for_markup(tmp_path: Path) -> None:
    folder = tmp_path / "<b>*x*|`y`"
    old, new = two(folder, breaking=False)
    tokens = parsed(run(old, new, "--surface", "v2", "--format", "markdown").stdout)
    heading = next(
        inner for token, inner in itertools.pairwise(tokens) if token.type == "heading_open"
    )
    assert {child.type for child in heading.children or []} <= {"text", "code_inline"}


class Page(HTMLParser):
    """The elements, attributes and texts of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []  # the names of its elements
        self.attributes: list[tuple[str, str | None]] = []  # all attributes, with their values
        self.texts: list[str] = []  # all texts outside scripts and styles
        self._is_raw = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        self._is_raw = tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self._is_raw:
            self.texts.append(data)

    def handle_endtag(self, tag: str) -> None:
        self._is_raw = False


def test_html_needs_no_other_file() -> None:
    text = run("v1", "v2", "--format", "html").stdout
    page = Page(text)
    names = {name for name, _ in page.attributes}
    assert not names & {"src", "href", "srcset", "action", "formaction", "data", "poster"}
    assert not {"link", "img", "iframe", "object", "embed", "base"} & set(page.tags)
    for word in ("http:", "https:", "@import", "url(", "fetch(", "XMLHttpRequest", "import("):
        assert word not in text
    assert page.tags.count("script") == page.tags.count("style") == 1


def test_html_escapes_what_is_in_a_schema(tmp_path: Path) -> None:
    arguments = (*hostile_pair(tmp_path), "--surface", "v2")
    text = run(*arguments, "--format", "html").stdout
    page = Page(text)
    harmless = Page(
        run(*two(tmp_path / "plain", breaking=True), "--surface", "v2", "--format", "html").stdout
    )
    assert set(page.tags) == set(harmless.tags)
    assert {name for name, _ in page.attributes} == {name for name, _ in harmless.attributes}
    changes = json.loads(run(*arguments, "--json").stdout)["changes"]
    texts = set(page.texts)
    for change in changes:
        assert change["name"] in texts
        assert (change["after"] or change["name"]) in texts


def test_html_escapes_what_is_on_the_command_line(tmp_path: Path) -> None:
    folder = tmp_path / '<script>"x"'
    result = run(*two(folder, breaking=False), "--surface", "v2", "--format", "html")
    assert Page(result.stdout).tags.count("script") == 1
    assert '<script>"x"' not in result.stdout


def test_methods_of_extensions_have_a_name(tmp_path: Path) -> None:
    old = save(tmp_path / "old.json", {"Tell": method("a/tell", t=STRING)})
    both = {"Tell": method("a/tell", t=STRING), "Ext": record(x=STRING)}
    new = save(tmp_path / "new.json", {**both, **envelopes({}, ("Tell", "Ext"))})
    result = run(str(old), str(new), "--surface", "v2", "--json")
    names = [c["name"] for c in json.loads(result.stdout)["changes"] if c["subject"] == "method"]
    assert names == ["a/tell", "extension notification"]
