"""Probes for agents. In each probe, a `PlayedClient` simulates the client."""

from acpwire.conform import probes_of_both
from acpwire.conform.probes_of_agents import cancelling, negotiation, prompts, sessions, tools
from acpwire.conform.probes_of_agents.played_client import PlayedClient

__all__ = [
    "PlayedClient",
    "cancelling",
    "negotiation",
    "probes_of_both",
    "prompts",
    "sessions",
    "tools",
]
