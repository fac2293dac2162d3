"""The command line: arguments in, text out. What is done is done elsewhere."""

from __future__ import annotations

import difflib
import keyword
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from acpgen import __version__
from acpgen.commands import terminal
from acpgen.diagnostics import InputError, Problem, display_path

if TYPE_CHECKING:
    from acpgen.commands.generate import GeneratedPackage

FRESH, STALE, ERROR = 0, 1, 2
SAME, CHANGED, BREAKING = 0, 1, 3

app = typer.Typer(
    name="acpgen",
    help="Generate typed Python bindings for the Agent Client Protocol from its JSON Schema.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)


class SurfaceName(str, Enum):
    """The surfaces there are."""

    v1 = "v1"
    v1_unstable = "v1_unstable"
    v2 = "v2"
    v2_unstable = "v2_unstable"


def _path(text: str) -> Path:
    """A path of the command line. No words would be one, too: that of the working directory."""
    if not text:
        raise typer.BadParameter("is empty; give a path")
    return Path(text)


SchemaOption = Annotated[
    Path | None,
    typer.Option(
        "--schema",
        parser=_path,
        metavar="DIR|FILE",
        help="A folder in a layout of the npm package, or one file with one --surface."
        " Default: the vendored schema.",
    ),
]
SurfaceOption = Annotated[
    list[SurfaceName] | None,
    typer.Option("--surface", help="Only this surface; may be repeated. Default: all there are."),
]
OutOption = Annotated[
    Path | None,
    typer.Option(
        "--out",
        parser=_path,
        metavar="DIR",
        help="The package folder; its name is the import name. Default: generated/acp_bindings.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for a program to read.")]


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

    Exit codes: 0 done, 1 stale (`check`) or changed (`diff`), 2 error, 3 breaking (`diff`).
    """


@app.command(
    epilog="Examples: `acpgen generate` · `acpgen generate --surface v2` ·"
    " `acpgen generate --schema schema.json --surface v1 --out myproject/acp`"
)
def generate(
    schema: SchemaOption = None,
    out_dir: OutOption = None,
    surface: SurfaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write the package."""
    from acpgen.commands import files as output

    with _reported(as_json):
        folder = _package_folder(out_dir)
        generated = _render(schema, _names(surface), quiet=as_json)
        output.refuse_foreign(folder, generated.files)
        written = output.write(folder, generated.files, whole=not surface)
    rows = [
        {"surface": each.surface, **each.counts, "seconds": round(each.seconds, 1)}
        for each in generated.results
    ]
    if as_json:
        notes = [note.line("note") for note in generated.notes]
        terminal.data({"out": str(folder), "surfaces": rows, "written": written, "notes": notes})
        return
    terminal.notes(generated.notes)
    terminal.table(rows)
    terminal.line(f"{display_path(folder)}: {len(written)} of {len(generated.files)} files changed")


@app.command(epilog="Example: `acpgen check` · exit code 0: fresh, 1: stale, 2: error")
def check(
    schema: SchemaOption = None,
    out_dir: OutOption = None,
    surface: SurfaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare the package with what would be generated now, byte for byte."""
    from acpgen.commands import files as output

    with _reported(as_json):
        folder = _package_folder(out_dir)
        generated = _render(schema, _names(surface), quiet=as_json)
        differences = output.compare(folder, generated.files, whole=not surface)
    if as_json:
        stale = [{"path": each.path, "kind": each.kind} for each in differences]
        terminal.data({"fresh": not differences, "stale": stale})
    elif not differences:
        terminal.line(f"{display_path(folder)} is fresh: {len(generated.files)} files as generated")
    else:
        terminal.differences(differences)
        terminal.line(f"{display_path(folder)} is stale: run `acpgen generate`")
    raise typer.Exit(STALE if differences else FRESH)


@app.command(
    epilog="Examples: `acpgen inspect ToolCallUpdate` · `acpgen inspect StateUpdate --surface v2`"
)
def inspect(
    name: Annotated[
        str, typer.Argument(help="A definition of the schema, or a class made for it.")
    ],
    schema: SchemaOption = None,
    surface: Annotated[SurfaceName, typer.Option(help="The surface to look in.")] = SurfaceName.v2,
    as_json: JsonOption = False,
) -> None:
    """Show how one definition was understood."""
    from acpgen.build.surface import understand
    from acpgen.commands.inspect import describe, names

    with _reported(as_json):
        found = understand(schema, [surface.value])[0][0]
        known = names(found)
        if name not in known:
            near = ", ".join(difflib.get_close_matches(name, known)) or "another name"
            message = f"no definition or class {name!r}; try {near}"
            raise InputError([Problem(surface.value, "", "unknown-name", message)])
        description = describe(found, name)
    if as_json:
        terminal.data(description)
        return
    terminal.definition(description)


@app.command(
    epilog="Examples: `acpgen sync npm:@agentclientprotocol/sdk@2.4.0` · `acpgen sync ../schema`"
)
def sync(
    source: Annotated[
        str, typer.Argument(help="npm:PACKAGE@VERSION, an http(s) address, or a folder or file.")
    ],
    surface: SurfaceOption = None,
    changelog: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Say there, under Unreleased, what is not as it was before."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Vendor a schema: its structure, without descriptions, and a record of its source."""
    from acpgen import paths
    from acpgen.commands import changelog as noting
    from acpgen.commands import files as output
    from acpgen.commands import sync as syncing

    names = _names(surface)
    with _reported(as_json):
        if not paths.IN_CHECKOUT:
            raise _outside("clone the project to vendor another schema")
        planned = syncing.plan(source, names, paths.SCHEMA)
        noted = noting.with_schema_changes(changelog, source, names) if changelog else None
        if changelog and noted is not None:
            output.replace(changelog, noted.encode("utf-8"))
        written = syncing.carry_out(planned, paths.SCHEMA)
    if as_json:
        removed = list(planned.obsolete)
        terminal.data({"files": sorted(planned.files), "written": written, "removed": removed})
        return
    for path in planned.obsolete:
        terminal.line(f"removed: {path}")
    terminal.line(
        f"{display_path(paths.SCHEMA)}: {len(written)} of {len(planned.files)} files changed"
    )
    terminal.line("next: `acpgen generate`")


@app.command(
    epilog="Examples: `acpgen vendor myproject/acp --surface v1` · `acpgen vendor --check"
    " myproject/acp` · exit code of `--check` 0: as written, 1: edited or outdated, 2: error"
)
def vendor(
    dest: Annotated[
        Path,
        typer.Argument(
            parser=_path, metavar="DEST", help="The package folder; its name is the import name."
        ),
    ],
    schema: Annotated[
        str | None,
        typer.Option(
            metavar="SOURCE",
            help="npm:PACKAGE@VERSION, an address, a folder or a file. Default: the schema that"
            " acpgen brings along.",
        ),
    ] = None,
    surface: Annotated[
        list[SurfaceName] | None,
        typer.Option(
            "--surface",
            help="Only this surface; may be repeated; others are removed. Default: those that the"
            " package has, else all there are.",
        ),
    ] = None,
    types_only: Annotated[
        bool | None,
        typer.Option(
            "--types-only/--all",
            help="Leave out methods, stubs and I/O, or not. Default: as before, else all of it.",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite files that were edited or are not ours.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Only say whether it is as written and up to date.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Write the package into another project, with a lock file; or check one that was written."""
    from acpgen import paths
    from acpgen.commands import sync as syncing
    from acpgen.commands import vendor as vendoring
    from acpgen.inputs import sources

    with _reported(as_json):
        folder = _package_folder(dest)
        if check and (schema or surface or force or types_only is not None):
            message = "takes the package folder and --json only; leave the rest out"
            raise InputError([Problem("--check", "", "usage", message)])
        if check:
            findings = vendoring.check(folder, sources.digests(paths.SCHEMA))
        else:
            before = vendoring.find_lock(folder.resolve(), force=force)
            names = _names(surface) or sorted(before.schemas if before else ())
            only = bool(before and before.types_only) if types_only is None else types_only
            with ExitStack() as stack:
                place = (
                    None if schema is None else stack.enter_context(syncing.vendored(schema, names))
                )
                generated = _render(place, names, quiet=as_json, types_only=only)
            schemas = {
                each.surface: {"label": each.origin.label, "sha256": each.origin.sha256}
                for each in generated.results
            }
            lock = vendoring.make_lock(generated.files, schemas, types_only=only)
            written = vendoring.write(folder, generated.files, lock, force=force)
    if check:
        if as_json:
            listed = [{"path": f.path, "kind": f.kind, "reason": f.reason} for f in findings]
            terminal.data({"fresh": not findings, "findings": listed})
        elif not findings:
            terminal.line(f"{display_path(folder)} is as it was written, and up to date")
        else:
            terminal.findings(folder, findings)
        raise typer.Exit(STALE if findings else FRESH)
    if as_json:
        terminal.data({"dest": str(folder), "schemas": schemas, "written": written})
        return
    # What the overlay says too much or too little for a schema is not for its users to mend.
    found = (note for note in generated.notes if note.code != "overlay")
    terminal.notes(note.relabelled(place, schema) if place and schema else note for note in found)
    for name in sorted(before.schemas.keys() - schemas if before else ()):
        terminal.line(f"{name}: removed")
    for name, made_from in schemas.items():
        earlier = before.schemas.get(name, {}).get("label") if before else None
        change = f"{earlier} → " if earlier not in (None, made_from["label"]) else ""
        terminal.line(f"{name}: {change}{made_from['label']}")
    terminal.line(
        f"{display_path(folder)}: {len(written)} of {len(generated.files) + 1} files changed"
    )


@app.command(
    epilog="Examples: `acpgen diff npm:@agentclientprotocol/sdk@2.3.0 schema` · `acpgen diff v1 v2`"
    " · `acpgen diff HEAD~1 schema --markdown` · exit code 0: no change, 1: changes, 3: breaking"
    " ones, 2: error"
)
def diff(
    old: Annotated[
        str,
        typer.Argument(
            help="A folder or file, npm:PACKAGE@VERSION, a git revision of this project, or a"
            " surface of the vendored schema."
        ),
    ],
    new: Annotated[str, typer.Argument(help="The same.")],
    surface: Annotated[
        SurfaceName | None,
        typer.Option(
            help="Only this surface; needed for single files. Default: the one that OLD or NEW"
            " names, else all there are."
        ),
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
    html: Annotated[bool, typer.Option("--html", help="Print one self-contained page.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Say what differs between two revisions of the schema, and whom it breaks."""
    from acpgen import paths
    from acpgen.diff import report, revisions

    with _reported(as_json):
        if markdown + html + as_json > 1:
            message = "are different formats; choose one of them"
            raise InputError([Problem("--markdown, --html, --json", "", "usage", message)])
        name = surface.value if surface else None
        found = report.report((old, new), *revisions.read_revisions(old, new, name))
    if as_json:
        terminal.data(report.as_json(found))
    elif markdown:
        typer.echo(report.as_markdown(found, paths.TEMPLATES), nl=False)
    elif html:
        typer.echo(report.as_html(found, paths.TEMPLATES), nl=False)
    else:
        terminal.changes(found)
    raise typer.Exit(BREAKING if found.is_breaking else CHANGED if found.changes else SAME)


def _names(surface: list[SurfaceName] | None) -> list[str]:
    return [each.value for each in surface or ()]


def _package_folder(chosen: Path | None) -> Path:
    from acpgen import paths

    if chosen is None:
        if not paths.IN_CHECKOUT:
            raise _outside("say where to write with --out")
        return paths.PACKAGE
    folder = chosen.absolute()
    if not folder.name.isidentifier() or keyword.iskeyword(folder.name):
        message = f"{folder.name!r} cannot be imported; choose a name that is an identifier"
        raise InputError([Problem(str(chosen), "", "bad-name", message)])
    return folder


def _outside(advice: str) -> InputError:
    message = f"is installed, not run from a checkout; {advice}"
    return InputError([Problem("acpgen", "", "missing-file", message)])


def _render(
    schema: Path | None, names: list[str], *, quiet: bool, types_only: bool = False
) -> GeneratedPackage:
    from acpgen.commands.generate import generate as render

    with terminal.progress(quiet=quiet) as advance:
        return render(schema, names, advance, types_only=types_only)


@contextmanager
def _reported(as_json: bool) -> Iterator[None]:
    """Print the problems of bad input, one a line, and leave with exit code 2."""
    try:
        try:
            yield
        except RecursionError as error:
            message = "is nested too deeply; make it less so"
            raise InputError([Problem("the input", "", "unsupported", message)]) from error
        except UnicodeError as error:
            message = f"is not UTF-8 ({error}); mend the file"
            raise InputError([Problem("the input", "", "io", message)]) from error
        except OSError as error:
            message = f"cannot be read or written ({error.strerror or error}); mend that, try again"
            place = str(error.filename or "the disk")
            raise InputError([Problem(place, "", "io", message)]) from error
    except InputError as error:
        if as_json:
            fields = ("code", "file", "pointer", "message")
            problems = [{key: getattr(each, key) for key in fields} for each in error.problems]
            terminal.data({"problems": problems})
        else:
            for problem in error.problems:
                terminal.line(problem.line(), error=True)
        raise typer.Exit(ERROR) from None
