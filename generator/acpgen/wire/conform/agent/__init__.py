"""Probes that judge an agent, by playing a client; `client` is what they play with."""

from acpgen.wire.conform import messages
from acpgen.wire.conform.agent import cancelling, negotiation, prompts, sessions, tools
from acpgen.wire.conform.agent.client import AGENT

__all__ = ["AGENT", "cancelling", "messages", "negotiation", "prompts", "sessions", "tools"]
