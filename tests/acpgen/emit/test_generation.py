"""Properties of generation itself: its output is reproducible, and no string becomes code."""

from __future__ import annotations

import ast
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import griffe
import pytest
from acpdocs.facts import docstrings
from acpgen.analysis.surface import build, understand
from acpgen.common.paths import PACKAGE, SCHEMA, TEMPLATES
from acpgen.common.problems import InputError
from acpgen.emit.package import render_package, render_surface
from acpgen.emit.python.quoting import WIDTH, docstring
from acpgen.inputs.overlay.decisions import Overlay
from acpgen.ir.model import Record
from acpgen.ir.queries import own_members
from acpgen.ir.surface import Surface
from acpgen.ir.wording import describe_member
from acpgen.schema.document import load_document, subschemas

from tests.acpgen.diff.small import Schema, envelopes, listed, method, save, tagged
from tests.support.paths import GOLDEN, SURFACES

GOLDEN_SCHEMA = GOLDEN / "schema.json"


def render(schema: Path, overlay: Overlay | None = None) -> dict[str, str]:
    built = build(load_document(schema), overlay or Overlay(), "v2")
    return render_surface(built.surface, TEMPLATES)


def without_digest(files: dict[str, str]) -> dict[str, str]:
    """Files without the digest of the schema file, whose bytes differ."""
    return {
        path: "\n".join(line for line in text.splitlines() if "sha256" not in line)
        for path, text in files.items()
    }


def test_order_of_definitions_does_not_matter(tmp_path: Path) -> None:
    root = json.loads(GOLDEN_SCHEMA.read_text(encoding="utf-8"))
    root["$defs"] = dict(reversed(root["$defs"].items()))
    path = tmp_path / "schema.json"
    path.write_text(json.dumps(root), encoding="utf-8")
    assert without_digest(render(path)) == without_digest(render(GOLDEN_SCHEMA))


RENDERING = """
import sys
from pathlib import Path
from acpgen.analysis.surface import understand
from acpgen.common.paths import TEMPLATES
from acpgen.emit.package import render_surface
[surface], _ = understand(Path(sys.argv[1]), ["v2"])
print(ascii(render_surface(surface, TEMPLATES)))
"""


def test_hash_seed_locale_and_folder_do_not_matter(tmp_path: Path) -> None:
    outputs: list[bytes] = []
    environments = (
        {"PYTHONHASHSEED": "1", "LC_ALL": "C", "TZ": "UTC"},
        {"PYTHONHASHSEED": "2", "LC_ALL": "tr_TR.UTF-8", "TZ": "Asia/Tokyo", "PYTHONUTF8": "1"},
    )
    for index, extra in enumerate(environments):
        folder = tmp_path / str(index)
        folder.mkdir()
        command = [sys.executable, "-c", RENDERING, str(GOLDEN_SCHEMA)]
        env = {**os.environ, **extra}
        done = subprocess.run(command, cwd=folder, env=env, check=True, capture_output=True)
        outputs.append(done.stdout)
    assert len(ast.literal_eval(outputs[0].decode())) > 5
    assert outputs[0] == outputs[1]


BREAKOUTS = (
    'quote " and \\ and """ end',
    "'''\nimport os; os.environ['PWNED'] = '1'\n'''",
    '"""\nraise SystemExit("pwned")\n"""',
    "{{ 7 * 7 }}{% raw %}{# x #}",
    "ends with a backslash \\",
    'ends with a quote "',
    "\\N{BULLET} \\x41 \\u0041 %s {0} $x",
    "line\u2028separator\u0000null\u0007bell\r\ncarriage \ud800 surrogate",
    "# comment\n    return 1",
)


