"""Objects of classes that extend ours are written as those of our classes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest
from acp_bindings import v1, v2


class Text1(v1.TextContent):
    pass


class Text2(v2.TextContent):
    pass


@dataclass
class Shown(v1.TextContent):
    color: str = "red"


PROMPTS: list[tuple[Any, Any]] = [
    (v1, v1.PromptRequest(session_id="s", prompt=[Text1(text="a")])),
    (v1, v1.PromptRequest(session_id="s", prompt=[Shown(text="a")])),
    (v2, v2.PromptRequest(session_id="s", prompt=[Text2(text="a")])),
]


@pytest.mark.parametrize(("surface", "prompt"), PROMPTS)
def test_an_arm_of_a_union_is_found_by_its_base_class(surface: Any, prompt: Any) -> None:
    encoded = surface.encode(prompt)
    assert encoded == {"sessionId": "s", "prompt": [{"type": "text", "text": "a"}]}
    assert json.loads(surface.dumps(prompt)) == encoded
