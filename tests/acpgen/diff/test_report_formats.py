"""Tests of the output formats of `acpgen diff`."""

from __future__ import annotations

import itertools
import json
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from acpgen.cli.output import terminal
from markdown_it import MarkdownIt
from markdown_it.token import Token

from tests.acpgen.diff import hostile
from tests.acpgen.diff.projects import (
    hostile_pair,
    project,
    run,
    run_in_project,
    two,
)
from tests.acpgen.diff.small import INTEGER, STRING, envelopes, method, record, save


@pytest.fixture
def in_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project folder that is also the working directory."""
    monkeypatch.chdir(tmp_path)
    return project(tmp_path)


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
            "subject": "field",
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
    assert result.stdout == (
        "v2\tname\twhat\tbefore\tafter\twire\tPython\n"
        "v2\tThing.x\tfield added\t\trequired string\tbreaking\tbreaking\n"
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
    """Constants with control characters must not affect the terminal."""
    old = save(tmp_path / "old.json", {"Manner": {"enum": ["a"]}})
    new = save(tmp_path / "new.json", {"Manner": {"enum": ["a", "\x1b[2J\x1b]0;title\x07\r\x08"]}})
    result = run(str(old), str(new), "--surface", "v2")
    assert result.exit_code == 1
    assert not {"\x1b", "\x07", "\x08", "\r"} & set(result.stdout)


def cells(tokens: list[Token]) -> list[list[str]]:
    """Return the rows of all tables, and check that cells contain only text and code."""
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
    assert rows[0] == ["", "wire", "Python", "change", "before", "after"]
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
    # Only line breaks and backticks, which are invalid in code spans, are replaced.
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
    """A parser that collects the elements, attributes and text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []  # the names of all elements
        self.attributes: list[tuple[str, str | None]] = []  # the names and values of all attributes
        self.texts: list[str] = []  # pieces of text, except in scripts and styles
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


@pytest.mark.usefixtures("in_project")
def test_workflow_commands_cannot_be_broken_by_text() -> None:
    assert run_in_project("--format", "github").stdout.splitlines() == [
        "::error title=v2%3A Innermost.text,file=src/code.py,line=3::Innermost.text: type changed:"
        " string → integer (breaking on the wire and in Python)",
        "::notice title=v2%3A Other.text,file=src/code.py,line=2::Other.text: type changed: string"
        " → integer (breaking on the wire and in Python); until 9999-12-31: it is%0A: unread, 100"
        " %25",
    ]


@pytest.mark.usefixtures("in_project")
def test_a_report_of_code_quality_has_what_gitlab_reads() -> None:
    fails, excepted = json.loads(run_in_project("--format", "gitlab").stdout)
    assert fails["severity"] == "critical"
    assert fails["location"] == {"path": "src/code.py", "lines": {"begin": 3}}
    assert excepted["severity"] == "info"
    assert fails["fingerprint"] != excepted["fingerprint"]
    assert {"description", "check_name"} <= fails.keys()


@pytest.mark.usefixtures("in_project")
def test_junit_has_a_case_for_each_change() -> None:
    suite = ElementTree.fromstring(run_in_project("--format", "junit").stdout)[0]
    assert [suite.get(key) for key in ("tests", "failures", "skipped")] == ["5", "1", "1"]
    found = {case.get("name"): [child.tag for child in case] for case in suite}
    assert found["Innermost.text: type changed"] == ["failure"]
    [failure] = suite.iter("failure")
    place = "schema: /$defs/Innermost/properties/text\nused in src/code.py:3\n"
    assert failure.text == place
    assert found["Other.text: type changed"] == ["skipped"]
    assert found["Outer.more: field added"] == []


@pytest.mark.usefixtures("in_project")
@pytest.mark.parametrize("width", [30, 60])
def test_a_terminal_shows_numbers_and_what_breaks(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal, "FOLDS", True)
    monkeypatch.setattr(terminal.out, "_width", width)
    with terminal.out.capture() as captured:
        run_in_project()
    lines = captured.get().splitlines()
    assert max(map(len, lines)) <= width
    shown = " ".join(" ".join(lines).split())
    assert shown == (
        "old.json → new.json: 5 changes on the wire in Python "
        "breaking 2 3 unknown 0 0 compatible 1 2 internal 2 0 "
        "v2: breaking changes by definition "
        "Inner definition renamed: Inner → Innermost (breaks Python) "
        "Innermost text type changed: string → integer (breaks wire and Python) "
        "Other text type changed: string → integer (breaks wire and Python) "
        "to see every change, use `--format markdown` or a pipe "
        r"excepted: Other.text: type changed: until 9999-12-31: it is\n: unread, 100 % "
        "policy: 1 fail, 1 excepted, 3 pass, 1 not used"
    )


@pytest.fixture
def pair(tmp_path: Path) -> tuple[str, str]:
    """Two schemas with a removed definition, changed types and an unsupported keyword."""
    old = {"Gone": record(a=STRING), "Thing": record(a=STRING, b=STRING, c=STRING)}
    bounded = {**STRING, "maxLength": 3}
    new = {"Thing": record(a=INTEGER, b=bounded, c=INTEGER)}
    return str(save(tmp_path / "old.json", old)), str(save(tmp_path / "new.json", new))


def test_a_terminal_groups_the_changes_of_a_definition(
    pair: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal, "FOLDS", True)
    monkeypatch.setattr(terminal.out, "_width", 200)
    with terminal.out.capture() as captured:
        run(*pair, "--surface", "v2")
    _, listed = captured.get().split("v2: breaking changes by definition\n")
    assert listed.splitlines() == [
        "/$defs/Thing/properties/b/maxLength part added: 3 (unchecked by this package; other peers"
        " might check it)",
        "Gone definition removed: object (breaks Python)",
        "Thing",
        "  a type changed: string → integer (breaks wire and Python)",
        "  c type changed: string → integer (breaks wire and Python)",
        "",
        "to see every change, use `--format markdown` or a pipe",
    ]


def test_workflow_commands_tell_effects_apart(pair: tuple[str, str]) -> None:
    lines = run(*pair, "--surface", "v2", "--format", "github").stdout.splitlines()
    assert [line.partition("::")[2].partition("::")[2] for line in lines] == [
        "/$defs/Thing/properties/b/maxLength: part added: 3 (unknown on the wire, internal in"
        " Python)",
        "Gone: definition removed: object (internal on the wire, breaking in Python)",
        "Thing.a: type changed: string → integer (breaking on the wire and in Python)",
        "Thing.c: type changed: string → integer (breaking on the wire and in Python)",
    ]
