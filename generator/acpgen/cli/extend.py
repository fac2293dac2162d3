"""The `acpgen extend` commands, which handle protocol extensions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from acpgen.cli.arguments import JsonOption, StrictOption, parse_path, reported, surface_option
from acpgen.cli.check import print_checked
from acpgen.cli.command_group import Command, Group
from acpgen.cli.generate import print_written
from acpgen.cli.output import tables, terminal
from acpgen.common.exit_codes import FRESH, STALE

app = typer.Typer(
    cls=Group,
    help="Generate or check the package for a protocol extension.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

_Schema = Annotated[
    str,
    typer.Argument(
        metavar="SCHEMA",
        help="The extension's schema: a file, npm:PACKAGE@VERSION, or an http(s) URL.",
    ),
]
_Out = Annotated[
    Path,
    typer.Option(
        "--out",
        parser=parse_path,
        metavar="DIR",
        help="The package folder. Its name is the import name.",
    ),
]
_Surface = Annotated[
    str | None,
    surface_option("The surface to extend. Default: the surface that the package in DIR extends."),
]
_Bindings = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="The import name of the package that contains the surface; relative if it begins"
        " with dots. Default: the setting of the last run, otherwise acp_bindings.",
    ),
]
_AllowUnprefixed = Annotated[
    bool,
    typer.Option(
        "--allow-unprefixed",
        help="Allow methods and tags that do not begin with an underscore or that the protocol also"
        " defines.",
    ),
]


@app.command(
    cls=Command,
    epilog="Example: `acpgen extend generate acme.schema.json --surface v2 --out myproject/acme`",
)
def generate(
    schema: _Schema,
    out_dir: _Out,
    surface: _Surface = None,
    bindings: _Bindings = None,
    allow_unprefixed: _AllowUnprefixed = False,
    force: Annotated[
        bool,
        typer.Option(
            "--force", help="Overwrite files that were edited or that acpgen did not write."
        ),
    ] = False,
    strict_schema: StrictOption = False,
    as_json: JsonOption = False,
) -> None:
    """Generate an extension's package: typed methods, `_meta` entries and variants."""
    from acpgen.commands import extension_package

    with reported(as_json), terminal.progress("reading the protocol", quiet=as_json) as on_step:
        choices = extension_package.Choices(
            schema, surface, bindings, strict_schema, allow_unprefixed
        )
        package, written = extension_package.extend(out_dir, choices, on_step, force=force)
    if as_json:
        schemas = dict(package.lock.schemas)
        report = {"out": str(out_dir.absolute()), "schemas": schemas, "written": written}
        terminal.data({**report, **package.counts, "notes": terminal.lines(package.notes)})
        return
    terminal.notes(package.notes)
    tables.table([package.counts])
    print_written(out_dir, written, package.files)


@app.command(
    cls=Command,
    epilog="Example: `acpgen extend check acme.schema.json --out myproject/acme` · Exit codes:"
    " 0 fresh, 1 stale, 2 error",
)
def check(
    schema: _Schema,
    out_dir: _Out,
    surface: _Surface = None,
    bindings: _Bindings = None,
    allow_unprefixed: _AllowUnprefixed = False,
    strict_schema: StrictOption = False,
    as_json: JsonOption = False,
) -> None:
    """Check that a package matches the output of `extend generate`."""
    from acpgen.commands import extension_package

    with reported(as_json), terminal.progress("reading the protocol", quiet=as_json) as on_step:
        choices = extension_package.Choices(
            schema, surface, bindings, strict_schema, allow_unprefixed
        )
        checked = extension_package.check(out_dir, choices, on_step)
    print_checked(out_dir, checked, "acpgen extend generate", as_json=as_json)
    raise typer.Exit(STALE if checked.differences else FRESH)


@app.command(cls=Command)
def form() -> None:
    """Print the JSON Schema for extension schemas, for use in editors."""
    from acpgen.schema.extension import FORM

    terminal.data(json.loads(FORM.read_text(encoding="utf-8")))


@app.command(cls=Command)
def protocol(
    surface: Annotated[
        str | None, surface_option("The surface to print. Default: the newest stable surface.")
    ] = None,
) -> None:
    """Print a surface's schema, for tools that resolve `acp:NAME`."""
    from acpgen.analysis.extension import read_base
    from acpgen.inputs.sources.files import newest_surface
    from acpgen.schema.extension import protocol_bundle

    with reported(as_json=False):
        terminal.data(protocol_bundle(read_base(surface or newest_surface())[0]))
