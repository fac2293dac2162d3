"""The command `acpgen vendor`: write the package into another project, or check it there."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from acpgen.cli.arguments import (
    FRESH,
    STALE,
    JsonOption,
    SchemaOption,
    StrictOption,
    parse_path,
    parse_surface,
    reported,
)
from acpgen.cli.output import packages, terminal
from acpgen.common.display import display_path

EPILOG = (
    "Examples: `acpgen vendor myproject/acp --surface v1` · `acpgen vendor --check"
    " myproject/acp` · Exit codes of `--check`: 0 fresh, 1 edited or outdated, 2 error"
)


def vendor(
    dest: Annotated[
        Path,
        typer.Argument(
            parser=parse_path,
            metavar="DIR",
            help="The package folder; its name is the import name.",
        ),
    ],
    schema: SchemaOption = None,
    surface: Annotated[
        list[str] | None,
        typer.Option(
            "--surface",
            parser=parse_surface,
            metavar="SURFACE",
            help="Only this surface; may be repeated. Others are removed. Default: those of the"
            " package that is there, or else all.",
        ),
    ] = None,
    types_only: Annotated[
        bool | None,
        typer.Option(
            "--types-only/--all",
            help="Leave out methods, stubs and I/O, or include them. Default: as the last time, or"
            " else include them.",
        ),
    ] = None,
    bridge: Annotated[
        bool | None,
        typer.Option(
            "--bridge/--no-bridge",
            help="Include the bridge between v1 and v2, and what it needs of a surface that is not"
            " chosen; or leave it out. Default: as the last time, or else leave it out.",
        ),
    ] = None,
    kit: Annotated[
        bool | None,
        typer.Option(
            "--kit/--no-kit",
            help="Include the kit, such as terminals, files and permissions; or leave it out."
            " Default: as the last time, or else leave it out.",
        ),
    ] = None,
    remote: Annotated[
        bool | None,
        typer.Option(
            "--remote/--no-remote",
            help="Include connections over WebSocket and HTTP; or leave them out. Default: as the"
            " last time, or else leave them out.",
        ),
    ] = None,
    testing: Annotated[
        bool | None,
        typer.Option(
            "--testing/--no-testing",
            help="Include what tests of agents and clients need; or leave it out. Default: as the"
            " last time, or else leave it out.",
        ),
    ] = None,
    force: Annotated[
        bool,
        typer.Option("--force", help="Overwrite files that were edited or not written by acpgen."),
    ] = False,
    strict_schema: StrictOption = False,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; check for edits and updates.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Write the package into another project, with a lock file; or check it there."""
    from acpgen.commands.disk import files

    with reported(as_json):
        folder = files.package_folder(dest)
        choices = (schema, types_only, bridge, kit, remote, testing)
        chosen = surface or any(choice is not None for choice in choices)
        if check and (chosen or force or strict_schema):
            message = "goes with the package folder and --json only; omit the other options"
            raise typer.BadParameter(message, param_hint="--check")
    if check:
        _check_vendored(folder, as_json)
        return

    with reported(as_json), terminal.progress("reading the schema", quiet=as_json) as on_step:
        from acpgen.commands import vendor as command

        result = command.vendor(
            folder,
            schema,
            surface or [],
            on_step,
            types_only=types_only,
            bridge=bridge,
            kit=kit,
            remote=remote,
            testing=testing,
            force=force,
            strict=strict_schema,
        )
    if as_json:
        schemas = dict(result.lock.schemas)
        report = {"dest": str(folder), "schemas": schemas, "written": result.written}
        terminal.data({**report, "notes": terminal.lines(result.notes)})
    else:
        packages.vendored(folder, result)


def _check_vendored(folder: Path, as_json: bool) -> None:
    with reported(as_json):
        from acpgen.commands import check as command

        findings = command.check_vendored(folder)
    if as_json:
        listed = [{"path": f.path, "kind": f.kind, "reason": f.reason} for f in findings]
        terminal.data({"fresh": not findings, "findings": listed})
    elif not findings:
        terminal.line(f"{display_path(folder)} is unmodified and up to date")
    else:
        packages.findings(folder, findings)
    raise typer.Exit(STALE if findings else FRESH)
