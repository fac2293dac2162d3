"""Tests of building the site with Zensical."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from acpdocs import site
from acpdocs.cli import app
from acpdocs.pages import guides
from acpdocs.zensical import building
from acpdocs.zensical.building import BuildError, build_site, settings
from acpgen.analysis import surface
from acpgen.common import paths
from acpgen.common.toml import loads
from typer.testing import CliRunner


def test_a_link_that_leads_nowhere_stops_the_build(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# Start\n\n[gone](gone.md)\n", encoding="utf-8")
    (tmp_path / "zensical.toml").write_text('[project]\nsite_name = "x"\n', encoding="utf-8")
    with pytest.raises(BuildError, match="page does not exist"):
        build_site(tmp_path)


@pytest.mark.parametrize(("code", "printed"), [(0, "1 issue found"), (1, "No issues found")])
def test_a_build_with_issues_or_another_exit_code_fails(
    code: int, printed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = subprocess.CompletedProcess([], code, printed, "")
    monkeypatch.setattr(subprocess, "run", lambda *arguments, **options: done)
    with pytest.raises(BuildError, match=printed):
        build_site(tmp_path)


def test_the_settings_link_to_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("objects", "refs"):
        (tmp_path / ".git" / folder).mkdir(parents=True)
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    origin = '[remote "origin"]\n\turl = git@forge.example:team/project.git\n'
    (tmp_path / ".git" / "config").write_text(origin, encoding="utf-8")
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    project = loads(settings("[]", ["v1", "v2"]))["project"]
    assert project["repo_url"] == "https://forge.example/team/project"
    assert (project["nav"], project["extra"]["surfaces"]) == ([], ["v1", "v2"])


def test_the_settings_have_no_repository_without_git(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert "repo_url" not in loads(settings("[]", []))["project"]


def test_the_command_shows_why_a_site_cannot_be_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def build(*arguments: object) -> Path:
        raise BuildError("page does not exist")

    monkeypatch.setattr(surface, "understand", lambda schema, overlays: ([], []))
    monkeypatch.setattr(guides, "sample_extension", lambda: None)
    monkeypatch.setattr(site, "write_site_sources", lambda surfaces, folder, sample: [])
    monkeypatch.setattr(building, "build_site", build)
    done = CliRunner().invoke(app, [str(tmp_path)])
    assert done.exit_code == 2
    assert "page does not exist" in done.stderr
