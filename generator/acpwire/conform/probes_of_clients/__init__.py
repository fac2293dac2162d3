"""Probes for clients. In each probe, a `PlayedAgent` simulates the agent."""

from acpwire.conform import probes_of_both
from acpwire.conform.probes_of_clients import files_and_terminals, permissions_and_forms, turns
from acpwire.conform.probes_of_clients.played_agent import PlayedAgent

__all__ = ["PlayedAgent", "files_and_terminals", "permissions_and_forms", "probes_of_both", "turns"]
