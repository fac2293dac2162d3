"""The session states of all surfaces."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from package.session.scripted import ALL

# Each surface with the class of its session states, by the name of the surface.
STATES: dict[str, tuple[ModuleType, Any]] = {
    version.name: (version.surface, version.client.SessionState) for version in ALL
}
each_state = pytest.mark.parametrize("name", STATES)
