"""Requirements of the specification for agents and clients: `requirements.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, cast

RequiredOf: TypeAlias = Literal["agent", "client"]
Level: TypeAlias = Literal["MUST", "SHOULD"]
# Forms of values that JSON Schema cannot express.
Form: TypeAlias = Literal["absolute-path", "base64", "command-name", "distinct"]

SIDES: tuple[RequiredOf, ...] = ("agent", "client")
_SITE = "protocol"
# Replaces an entry for a version; the previous version's entry is not inherited.
NONE = "none"


@dataclass(frozen=True, slots=True)
class Requirement:
    """A requirement of the specification. In its attributes, "version" is the protocol version."""

    id: str  # stable, and unique on its side
    side: RequiredOf  # the side that must meet it
    area: str  # the topic, such as `sessions`
    level: Level
    words: str  # the requirement in one sentence
    # The page that states it, by version: a path below the folder of that version, or below the
    # site's root if it begins with a slash.
    pages: Mapping[int, str]
    methods: tuple[str, ...] = ()
    # By version, a JSON pointer to the capability that the requirement depends on: into the result
    # of `initialize` for an agent, into its params for a client.
    capabilities: Mapping[int, str] = field(default_factory=dict[int, str])
    form: Form | None = None  # the required form of `members`; None for other requirements
    # Fields by version, such as `Diff/path`. With the form `distinct`, lists and the field that
    # differs between their items, such as `PlanUpdate/items/id`.
    members: Mapping[int, tuple[str, ...]] = field(default_factory=dict[int, tuple[str, ...]])
    dropped: frozenset[int] = frozenset()  # versions that dropped the requirement

    @property
    def versions(self) -> tuple[int, ...]:
        """The protocol versions with this requirement."""
        return tuple(self.pages)

    def page(self, version: int) -> str:
        """Return the page that states the requirement, as a path on the specification's site."""
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
        """Return whether a method has a requirement, or an entry with the reason for none."""
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
