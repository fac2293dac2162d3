"""The command `acpgen diff`: compare two schemas and report the changes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from acpgen.cli import completion
from acpgen.cli.arguments import JsonOption, StrictOption, parse_path, reported, surface_option
from acpgen.cli.output import terminal
from acpgen.cli.output.tables import grid
from acpgen.common.display import printable
from acpgen.common.exit_codes import CHANGED, FAILS, SAME

if TYPE_CHECKING:
    from acpgen.diff.changes import Change
    from acpgen.diff.policy import Judgement, Outcome, Verdict
    from acpgen.diff.report import Report

EPILOG = (
    "Examples: `acpgen diff npm:@agentclientprotocol/sdk@2.3.0 v2` · `acpgen diff v1 v2`"
    " · `acpgen diff HEAD~1 schema --format markdown` · `acpgen diff"
    " npm:@agentclientprotocol/sdk@2.3.0 v2 --used-by src --policy acp-policy.toml --format github`"
    " · Exit codes: 0 no changes (with --policy: no failing changes), 1 changes, 2 error,"
    " 3 failing changes (by default, breaking changes)"
)
_STYLES = {"breaking": "bold red", "unknown": "yellow", "compatible": "green", "internal": "dim"}
_OUTCOMES: dict[Outcome, str] = {"fails": "bold red", "excepted": "yellow", "passes": "dim"}
_WORDS: dict[Outcome, str] = {"fails": "fail", "excepted": "excepted", "passes": "pass"}


class DiffFormat(str, Enum):
    """The output formats of `acpgen diff` other than text and JSON."""

    markdown = "markdown"
    html = "html"
    github = "github"
    gitlab = "gitlab"
    junit = "junit"


def diff(
    old: Annotated[
        str,
        typer.Argument(
            metavar="OLD",
            autocompletion=completion.complete_revision,
            help="The old schema: a folder or file, npm:PACKAGE@VERSION, an http(s) URL, a git"
            " revision of this project, or a surface of the vendored schema.",
        ),
    ],
    new: Annotated[
        str,
        typer.Argument(
            metavar="NEW",
            autocompletion=completion.complete_revision,
            help="The new schema, in any of the forms that OLD accepts.",
        ),
    ],
    surface: Annotated[
        str | None,
        surface_option(
            "Compare only this surface. Required for single files. Default: the surface given as"
            " OLD or NEW, otherwise all."
        ),
    ] = None,
    used_by: Annotated[
        list[Path] | None,
        typer.Option(
            parser=parse_path,
            metavar="FOLDER",
            help="Report only changes to definitions that Python files in FOLDER use, directly or"
            " indirectly. Repeatable.",
        ),
    ] = None,
    policy: Annotated[
        Path | None,
        typer.Option(
            parser=parse_path,
            metavar="FILE",
            help="A TOML file that determines which changes fail. In `[fail]`, `wire` and `python`"
            " set the least severe effect that fails (breaking, compatible, internal or never),"
            " and `unknown` sets whether to treat unknown effects as breaking. Each entry in"
            " `[[exceptions]]` contains `name`, `what`, `reason` and `until` (a date). Default:"
            " breaking and unknown changes fail.",
        ),
    ] = None,
    form: Annotated[
        DiffFormat | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="The output format: markdown, html (a self-contained page), github (workflow"
            " commands), gitlab (a code quality report; requires --used-by) or junit (XML).",
        ),
    ] = None,
    extension: Annotated[
        bool,
        typer.Option(
            "--extension",
            help="Treat OLD and NEW as schemas of an extension of --surface (default: the newest"
            " stable surface).",
        ),
    ] = False,
    strict_schema: StrictOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show the changes between two schema revisions and their effects."""
    with reported(as_json), terminal.progress(f"reading {old} and {new}", quiet=as_json):
        from acpgen.diff import report, report_formats, revisions
        from acpgen.diff.policy import Policy, judge, read_policy
        from acpgen.diff.used_by import find_uses

        if form and as_json:
            message = "cannot be used together; choose one of them"
            raise typer.BadParameter(message, param_hint="--format, --json")
        if form is DiffFormat.gitlab and not used_by:
            message = "requires a file and a line for each change; add --used-by"
            raise typer.BadParameter(message, param_hint="--format gitlab")
        if extension and used_by:
            message = "applies to surfaces, not to extensions; omit it"
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
            _print_changes(judged, by_policy=bool(policy or used_by))
    # With a policy, changes that pass don't affect the exit code.
    is_same = policy is not None or not judged.report.changes
    raise typer.Exit(FAILS if judged.fails else SAME if is_same else CHANGED)


