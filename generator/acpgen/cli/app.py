"""The command line: parse arguments, call a command, print its result."""

from __future__ import annotations

import shlex
from datetime import date
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from acpgen import __version__
from acpgen.cli import completion, extend, new, vendor
from acpgen.cli.arguments import (
    FRESH,
    STALE,
    JsonOption,
    OutOption,
    SchemaOption,
    StrictOption,
    SurfaceOption,
    parse_path,
    parse_surface,
    reported,
)
from acpgen.cli.command_group import PROGRAMS, Command, Commands
from acpgen.cli.output import descriptions, packages, tables, terminal
from acpgen.common.display import display_path

# The commands are imported where they run: `acpgen --help` needs neither black nor jsonschema.

app = typer.Typer(
    name="acpgen",
    cls=Commands,
    help="Generate typed Python bindings for the Agent Client Protocol from its JSON Schema.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"acpgen {__version__}")
        raise typer.Exit()


@app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Generate typed Python bindings for the Agent Client Protocol from its JSON Schema.

    Exit codes: 0 done, 1 stale (`check`), changed (`diff`), problems (`trace`) or failures
    (`conform`), 2 error, 3 changes that fail (`diff`).
    """


@app.command(
    cls=Command,
    epilog="Examples: `acpgen generate` · `acpgen generate --surface v2` ·"
    " `acpgen generate --schema schema.json --surface v1 --out myproject/acp`",
)
def generate(
    schema: SchemaOption = None,
    out_dir: OutOption = None,
    surface: SurfaceOption = None,
    strict_schema: StrictOption = False,
    skeleton: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the entries that the overlay lacks to FILE, as comments to fill in, and"
            " list only the first problems of each kind.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Generate the package."""
    with (
        reported(as_json, skeleton),
        terminal.progress("reading the schema", quiet=as_json) as on_step,
    ):
        from acpgen.commands import generate as command
        from acpgen.commands.disk import files

        folder, names = files.package_folder(out_dir), surface or []
        package = command.generate_from(
            schema,
            names,
            on_step,
            check=lambda surfaces: command.check_destination(folder, surfaces),
            strict=strict_schema,
        )
        written = command.write_package(folder, package, whole=not surface)
    rows = [
        {"surface": result.surface, **result.counts, "seconds": round(result.seconds, 1)}
        for result in package.results
    ]
    if as_json:
        report = {"out": str(folder), "surfaces": rows, "written": written}
        terminal.data({**report, "notes": terminal.lines(package.notes)})
        return
    terminal.notes(package.notes)
    tables.table(rows)
    packages.written(folder, written, package.files)


@app.command(cls=Command, epilog="Example: `acpgen check` · Exit codes: 0 fresh, 1 stale, 2 error")
def check(
    schema: SchemaOption = None,
    out_dir: OutOption = None,
    surface: SurfaceOption = None,
    strict_schema: StrictOption = False,
    full: Annotated[
        bool,
        typer.Option(
            "--full", help="Generate for the comparison even if the lock file proves it fresh."
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Check that the package is what would be generated now, byte for byte.

    The lock file records the digests of the package's files and of all that they follow from: the
    vendored schema, the overlay, the templates, acpgen and its tools. If these are as recorded,
    nothing has to be generated for the comparison.
    """
    with reported(as_json), terminal.progress("reading the lock", quiet=as_json) as on_step:
        from acpgen.commands import check as command
        from acpgen.commands.disk import files

        folder, names = files.package_folder(out_dir), surface or []
        checked = command.check(folder, schema, names, on_step, full=full, strict=strict_schema)
    packages.checked(folder, checked, _generate(schema, names, out_dir), as_json=as_json)
    raise typer.Exit(STALE if checked.differences else FRESH)


def _generate(schema: str | None, surfaces: list[str], out_dir: Path | None) -> str:
    """The command that writes what the same options check."""
    words = ["acpgen", "generate", *(["--schema", schema] if schema else [])]
    words += [word for name in surfaces for word in ("--surface", name)]
    return shlex.join([*words, *(["--out", str(out_dir)] if out_dir else [])])


@app.command(
    cls=Command,
    epilog="Examples: `acpgen inspect ToolCallUpdate` · `acpgen inspect StateUpdate --surface v2` ·"
    " `acpgen inspect session/prompt` ·"
    " `acpgen inspect npm:@agentclientprotocol/sdk@2.3.0#ToolCall.title`",
)
def inspect(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            autocompletion=completion.complete_name,
            help="A definition of the schema, a generated class, a method such as session/prompt,"
            " or a member such as ToolCall.title; SOURCE#NAME for those of another schema.",
        ),
    ],
    schema: SchemaOption = None,
    extension: Annotated[
        str | None,
        typer.Option(
            metavar="SOURCE", help="The schema of an extension of the surface to look in instead."
        ),
    ] = None,
    surface: Annotated[
        str | None,
        typer.Option(
            parser=parse_surface,
            metavar="SURFACE",
            autocompletion=completion.complete_surface,
            help="The surface to look in. Default: the first that has NAME.",
        ),
    ] = None,
    strict_schema: StrictOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show how the generator understands one definition, method or member."""
    with reported(as_json), terminal.progress("reading the schema", quiet=as_json):
        from acpgen.commands import inspect as command

        if extension is not None and schema is not None:
            message = "are different schemas; give one of them"
            raise typer.BadParameter(message, param_hint="--schema, --extension")
        described, notes = command.inspect(
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
        descriptions.definition(described)


@app.command(
    cls=Command,
    epilog="Examples: `acpgen sync npm:@agentclientprotocol/sdk@2.4.0` · `acpgen sync ../schema`",
)
def sync(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            autocompletion=completion.complete_source,
            help="npm:PACKAGE@VERSION, an http(s) address, a folder or file, or a git revision of"
            " this project.",
        ),
    ],
    surface: SurfaceOption = None,
    changelog: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Note the schema's changes there, under Unreleased."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Vendor a schema into the checkout, without descriptions, and record its source."""
    from acpgen.common import paths

    with reported(as_json), terminal.progress(f"reading {source}", quiet=as_json):
        from acpgen.commands.bump import sync as command

        result = command.sync(source, surface or [], changelog)
    if as_json:
        notes = [note.line("note") for note in result.undecided]
        listed = {"files": result.files, "written": result.written, "removed": result.removed}
        terminal.data({**listed, "notes": notes})
        return
    terminal.notes(result.undecided)
    for path in result.removed:
        terminal.line(f"removed: {path}")
    counts = f"{len(result.written)} of {len(result.files)} files changed"
    terminal.line(f"{display_path(paths.SCHEMA)}: {counts}")
    terminal.line("next: `acpgen generate`")


app.command(cls=Command, epilog=new.EPILOG)(new.new)
app.command(cls=Command, epilog=vendor.EPILOG)(vendor.vendor)
app.add_typer(extend.app, name="extend")


class DiffFormat(str, Enum):
    """The formats of `acpgen diff`, besides text and JSON."""

    markdown = "markdown"
    html = "html"
    github = "github"
    gitlab = "gitlab"
    junit = "junit"


@app.command(
    cls=Command,
    epilog="Examples: `acpgen diff npm:@agentclientprotocol/sdk@2.3.0 v2` · `acpgen diff v1 v2`"
    " · `acpgen diff HEAD~1 schema --format markdown` · `acpgen diff"
    " npm:@agentclientprotocol/sdk@2.3.0 v2 --used-by src --policy acp-policy.toml --format github`"
    " · Exit codes: 0 no change, or with --policy none that fails, 1 changes, 3 changes that fail,"
    " which are the breaking ones but for --policy, 2 error",
)
def diff(
    old: Annotated[
        str,
        typer.Argument(
            metavar="OLD",
            autocompletion=completion.complete_revision,
            help="A folder or file, npm:PACKAGE@VERSION, an http(s) address, a git revision of this"
            " project, or a surface of the vendored schema.",
        ),
    ],
    new: Annotated[
        str,
        typer.Argument(
            metavar="NEW", autocompletion=completion.complete_revision, help="Likewise."
        ),
    ],
    surface: Annotated[
        str | None,
        typer.Option(
            parser=parse_surface,
            metavar="SURFACE",
            autocompletion=completion.complete_surface,
            help="Only this surface; required for single files. Default: the one that OLD or NEW"
            " names, or else all.",
        ),
    ] = None,
    used_by: Annotated[
        list[Path] | None,
        typer.Option(
            parser=parse_path,
            metavar="FOLDER",
            help="Only changes of what the Python files there use of OLD, or reach by it; may be"
            " repeated.",
        ),
    ] = None,
    policy: Annotated[
        Path | None,
        typer.Option(
            parser=parse_path,
            metavar="FILE",
            help="Which changes fail: TOML, `[fail]` with the mildest effect that does (`wire` and"
            " `python`: breaking, compatible, internal or never) and `unknown`, whether unknown"
            " effects count as breaking, and `[[exceptions]]`, each with `name`, `what`, `reason`"
            " and `until`, a day. Default: breaking and unknown ones.",
        ),
    ] = None,
    form: Annotated[
        DiffFormat | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="Print markdown, html (one self-contained page), github (workflow commands),"
            " gitlab (a report of code quality, with --used-by) or junit (XML).",
        ),
    ] = None,
    extension: Annotated[
        bool,
        typer.Option(
            "--extension",
            help="OLD and NEW are schemas of an extension of --surface (default: the newest"
            " stable one).",
        ),
    ] = False,
    strict_schema: StrictOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show what changes between two revisions of the schema, and what that breaks."""
    with reported(as_json), terminal.progress(f"reading {old} and {new}", quiet=as_json):
        from acpgen.diff import report, report_formats, revisions
        from acpgen.diff.exit_codes import exit_code
        from acpgen.diff.policy import Policy, judge, read_policy
        from acpgen.diff.used_by import find_uses

        if form and as_json:
            message = "are different formats; choose one of them"
            raise typer.BadParameter(message, param_hint="--format, --json")
        if form is DiffFormat.gitlab and not used_by:
            message = "names a file and a line for each change; add --used-by"
            raise typer.BadParameter(message, param_hint="--format gitlab")
        if extension and used_by:
            message = "is about surfaces, not extensions; leave it out"
            raise typer.BadParameter(message, param_hint="--used-by")
        rules = read_policy(policy) if policy else Policy()
        read = revisions.read_extensions if extension else revisions.read_revisions
        before, after = read(old, new, surface, strict=strict_schema)
        differences = report.report((old, new), before.surfaces, after.surfaces)
        uses = None
        if used_by:
            uses = find_uses(used_by, before.surfaces, after.surfaces, differences.changes)
        judged = judge(differences, rules, uses, date.today())
        page = report_formats.FORMATS[form.value](judged) if form else None
    notes = [*before.notes, *after.notes, *(uses.notes if uses else ()), *judged.notes]
    if as_json:
        terminal.data({**report_formats.as_json(judged), "notes": terminal.lines(notes)})
    else:
        terminal.notes(notes)
        if page is not None:
            typer.echo(page, nl=False)
        else:
            from acpgen.cli.output import changes

            changes.show(judged, by_policy=bool(policy or used_by))
    raise typer.Exit(exit_code(judged, has_policy=policy is not None))


for program in PROGRAMS:
    app.add_typer(program.load())
