"""The command `acpgen inspect`: show how the generator interprets a name in the schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from acpgen.cli import completion
from acpgen.cli.arguments import (
    JsonOption,
    SchemaOption,
    StrictOption,
    reported,
    surface_option,
)
from acpgen.cli.output import terminal
from acpgen.cli.output.tables import grid
from acpgen.cli.output.terminal import line

EPILOG = (
    "Examples: `acpgen inspect ToolCallUpdate` · `acpgen inspect StateUpdate --surface v2` ·"
    " `acpgen inspect session/prompt` ·"
    " `acpgen inspect npm:@agentclientprotocol/sdk@2.3.0#ToolCall.title`"
)


def inspect(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            autocompletion=completion.complete_name,
            help="A schema definition, a generated class, a method such as session/prompt, or a"
            " field such as ToolCall.title. SOURCE#NAME refers to a name in another schema.",
        ),
    ],
    schema: SchemaOption = None,
    extension: Annotated[
        str | None,
        typer.Option(
            metavar="SOURCE", help="Look in the schema of an extension instead of a surface."
        ),
    ] = None,
    surface: Annotated[
        str | None,
        surface_option("The surface to look in. Default: the first surface that contains NAME."),
    ] = None,
    strict_schema: StrictOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show how the generator interprets a definition, method or field."""
    with reported(as_json), terminal.progress("reading the schema", quiet=as_json):
        from acpgen.commands import descriptions

        if extension is not None and schema is not None:
            message = "cannot be used together; choose one of them"
            raise typer.BadParameter(message, param_hint="--schema, --extension")
        described, notes = descriptions.inspect(
            extension or schema,
            surface,
            name,
            is_extension=extension is not None,
            strict=strict_schema,
        )
    if as_json:
        terminal.data({**described, "notes": terminal.lines(notes)})
    else:
        terminal.notes(notes)
        _print_description(described)


def _print_description(described: Mapping[str, Any]) -> None:
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
        mode = " (accepted in default mode)" if described["kept"] else ""
        line(f"any other {described['tag']} of {described['union']}{mode}")
    if described.get("alternatives"):
        line(f"alternatives: {described['alternatives']}")
    if described["methods"]:
        line(f"methods: {', '.join(described['methods'])}")
    if described.get("values"):
        line(f"values: {described['values']}")
    if described.get("members"):
        rows = [_row(member) for member in described["members"]]
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


def _row(described: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the table row for a field."""
    words = ", ".join(
        f"{key.removeprefix('x-deserialize-')}: {value}"
        for key, value in described["keywords"].items()
    )
    flags = ("yes" if described["required"] else "", "yes" if described["nullable"] else "")
    return (described["wire"], described["python"], described["type"], *flags, words)
