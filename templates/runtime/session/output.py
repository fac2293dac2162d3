"""The output of terminals, which updates contain in base64."""

from __future__ import annotations

import base64


def from_base64(text: str) -> bytes | None:
    """Decode base64; return None if the text is not base64."""
    try:
        return base64.b64decode(text, validate=True)  # the default skips other characters
    except ValueError:
        return None
