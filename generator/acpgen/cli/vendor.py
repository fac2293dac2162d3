"""The command `acpgen vendor`: write the package into another project or check it there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from acpgen.cli.arguments import (
    JsonOption,
    SchemaOption,
    StrictOption,
    parse_path,
    reported,
    surface_option,
)
from acpgen.cli.generate import print_written
from acpgen.cli.output import terminal
from acpgen.common import paths
from acpgen.common.display import display_path
from acpgen.common.exit_codes import FRESH, STALE

if TYPE_CHECKING:
    from acpgen.commands.package_vendoring import VendoredPackage

EPILOG = (
    "Examples: `acpgen vendor myproject/acp --surface v1` · `acpgen vendor --check"
    " myproject/acp` · Exit codes of `--check`: 0 fresh, 1 edited or outdated, 2 error"
)


def _part_option(name: str, contents: str, pronoun: str = "it") -> Any:
    """Return the option that includes or omits a part of the package."""
    return typer.Option(
        f"--{name}/--no-{name}",
        help=f"Include {contents}, or omit {pronoun}. Default: the setting of the last run,"
        " otherwise off.",
    )


def vendor(
    dest: Annotated[
        Path,
        typer.Argument(
            parser=parse_path,
            metavar="DIR",
            help="The package folder. Its name is the import name.",
        ),
    ],
    schema: SchemaOption = None,
    surface: Annotated[
        list[str] | None,
        surface_option(
            "Include only this surface and remove others. Repeatable. Default: the surfaces of the"
            " existing package, otherwise all."
        ),
    ] = None,
    types_only: Annotated[
        bool | None,
        typer.Option(
            "--types-only/--all",
            help="Omit methods, stubs and I/O, or include them. Default: the setting of the last"
            " run, otherwise include them.",
        ),
    ] = None,
    bridge: Annotated[
        bool | None,
        _part_option(
            "bridge",
            "the bridge between v1 and v2 (and the parts it needs from unselected surfaces)",
        ),
    ] = None,
    kit: Annotated[
        bool | None,
        _part_option("kit", "the kit (helpers for terminals, files, permissions and more)"),
    ] = None,
    remote: Annotated[
        bool | None,
        _part_option("remote", "connections over WebSocket and HTTP", pronoun="them"),
    ] = None,
    testing: Annotated[
        bool | None,
        _part_option("testing", "helpers for testing agents and clients", pronoun="them"),
    ] = None,
    force: Annotated[
        bool,
        typer.Option(
            "--force", help="Overwrite files that were edited or that acpgen did not write."
        ),
    ] = False,
    strict_schema: StrictOption = False,
    check: Annotated[
        bool, typer.Option("--check", help="Check for edits and updates without writing.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Write the package and a lock file into another project, or check them.

    The lock file records the settings and the digests of all files.
    """
    from acpgen.commands import disk

    extras = {paths.KIT: kit, paths.REMOTE: remote, paths.TESTING: testing}
    with reported(as_json):
        folder = disk.package_folder(dest)
        choices = (schema, types_only, bridge, *extras.values())
        chosen = surface or any(choice is not None for choice in choices)
        if check and (chosen or force or strict_schema):
            message = "accepts only the package folder and --json; omit the other options"
            raise typer.BadParameter(message, param_hint="--check")
    if check:
        _check_vendored(folder, as_json)
        return

    with reported(as_json), terminal.progress("reading the schema", quiet=as_json) as on_step:
        from acpgen.commands import package_vendoring

        result = package_vendoring.vendor(
            folder,
            schema,
            surface or [],
            on_step,
            types_only=types_only,
            bridge=bridge,
            extras=extras,
            force=force,
            strict=strict_schema,
        )
    if as_json:
        schemas = dict(result.lock.schemas)
        report = {"dest": str(folder), "schemas": schemas, "written": result.written}
        terminal.data({**report, "notes": terminal.lines(result.notes)})
    else:
        _print_vendored(folder, result)


def _check_vendored(folder: Path, as_json: bool) -> None:
    with reported(as_json):
        from acpgen.commands import freshness

        findings = freshness.check_vendored(folder)
    if as_json:
        listed = [{"path": f.path, "kind": f.kind, "reason": f.reason} for f in findings]
        terminal.data({"fresh": not findings, "findings": listed})
    elif not findings:
        terminal.line(f"{display_path(folder)} is unmodified and up to date")
    else:
        for finding in findings:
            terminal.line(
                f"{finding.kind}: {display_path(folder / finding.path)}: {finding.reason}"
            )
    raise typer.Exit(STALE if findings else FRESH)


def _print_vendored(folder: Path, package: VendoredPackage) -> None:
    """Print the package's schemas before and after vendoring, and the number of files written."""
    terminal.notes(package.notes)
    schemas = package.lock.schemas
    before = package.before.schemas if package.before else {}
    for name in sorted(before.keys() - schemas):
        terminal.line(f"{name}: removed")
    for name, schema in schemas.items():
        earlier = before.get(name, schema)["label"]
        change = "" if earlier == schema["label"] else f"{earlier} → "
        purpose = ", only for the bridge" if name in (package.lock.bridge or ()) else ""
        terminal.line(f"{name}: {change}{schema['label']}{purpose}")
    print_written(folder, package.written, package.lock.files)
