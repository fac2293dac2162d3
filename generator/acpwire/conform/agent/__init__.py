"""Probes that judge an agent, by playing a client; `client` is what they play with."""

from acpwire.conform import messages
from acpwire.conform.agent import cancelling, negotiation, prompts, sessions, tools
from acpwire.conform.agent.client import AGENT

__all__ = ["AGENT", "cancelling", "messages", "negotiation", "prompts", "sessions", "tools"]
