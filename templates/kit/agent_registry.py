"""Agent registries: reads an agent's registry entry and returns the command that starts the agent.

This module doesn't download anything. `npx` and `uvx` download an agent when they start it, and
users install binaries themselves.
"""

from __future__ import annotations

import json
import os
import platform
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from .lenient import items, mapping, text, texts, variables

Kind: TypeAlias = Literal["npx", "uvx", "binary"]

# The programs that download a package before running it.
_RUNNERS: Final = ("npx", "bunx", "uvx")
# The names that registries use for systems and machines if they differ from Python's names.
_SYSTEMS: Final = {"win32": "windows"}
_MACHINES: Final = {"amd64": "x86_64", "arm64": "aarch64"}


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentCommand:
    """The command that starts an agent.

    Attributes:
        command: the program and its arguments.
        env: variables to add to the environment.
        id: the agent's id in a registry, or an empty string. The id identifies the agent in records
            and messages.
        version: the version in the registry, or an empty string.
    """

    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    id: str = ""
    version: str = ""

    @property
    def name(self) -> str:
        """The agent's id or, if it is empty, the name of the program."""
        return self.id or os.path.basename(self.command[0])

    @property
    def runner(self) -> str | None:
        """The package runner that starts the agent, such as "npx", or None for other programs."""
        name = re.split(r"[/\\]", self.command[0])[-1].lower()
        name = re.sub(r"\.(cmd|exe|bat)$", "", name)
        return name if name in _RUNNERS else None

    @classmethod
    def from_registry(
        cls,
        registry: Mapping[str, Any] | str | os.PathLike[str],
        id: str,
        *,
        kind: Kind | None = None,
        executable: str | None = None,
        folder: str | os.PathLike[str] | None = None,
    ) -> AgentCommand:
        """Return the command that starts the listed version of an agent in a registry.

        Unknown fields and the entries of other agents are ignored.

        Args:
            registry: the content of `registry.json`, or the path to that file.
            id: the agent's id.
            kind: the distribution to use. By default, the first of "npx", "uvx" and "binary" that
                the entry contains.
            executable: for "uvx", the program in the package; by default, the program with the
                package's name.
            folder: for "binary", the folder in which the agent is installed.

        Raises:
            KeyError: If the registry does not contain the agent.
            ValueError: If the entry contains no usable distribution, if its command is outside
                `folder`, if the file isn't valid JSON, or if the agent is a binary and `folder` is
                missing. In the last case, the message contains the URL of the archive or executable
                to install.
            OSError: If the file cannot be read.
        """
        if not isinstance(registry, Mapping):
            registry = json.loads(Path(registry).read_text("utf-8"))
        entries = map(mapping, items(mapping(registry).get("agents")))
        entry = next((each for each in entries if each.get("id") == id), None)
        if entry is None:
            raise KeyError(f"no agent {id!r} in the registry; check its id")
        version, offers = text(entry.get("version")), mapping(entry.get("distribution"))
        system = _system()
        offered = {
            "npx": mapping(offers.get("npx")),
            "uvx": mapping(offers.get("uvx")),
            "binary": mapping(mapping(offers.get("binary")).get(system)),
        }
        for each in offered if kind is None else (kind,):
            offer = offered.get(each, {})
            package = text(offer.get("package"))
            if each == "binary" and offer:
                words = [_binary(offer, id, folder)]
            elif each == "npx" and package:
                words = _npx(package, version)
            elif each == "uvx" and package:
                words = _uvx(package, version, executable)
            else:
                continue
            line = (*words, *texts(offer.get("args")))
            return cls(command=line, env=variables(offer.get("env")), id=id, version=version)
        wanted = f"as {kind!r}" if kind else f"for {system}"
        names = ", ".join(sorted(offers)) or "none"
        problem = f"agent {id!r} is not available {wanted} (available: {names})"
        raise ValueError(f"{problem}; choose another agent or kind")


def _system() -> str:
    name = platform.machine().lower()
    return f"{_SYSTEMS.get(sys.platform, sys.platform)}-{_MACHINES.get(name, name)}"


def _npx(package: str, version: str) -> list[str]:
    is_pinned = "@" in package[1:] or not version
    # Without `--yes`, npx would ask before downloading and wait forever.
    return ["npx", "--yes", package if is_pinned else f"{package}@{version}"]


def _uvx(package: str, version: str, executable: str | None) -> list[str]:
    name = re.split(r"[\[@=<>~! ]", package)[0]
    if "@" in package:  # `uvx --from` does not accept "package@version"
        package = re.sub(r"@(?=\d)", "==", package).removesuffix("@latest")
    elif version and not re.search(r"[=<>~!]", package):
        package = f"{package}=={version}"
    return ["uvx", "--from", package, executable or name]


def _binary(offer: Mapping[str, Any], id: str, folder: str | os.PathLike[str] | None) -> str:
    url, command = text(offer.get("archive")), text(offer.get("cmd"))
    if folder is None:
        raise ValueError(f"agent {id!r} is not installed; install {url!r} and pass its `folder`")
    root = os.path.realpath(folder)
    path = os.path.realpath(os.path.join(root, command))
    if not command or os.path.commonpath([root, path]) != root or path == root:
        raise ValueError(f"the command {command!r} of agent {id!r} is not in the agent's folder")
    return path
