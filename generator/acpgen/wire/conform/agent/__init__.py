"""Probes that judge an agent, by playing a client. `client` has what they play with.

The first one registered judges how the agent introduces itself.
"""

from acpgen.wire.conform.agent import (
    negotiation,
    encoding,
    errors,
    sessions,
    prompts,
    tools,
    cancelling,
)  # isort: skip
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