def hostile_schema() -> dict[str, Any]:
    """A schema in which every string tries to break out of its context."""
    definitions: dict[str, Schema] = {"Request": method("a/b")}
    for index, text in enumerate(BREAKOUTS):
        letter = chr(ord("A") + index)
        definitions[f"{letter}Record"] = {
            "title": text,
            "description": text,
            "type": "object",
            "properties": {
                f"member {text}": {"type": "string", "default": text, "description": text},
                "listed": {
                    "enum": [text, "plain"],
                    "default": text,
                    "x-deserialize-default-on-error": True,
                },
                "shape": {"type": "string", "pattern": "^[\"'\\\\]*$"},
            },
        }
        enum = listed(text, "plain")
        enum["oneOf"][0]["title"] = text
        definitions[f"{letter}Enum"] = {**enum, "description": text}
        arm = tagged(text, f"{letter}Record", f"tag {text}")
        arm |= {"title": text, "description": text}
        definitions[f"{letter}Union"] = {"description": text, "oneOf": [arm]}
        definitions[f"{letter}Method"] = method(f"m {text}")
    methods = tuple(name for name in definitions if name.endswith("Method"))
    definitions |= envelopes(notifications=methods)
    return {"$defs": definitions, "title": BREAKOUTS[2], "description": BREAKOUTS[1]}


def hostile_overlay() -> Overlay:
    """Summaries of members that try the same."""
    members: dict[tuple[str, ...], str] = {
        (f"{chr(ord('A') + index)}Record", "shape"): text for index, text in enumerate(BREAKOUTS)
    }
    return Overlay(members={**members, ("*", "listed"): BREAKOUTS[2]})


def member_docstrings(source: str, name: str) -> dict[str, str]:
    """The strings after the members of a class."""
    [found] = (
        node
        for node in ast.parse(source).body
        if isinstance(node, ast.ClassDef) and node.name == name
    )
    return {
        member.target.id: text.value.value
        for member, text in pairwise(found.body)
        if isinstance(member, ast.AnnAssign) and isinstance(text, ast.Expr)
    }


def test_strings_of_a_schema_never_become_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = tmp_path / "hostile.json"
    schema.write_text(json.dumps(hostile_schema()), encoding="utf-8")
    monkeypatch.delenv("PWNED", raising=False)
    made = render(schema, hostile_overlay())
    for path, text in {**render_package(TEMPLATES), **made}.items():
        target = tmp_path / "hostile_bindings" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    surface = importlib.import_module("hostile_bindings.v2")
    codec = importlib.import_module("hostile_bindings.v2.codec")
    assert "PWNED" not in os.environ
    assert surface.AGENT_METHODS.keys() == {f"m {text}" for text in BREAKOUTS}
    for index, text in enumerate(BREAKOUTS):
        letter = chr(ord("A") + index)
        data = {f"tag {text}": text, f"member {text}": "x", "listed": text}
        union = surface.TYPES[f"{letter}Union"]
        # What `encode` calls: it refuses a lone surrogate itself, which no text can hold.
        assert getattr(codec, f"encode_{letter}Union")(surface.decode(union, data), ()) == data
        enum = surface.TYPES[f"{letter}Enum"]
        assert surface.decode(enum, text, strict=True) == text
        record = surface.TYPES[f"{letter}Record"]
        assert surface.decode(record, {"listed": 5}).listed == text
        first = text.strip().splitlines()[0].rstrip()[:12]
        assert record.__doc__.strip().startswith(first)
        texts = member_docstrings(made["v2/types.py"], record.__name__)
        assert texts["shape"].strip().startswith(first)
        assert texts["listed"].strip() == '""" raise SystemExit("pwned") """'


def test_policy_can_explain_a_side_that_is_not_the_envelopes(tmp_path: Path) -> None:
    note = {**method("a/b"), "x-side": "client"}
    schema = save(tmp_path / "schema.json", {"Note": note, **envelopes(notifications=("Note",))})
    made = build(load_document(schema), Overlay(directions=frozenset({"Note"})), "v2")
    [explained] = made.surface.methods
    assert (explained.side, explained.wire) == ("agent", "a/b")
    assert ("directions", "Note") in made.matched


def test_vendored_schema_has_no_descriptions() -> None:
    seen = 0
    for path in SCHEMA.glob("v*/*.json"):
        for at, schema in subschemas(json.loads(path.read_text(encoding="utf-8"))):
            seen += 1
            assert "description" not in schema, at
    assert seen > 5_000


# --- mistakes in templates --------------------------------------------------------------------


@pytest.fixture(scope="module")
def surface() -> Surface:
    [found], _ = understand(GOLDEN / "schema.json", ["v2"])
    return found


@pytest.fixture
def templates(tmp_path: Path) -> Path:
    """A copy of the templates that a test may edit."""
    return Path(shutil.copytree(TEMPLATES, tmp_path / "templates"))


