"""The text of a message's content, which is a string or a list of parts."""

from __future__ import annotations

from typing import Any


def text_of(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(part.get("text") or "" for part in parts if isinstance(part, dict))
