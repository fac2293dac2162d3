# Made by acpgen 0.1.0 from schema.json, schema.json (sha256 bcb9e99398dd0aa64dbfd9583b7c4e4fe8fcd95147d4b54c90c30fa21a562bce).
# Do not edit it; make it again with acpgen.
"""The state of a session, put together from its updates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from ..runtime.session import reducers, state
from .types import (
    Content,
    Figure,
    FigureChange,
    FigureErased,
    FigureId,
    FigurePixels,
    FigureStroke,
    LineCorrected,
    LineSpoken,
    Pixels,
    Update,
    WeatherReport,
)

_LINE_SPOKEN = reducers.AddToMessage("agent", LineSpoken)
_LINE_CORRECTED = reducers.PatchMessage("agent", LineCorrected)
_FIGURE_DRAWN = reducers.Upsert("figures", (("figure_id", "figureId"),), FigureChange, Figure)
_FIGURE_CHANGED = reducers.PatchOutput(
    reducers.Patch(
        "figures",
        (("figure_id", "figureId"),),
        FigureChange,
        defaults={"kind": "sketch"},
        null_clears=False,
        meta="replaces",
    ),
    "pixels",
    Pixels,
    "figure_output",
)
_FIGURE_STROKE = reducers.Append(
    "figures",
    (("figure_id", "figureId"),),
    lambda key: FigureChange(figure_id=key, kind="sketch"),
    "strokes",
)
_FIGURE_PIXELS = reducers.AppendOutput(
    "figures",
    (("figure_id", "figureId"),),
    lambda key: FigureChange(figure_id=key),
    "figure_output",
)
_FIGURE_ERASED = reducers.Remove("figures", (("figure", "figure"), ("figure_id", "figureId")))
_WEATHER_REPORT = reducers.Set("weather", carries=("rain",))


class SessionState(state.State[Content, Update]):
    """What the updates of a session have come to, applied in the order of their arrival.

    An entry is the update that would make it what it is; members that were cleared are absent. Do
    not change entries: updates do. What no rule is for stands in the timeline as it is.
    """

    _rules: ClassVar[Mapping[type, state.Rule]] = {
        LineSpoken: _LINE_SPOKEN,
        LineCorrected: _LINE_CORRECTED,
        Figure: _FIGURE_DRAWN,
        FigureChange: _FIGURE_CHANGED,
        FigureStroke: _FIGURE_STROKE,
        FigurePixels: _FIGURE_PIXELS,
        FigureErased: _FIGURE_ERASED,
        WeatherReport: _WEATHER_REPORT,
    }
    _writers: ClassVar[Mapping[str, state.Writer]] = {
        "agent": _LINE_CORRECTED,
        "figures": _FIGURE_DRAWN,
    }
    _slots: ClassVar[tuple[str, ...]] = ("weather",)

    def __init__(self) -> None:
        super().__init__()
        self.figures: dict[FigureId, FigureChange] = {}
        self.figure_output: dict[str, bytearray] = {}
        self.weather: WeatherReport | None = None
