"""The programs that `programs.toml` describes."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).resolve().parent


@dataclass
class Quirk:
    """A known difference between a program's behavior and the behavior that the scenes expect.

    Attributes:
        says: a description of the difference, for the table.
        reason: the reason for the difference, including who is responsible for it.
        explains: patterns for the findings that the quirk explains; see `Measured.findings`.
        sometimes: patterns for findings that occur only in some runs.
    """

    says: str
    reason: str
    explains: list[str] = field(default_factory=list[str])
    sometimes: list[str] = field(default_factory=list[str])


@dataclass
class Program:
    """An agent or a client.

    Attributes:
        name: the product name.
        package: the name of its package, after `npm:` or `pypi:`.
        version: the version of the package.
        command: the command that starts the program, with placeholders.
        python: the required version of Python, or an empty string for the version in use.
        extras: other packages to install in its environment.
        env: its environment variables, with placeholders.
        files: maps the path of each file in its home folder to its content, with placeholders.
        authenticate: the method for signing in, or an empty string.
        mode: the mode in which the program asks for permission, or an empty string for the default
            mode.
        scenes: for a client, the scenes that it can play.
        quirks: its known differences.
    """

    name: str
    package: str
    version: str
    command: list[str]
    python: str = ""
    extras: list[str] = field(default_factory=list[str])
    env: dict[str, str] = field(default_factory=dict[str, str])
    files: dict[str, str] = field(default_factory=dict[str, str])
    authenticate: str = ""
    mode: str = ""
    scenes: list[str] = field(default_factory=list[str])
    quirks: list[Quirk] = field(default_factory=list[Quirk])

    @property
    def folder(self) -> str:
        """The name of the folder for the program's environment."""
        return self.package.split(":")[1].replace("/", "+")


@dataclass
class Programs:
    """All programs.

    Attributes:
        before: the date before which all npm packages must have been published.
        node: the version of Node.js.
        agents: the agents.
        clients: the clients.
    """

    before: str
    node: str
    agents: list[Program]
    clients: list[Program]


def read_programs() -> Programs:
    data = tomllib.loads((HERE / "programs.toml").read_text("utf-8"))
    agents, clients = (
        [_program(each) for each in data.get(key, [])] for key in ("agent", "client")
    )
    return Programs(data["before"], data["node"], agents, clients)


def _program(data: dict[str, Any]) -> Program:
    quirks = [Quirk(**each) for each in data.pop("quirk", [])]
    return Program(**data, quirks=quirks)
