"""Tests that a new protocol version needs only schemas and overlay entries."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from acpgen.inputs.resemblance import find_other_versions
from acpgen.inputs.sources.files import Source

from tests.acpgen.next_version import conversations_path
from tests.acpgen.next_version.making import (
    NEXT,
    acpgen,
    forget_entries,
    make_project,
    run,
    unformatted,
)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("next version")]

_REFERENCE = """
import sys
from pathlib import Path
from acpdocs.site import write_site_sources
from acpgen.analysis.surface import understand
write_site_sources(understand(None, sys.argv[2:])[0], Path(sys.argv[1]), None)
"""
CONVERSATIONS = ("negotiation", "bridge", "bridged_clients", "echo", "batches", "scripts", "judged")
LAWS = ("constants", "coverage", "lenient", "round_trips", "strict", "tags")
# The unstable surfaces of the other versions are only read, not generated.
SURFACES = [word for name in ("v1", "v2", NEXT, f"{NEXT}_unstable") for word in ("--surface", name)]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with protocol 3 and with the generated package."""
    folder = make_project(tmp_path_factory.mktemp("project"))
    made = unformatted(folder, "generate", *SURFACES)
    assert made.returncode == 0, made.stderr
    return folder


def test_the_package_has_the_version(project: Path) -> None:
    package = project / "generated" / "acp_bindings"
    assert (package / NEXT / "client_session.py").is_file()
    lock = json.loads((package / "acpgen.lock").read_text("utf-8"))
    assert {NEXT, f"{NEXT}_unstable"} <= lock["schemas"].keys()


def test_the_laws_hold(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check only the unstable surface, which contains or extends all types of protocol 3.

    The types of the other versions are the same as in this project. The laws about text, depth and
    converted values depend only on the runtime.
    """
    monkeypatch.setenv("LAWS_N", "1")  # `make evolve` tries more
    options = ("-q", "-p", "no:cacheprovider", "-k", f"{NEXT}_unstable")
    files = (f"tests/package/laws/test_{name}.py" for name in LAWS)
    laws = run(project, "-m", "pytest", *options, *files)
    assert laws.returncode == 0, laws.stdout
    assert " passed" in laws.stdout


@pytest.fixture(scope="module")
def spoken(project: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """The recording of a session and the traceback of each check (an empty string on success)."""
    log = tmp_path_factory.mktemp("spoken") / "acp.log"
    told = run(project, str(conversations_path), str(log), *CONVERSATIONS)
    assert told.returncode == 0, told.stderr
    return log, json.loads(told.stdout)


@pytest.mark.parametrize("conversation", CONVERSATIONS)
def test_the_version_is_spoken(spoken: tuple[Path, dict[str, str]], conversation: str) -> None:
    assert spoken[1][conversation] == ""


def test_a_conversation_is_traced(project: Path, spoken: tuple[Path, dict[str, str]]) -> None:
    log = spoken[0]
    traced = acpgen(project, "trace", str(log), "--json")
    entries = json.loads(traced.stdout)["entries"]
    assert traced.returncode == 0, traced.stdout
    assert {entry["version"] for entry in entries[1:]} == {3}
    assert "session/pin" in [entry["method"] for entry in entries]


def test_the_version_is_vendored_alone(project: Path, tmp_path: Path) -> None:
    package = tmp_path / "acp"
    vendored = unformatted(project, "vendor", str(package), "--surface", NEXT)
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
    """Build only the sources of the pages, since building the site is slow."""
    written = run(project, "-c", _REFERENCE, str(tmp_path), "v1", "v2", NEXT)
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


@pytest.fixture(scope="module")
def incomplete(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[tuple[str, str]]]:
    """A copy of the project without some protocol 3 entries, and the locations of these entries."""
    folder = make_project(tmp_path_factory.mktemp("incomplete"))
    return folder, forget_entries(folder)


def test_entries_that_the_version_before_has_are_asked_for(
    incomplete: tuple[Path, list[tuple[str, str]]],
) -> None:
    folder, pointers = incomplete
    made = acpgen(folder, "generate")
    assert made.returncode == 2
    assert not (folder / "generated").exists()
    for file, place in pointers:
        assert f"error[missing-entry]: schema/overlay/{file}#{place}: is missing" in made.stderr


def test_entries_that_the_version_before_has_are_in_the_skeleton(
    incomplete: tuple[Path, list[tuple[str, str]]], tmp_path: Path
) -> None:
    acpgen(incomplete[0], "generate", "--skeleton", str(tmp_path / "skeleton.toml"))
    skeleton = (tmp_path / "skeleton.toml").read_text(encoding="utf-8")
    assert '# [implied_updates.v3."session/new"]\n# available_commands_update = ""\n' in skeleton
    assert '# [ends_updates.v3]\n# "session/prompt" = ""\n' in skeleton
    assert '# [agent.messages.json-lines.pages]\n# v3 = ""\n' in skeleton


def test_schemas_of_a_similar_version_are_recognized(project: Path) -> None:
    schemas = project / "schema"
    source = Source("v1", schemas / "v2" / "schema.json")
    [problem] = find_other_versions([source], schemas)
    assert "looks like v2, not v1" in problem.message
