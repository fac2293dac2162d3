"""Tests of the requirements from the specification."""

from __future__ import annotations

from acpgen.inputs.overlay.requirements import Requirement


def test_a_page_is_in_the_folder_of_its_version_or_in_the_root() -> None:
    pages = {1: "sessions#load", 2: "/rfds/sessions"}
    requirement = Requirement("a", "agent", "sessions", "MUST", "Sessions are loaded.", pages)
    assert requirement.versions == (1, 2)
    assert [requirement.page(version) for version in requirement.versions] == [
        "protocol/v1/sessions#load",
        "rfds/sessions",
    ]
