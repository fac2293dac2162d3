"""A made-up version 3 is a folder and overlay entries: nothing else of the project changes."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.acpgen.next_version import conversations_path
from tests.acpgen.next_version.making import NEXT, acpgen, forget_entries, make_project, run

pytestmark = pytest.mark.xdist_group("next version")

_REFERENCE = """
import sys
from pathlib import Path
from acpdocs.site import write_site_sources
from acpgen.analysis.surface import understand
write_site_sources(understand(None, [])[0], Path(sys.argv[1]))
"""
CONVERSATIONS = ("negotiation", "bridge", "bridged_clients", "echo", "batches", "scripts")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with version 3, and its package."""
    folder = make_project(tmp_path_factory.mktemp("project"))
    made = acpgen(folder, "generate")
    assert made.returncode == 0, made.stderr
    return folder


def test_the_package_is_fresh(project: Path) -> None:
    assert (project / "generated" / "acp_bindings" / NEXT / "client_session.py").is_file()
    assert acpgen(project, "check").returncode == 0


def test_the_laws_hold(project: Path) -> None:
    laws = run(project, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/package/laws")
    assert laws.returncode == 0, laws.stdout


@pytest.mark.parametrize("conversation", CONVERSATIONS)
def test_the_version_is_spoken(project: Path, conversation: str) -> None:
    spoken = run(project, str(conversations_path), conversation)
    assert spoken.returncode == 0, spoken.stderr


def test_an_agent_of_all_versions_is_judged_in_each(project: Path) -> None:
    agent = (sys.executable, str(conversations_path), "agent")
    judged = acpgen(project, "conform", "--json", "--", *agent)
    verdicts = json.loads(judged.stdout)["verdicts"]
    assert [each for each in verdicts if each["status"] == "failed"] == []
    assert {each["protocol"] for each in verdicts if each["status"] == "passed"} == {1, 2, 3}


def test_a_conversation_is_traced(project: Path, tmp_path: Path) -> None:
    log = tmp_path / "acp.log"
    assert run(project, str(conversations_path), "record", str(log)).returncode == 0
    traced = acpgen(project, "trace", str(log), "--json")
    entries = json.loads(traced.stdout)["entries"]
    assert traced.returncode == 0, traced.stdout
    assert {entry["version"] for entry in entries[1:]} == {3}
    assert "session/pin" in [entry["method"] for entry in entries]


def test_the_version_is_vendored_alone(project: Path, tmp_path: Path) -> None:
    package = tmp_path / "acp"
    vendored = acpgen(project, "vendor", str(package), "--surface", NEXT)
    assert vendored.returncode == 0, vendored.stderr
    assert {path.name for path in package.glob("v*")} == {NEXT}
    spoken = run(tmp_path, "-c", f"from acp.{NEXT} import SessionAgent, FACTS; print(FACTS)")
    assert "response_ends_turn=True" in spoken.stdout, spoken.stderr


@pytest.mark.parametrize("kind", ["agent", "client"])
def test_new_programs_pass_their_tests(project: Path, kind: str, tmp_path: Path) -> None:
    program = tmp_path / "program"
    assert acpgen(project, "new", kind, str(program)).returncode == 0
    tests = run(project, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(program))
    assert tests.returncode == 0, tests.stdout


def test_the_reference_has_the_version(project: Path, tmp_path: Path) -> None:
    """The sources of its pages; `acpdocs` makes the site of them."""
    written = run(project, "-c", _REFERENCE, str(tmp_path))
    assert written.returncode == 0, written.stderr
    docs = tmp_path / "docs"
    assert "agent_summary" in (docs / NEXT / "types" / "SessionUpdate.md").read_text("utf-8")
    for version in (1, 2, 3):
        page = docs / f"v{version}" / "types" / "InitializeRequest.md"
        assert f'"protocolVersion": {version},' in page.read_text("utf-8")


@pytest.mark.parametrize("arguments", [("inspect", "AgentSummary"), ("diff", "v2", NEXT)])
def test_commands_find_the_version(project: Path, arguments: tuple[str, ...]) -> None:
    found = acpgen(project, *arguments)
    assert not found.stderr
    assert "AgentSummary" in found.stdout


def test_entries_that_the_version_before_has_are_asked_for(tmp_path: Path) -> None:
    folder = make_project(tmp_path / "project")
    pointers = forget_entries(folder)
    made = acpgen(folder, "generate")
    assert made.returncode == 2
    assert not (folder / "generated").exists()
    for file, place in pointers:
        assert f"error[missing-entry]: schema/overlay/{file}#{place}: is missing" in made.stderr


def test_entries_that_the_version_before_has_are_in_the_skeleton(tmp_path: Path) -> None:
    folder = make_project(tmp_path / "project")
    forget_entries(folder)
    acpgen(folder, "generate", "--skeleton", str(tmp_path / "skeleton.toml"))
    skeleton = (tmp_path / "skeleton.toml").read_text(encoding="utf-8")
    assert '# [seeds.v3."session/new"]\n# available_commands_update = ""\n' in skeleton
    assert '# [ends_updates.v3]\n# "session/prompt" = ""\n' in skeleton
    assert '# [agent.messages.json-lines.pages]\n# v3 = ""\n' in skeleton


def test_schemas_of_a_similar_version_are_recognized(project: Path, tmp_path: Path) -> None:
    package = tmp_path / "acp"
    schema = str(project / "schema" / "v2" / "schema.json")
    made = acpgen(project, "generate", "--schema", schema, "--surface", "v1", "--out", str(package))
    assert "looks like v2, not v1" in made.stderr
