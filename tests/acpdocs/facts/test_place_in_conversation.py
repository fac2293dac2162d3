"""Tests of the sentences that say when a method is called."""

from __future__ import annotations

from dataclasses import replace

import pytest
from acpdocs.facts.place_in_conversation import Places
from acpgen.ir.surface import Surface

from tests.acpdocs.reference import on_one_worker

pytestmark = on_one_worker

ANY_TIME = ["At any time while the connection is open."]
DURING = "In an open session, usually during a turn that session/prompt started."
WAITS = "The agent waits for the user's response"
EXISTING = "Opens an existing session. session/prompt continues it."


@pytest.mark.parametrize(
    ("surface", "side", "method", "expected"),
    [
        (
            "v1",
            "agent",
            "initialize",
            ["The first request on a connection. Other requests wait for its response."],
        ),
        ("v1", "agent", "authenticate", ["After initialize, at any time."]),
        (
            "v1",
            "agent",
            "session/new",
            ["After initialize.", "Opens a session. session/prompt then starts a turn."],
        ),
        ("v1", "agent", "session/load", ["After initialize.", EXISTING]),
        ("v2", "agent", "session/resume", ["After initialize.", EXISTING]),
        ("v2", "agent", "session/list", ["After initialize.", "Doesn't require an open session."]),
        (
            "v1",
            "agent",
            "session/close",
            [
                "In an open session.",
                "Closes the session. session/load or session/resume reopens it.",
            ],
        ),
        (
            "v2",
            "agent",
            "session/close",
            ["In an open session.", "Closes the session. session/resume reopens it."],
        ),
        (
            "v2",
            "agent",
            "session/delete",
            ["After initialize.", "The params identify the session."],
        ),
        (
            "v1",
            "client",
            "session/update",
            [
                "In an open session, after session/new, session/load or session/resume.",
                "During a turn, reports the progress of session/prompt.",
            ],
        ),
        (
            "v2",
            "agent",
            "session/prompt",
            [
                "In an open session, after session/new or session/resume.",
                "Starts a turn. The response only confirms the prompt. The turn ends with"
                " session/update and IdleStateUpdate.",
                "During the turn, the agent sends session/update and calls elicitation/create or"
                " session/request_permission.",
                "session/cancel cancels the turn.",
            ],
        ),
        (
            "v1",
            "agent",
            "session/cancel",
            [
                "During a turn, after session/prompt.",
                "The agent stops working and then ends the turn normally.",
                "The client responds to each pending session/request_permission with"
                " CancelledRequestPermissionOutcome.",
            ],
        ),
        ("v1", "client", "fs/read_text_file", [DURING]),
        ("v1", "client", "session/request_permission", [DURING, f"{WAITS}."]),
        (
            "v2",
            "client",
            "session/request_permission",
            [DURING, f"{WAITS} and reports its state as RequiresActionStateUpdate until then."],
        ),
        ("v1", "client", "elicitation/complete", ["After initialize, at any time."]),
        ("v1", "protocol", "$/cancel_request", ANY_TIME),
        ("v1", "client", None, ANY_TIME),
    ],
)
def test_a_method_has_its_place(
    surface: str, side: str, method: str | None, expected: list[str], surfaces: dict[str, Surface]
) -> None:
    of = surfaces[surface]
    found = next(each for each in of.methods if (each.side, each.wire) == (side, method))
    sentences = Places(of).of(found)
    assert ["".join(run.text for run in sentence) for sentence in sentences] == expected


def test_without_an_initialize_method_the_place_is_unknown(surfaces: dict[str, Surface]) -> None:
    of = surfaces["v1"]
    [prompt] = [each for each in of.methods if each.wire == "session/prompt"]
    without = replace(of, methods=(prompt,))
    assert Places(without).of(prompt) == ()
