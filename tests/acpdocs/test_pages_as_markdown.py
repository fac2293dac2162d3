"""Tests that compare one page of each kind with a golden, as the Markdown from which it is built.

Pass `--update-goldens` to rewrite the goldens.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acpdocs.reference import on_one_worker
from tests.support.goldens import check_golden
from tests.support.paths import ROOT

pytestmark = on_one_worker

GOLDENS = ROOT / "tests" / "support" / "goldens" / "pages"
PAGES = (
    "acme/index.md",
    "acme/types.md",
    "acme/types/Progress.md",
    "acme/types/SessionUpdate.md",
    "acme/types/ToolCallUpdateMeta.md",
    "acme/methods/agent/acme_index.md",
    "kit/api/following.md",
    "kit/api/index.md",
    "runtime/api/session.facts.md",
    "runtime/api/session.setup.md",
    "v1/api/definitions.md",
    "v1/methods/agent/session_load.md",
    "v1/methods/agent/session_prompt.md",
    "v1/methods/client/session_update.md",
    "v1/methods/protocol/cancel_request.md",
    "v1_unstable/index.md",
    "v1_unstable/types/McpServer.md",
    "v2/capabilities.md",
    "v2/client.md",
    "v2/methods/agent/session_prompt.md",
    "v2/types/ContentBlock.md",
    "v2/types/ErrorCode.md",
    "v2/types/PlanUpdateContent.md",
    "v2/types/RequestId.md",
    "v2/types/SessionId.md",
    "v2/types/StopReason.md",
    "v2/types/ToolCallUpdate.md",
    "v2/types/UsageUpdate.md",
)


@pytest.mark.parametrize("path", PAGES)
def test_a_page_matches_its_golden(path: str, built: Path, request: pytest.FixtureRequest) -> None:
    text = (built.parent / "docs" / path).read_text("utf-8")
    check_golden(GOLDENS / path, text.splitlines(), request)
