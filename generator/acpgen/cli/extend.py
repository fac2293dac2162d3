"""The command `acpgen extend`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from acpgen.cli.arguments import (
    FRESH,
    STALE,
    JsonOption,
    StrictOption,
    SurfaceName,
    parse_path,
    reported,
)
from acpgen.cli.output import packages, tables, terminal
from acpgen.common.problems import InputError, Problem

EXAMPLES = (
    "Examples: `acpgen extend acme.schema.json --surface v2 --out myproject/acme` ·"
    " `acpgen extend acme.schema.json --out myproject/acme --check` · `acpgen extend --form`"
    " · Exit codes of `--check`: 0 fresh, 1 stale, 2 error"
)


def extend(
    schema: Annotated[
        str | None,
        typer.Argument(
            metavar="SCHEMA",
            help="The schema of the extension: a file, npm:PACKAGE@VERSION, or an http(s) address.",
        ),
    ] = None,
    surface: Annotated[
        SurfaceName | None,
        typer.Option(help="The surface that it extends. Default: that of the package in DIR."),
    ] = None,
    out_dir: Annotated[
        Path | None,
        typer.Option(
            "--out",
            parser=parse_path,
            metavar="DIR",
            help="The package folder; its name is the import name.",
        ),
    ] = None,
    bindings: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The package that has the surface, as Python imports it; dots before it make it"
            " relative. Default: as the last time, or else acp_bindings.",
        ),
    ] = None,
    allow_unprefixed: Annotated[
        bool,
        typer.Option(
            "--allow-unprefixed",
            help="Allow methods and tags without an underscore, and those that the protocol has.",
        ),
    ] = False,
    force: Annotated[
        bool,
        typer.Option("--force", help="Overwrite files that were edited or not written by acpgen."),
    ] = False,
    strict_schema: StrictOption = False,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; check that the package is fresh.")
    ] = False,
    form: Annotated[
        bool, typer.Option("--form", help="Print the JSON Schema of such schemas, for editors.")
    ] = False,
    protocol: Annotated[
        bool,
        typer.Option(
            "--protocol", help="Print the schema of the surface, for tools that resolve `acp:NAME`."
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Generate the package of an extension: typed methods, entries of `_meta` and variants."""
    from acpgen.commands import extend as command
    from acpgen.commands.disk import files

    with (
        reported(as_json),
        terminal.progress("reading the schema", quiet=as_json or form or protocol) as on_step,
    ):
        if form or protocol:
            if (form and (protocol or surface)) or schema or out_dir:
                message = "print something else; give them alone, --protocol with a --surface"
                raise InputError([Problem("--form, --protocol", "", "usage", message)])
            name = surface.value if surface else SurfaceName.v2.value
            terminal.data(command.form() if form else command.protocol(name))
            raise typer.Exit()
        if schema is None or out_dir is None:
            missing = "--out" if schema else "SCHEMA"
            message = "is missing; give the schema of the extension, and a folder with --out"
            raise InputError([Problem(missing, "", "usage", message)])
        if check and force:
            message = "writes, and --check does not; omit one of them"
            raise InputError([Problem("--force", "", "usage", message)])
        folder = files.package_folder(out_dir)
        choices = command.Choices(
            schema,
            surface.value if surface else None,
            bindings,
            strict=strict_schema,
            allow_unprefixed=allow_unprefixed,
        )
        if check:
            found = command.check(folder, choices, on_step)
        else:
            package, written = command.extend(folder, choices, on_step, force=force)
    if check:
        packages.checked(folder, found, "acpgen extend", as_json=as_json)
        raise typer.Exit(STALE if found.differences else FRESH)
    if as_json:
        schemas = dict(package.lock.schemas)
        report = {"out": str(folder), "schemas": schemas, "written": written}
        terminal.data({**report, **package.counts, "notes": terminal.lines(package.notes)})
        return
    terminal.notes(package.notes)
    tables.table([package.counts])
    packages.written(folder, written, package.files)
