"""Tests of the web service in the guide about other libraries and of the service's API."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.guides import write_files

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

TEXT = {"type": "text", "text": "t"}
CHUNK = {"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": TEXT}


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    assert write_files("libraries.md", tmp_path) == ["sessions.py"]
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "sessions", raising=False)
    # These imports take a quarter of a second, which would slow down test collection.
    import sessions
    from fastapi.testclient import TestClient

    return TestClient(sessions.app)


def test_the_service_stores_updates(service: TestClient) -> None:
    created = service.put("/sessions/a", json={"title": "A", "updates": [CHUNK]})
    assert created.json() == {"title": "A", "updates": [CHUNK]}
    update = {"sessionUpdate": "state_update", "state": "running"}
    assert service.post("/sessions/a/updates", json=update).json() == 2
    assert service.post("/sessions/b/updates", json=update).status_code == 404


def test_the_service_refuses_wrong_values_with_one_error(service: TestClient) -> None:
    refused = service.put("/sessions/a", json={"title": "A", "updates": [TEXT]})
    [error] = refused.json()["detail"]
    assert refused.status_code == 422
    assert error["msg"].startswith("SessionUpdate at /sessionUpdate: expected ")


def test_the_page_of_the_service_shows_the_types(service: TestClient) -> None:
    schemas = service.get("/openapi.json").json()["components"]["schemas"]
    assert schemas["Session"]["properties"]["updates"]["items"] == {
        "$ref": "#/components/schemas/SessionUpdate"
    }
    assert schemas["TextContent"]["required"] == ["text"]
