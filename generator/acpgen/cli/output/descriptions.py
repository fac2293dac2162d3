"""Print how the generator understands a definition, a method or a member."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from acpgen.cli.output.tables import grid
from acpgen.cli.output.terminal import line


def definition(described: Mapping[str, Any]) -> None:
    """Print the description of a definition."""
    line(f"{described['name']}: {described['kind']} of {described['surface']}")
    line(f"schema: {described['pointer'].lstrip('/')}")
    if described.get("summary"):
        line(described["summary"])
    for call in described.get("calls", ()):
        result = f" -> {call['result']}" if call["result"] else ""
        line(f"{call['kind']} to {call['side']}: {call['python']}({call['params']}){result}")
        if call["capability"]:
            line(f"capability: {call['capability']}")
        if call["page"]:
            line(f"page: {call['page']}")
    if described.get("union"):
        mode = " (kept by the default mode)" if described["kept"] else ""
        line(f"any other {described['tag']} of {described['union']}{mode}")
    if described.get("alternatives"):
        line(f"alternatives: {described['alternatives']}")
    if described["methods"]:
        line(f"methods: {', '.join(described['methods'])}")
    if described.get("values"):
        line(f"values: {described['values']}")
    if described.get("members"):
        rows = [_member(member) for member in described["members"]]
        grid(("wire", "python", "type", "required", "nullable", "vendor keywords"), rows)
        if described["kind"] == "member":
            line(described["members"][0]["description"])
    if described.get("arms"):
        arms = [(arm["tag"] or "none", arm["type"]) for arm in described["arms"]]
        grid((f"tag {described['tag']}", "decodes to"), arms)
    if described.get("classes"):
        line(f"classes: {', '.join(described['classes'])}")
    if described["python"]:
        for text in ("", *described["python"].splitlines()):
            line(text)


def _member(described: Mapping[str, Any]) -> tuple[str, ...]:
    """The row of a member."""
    words = ", ".join(
        f"{key.removeprefix('x-deserialize-')}: {value}"
        for key, value in described["keywords"].items()
    )
    flags = ("yes" if described["required"] else "", "yes" if described["nullable"] else "")
    return (described["wire"], described["python"], described["type"], *flags, words)
