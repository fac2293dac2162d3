"""Tests of `acpgen extend`: the files it writes, the files it never overwrites, and `check`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from acpgen.cli.app import app
from acpgen.commands.extension_package import Choices, extend
from typer.testing import CliRunner, Result

from tests.acpgen.extensions.packages import sample

SCHEMA = str(sample("acme"))


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(each) for each in arguments])


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "acme"
    assert run("extend", "generate", SCHEMA, "--surface", "v2", "--out", folder).exit_code == 0
    return folder


def test_it_writes_a_package_with_a_lock(out: Path) -> None:
    lock = json.loads((out / "acpgen.lock").read_text(encoding="utf-8"))
    assert lock["files"].keys() | {"acpgen.lock"} == {path.name for path in out.iterdir()}
    assert lock["bindings"] == "acp_bindings"
    assert lock["schemas"].keys() == {"extension", "v2"}
    assert str(out.parent) not in "".join(path.read_text("utf-8") for path in out.iterdir())


def test_surface_and_bindings_are_those_of_the_last_time(out: Path) -> None:
    assert run("extend", "generate", SCHEMA, "--out", out, "--bindings", "..acp").exit_code == 0
    again = run("extend", "generate", SCHEMA, "--out", out, "--json")
    assert json.loads(again.stdout)["written"] == []
    assert "from ..acp import v2" in (out / "types.py").read_text(encoding="utf-8")
    assert run("extend", "check", SCHEMA, "--out", out).exit_code == 0


def test_check_finds_what_is_stale(out: Path) -> None:
    fresh = run("extend", "check", SCHEMA, "--out", out, "--json")
    assert (fresh.exit_code, json.loads(fresh.stdout)["fresh"]) == (0, True)
    files = sum(path.is_file() for path in out.iterdir())
    shown = run("extend", "check", SCHEMA, "--out", out).stdout
    assert shown.endswith(f" is fresh: all {files} files match\n")
    with (out / "types.py").open("a", encoding="utf-8") as file:
        file.write("x = 1\n")
    (out / "meta.py").unlink()
    stale = run("extend", "check", SCHEMA, "--out", out, "--json")
    assert stale.exit_code == 1
    assert json.loads(stale.stdout)["stale"] == [
        {"path": "meta.py", "kind": "missing"},
        {"path": "types.py", "kind": "changed"},
    ]
    assert "run `acpgen extend generate`" in run("extend", "check", SCHEMA, "--out", out).stdout


def test_edited_files_are_kept(out: Path) -> None:
    (out / "types.py").write_text("mine\n", encoding="utf-8")
    refused = run("extend", "generate", SCHEMA, "--out", out)
    assert refused.exit_code == 2
    assert "was edited by hand" in refused.stderr
    assert (out / "types.py").read_text(encoding="utf-8") == "mine\n"
    assert run("extend", "generate", SCHEMA, "--out", out, "--force").exit_code == 0
    assert run("extend", "check", SCHEMA, "--out", out).exit_code == 0


def test_modules_that_are_not_needed_any_more_go(out: Path, tmp_path: Path) -> None:
    assert (out / "variants.py").exists()
    schema = json.loads(Path(SCHEMA).read_text(encoding="utf-8"))
    del schema["x-variants"], schema["x-names"]
    less = tmp_path / "less.json"
    less.write_text(json.dumps(schema), encoding="utf-8")
    stale = json.loads(run("extend", "check", less, "--out", out, "--json").stdout)["stale"]
    assert {"path": "variants.py", "kind": "extra"} in stale
    done = run("extend", "generate", less, "--out", out)
    assert done.exit_code == 0
    assert done.stdout.endswith(" files changed, 1 removed\n")
    assert not (out / "variants.py").exists()


def test_nothing_is_written_when_the_schema_is_bad(tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text('{"x-methods": {"no": {}}}', encoding="utf-8")
    done = run("extend", "generate", bad, "--surface", "v2", "--out", tmp_path / "own", "--json")
    assert done.exit_code == 2
    [problem] = json.loads(done.stdout)["problems"]
    assert (problem["code"], problem["pointer"]) == ("invalid-schema", "/x-methods/no")
    assert not (tmp_path / "own").exists()


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            ["extend", "generate", SCHEMA, "--out", "own"],
            "error[usage]: --surface: is required for a new package; pass a surface, such as"
            " --surface v2\n",
        ),
        (
            ["extend", "generate", SCHEMA, "--surface", "v2", "--out", "own", "--bindings", "a b"],
            "error[bad-name]: --bindings: 'a b' cannot be imported; pass a package name such as"
            " my.acp\n",
        ),
        (
            ["extend", "generate", SCHEMA, "--surface", "v2", "--out", "o-wn"],
            "error[bad-name]: o-wn:",
        ),
        (
            ["extend", "generate", "nothing.json", "--surface", "v2", "--out", "own"],
            "error[missing-file]: nothing.json:",
        ),
    ],
)
def test_usage(
    arguments: list[str], line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(*arguments)
    assert done.exit_code == 2
    assert done.stderr.startswith(line), done.stderr
    assert not list(tmp_path.iterdir())


def test_mistakes_of_all_kinds_are_listed_at_once(tmp_path: Path) -> None:
    """All mistakes are reported together, without the errors that result from them."""
    schema = {
        "$defs": {"X": {"type": "thing"}, "Y": {"properties": {"a": {"$ref": "#/$defs/Z"}}}},
        "x-methods": {
            "_a/b": {"params": {"$ref": "acp:Cost"}},
            "_handle": {"side": "agent", "params": {"$ref": "#/$defs/X"}},
        },
        "x-meta": {"Cost": {"a/x": {"type": "string"}, "b/x": {"type": "string"}}},
        "x-names": {"agent:_a/b": "named"},
    }
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps(schema), encoding="utf-8")
    options = ("--surface", "v2", "--out", tmp_path / "o-wn", "--bindings", "a b", "--json")
    done = run("extend", "generate", bad, *options)
    found = {(each["code"], each["pointer"]) for each in json.loads(done.stdout)["problems"]}
    assert found == {
        ("bad-name", ""),  # --out and --bindings
        ("invalid-schema", "/$defs/X/type"),
        ("unresolved-ref", "/$defs/Y/properties/a/$ref"),
        ("invalid-schema", "/x-methods/_a~1b"),
        ("bad-name", "/x-methods/_handle"),
        ("name-collision", "/x-meta/Cost"),
    }
    assert done.exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["extend", "generate"], "Missing argument 'SCHEMA'."),
        (["extend", "generate", SCHEMA], "Missing option '--out'."),
        (["extend", "check", SCHEMA], "Missing option '--out'."),
        (["extend", "check", SCHEMA, "--out", "own", "--force"], "No such option: --force"),
        (["extend", "form", "--out", "own"], "No such option: --out"),
        (
            ["inspect", "X", "--schema", "a", "--extension", "b"],
            "Invalid value for --schema, --extension: cannot be used together",
        ),
    ],
)
def test_arguments_that_do_not_fit(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(*arguments, "--json")
    assert done.exit_code == 2
    [problem] = json.loads(done.stdout)["problems"]
    assert (problem["code"], problem["message"][: len(message)]) == ("usage", message)
    assert not list(tmp_path.iterdir())


def test_each_step_is_told(tmp_path: Path) -> None:
    steps: list[tuple[str, int, int]] = []
    choices = Choices(SCHEMA, "v2", None, strict=False, allow_unprefixed=False)
    extend(tmp_path / "acme", choices, lambda *step: steps.append(step))
    assert steps == [
        ("built v2", 1, 3),
        ("built the extension", 2, 3),
        ("rendered the extension", 3, 3),
    ]


def test_form_and_protocol_are_printed() -> None:
    form, protocol = run("extend", "form"), run("extend", "protocol", "--surface", "v1")
    assert json.loads(form.stdout)["$id"] == "acp:extension"
    bundle = json.loads(protocol.stdout)
    assert bundle["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert bundle["$id"] == "acp:schema"
    assert bundle["$defs"]["ToolCall"]["$id"] == "acp:ToolCall"


def test_inspect_shows_definitions_of_an_extension() -> None:
    done = run("inspect", "SessionUpdate", "--extension", SCHEMA, "--json")
    found = json.loads(done.stdout)
    assert found["pointer"] == "/x-variants/SessionUpdate"
    assert [arm["type"] for arm in found["arms"]] == ["Mood", "Progress", "object"]
    assert found["python"] == "SessionUpdate: TypeAlias = Mood | Progress | v2.SessionUpdate"


def test_diff_compares_extensions(tmp_path: Path) -> None:
    schema = json.loads(Path(SCHEMA).read_text(encoding="utf-8"))
    assert run("diff", SCHEMA, SCHEMA, "--extension").exit_code == 0
    schema["$defs"]["Progress"]["properties"]["of"] = {"type": "string"}
    del schema["x-methods"]["_acme/forget"]
    new = tmp_path / "new.json"
    new.write_text(json.dumps(schema), encoding="utf-8")
    done = run("diff", SCHEMA, new, "--extension", "--json")
    assert done.exit_code == 3
    changes = {(each["name"], each["action"]) for each in json.loads(done.stdout)["changes"]}
    assert {("_acme/forget", "removed"), ("Progress.of", "added")} <= changes
