"""Tests of the modules that convert between two versions."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from acpgen.analysis.surface import understand
from acpgen.common import paths
from acpgen.common.problems import InputError
from acpgen.diff.bridge_rules.build import build_bridge
from acpgen.emit.bridge import render_bridge
from acpgen.inputs.overlay.reading import load_overlay


def test_functions_that_rules_name_must_exist(tmp_path: Path) -> None:
    templates = tmp_path / "templates"
    shutil.copytree(paths.TEMPLATES, templates)
    custom = templates / "runtime/bridge/custom.py"
    source = custom.read_text(encoding="utf-8")
    custom.write_text(source.replace("def env_as_list(", "def other("), encoding="utf-8")
    surfaces, _ = understand(None, ["v1", "v2"])
    bridge = build_bridge(surfaces, load_overlay(paths.SCHEMA / "overlay").bridge)
    assert bridge is not None
    with pytest.raises(InputError) as error:
        render_bridge(bridge, templates)
    assert [problem.line() for problem in error.value.problems] == [
        "error[overlay]: schema/overlay/bridge.toml: 'env_as_list' is not a function of"
        " templates/runtime/bridge/custom.py; add it"
    ]
