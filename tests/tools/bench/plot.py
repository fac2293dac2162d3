"""The results of a run as an SVG plot, with two bars for each kind of cost: ours and the SDK's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from xml.sax.saxutils import escape

from tests.tools.bench.results import (
    OFFICIAL,
    SDK_IMPORT,
    SESSION_UPDATES,
    TITLES,
    TOOL_CALL,
    Key,
    Results,
    time_key,
)

SDK = OFFICIAL["v1"]


@dataclass(frozen=True)
class Row:
    name: str  # the kind of cost
    what: str  # the measured operation
    ours: Key  # our measurement
    theirs: Key  # the official SDK's measurement


def _of_tool_call(operation: str) -> tuple[Key, Key]:
    ours, theirs = (time_key(each, "v1", TOOL_CALL, operation) for each in ("ours", SDK))
    return ours, theirs


IMPORT = "one surface, bytecode compiled"
START = "an agent, until it answers initialize"
TURN = "a turn with one update, over a pipe"
ROWS = (
    Row("import", IMPORT, ("import", "acp_bindings.v1"), ("import", SDK_IMPORT)),
    Row("start", START, ("start", "ours, v1"), ("start", TITLES[SDK])),
    Row("decode", f"{TOOL_CALL}, from text", *_of_tool_call("decode")),
    Row("encode", f"{TOOL_CALL}, to text", *_of_tool_call("encode")),
    Row("round trip", TURN, ("pipe", "ours", "turn", "1"), ("pipe", SDK, "turn", "1")),
    Row("memory", SESSION_UPDATES, *(("memory", c, "v1", SESSION_UPDATES) for c in ("ours", SDK))),
)

# The sizes of the picture and its bars, in pixels. Phones show the picture at almost its original
# size.
WIDTH, TOP, ROW_HEIGHT, BOTTOM = 440, 80, 64, 36
LEFT, LONGEST, THICKNESS = 20, 296, 15

# The style sheet defines other colors for dark pages. It also paints the background, so that text
# is readable even if the image can't detect the page's theme.
STYLE = """\
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.title, .name, .ratio { font-weight: 600 }
.title { font-size: 16px }
.small { font-size: 12px; fill: #59636e }
.page { fill: #ffffff; stroke: #d1d9e0 }
.ours { fill: #0969da }
.theirs { fill: #b7bfc8 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .small { fill: #9198a1 }
  .page { fill: #0d1117; stroke: #3d444d }
  .ours { fill: #4493f8 }
  .theirs { fill: #565e68 }
}
"""


def draw(results: Results) -> str:
    """Return the text of the SVG, which depends only on the results."""
    height = TOP + len(ROWS) * ROW_HEIGHT + BOTTOM
    sdk = f"the official Python {TITLES[SDK]}"
    title = f"Time and memory of acp_bindings beside {sdk}"
    machine = ", ".join(
        results.machine[name] for name in ("CPU", "Python") if name in results.machine
    )
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>\n{STYLE}</style>",
        f'<rect class="page" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="6"/>',
        _text(LEFT, 32, "Time and memory: shorter is better", "title"),
        *_legend(LEFT, "ours", "acp_bindings"),
        *_legend(LEFT + 126, "theirs", sdk),
    ]
    for number, row in enumerate(ROWS):
        lines += _draw_row(row, results, TOP + number * ROW_HEIGHT)
    about = f"protocol 1; {machine}; {results.date}" if machine else f"protocol 1; {results.date}"
    lines += [_text(LEFT, height - 16, about, "small"), "</svg>"]
    return "\n".join(lines) + "\n"


def _legend(x: int, kind: str, text: str) -> tuple[str, str]:
    square = f'<rect class="{kind}" x="{x}" y="47" width="12" height="12" rx="2"/>'
    return square, _text(x + 18, 58, text, "small")


def _draw_row(row: Row, results: Results, y: int) -> Iterator[str]:
    name = f'<tspan class="name">{escape(row.name)}</tspan>'
    what = f'<tspan class="small" dx="8">{escape(row.what)}</tspan>'
    yield f'<text x="{LEFT}" y="{y + 10}">{name}{what}</text>'
    y += 18
    ratio = results.ratio(row.ours, row.theirs)
    if ratio is None:
        yield _text(LEFT, y + 13, "not measured", "small")
        return
    ours, theirs = results.values[row.ours], results.values[row.theirs]
    is_size = row.ours[0] == "memory"
    for value, kind, below in ((ours, "ours", 0), (theirs, "theirs", THICKNESS + 2)):
        length = LONGEST * value / max(ours, theirs)
        yield (
            f'<rect class="{kind}" x="{LEFT}" y="{y + below}" '
            f'width="{length:.1f}" height="{THICKNESS}" rx="2"/>'
        )
        amount = _size(value) if is_size else _duration(value)
        label = f'<tspan class="ratio">{ratio:.2g}x</tspan> {amount}' if kind == "ours" else amount
        yield f'<text x="{LEFT + length + 8:.1f}" y="{y + below + 12}">{label}</text>'


def _text(x: int, y: int, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x}" y="{y}">{escape(text)}</text>'


def _duration(seconds: float) -> str:
    for factor, unit in ((1, "s"), (1e3, "ms")):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def _size(count: float) -> str:
    return f"{count / 1e6:.3g} MB"
