"""The examples that there are, and the table of their lines in the README of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.paths import GUIDE_TEMPLATES, ROOT
from support.paths import MIGRATED_EXAMPLES as EXAMPLES
from support.paths import README as PROJECT_README

from migration import originals
from migration.originals import NAMES, OURS, SHARED, VERSIONS, lines_of_code

README = Path(__file__).resolve().parent / "README.md"
GUIDE = GUIDE_TEMPLATES / "official-sdk.md"
START, END = "<!-- lines of code -->\n", "<!-- end of lines of code -->\n"
# Why ours is not shorter.
REASONS = {
    "http_client": "has the conversation that `ws_client` shares",
    SHARED: "the SDK has these transports built in; here, they are streams of one's own",
}


def counts(name: str) -> list[int]:
    """The lines of an example: in each version of the SDK, and here."""
    return [lines_of_code(originals.folder(who) / f"{name}.py") for who in (*VERSIONS, OURS)]


def table() -> str:
    """The table of lines."""
    header = ["example", *(f"SDK {version}" for version in VERSIONS), "here", "why not fewer"]
    rows = [header, ["---", *(["--:"] * 3), "---"]]
    numbers = {name: counts(name) for name in NAMES}
    for name, (*before, after) in numbers.items():
        is_shorter = all(after < each for each in before)
        assert is_shorter is (name not in REASONS), name
        cells = [f"`{name}`", *map(str, before), str(after)]
        rows.append([*cells, REASONS.get(name, "")])
    shared = lines_of_code(EXAMPLES / f"{SHARED}.py")
    rows.append([f"`{SHARED}`", *([""] * len(VERSIONS)), str(shared), REASONS[SHARED]])
    *before, after = (sum(column) for column in zip(*numbers.values(), strict=True))
    rows.append(["all", *map(str, before), str(after + shared), f"{after} without `{SHARED}`"])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


@pytest.mark.parametrize("version", VERSIONS)
def test_each_example_of_the_sdk_is_here(version: str) -> None:
    """A new example in the SDK fails this."""
    theirs = {path.name for path in originals.folder(version).rglob("*") if path.is_file()}
    assert theirs == {f"{name}.py" for name in NAMES}
    assert len(theirs) == 8


def test_each_example_here_is_one_of_the_sdk() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == {
        f"{each}.py" for each in (*NAMES, SHARED)
    }


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", NAMES)
def test_no_original_is_copied(version: str, name: str) -> None:
    """Of the lines that are long enough to tell, few are those of the original."""

    def telling(path: Path) -> set[str]:
        lines = (line.strip() for line in path.read_text("utf-8").splitlines())
        return {line for line in lines if len(line) > 40 and not line.startswith("import")}

    ours = telling(EXAMPLES / f"{name}.py")
    assert len(ours & telling(originals.folder(version) / f"{name}.py")) <= len(ours) * 0.3


@pytest.mark.parametrize("page", [README, GUIDE], ids=lambda page: page.name)
def test_the_readme_and_the_guide_have_the_lines(
    page: Path, request: pytest.FixtureRequest
) -> None:
    text = page.read_text("utf-8")
    assert text.count(START) == text.count(END) == 1
    before, _, rest = text.partition(START)
    _, end, after = rest.partition(END)
    assert end
    expected = f"{before}{START}\n{table()}\n{END}{after}"
    if request.config.getoption("--update-goldens"):
        page.write_text(expected, "utf-8")
    assert page.read_text("utf-8") == expected


def test_the_readme_and_the_guide_name_this_folder() -> None:
    """The guide is part of a site without this folder, so it has no link."""
    assert f"({README.relative_to(ROOT).as_posix()})" in PROJECT_README.read_text("utf-8")
    assert f"`{EXAMPLES.relative_to(ROOT).as_posix()}`" in GUIDE.read_text("utf-8")


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("x = 1\n", 1),
        ('"""A module.\n\nMore.\n"""\n\nx = 1  # one\n# two\n', 1),
        ("x = [\n    1,\n\n    # two\n    3,\n]\n", 4),
        (
            'class A:\n    """A."""\n\n    def f(self) -> str:\n        """F."""\n'
            '        return """a\n\nb"""\n',
            5,
        ),
    ],
)
def test_lines_with_code_count(code: str, lines: int, tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    path.write_text(code, "utf-8")
    assert lines_of_code(path) == lines
