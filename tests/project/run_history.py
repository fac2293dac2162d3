"""Every schema revision of the npm history becomes a package that imports and round-trips.

Run by `make history`; it needs npm, so it is not among the tests that `make test` collects.
"""

from __future__ import annotations

import importlib
import json
import random
from pathlib import Path
from typing import Any

import pytest
from acpgen.commands import files as output
from acpgen.commands.generate import generate
from acpgen.inputs.fetch import fetch
from acpgen.inputs.sources import locate_schemas
from package.laws.instances import Choices
from package.laws.instances import generate as draw
from package.laws.schemas import Surface

PACKAGE = "npm:@agentclientprotocol/sdk"
SURFACES = {
    "0.12.0": ["v1_unstable"],
    "0.20.0": ["v1_unstable"],
    "1.0.0": ["v1_unstable"],
    "1.4.0": ["v1_unstable", "v2_unstable"],
    "1.7.0": ["v1_unstable", "v2_unstable"],
    "2.0.0": ["v1", "v1_unstable", "v2", "v2_unstable"],
    "2.2.0": ["v1", "v1_unstable", "v2", "v2_unstable"],
    "2.3.0": ["v1", "v1_unstable", "v2", "v2_unstable"],
    "2.4.0": ["v1", "v1_unstable", "v2", "v2_unstable"],
}
INSTANCES = 20


@pytest.mark.parametrize("version", SURFACES)
def test_revision(version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = "acp_" + version.replace(".", "_")
    with fetch(f"{PACKAGE}@{version}") as fetched:
        found = {source.surface: source.path for source in locate_schemas(fetched.path, [])}
        schemas = {name: json.loads(path.read_text("utf-8")) for name, path in found.items()}
        made = generate(fetched.path, [])
    assert sorted(schemas) == SURFACES[version]
    output.write(tmp_path / package, made.files, whole=True)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name, schema in schemas.items():
        module = importlib.import_module(f"{package}.{name}")
        names = tuple(n for n, each in schema["$defs"].items() if "x-docs-ignore" not in each)
        assert sorted(module.TYPES) == sorted(names)
        round_trip(Surface(f"{version} {name}", schema["$defs"], names), module)


def round_trip(surface: Surface, module: Any) -> None:
    """Decode and encode instances of every type, in strict and in default mode, and as text."""
    entropy = random.Random(surface.name)
    seen = 0
    for name in surface.names:
        kind = module.TYPES[name]
        for _ in range(INSTANCES):
            drawn = draw(surface, name, Choices(entropy.randbytes(256)))
            value = module.decode(kind, drawn.value, strict=True)
            assert module.encode(value, kind) == drawn.value, drawn
            assert module.decode(kind, drawn.value) == value, drawn
            text = module.dumps(value, kind)
            assert module.loads(kind, text) == value, drawn
            seen += 1
    assert seen == INSTANCES * len(surface.names) > 1000
