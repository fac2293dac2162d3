"""Tests with a copy of the project that has an additional protocol version."""

from pathlib import Path

conversations_path = Path(__file__).with_name("conversations.py")
