"""Tests of the guide "The bridge": its tables match the tables that the bridge uses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from acp_bindings.bridge import tables
from acp_bindings.runtime.bridge.rules import LOST, Arms, Items, Members, Range, Values
from acp_bindings.testing import Client

from tests.support.guides import defining
from tests.support.paths import GUIDE_TEMPLATES

PAGE = GUIDE_TEMPLATES / "bridge.md"


def losses(name: str, rule: Any) -> Iterator[tuple[str, str]]:
    """Yield the parts that a rule doesn't carry over, each with the reason."""
    match rule:
        case Members():
            yield from ((f"`{name}.{member}`", reason) for member, reason in rule.lost.items())
            for member, inner in rule.fields.items():
                yield from losses(f"{name}.{member}", inner)
        case Values():
            replaced = [f"`{old}` becomes `{new}`" for old, new in rule.replaced.items()]
            others = "other values are " if replaced else ""
            others += "dropped" if rule.instead is LOST else f"replaced by `{rule.instead}`"
            yield f"unknown values of `{name}`", "; ".join([*replaced, others])
        case Range(minimum, maximum):
            yield f"`{name}` out of range", f"dropped if not between {minimum} and {maximum}"
        case Items(least=least) if least:
            too_few = "empty" if least == 1 else f"shorter than {least} items"
            yield f"`{name}` with too few items", f"dropped if {too_few}"
        case Arms():
            yield from ((f"`{tag}` of `{name}`", reason) for tag, reason in rule.lost.items())
            if not rule.is_open:
                yield f"unknown variants of `{name}`", "dropped, or the message is rejected"
        case _:
            return


def table() -> str:
    lines = ["| to | what is lost | reason |", "|---|---|---|"]
    for version, rules in ((1, tables.TO_OLDER), (2, tables.TO_NEWER)):
        rows = [row for name, rule in rules.items() for row in losses(name, rule)]
        assert rows
        towards = f"protocol {version}"
        absent = [
            (f"`{route.newer or route.older}`", route.reason)
            for route in tables.ROUTES
            if route.how == "absent" and (route.older is None) == (version == 1)
        ]
        for what, reason in [*dict.fromkeys(rows), *absent]:
            lines.append(f"| {towards} | {what} | {reason} |")
            towards = ""
    return "\n".join(lines) + "\n"


def updates() -> str:
    """Return the table of update types that the bridge doesn't carry over unchanged."""
    lines = ["| protocol | update | difference |", "|---|---|---|"]
    for version, direction in ((1, "to_newer"), (2, "to_older")):
        of_version = str(version)
        for tag, update in tables.UPDATES[direction].items():
            if update.how != "carried":
                lines.append(f"| {of_version} | `{tag}` | {update.reason} |")
                of_version = ""
    return "\n".join(lines) + "\n"


def promises() -> str:
    """Return the table of messages that can require unadvertised capabilities."""
    lines = ["| to | message | missing capability | effect |", "|---|---|---|---|"]
    for version, direction in ((1, "to_older"), (2, "to_newer")):
        towards = f"protocol {version}"
        for promise in tables.PROMISES[direction]:
            capability = promise.capability.pointer
            lines.append(f"| {towards} | `{promise.key}` | `{capability}` | {promise.reason} |")
            towards = ""
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("marker", "generated"),
    [("losses", table), ("updates", updates), ("promises", promises)],
)
def test_tables_are_those_of_the_bridge(
    marker: str, generated: Callable[[], str], request: pytest.FixtureRequest
) -> None:
    text = PAGE.read_text("utf-8")
    begin, end = f"<!-- {marker} -->\n", f"\n<!-- end of {marker} -->"
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    wanted = f"{before}{begin}\n{generated()}{end}{after}"
    if request.config.getoption("--update-goldens"):
        PAGE.write_text(wanted, "utf-8")
    assert PAGE.read_text("utf-8") == wanted


async def test_the_agent_of_the_guide_speaks_protocol_1() -> None:
    agent = defining("bridge.md", "Echo")["Echo"]
    async with Client(agent, version=1, bridge=True) as client:
        (await client.prompt("Hi")).expect("Hi")
