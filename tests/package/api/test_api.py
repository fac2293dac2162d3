"""The public names of the package are those in the snapshot; the changelog names those that go."""

from __future__ import annotations

import pytest
from package.api.snapshot import SURFACES, snapshot, subject, unexplained
from support.paths import DATA, PACKAGE, ROOT

STORED = DATA / "api"
FOLDERS = (*SURFACES, "runtime")


@pytest.mark.parametrize("folder", FOLDERS)
def test_public_names_are_those_written_down(folder: str, request: pytest.FixtureRequest) -> None:
    path = STORED / f"{folder}.txt"
    now = snapshot(PACKAGE / folder)
    assert len(now) > 100
    before = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    gone = unexplained(before, now, changelog)
    assert not gone, "say in CHANGELOG.md, under Unreleased, that these are gone"
    if request.config.getoption("--update-goldens"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(now) + "\n", encoding="utf-8")
        before = now
    assert before == now, "run pytest tests/package/api --update-goldens and read the difference"


def test_every_surface_is_written_down() -> None:
    assert {path.stem for path in STORED.glob("*.txt")} == set(FOLDERS)


BEFORE = [
    "types.Tool(Record)",
    "types.Tool.name: str",
    "types.Tool.size: int",
    "types.Old(Record)",
    "types.Old.name: str",
    "agent.AgentHandler.import_ async def(self, params: A) -> None",
    "Old",
]


def test_a_name_that_is_gone_needs_a_word() -> None:
    after = [line for line in BEFORE if "size" not in line and "Old" not in line]
    gone = ["Old", "types.Old", "types.Old.name", "types.Tool.size"]
    assert unexplained(BEFORE, after, "# Changelog\n\n## Unreleased\n\n- new\n") == gone
    words = "# Changelog\n\n## Unreleased\n\n- `Old` and `Tool.size` are gone.\n"
    assert unexplained(BEFORE, after, words) == []


def test_what_was_said_of_an_earlier_release_does_not_count() -> None:
    words = "# Changelog\n\n## Unreleased\n\n- new\n\n## 0.1.0\n\n- `Old` is gone.\n"
    after = [line for line in BEFORE if "Old" not in line]
    assert unexplained(BEFORE, after, words) == ["Old", "types.Old", "types.Old.name"]


def test_a_name_that_changed_is_still_there() -> None:
    after = [line.replace("name: str", "name: str | None") for line in BEFORE]
    assert unexplained(BEFORE, after, "") == []
    assert subject(BEFORE[1]) == "types.Tool.name"
    assert subject(BEFORE[5]) == "agent.AgentHandler.import_"
