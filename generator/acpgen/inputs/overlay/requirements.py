"""The specification's requirements for agents and clients, from `requirements.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, cast

RequiredOf: TypeAlias = Literal["agent", "client"]
Level: TypeAlias = Literal["MUST", "SHOULD"]
# Value constraints that JSON Schema cannot express.
Form: TypeAlias = Literal["absolute-path", "base64", "command-name", "distinct"]

SIDES: tuple[RequiredOf, ...] = ("agent", "client")
_SITE = "protocol"
# Replaces an entry in versions to which the previous version's entry doesn't apply.
NONE = "none"


@dataclass(frozen=True, slots=True)
class Requirement:
    """A requirement of the specification.

    In comments, "version" means a protocol version.
    """

    id: str  # a stable id, unique among the side's requirements
    side: RequiredOf  # the side that must meet the requirement
    area: str  # the topic, such as `sessions`
    level: Level
    words: str  # the requirement in one sentence
    # The page that contains the requirement, by version. The path is relative to the version's
    # folder or, if it begins with a slash, to the site's root.
    pages: Mapping[int, str]
    methods: tuple[str, ...] = ()
    # The capability on which the requirement depends, by version. The capability is a JSON pointer
    # into the result of `initialize` for an agent, and into its params for a client.
    capabilities: Mapping[int, str] = field(default_factory=dict[int, str])
    form: Form | None = None  # the required form of `members`, or None for other requirements
    # The fields that must have this form, by version, such as `Diff/path`. For the form `distinct`,
    # fields whose values must differ between the items of a list, such as `PlanUpdate/items/id`.
    members: Mapping[int, tuple[str, ...]] = field(default_factory=dict[int, tuple[str, ...]])
    dropped: frozenset[int] = frozenset()  # versions that dropped the requirement

    @property
    def versions(self) -> tuple[int, ...]:
        """The protocol versions with this requirement."""
        return tuple(self.pages)

    def page(self, version: int) -> str:
        """Return the page that contains the requirement, as a path on the specification's site."""
        path = self.pages[version]
        return path.removeprefix("/") if path.startswith("/") else f"{_SITE}/v{version}/{path}"


@dataclass(frozen=True, slots=True)
class Requirements:
    """All requirements, in the order of the file."""

    demands: tuple[Requirement, ...] = ()
    # Methods without a requirement, by side and protocol version, each with the reason.
    untested: Mapping[tuple[RequiredOf, int], Mapping[str, str]] = field(
        default_factory=dict[tuple[RequiredOf, int], Mapping[str, str]]
    )

    def of(self, side: RequiredOf) -> tuple[Requirement, ...]:
        """Return the requirements for a side."""
        return tuple(demand for demand in self.demands if demand.side == side)

    def covers(self, side: RequiredOf, version: int, method: str) -> bool:
        """Return whether a method has a requirement or a reason for having none."""
        return method in self.untested.get((side, version), ()) or any(
            method in demand.methods and version in demand.pages for demand in self.of(side)
        )


def build_requirements(table: Mapping[str, Any]) -> Requirements:
    """Build the requirements from the validated content of `requirements.toml`."""
    untested = {
        (side, version): cast(Mapping[str, str], reasons)
        for side in SIDES
        for version, reasons in _by_version(table.get("untested", {}).get(side, {})).items()
    }
    demands = tuple(
        _requirement(name, side, area, demand)
        for side in SIDES
        for area, demands in table.get(side, {}).items()
        for name, demand in demands.items()
    )
    return Requirements(demands, untested)


def _requirement(name: str, side: RequiredOf, area: str, entry: Mapping[str, Any]) -> Requirement:
    pages = _by_version(entry["pages"])
    members = _by_version(entry.get("members", {}))
    return Requirement(
        name,
        side,
        area,
        entry["level"],
        entry["words"],
        {version: page for version, page in pages.items() if page != NONE},
        tuple(entry.get("methods", ())),
        _by_version(entry.get("capabilities", {})),
        entry.get("form"),
        {version: tuple(listed) for version, listed in members.items()},
        frozenset(version for version, page in pages.items() if page == NONE),
    )


def _by_version(table: Mapping[str, Any]) -> dict[int, Any]:
    return {int(version.removeprefix("v")): value for version, value in table.items()}
