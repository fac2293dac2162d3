"""Tests that generation is reproducible and that no string from a schema becomes code."""

from __future__ import annotations

import ast
import importlib
import json
import os
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from acpgen.analysis.surface import build
from acpgen.common import paths
from acpgen.common.paths import SCHEMA, TEMPLATES
from acpgen.emit.package import render_package, render_remote, render_surface
from acpgen.inputs.overlay.decisions import Overlay
from acpgen.schema.document import load_document, subschemas

from tests.acpgen.diff.small import Schema, envelopes, listed, method, save, tagged
from tests.acpgen.emit.contexts.test_kit import vendored
from tests.support.paths import GOLDEN

GOLDEN_SCHEMA = GOLDEN / "schema.json"


def render(schema: Path, overlay: Overlay | None = None) -> dict[str, str]:
    built = build(load_document(schema), overlay or Overlay(), "v2")
    return render_surface(built.surface, TEMPLATES)


def without_digest(files: dict[str, str]) -> dict[str, str]:
    """Return the generated files without the schema's digest, which depends on its formatting."""
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


@pytest.mark.slow
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
    """Return a schema with strings that would break out of their context if they weren't quoted."""
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
    """Return field summaries that would break out of their context if they weren't quoted."""
    members: dict[tuple[str, ...], str] = {
        (f"{chr(ord('A') + index)}Record", "shape"): text for index, text in enumerate(BREAKOUTS)
    }
    return Overlay(members={**members, ("*", "listed"): BREAKOUTS[2]})


def member_docstrings(source: str, name: str) -> dict[str, str]:
    """Return the docstring of each field of a class."""
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
        # Call the encoder directly, since `encode` rejects lone surrogates.
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


# --- remote connections -----------------------------------------------------------------------


def enders(source: str) -> frozenset[str]:
    names: dict[str, frozenset[str]] = {}
    exec(source, names)
    return names["ENDERS"]


def test_the_methods_that_end_a_session_are_those_of_all_surfaces() -> None:
    session = vendored("v1").session
    assert session is not None
    close = tuple(each for each in session.enders if each.wire == "session/close")
    less = replace(vendored("v1"), session=replace(session, enders=close))
    [source] = render_remote([less], paths.TEMPLATES).values()
    assert enders(source) == {"session/close"}
    [source] = render_remote([less, vendored("v2")], paths.TEMPLATES).values()
    assert enders(source) == {"session/close", "session/delete"}


def test_without_sessions_none_ends() -> None:
    [source] = render_remote([], paths.TEMPLATES).values()
    assert enders(source) == set()
