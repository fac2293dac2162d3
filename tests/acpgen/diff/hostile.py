"""Two schemas with constants and patterns that look like markup."""

from __future__ import annotations

from tests.acpgen.diff.small import STRING, Schema, listed, method, record

WORDS = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "a|b",
    "`code`",
    "``two``",
    "**bold**",
    "[link](javascript:alert)",
    '" onmouseover="alert(1)',
    "'single'",
    "&amp;",
    "]]>",
    "{{ 1 + 1 }}",
    "[red]styled[/red]",
    "line\nbreak",
    "| --- |",
    "# heading",
    "</td></tr></table>",
    "${1}",
)


def schemas() -> tuple[dict[str, Schema], dict[str, Schema]]:
    """Return the definitions of the old and of the new schema."""
    before: dict[str, Schema] = {
        "Thing": record(**{f"a{n}": STRING for n, _ in enumerate(WORDS)}),
        "Manner": listed("plain", other=STRING),
        "Request": method("some/method"),
    }
    after: dict[str, Schema] = {
        "Thing": record(
            **{
                f"a{n}": {**STRING, "pattern": f"^{n}|{word}"}
                for n, word in enumerate(("`x`", "<b>y</b>", "|", "a*b*"))
            }
        ),
        "Manner": listed("plain", *WORDS, other=STRING),
        "Request": method("some/method"),
    }
    return before, after