def _print_changes(judgement: Judgement, *, by_policy: bool) -> None:
    """Print the changes and, if `by_policy` is true, the policy's verdicts.

    Piped output lists each change on a separate line. On a terminal, the counts are followed by the
    breaking and failing changes, which are grouped by definition and wrapped to the terminal width.
    """
    report = judgement.report
    if terminal.FOLDS:
        _numbers(report)
        _breaking(judgement.verdicts)
    else:
        for surface, listed in report.surfaces().items():
            rows = [_row(change) for change in listed]
            grid(("name", "what", "before", "after", "wire", "Python"), rows, surface)
        for label, counts in report.counts().items():
            words = f"{counts['wire']} on the wire, {counts['python']} in Python"
            terminal.line(f"{label}: {words}")
    if by_policy:
        _outcomes(judgement)


def _row(change: Change) -> tuple[str | Text, ...]:
    labels = (Text(label, _STYLES[label]) for label in (change.wire, change.python))
    return (change.name, change.what, change.before or "", change.after or "", *labels)


def _numbers(report: Report) -> None:
    number = len(report.changes)
    words = f"{report.old} → {report.new}: {number} change{'' if number == 1 else 's'}"
    terminal.folded(Text(), Text(printable(words), "bold"))
    rows = [
        (Text(label, _STYLES[label]), str(counts["wire"]), str(counts["python"]))
        for label, counts in report.counts().items()
    ]
    if number:
        grid(("", "on the wire", "in Python"), rows)


def _breaking(verdicts: Iterable[Verdict]) -> None:
    """Print the breaking and failing changes, grouped by definition or method."""
    blocks: dict[str, dict[str, list[Verdict]]] = {}
    for verdict in verdicts:
        if verdict.change.is_breaking or verdict.outcome != "passes":
            owner = re.split(r"[.\[]", verdict.change.name)[0]  # a definition or method
            of_surface = blocks.setdefault(verdict.change.surface, {})
            of_surface.setdefault(owner, []).append(verdict)
    for surface, by_owner in blocks.items():
        terminal.line("")
        terminal.folded(Text(), Text(f"{surface}: breaking changes by definition", "bold"))
        for owner, block in by_owner.items():
            head = Text(f"{printable(owner)} ", "bold")
            if len(block) > 1:
                terminal.folded(Text(), head)
                head = Text("  ")
            for verdict in block:
                terminal.folded(Text(), head + _words(verdict.change, owner))
    if blocks:
        terminal.line("")
        terminal.folded(Text(), Text("to see every change, use `--format markdown` or a pipe"))


def _words(change: Change, owner: str) -> Text:
    part = change.name.removeprefix(owner).removeprefix(".")
    words = Text(printable(f"{part} " if part else ""), "cyan")
    words.append(change.what)
    states = [state for state in (change.before, change.after) if state is not None]
    words.append(printable(f": {' → '.join(states)}"))
    labels = (("wire", change.wire), ("Python", change.python))
    broken = [name for name, label in labels if label == "breaking"]
    if change.wire == "unknown":
        words.append(" (unchecked by this package; other peers might check it)", "yellow")
    return words.append(f" (breaks {' and '.join(broken)})" if broken else "", "red")


def _outcomes(judgement: Judgement) -> None:
    """Print each change that has an exception, then the number of changes per outcome."""
    for verdict in judgement.verdicts:
        if verdict.reason:
            head = Text(f"{verdict.outcome}: ", _OUTCOMES[verdict.outcome])
            words = f"{verdict.change.name}: {verdict.change.what}: {verdict.reason}"
            terminal.folded(head, Text(printable(words)))
    numbers = [
        Text(
            f"{sum(verdict.outcome == outcome for verdict in judgement.verdicts)} {words}",
            _OUTCOMES[outcome],
        )
        for outcome, words in _WORDS.items()
    ]
    if judgement.unused:
        numbers.append(Text(f"{judgement.unused} not used"))
    terminal.folded(Text("policy: "), Text(", ").join(numbers))
