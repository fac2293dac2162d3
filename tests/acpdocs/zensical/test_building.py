"""Tests of building the site with Zensical."""

from __future__ import annotations

from pathlib import Path

import pytest
from acpdocs.zensical.building import BuildError, build_site


def test_a_link_that_leads_nowhere_stops_the_build(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# Start\n\n[gone](gone.md)\n", encoding="utf-8")
    (tmp_path / "zensical.toml").write_text('[project]\nsite_name = "x"\n', encoding="utf-8")
    with pytest.raises(BuildError, match="page does not exist"):
        build_site(tmp_path)
