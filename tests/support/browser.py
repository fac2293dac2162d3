"""A headless Chromium that opens sites on this machine and can't reach other hosts."""

from __future__ import annotations

import os
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page, ViewportSize

EXECUTABLE = Path(
    os.environ.get("ACP_CHROMIUM")
    or shutil.which("chromium")
    or shutil.which("google-chrome")
    or "/usr/bin/chromium"
)
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--renderer-process-limit=1",
    # Block other hosts. Unlike a Playwright route, this option doesn't slow down each request.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
# The contrast between text and its background, according to the WCAG formula.
LOWEST_CONTRAST = """(selector) => {
    const parse = text => text.match(/[\\d.]+/g).map(Number);
    const over = ([r, g, b, a = 1], below) =>
        a === 1 ? [r, g, b] : [r, g, b].map((c, i) => c * a + below[i] * (1 - a));
    const probe = document.createElement("div");
    probe.style.background = "Canvas";
    document.body.append(probe);
    const canvas = parse(getComputedStyle(probe).backgroundColor);
    probe.remove();
    const behind = element => {
        if (!element) return canvas;
        const colour = parse(getComputedStyle(element).backgroundColor);
        return colour[3] === 0 ? behind(element.parentElement)
            : over(colour, behind(element.parentElement));
    };
    const light = colour => {
        const [r, g, b] = colour.map(c => {
            c /= 255;
            return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const found = [];
    for (const element of document.querySelectorAll(selector)) {
        if (!element.textContent.trim() || !element.checkVisibility()) continue;
        const below = behind(element);
        const [one, other] = [light(over(parse(getComputedStyle(element).color), below)),
                              light(below)];
        found.push((Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05));
    }
    if (!found.length) throw new Error("there is no visible text in " + selector);
    return Math.min(...found);
}"""
PHONE: ViewportSize = {"width": 360, "height": 740}
DESKTOP: ViewportSize = {"width": 1280, "height": 800}


@dataclass(frozen=True, slots=True)
class Site:
    """A site that is being served, and the browser that opens its pages.

    Attributes:
        address: the URL of the start page, without a trailing slash.
        context: the browser profile that all pages share.
        requests: the URLs of all requests that pages made.
    """

    address: str
    context: BrowserContext
    requests: list[str]

    @contextmanager
    def open(
        self, path: str | None = "", *, dark: bool = False, phone: bool = False
    ) -> Iterator[Page]:
        """Open a page of the site, after deleting the data that earlier pages stored.

        Args:
            path: the path of the page, or None for an empty page that the test prepares first.
            dark: whether the user prefers dark colors.
            phone: whether to use a phone's screen size.
        """
        page = self.context.new_page()
        try:
            # A separate profile for each page would require a new process with an empty cache.
            origin = "{0.scheme}://{0.netloc}".format(urlsplit(self.address))
            stored = {"origin": origin, "storageTypes": "all"}
            self.context.new_cdp_session(page).send("Storage.clearDataForOrigin", stored)
            page.set_viewport_size(PHONE if phone else DESKTOP)
            page.emulate_media(color_scheme="dark" if dark else "light", reduced_motion="reduce")
            if path is not None:
                page.goto(f"{self.address}/{path}")
            yield page
        finally:
            page.close()

    def foreign(self) -> list[str]:
        """Return the URLs of requests to other hosts."""
        return [each for each in self.requests if not self._is_own(each)]

    def _is_own(self, address: str) -> bool:
        parts = urlsplit(address)
        return parts.scheme in ("blob", "data") or parts.netloc == urlsplit(self.address).netloc


def lowest_contrast(page: Page, selector: str) -> float:
    """Return the lowest contrast between text and background in elements that match a selector."""
    return float(page.evaluate(LOWEST_CONTRAST, selector))


def required() -> bool:
    """Return whether a missing browser fails the tests instead of skipping them."""
    return os.environ.get("ACP_REQUIRE_BROWSER") == "1"


@contextmanager
def launch(folder: Path) -> Iterator[Site]:
    """Serve a folder and start Chromium to open its pages."""
    with _serve(folder) as address, chromium() as context:
        requests: list[str] = []
        context.on("request", lambda request: requests.append(request.url))
        # While this page is open, all pages share its process.
        context.new_page()
        yield Site(address, context, requests)


@contextmanager
def chromium() -> Iterator[BrowserContext]:
    """Start Chromium, or skip the test if Chromium isn't installed.

    With `ACP_REQUIRE_BROWSER=1` in the environment, a missing browser fails the test.
    """
    start = _playwright()
    with start() as playwright:
        browser = playwright.chromium.launch(executable_path=EXECUTABLE, args=list(ARGUMENTS))
        try:
            context = browser.new_context(viewport=DESKTOP)
            context.set_default_timeout(15_000)
            yield context
        finally:
            browser.close()


def _playwright() -> Any:
    """Return the function that starts Playwright. Fail or skip the test if it is not installed."""
    refuse = pytest.fail if required() else pytest.skip
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        refuse("playwright is not installed")
    if not EXECUTABLE.exists():
        refuse(f"there is no {EXECUTABLE}")
    return sync_playwright


class _Handler(SimpleHTTPRequestHandler):
    """A handler that logs nothing and sends the site's error page if a file is missing."""

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        page = Path(self.directory, self.path.split("/")[1], "404.html")
        if code != HTTPStatus.NOT_FOUND or not page.is_file():
            super().send_error(code, message, explain)
            return
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(page.read_bytes())


class _Server(ThreadingHTTPServer):
    """A server that ignores errors that occur when the browser closes connections."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def _serve(folder: Path) -> Iterator[str]:
    """Serve a folder on a free local port. Yield its URL, which ends with the folder's name."""
    server = _Server(("127.0.0.1", 0), partial(_Handler, directory=str(folder.parent)))
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
    )
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/{folder.name}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
