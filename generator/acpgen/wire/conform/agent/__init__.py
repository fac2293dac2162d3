"""Probes that judge an agent, by playing a client; `client` is what they play with."""

from acpgen.wire.conform import encoding, errors
from acpgen.wire.conform.agent import cancelling, negotiation, prompts, sessions, tools
from acpgen.wire.conform.agent.client import AGENT

__all__ = [
    "AGENT",
    "cancelling",
    "encoding",
    "errors",
    "negotiation",
    "prompts",
    "sessions",
    "tools",
]