def edit(path: Path, number: int, line: str) -> None:
    """Insert a line, as the given one."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    assert len(lines) >= number
    path.write_text("".join([*lines[: number - 1], line + "\n", *lines[number - 1 :]]))


@pytest.mark.parametrize(
    ("template", "line", "message"),
    [
        ("codec/record.jinja", "{% if %}", r"TemplateSyntaxError: .*, when rendering v2"),
        ("codec/decode.jinja", "{% endif %}", r"TemplateSyntaxError: .*, when rendering v2"),
        ("codec/record.jinja", "{{ nowhere }}", r"UndefinedError: 'nowhere' .*, when rendering v2"),
        ("codec/union.jinja", "{{ 1 + 'a' }}", r"TypeError: .*, when rendering v2"),
        ("codec/record.jinja", "x = (", r"writes Python that does not parse \(.*\), in v2/codec"),
        (
            "codec/tables.jinja",
            "x = nowhere",
            r"UnknownNameError: .* 'nowhere', in v2/codec.py: 'x",
        ),
        (
            "methods/side.jinja",
            "x = ]",
            r"writes Python that does not parse \(.*\), in v2/agent.py",
        ),
        ("types/dcg/dataclass.jinja2", "x = = 1", r"writes Python .*, in v2/types.py: 'x = = 1'"),
        ("types/dcg/dataclass.jinja2", "{{ a.b.c }}", r"UndefinedError: .*, when rendering v2"),
    ],
)
def test_it_is_named(
    template: str, line: str, message: str, surface: Surface, templates: Path
) -> None:
    path = templates / template
    number = path.read_text(encoding="utf-8").count("\n")
    edit(path, number, line)
    with pytest.raises(InputError) as caught:
        render_surface(surface, templates)
    [problem] = caught.value.problems
    assert (problem.code, problem.file) == ("template", str(path))
    assert re.match(message, problem.message)
    assert problem.line().startswith(f"error[template]: {path}:{problem.lineno}: ")
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[problem.lineno - 1] == line


def test_it_is_named_in_modules_that_are_copied(templates: Path) -> None:
    path = templates / "runtime/values/record.py"
    edit(path, 1, "x = = 1")
    with pytest.raises(InputError) as caught:
        render_package(templates)
    [problem] = caught.value.problems
    assert (problem.code, problem.file, problem.lineno) == ("template", str(path), 1)


def test_a_bug_keeps_its_traceback(
    surface: Surface, templates: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acpgen.emit.package.write_types", lambda *given: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        render_surface(surface, templates)


# --- lines of members and arguments -----------------------------------------------------------


def test_a_docstring_that_fits_ends_on_its_line() -> None:
    longest = "x" * (WIDTH - len('    """"""'))
    assert [docstring(longest + more).count("\n") for more in ("", "x")] == [0, 1]


@pytest.mark.parametrize("name", SURFACES)
def test_every_member_has_a_docstring(name: str) -> None:
    [surface], _ = understand(None, [name])
    path = PACKAGE / name / "types.py"
    source = path.read_text(encoding="utf-8")
    types = griffe.visit("types", path, source)
    members = 0
    for definition in surface.definitions.values():
        if not isinstance(definition, Record) or not definition.members:
            continue
        own = own_members(definition, surface.definitions)
        for member in own:
            docstring = types[definition.name][member.name].docstring
            said = " ".join(docstring.value.split()) if docstring else ""
            assert said == describe_member(surface, definition.name, member) != ""
        members += len(own)
    assert members > 400
    assert max(len(line) for line in source.splitlines() if not line.startswith("#")) <= WIDTH


@pytest.mark.parametrize("name", SURFACES)
def test_every_argument_of_a_sender_has_its_line(name: str) -> None:
    path = PACKAGE / name / "agent_session.py"
    session = griffe.visit("agent_session", path, path.read_text(encoding="utf-8"))["AgentSession"]
    methods = [each for each in session.functions.values() if "unknown_fields" in each.parameters]
    assert len(methods) > 10
    for sender in methods:
        [arguments] = (block for block in docstrings.blocks(sender) if block.text == "Args")
        parameters = [each.name for each in sender.parameters][1:]
        assert [name for name, _ in arguments.entries] == parameters
        assert all(text for _, text in arguments.entries)
