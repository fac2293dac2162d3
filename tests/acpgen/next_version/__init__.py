"""A copy of the project with an additional protocol version."""

from pathlib import Path

conversations_path = Path(__file__).with_name("conversations.py")
