"""The requirements of the specification for agents and clients: `requirements.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, cast

RequiredOf: TypeAlias = Literal["agent", "client"]
Level: TypeAlias = Literal["MUST", "SHOULD"]
# The form of values that a structure cannot express.
Form: TypeAlias = Literal["absolute-path", "base64", "command-name", "distinct"]

SIDES: tuple[RequiredOf, ...] = ("agent", "client")
_SITE = "protocol"
# Replaces an entry about a version: the previous version's entry does not apply to it.
NONE = "none"


@dataclass(frozen=True, slots=True)
class Requirement:
    """A requirement of the specification.

    Attributes:
        id: its stable name, unique on its side.
        side: who has to meet it.
        area: what it is about, such as `sessions`.
        level: how the specification demands it.
        words: the demand, in one sentence.
        pages: where it is written, by protocol version: a path below the folder of that version, or
            below the whole site if it begins with a slash.
        methods: the methods that it is about.
        capabilities: by protocol version: a JSON pointer to the capability without which nothing is
            demanded, into the result of `initialize` for an agent, into its params for a client.
        form: the form that some members must have; None for a requirement about something else.
        members: these members by protocol version, such as `Diff/path`; with the form `distinct`,
            lists and the field that differs between their items, such as `PlanUpdate/items/id`.
        dropped: the protocol versions that no longer have it, unlike the previous version.
    """

    id: str
    side: RequiredOf
    area: str
    level: Level
    words: str
    pages: Mapping[int, str]
    methods: tuple[str, ...] = ()
    capabilities: Mapping[int, str] = field(default_factory=dict[int, str])
    form: Form | None = None
    members: Mapping[int, tuple[str, ...]] = field(default_factory=dict[int, tuple[str, ...]])
    dropped: frozenset[int] = frozenset()

    @property
    def versions(self) -> tuple[int, ...]:
        """The protocol versions in which it holds."""
        return tuple(self.pages)

    def page(self, version: int) -> str:
        """Return the page that states it, as a path of the site of the specification."""
        path = self.pages[version]
        return path.removeprefix("/") if path.startswith("/") else f"{_SITE}/v{version}/{path}"


@dataclass(frozen=True, slots=True)
class Requirements:
    """All requirements, in the order of the file.

    Attributes:
        untested: the methods without one, by side and protocol version, each with the reason.
    """

    demands: tuple[Requirement, ...] = ()
    untested: Mapping[tuple[RequiredOf, int], Mapping[str, str]] = field(
        default_factory=dict[tuple[RequiredOf, int], Mapping[str, str]]
    )

    def of(self, side: RequiredOf) -> tuple[Requirement, ...]:
        """Return the requirements for a side."""
        return tuple(demand for demand in self.demands if demand.side == side)

    def covers(self, side: RequiredOf, version: int, method: str) -> bool:
        """Return whether a requirement is about a method, or an entry says why none is."""
        return method in self.untested.get((side, version), ()) or any(
            method in demand.methods and version in demand.pages for demand in self.of(side)
        )


def build_requirements(table: Mapping[str, Any]) -> Requirements:
    """Build the requirements from the content of `requirements.toml`, which was validated."""
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
