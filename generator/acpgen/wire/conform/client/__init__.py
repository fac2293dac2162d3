"""Probes that judge a client, by playing an agent; `agent` is what they play with."""

from acpgen.wire.conform import messages
from acpgen.wire.conform.client import environment, questions, turns
from acpgen.wire.conform.client.agent import CLIENT

__all__ = ["CLIENT", "environment", "messages", "questions", "turns"]
