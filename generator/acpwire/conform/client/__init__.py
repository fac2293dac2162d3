"""Probes that judge a client, by playing an agent; `agent` is what they play with."""

from acpwire.conform import messages
from acpwire.conform.client import environment, questions, turns
from acpwire.conform.client.agent import CLIENT

__all__ = ["CLIENT", "environment", "messages", "questions", "turns"]
