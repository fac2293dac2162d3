"""Tests of the output of `acpgen diff --format html` in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from acpgen.cli.app import app
from typer.testing import CliRunner

from tests.acpgen.diff import hostile
from tests.acpgen.diff.small import save
from tests.support.browser import Site, launch, lowest_contrast

if TYPE_CHECKING:
    from playwright.sync_api import Dialog, Locator, Page

# One worker runs all these tests so that only one browser is started.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("page")]

LONG = "/".join(["a-folder-with-a-long-name"] * 6)
LABELS = ("breaking", "compatible", "internal")


def page_of(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["diff", *arguments, "--format", "html"])
    assert result.exit_code in (0, 1, 3), result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site with four reports: protocol 1 to 2, no changes, a hostile schema, and long paths."""
    folder = tmp_path_factory.mktemp("pages")
    with launch(folder) as found, pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name, definitions in zip(("old", "new"), hostile.schemas(), strict=True):
            save(folder / f"{name}.json", definitions)
            save(folder / LONG / f"{name}.json", definitions)
        for name, arguments in {
            "migration": ("v1", "v2"),
            "same": ("v2", "v2"),
            "hostile": ("old.json", "new.json", "--surface", "v2"),
            "long": (f"{LONG}/old.json", f"{LONG}/new.json", "--surface", "v2"),
        }.items():
            (folder / f"{name}.html").write_text(page_of(*arguments), encoding="utf-8")
        yield found


def visible(page: Page) -> Locator:
    return page.locator("tbody tr:visible")


def count(page: Page) -> int:
    """Return the number of changes shown on the page."""
    words = page.locator("#count").inner_text().split()
    assert words[1] == ("change" if words[0] == "1" else "changes")
    return int(words[0])


def names(page: Page) -> list[str]:
    return visible(page).locator("th").all_inner_texts()


def test_page_shows_every_change_and_loads_nothing_else(site: Site) -> None:
    site.requests.clear()
    with site.open("migration.html") as page:
        shown = visible(page).count()
        assert shown == count(page) > 200
        assert "v1 → v2" in page.title()
        assert "authenticate" in names(page)
        page.locator("#words").fill("session")
    assert site.foreign() == []
    assert {each.rpartition("/")[2] for each in site.requests} <= {"migration.html", "favicon.ico"}


def test_words_filter_rows(site: Site) -> None:
    with site.open("migration.html") as page:
        every = count(page)
        page.locator("#words").fill("auth/login")
        assert 0 < count(page) < every
        assert visible(page).count() == count(page)
        assert all("auth/login" in each.lower() for each in visible(page).all_inner_texts())
        page.locator("#words").fill("METHOD Removed")
        assert "session/load" in names(page)
        assert all("method removed" in each for each in visible(page).all_inner_texts())
        page.locator("#words").fill("there is no such change")
        assert (count(page), visible(page).count()) == (0, 0)
        assert page.locator("section:visible").count() == 0
        page.locator("#words").fill("   ")
        assert count(page) == every
        assert page.locator("section:visible").count() == 1


def test_labels_filter_rows(site: Site) -> None:
    with site.open("migration.html") as page:
        every = count(page)
        for label in LABELS:
            page.locator(f"input[value={label}]").uncheck()
        assert (count(page), visible(page).count()) == (0, 0)
        page.locator("input[value=breaking]").check()
        rows = visible(page)
        assert 0 < rows.count() == page.locator("tbody tr:has(td.breaking)").count()
        seen = count(page)
        for label in LABELS[1:]:
            page.locator(f"input[value={label}]").check()
            assert visible(page).count() == count(page) >= seen
            seen = count(page)
        assert seen == every
        page.locator("#words").fill("session/load")
        before = count(page)
        page.locator("input[value=breaking]").uncheck()
        assert count(page) < before
        assert "session/load" not in names(page)


@pytest.mark.parametrize("name", ["migration", "same", "hostile", "long"])
@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
def test_nothing_overflows(site: Site, name: str, phone: bool) -> None:
    """No page needs horizontal scrolling."""
    with site.open(f"{name}.html", phone=phone) as page:
        wide, room = page.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert wide <= room
        if name == "migration":
            row = visible(page).first.bounding_box()
            assert row is not None
            assert 0 <= row["x"] <= row["x"] + row["width"] <= room


def test_text_has_enough_contrast(site: Site) -> None:
    """The contrast ratio is at least 4.5 to 1 in both color schemes."""
    shades: list[str] = []
    for dark in (False, True):
        with site.open("migration.html", dark=dark) as page:
            shades.append(page.evaluate("getComputedStyle(document.body).color"))
            for selector in ("h1", "tbody th", *(f"td.{label}" for label in LABELS)):
                assert lowest_contrast(page, selector) >= 4.5, selector
    assert shades == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]


def test_page_says_that_nothing_changed(site: Site) -> None:
    with site.open("same.html") as page:
        assert page.get_by_text("No changes.").is_visible()
        assert count(page) == 0


def test_nothing_in_a_schema_is_run_or_rendered(site: Site) -> None:
    with site.open(None) as page:
        said: list[str] = []

        def note(dialog: Dialog) -> None:
            said.append(dialog.message)
            dialog.dismiss()

        page.on("dialog", note)
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(f"{site.address}/hostile.html")
        assert page.locator("script").count() == 1
        assert page.locator("img, b, a").count() == 0
        shown = page.locator("tbody th").all_text_contents()
        for word in hostile.WORDS:
            assert f"Manner[{word}]" in shown
        page.locator("#words").fill("<script>")
        assert count(page) == 1
        assert said == []
