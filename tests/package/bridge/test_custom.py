"""Handwritten conversions of diffs: old and new text in protocol 1, patches in protocol 2."""

from __future__ import annotations

import pytest
from acp_bindings.runtime.bridge import custom
from acp_bindings.runtime.bridge.rules import LOST, Conversion

from tests.package.laws.schemas import SURFACES, Json, oracle

OLD = "".join(f"line {number}\n" for number in range(20))
NEW = OLD.replace("line 9\n", "line nine\n")


class Losses:
    """A value converter that records the reasons for losses."""

    def __init__(self) -> None:
        self.reasons: list[str] = []
        self.to = Conversion({}, lambda path, reason: self.reasons.append(reason))


def as_patch(old: str | None, new: str, path: str = "/src/a.py") -> Json:
    value = {"type": "diff", "path": path, "newText": new}
    value |= {} if old is None else {"oldText": old}
    losses = Losses()
    converted = custom.diff_as_patch(value, (), losses.to)
    assert losses.reasons == []
    assert oracle(SURFACES["v2"]).is_valid("ToolCallContent", converted)
    return converted


def as_texts(value: Json) -> tuple[Json, list[str]]:
    losses = Losses()
    converted = custom.diff_as_texts(value, (), losses.to)
    assert oracle(SURFACES["v1"]).is_valid("ToolCallContent", converted)
    return converted, losses.reasons


def test_texts_become_a_patch() -> None:
    diff = as_patch("a\nb\n", "a\nc\n", "/src/a b.py")
    assert diff["changes"] == [{"operation": "modify", "path": "/src/a b.py"}]
    assert diff["patch"]["text"] == (
        "diff --git a/src/a b.py b/src/a b.py\n--- a/src/a b.py\n+++ b/src/a b.py\n"
        "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
    )


def test_text_of_a_new_file_becomes_a_patch() -> None:
    diff = as_patch(None, "é", "/src/é.py")
    assert diff["changes"] == [{"operation": "add", "path": "/src/é.py"}]
    assert diff["patch"]["text"] == (
        "diff --git a/src/é.py b/src/é.py\nnew file mode 100644\n--- /dev/null\n+++ b/src/é.py\n"
        "@@ -0,0 +1 @@\n+é\n\\ No newline at end of file\n"
    )


def test_patch_becomes_the_texts_of_its_hunks() -> None:
    diff, reasons = as_texts(as_patch(OLD, NEW))
    assert diff["oldText"] == "".join(f"line {number}\n" for number in range(6, 13))
    assert diff["newText"] == diff["oldText"].replace("line 9\n", "line nine\n")
    assert reasons == ["protocol 1 diffs omit line numbers and text outside the patch"]


def test_new_file_comes_back_whole() -> None:
    diff, reasons = as_texts(as_patch(None, NEW))
    assert diff == {"type": "diff", "path": "/src/a.py", "newText": NEW}
    assert reasons == []


@pytest.mark.parametrize("text", ["a\nb", "a\u2028b\n", "a\rb\x0cc", "+\n-\n @@\n", "\\ x\n"])
def test_lines_end_at_newlines_alone(text: str) -> None:
    diff, _ = as_texts(as_patch("before\n", text))
    assert diff["oldText"] == "before\n"
    assert diff["newText"] == text


def test_path_cannot_end_its_line() -> None:
    header = as_patch(None, "x", "/é\n+++ b").get("patch")["text"].splitlines()
    assert header[0] == r'diff --git "a/é\n+++ b" "b/é\n+++ b"'


@pytest.mark.parametrize(
    ("changes", "patch", "text"),
    [
        ([{"operation": "delete", "path": "/a"}], None, "delete /a"),
        ([{"operation": "move", "oldPath": "/a", "path": "/b"}], None, "move /b"),
        ([{"operation": "modify", "path": "/a"}], None, "modify /a"),
        ([{"operation": "_own", "path": 5}], {"format": "_own", "text": "?"}, "?"),
        ([{"operation": "_own", "path": 5}, {"operation": "_x"}], None, "_own 5\n_x "),
        ([], None, ""),
    ],
)
def test_other_diffs_become_text(changes: list[Json], patch: Json | None, text: str) -> None:
    diff = {"type": "diff", "changes": changes, **({} if patch is None else {"patch": patch})}
    content, reasons = as_texts(diff)
    assert content == {"type": "content", "content": {"type": "text", "text": text}}
    assert reasons == ["protocol 1 diffs concern exactly one text file; showing this diff as text"]


def test_variable_that_is_named_twice_is_told() -> None:
    losses = Losses()
    twice = [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]
    assert custom.env_as_map(twice, (), losses.to) == {"A": "2"}
    assert losses.reasons == ["replaces an earlier variable with the same name"]


@pytest.mark.parametrize("answer", ["a", 1, 1.5, True, [], ["a", "b"]])
def test_plain_answer_is_unchanged(answer: Json) -> None:
    losses = Losses()
    assert custom.plain_answer(answer, (), losses.to) is answer
    assert losses.reasons == []


@pytest.mark.parametrize("answer", [None, {}, [1], [["a"]]])
def test_answer_that_is_not_plain_is_lost(answer: Json) -> None:
    losses = Losses()
    assert custom.plain_answer(answer, (), losses.to) is LOST
    assert len(losses.reasons) == 1


@pytest.mark.parametrize(
    ("body", "old", "new"),
    [
        ("@@ -1,3 +1,3 @@\n a\n\n-x\n+y\n", "a\n\nx\n", "a\n\ny\n"),
        ("@@ -1 +1 @@\n-a\n+b\n-- \n2.43.0\n", "a\n", "b\n"),
    ],
    ids=["empty line without a blank", "text after the hunk"],
)
def test_hunks_are_read_by_their_counts(body: str, old: str, new: str) -> None:
    patch = {"format": "git_patch", "text": body}
    changes = [{"operation": "modify", "path": "/a"}]
    diff, _ = as_texts({"type": "diff", "changes": changes, "patch": patch})
    assert (diff["oldText"], diff["newText"]) == (old, new)


@pytest.mark.parametrize(
    "body",
    [
        "@@ -1,9 +1,9 @@\n a\n",
        "@@ -1 +1 @@\n-a\n-b\n",
        "@@ -1 +1 @@\n?a\n",
        "@@ -1 +1 @@\n-a\n?x\n+b\n",
        "diff --git a/a b/a\n@@ -1 +1 @@\n-a\n+b\ndiff --git a/b b/b\n@@ -1 +1 @@\n-a\n+b\n",
    ],
)
def test_patch_that_is_not_understood_becomes_text(body: str) -> None:
    patch = {"format": "git_patch", "text": body}
    changes = [{"operation": "modify", "path": "/a"}]
    content, reasons = as_texts({"type": "diff", "changes": changes, "patch": patch})
    assert content["content"]["text"] == body
    assert len(reasons) == 1
