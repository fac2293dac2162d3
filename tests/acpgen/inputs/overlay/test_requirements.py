"""Tests of the requirements from the specification."""

from __future__ import annotations

from acpgen.inputs.overlay.requirements import Requirement, build_requirements


def test_a_page_is_in_the_folder_of_its_version_or_in_the_root() -> None:
    pages = {1: "sessions#load", 2: "/rfds/sessions"}
    requirement = Requirement("a", "agent", "sessions", "MUST", "Sessions are loaded.", pages)
    assert requirement.versions == (1, 2)
    assert [requirement.page(version) for version in requirement.versions] == [
        "protocol/v1/sessions#load",
        "rfds/sessions",
    ]


def test_the_file_contains_requirements_and_reasons() -> None:
    entry = {
        "level": "MUST",
        "words": "Sessions are loaded.",
        "pages": {"v1": "sessions#load", "v2": "none"},
        "methods": ["session/load"],
        "capabilities": {"v1": "/loadSession"},
        "form": "load",
        "members": {"v1": ["cwd"]},
    }
    least = {"level": "SHOULD", "words": "Files are small.", "pages": {"v2": "files"}}
    requirements = build_requirements(
        {
            "client": {"files": {"small": least}},
            "agent": {"sessions": {"loaded": entry}},
            "untested": {"agent": {"v2": {"session/new": "It is simple."}}},
        }
    )
    loaded = Requirement(
        "loaded",
        "agent",
        "sessions",
        "MUST",
        "Sessions are loaded.",
        {1: "sessions#load"},
        ("session/load",),
        {1: "/loadSession"},
        "load",
        {1: ("cwd",)},
        frozenset({2}),
    )
    small = Requirement("small", "client", "files", "SHOULD", "Files are small.", {2: "files"})
    assert (requirements.of("agent"), requirements.of("client")) == ((loaded,), (small,))
    covered = (
        *(("agent", 1, "session/load"), ("agent", 2, "session/load"), ("agent", 2, "session/new")),
        *(("agent", 1, "session/new"), ("client", 1, "session/load")),
    )
    assert [requirements.covers(*each) for each in covered] == [True, False, True, False, False]
