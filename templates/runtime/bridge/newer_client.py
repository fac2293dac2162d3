"""`NewerClient`: a client of the newer version, with an agent of the older one."""

from __future__ import annotations

from .translating import Translator


class NewerClient(Translator):
    """Shows an agent of the older version to a client of the newer one."""
