"""Tests that the types in sample and random extensions satisfy the laws of protocol types."""

from __future__ import annotations

import functools
import json
from random import Random
from types import ModuleType
from typing import Any

import pytest
from acpgen.common.problems import InputError

from tests.acpgen.analysis.shapes import MORE, READ, UNREAD
from tests.acpgen.diff.small import record
from tests.acpgen.extensions.packages import (
    SAMPLES,
    Schema,
    build,
    composed,
    imported,
    package,
    sample,
    saved,
)
from tests.package.laws.library import same
from tests.tools.evolution.evolve import Evolution
from tests.tools.evolution.laws import Report, Says, Values, check_definition
from tests.tools.evolution.oracle import Drawer, amended, judge, stated


class Judge:
    def __init__(self, definitions: dict[str, Any]) -> None:
        self._evolution = Evolution(0, "v2", (), {"$defs": definitions})
        self._drawer = Drawer(definitions)
        oracle = judge(stated(definitions))
        self._says = Says(oracle, oracle, oracle, judge(amended(stated(definitions))))

    def check(self, module: ModuleType, name: str, seed: str) -> Report:
        """Check one type against its schema with random values."""
        report = Report(self._evolution)
        values = self._drawer.values(name, Random(seed), changed=True)
        check_definition(report, self._says, module, name, Values([], values))
        return report


@pytest.mark.parametrize(
    ("name", "count"), [("acme", 16), ("claude_code", 8), ("kiro", 10), ("models", 5)]
)
def test_laws_hold_for_the_samples(name: str, count: int) -> None:
    whole = composed(sample(name), SAMPLES[name])
    judge = Judge(whole.document.definitions)
    reports = {each: judge.check(package(name), each, each) for each in sorted(whole.own)}
    assert len(reports) == count
    assert {each: report.failures for each, report in reports.items() if report.failures} == {}
    assert [each for each, report in reports.items() if not report.tried["valid"]] == []
    assert [each for each, report in reports.items() if not report.tried["invalid"]] == []


@pytest.mark.parametrize("surface", ["v1", "v1_unstable", "v2", "v2_unstable"])
def test_laws_hold_on_every_surface(surface: str) -> None:
    """Unions keep unknown tags, either because of the schema or because of the default mode."""
    schema: Schema = {
        "x-variants": {"SessionUpdate": {"_own/note": {"$ref": "#/$defs/Note"}}},
        "x-meta": {"NewSessionRequest": {"own/note": {"$ref": "#/$defs/Note"}}},
        "$defs": {
            "Note": record("of", of={"$ref": "acp:SessionId"}, block={"$ref": "acp:ContentBlock"})
        },
    }
    built = build(schema, surface)
    with saved(schema) as path:
        own = Judge(composed(path, surface).document.definitions)
    with imported(built.surface, f"own_{surface}") as module:
        reports = [own.check(module, name, name) for name in module.TYPES]
        assert len(reports) == 3
        for report in reports:
            assert not report.failures
            assert report.tried["valid"] > 0


@functools.cache
def shapes() -> list[str]:
    """Return the shapes that need no overlay entries to name their classes."""
    found: list[str] = []
    for name, (schema, _) in sorted(READ.items()):
        params = {"$ref": "acp:Cost"}
        own = {
            "x-methods": {"_x/do": {"side": "agent", "params": params}},
            "$defs": {**MORE, "X": schema},
        }
        try:
            build(own)
        except InputError as error:
            if {each.code for each in error.problems} != {"name-collision"}:
                raise
        else:
            found.append(name)
    assert len(found) > len(READ) * 3 / 4
    return found


def shape_schema(names: list[str], chance: Random) -> Schema:
    """Return the schema of an extension that combines the given shapes at random."""
    shapes = {f"X{index}": READ[name][0] for index, name in enumerate(names)}
    definitions = {**MORE, **json.loads(json.dumps(shapes))}
    whole = {f"m{index}": {"$ref": f"#/$defs/{name}"} for index, name in enumerate(shapes)}
    protocol = {"block": {"$ref": "acp:ContentBlock"}, "cost": {"$ref": "acp:Cost"}}
    required = chance.sample(sorted(whole), 2)
    definitions["Whole"] = {
        "type": "object",
        "properties": {**whole, **protocol},
        "required": required,
    }
    return {
        "x-methods": {
            "_x/do": {
                "side": chance.choice(["agent", "client", "both"]),
                "params": {"$ref": "#/$defs/Whole"},
                "result": {"$ref": f"#/$defs/{chance.choice(sorted(shapes))}"},
            }
        },
        "x-meta": {"ToolCallUpdate": {f"x/{key}": value for key, value in whole.items()}},
        "x-variants": {"ToolCallContent": {"_x/whole": {"$ref": "#/$defs/Whole"}}},
        "$defs": definitions,
    }


# One worker runs all these tests so that the shapes are determined only once.
@pytest.mark.xdist_group("random extensions")
@pytest.mark.parametrize("seed", range(4))
def test_laws_hold_for_random_extensions(seed: int) -> None:
    chance = Random(f"extension {seed}")
    schema = shape_schema(chance.sample(shapes(), 5), chance)
    built = build(schema)
    assert not built.surface.unchecked
    with saved(schema) as path:
        own = Judge(composed(path, "v2").document.definitions)
    tried = 0
    names = ["Whole", "ToolCallUpdateMeta", "ToolCallContent", *(f"X{index}" for index in range(5))]
    with imported(built.surface, f"random_{seed}") as module:
        for name in names:
            report = own.check(module, name, f"{seed} {name}")
            assert not report.failures, name
            tried += report.tried["valid"]
    assert tried > 50


@pytest.mark.parametrize("name", [name for name in UNREAD if "type" in name])
def test_what_no_rule_reads_is_noted(name: str) -> None:
    """Pointers to unchecked parts refer to the extension's own file."""
    schema, _, _ = UNREAD[name]
    own: Schema = {
        "x-methods": {"_x/do": {"side": "agent", "params": {"$ref": "#/$defs/P"}}},
        "$defs": {**MORE, "X": schema, "P": {"type": "object", "properties": {"x": schema}}},
    }
    built = build(own)
    assert built.surface.unchecked
    assert all(each.startswith(("/$defs/X", "/$defs/P")) for each in built.surface.unchecked)


def test_refining_is_decoding_and_unrefining_its_inverse() -> None:
    """For unions with added variants, `refine` is equivalent to decoding with the extension."""
    acme = package("acme")
    definitions = composed(sample("acme"), "v2").document.definitions
    base = acme.SURFACE
    oracle = judge(amended(stated(definitions)))  # rejects known tags with an invalid payload
    refined = 0
    for union in ("SessionUpdate", "ContentBlock"):
        for value in Drawer(definitions).values(union, Random(union), changed=True):
            if oracle.is_valid(union, value):
                plain = base.decode(base.TYPES[union], value)
                typed = acme.refine(plain)
                assert typed == acme.decode(acme.TYPES[union], value)
                assert acme.unrefine(typed) == plain
                assert same(base.encode(acme.unrefine(typed), base.TYPES[union]), value)
                refined += typed is not plain
    assert refined > 3
