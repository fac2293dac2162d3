"""acpgen: generates typed Python bindings for the Agent Client Protocol from its JSON Schema."""

from __future__ import annotations

__version__ = "0.1.0"
