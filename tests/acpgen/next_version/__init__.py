"""A copy of the project that has a further protocol version."""

from pathlib import Path

conversations_path = Path(__file__).with_name("conversations.py")
