"""Session setup: the directories and servers from the request that opens a session."""

from __future__ import annotations

from typing import Any


class SessionSetup:
    """A session's directories and servers, from the request that opened it.

    Attributes:
        cwd: the working directory, or an empty string if it isn't known yet.
        additional_directories: the session's other directories.
        mcp_servers: the MCP servers that the agent connects to.
    """

    def __init__(self) -> None:
        self.cwd = ""
        self.additional_directories: list[str] = []
        self.mcp_servers: list[Any] = []

    def settle_in(self, params: Any) -> None:
        """Store the directories and MCP servers from a request that opens or loads a session.

        Missing lists become empty. If the working directory is missing, the previous one is kept.
        """
        self.cwd = getattr(params, "cwd", None) or self.cwd
        self.additional_directories = list(getattr(params, "additional_directories", None) or ())
        self.mcp_servers = list(getattr(params, "mcp_servers", None) or ())

    def take_over(self, other: SessionSetup) -> None:
        """Copy the setup of another session."""
        self.cwd = other.cwd
        self.additional_directories = other.additional_directories
        self.mcp_servers = other.mcp_servers
