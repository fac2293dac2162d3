# Made by acpgen 0.1.0 from schema.json, schema.json (sha256 bcb9e99398dd0aa64dbfd9583b7c4e4fe8fcd95147d4b54c90c30fa21a562bce).
# Do not edit it; make it again with acpgen.
"""The types of this surface: one class or alias for each definition of the schema."""

from __future__ import annotations

from typing import Annotated

from ..runtime.values.record import Record, Unknown
from ..runtime.values.unset import UNSET, UnsetType


from typing import Any, Literal, TypeAlias
from dataclasses import dataclass


@dataclass(slots=True, kw_only=True)
class BlobContent(Record):
    """The schema's BlobContent.

    Source: ACP v2 schema, $defs/BlobContent.
    """

    blob: str


@dataclass(slots=True, kw_only=True)
class BusyState(Record):
    """The schema's BusyState.

    Wire: State, state = "busy". Source: ACP v2 schema, $defs/BusyState.
    """


CanvasId: TypeAlias = Annotated[str, "CanvasId"]
"""The schema's CanvasId.

Source: ACP v2 schema, $defs/CanvasId.
"""


@dataclass(slots=True, kw_only=True)
class CanvasScope(Record):
    """The schema's CanvasScope.

    Source: ACP v2 schema, $defs/CanvasScope.
    """

    canvas_id: CanvasId


@dataclass(slots=True, kw_only=True)
class Circle(Record):
    """The schema's Circle.

    Wire: Shape, type = "circle". Source: ACP v2 schema, $defs/Circle.
    """

    radius: float


@dataclass(slots=True, kw_only=True)
class ClearNotification(Record):
    """The schema's ClearNotification.

    Wire: import. Source: ACP v2 schema, $defs/ClearNotification.
    """


Code: TypeAlias = Literal[-1] | int
"""The schema's Code.

Source: ACP v2 schema, $defs/Code.
"""


Colour: TypeAlias = Literal["red", "green"] | str
"""The schema's Colour.

Source: ACP v2 schema, $defs/Colour.
"""


Currency: TypeAlias = Annotated[str, "Currency"]
"""The schema's Currency.

Source: ACP v2 schema, $defs/Currency.
"""


@dataclass(slots=True, kw_only=True)
class DashMark(Record):
    """The arm of Mark, kind = "dash".

    Wire: Mark, kind = "dash". Source: ACP v2 schema, $defs/Mark/oneOf/1.
    """

    length: int


@dataclass(slots=True, kw_only=True)
class DotMark(Record):
    """The arm of Mark, kind = "dot".

    Wire: Mark, kind = "dot". Source: ACP v2 schema, $defs/Mark/oneOf/0.
    """


@dataclass(slots=True, kw_only=True)
class DrawAgainResponse(Record):
    """The schema's DrawAgainResponse.

    Wire: canvas/draw_again. Source: ACP v2 schema, $defs/DrawAgainResponse.
    """


@dataclass(slots=True, kw_only=True)
class DrawRequestPlace(Record):
    """An object that is defined where it is used.

    Source: ACP v2 schema, $defs/DrawRequest/properties/place.
    """

    x: int


@dataclass(slots=True, kw_only=True)
class DrawResponse(Record):
    """The schema's DrawResponse.

    Wire: canvas/draw. Source: ACP v2 schema, $defs/DrawResponse.
    """


ExtRequest: TypeAlias = Any
"""The schema's ExtRequest.

Source: ACP v2 schema, $defs/ExtRequest.
"""


ExtResponse: TypeAlias = Any
"""The schema's ExtResponse.

Source: ACP v2 schema, $defs/ExtResponse.
"""


@dataclass(slots=True, kw_only=True)
class Failure(Record):
    """The schema's Failure.

    Source: ACP v2 schema, $defs/Failure.
    """

    message: str | UnsetType = UNSET


FigureId: TypeAlias = Annotated[str, "FigureId"]
"""The schema's FigureId.

Source: ACP v2 schema, $defs/FigureId.
"""


@dataclass(slots=True, kw_only=True)
class FigurePixels(Record):
    """The schema's FigurePixels.

    Wire: Update, sessionUpdate = "figure_pixels". Source: ACP v2 schema, $defs/FigurePixels.
    """

    figure_id: FigureId
    data: str


@dataclass(slots=True, kw_only=True)
class FigureStroke(Record):
    """The schema's FigureStroke.

    Wire: Update, sessionUpdate = "figure_stroke". Source: ACP v2 schema, $defs/FigureStroke.
    """

    figure_id: FigureId
    content: Any


@dataclass(slots=True, kw_only=True)
class FlagOption(Record):
    """The arm of Option, type = "flag".

    Wire: Option, type = "flag". Source: ACP v2 schema, $defs/Option/oneOf/0.
    """

    id: str
    value: bool


@dataclass(slots=True, kw_only=True)
class GoodOutcome(Record):
    """One form of Outcome.

    Source: ACP v2 schema, $defs/Outcome/anyOf/0.
    """

    result: Any


@dataclass(slots=True, kw_only=True)
class HttpServer(Record):
    """The schema's HttpServer.

    Wire: Server, type = "http". Source: ACP v2 schema, $defs/HttpServer.
    """

    url: str


Id: TypeAlias = int | str | None
"""The schema's Id.

Source: ACP v2 schema, $defs/Id.
"""


@dataclass(slots=True, kw_only=True)
class IdleState(Record):
    """The schema's IdleState.

    Wire: State, state = "idle". Source: ACP v2 schema, $defs/IdleState.
    """

    reason: Literal["done", "failed"] | str | None | UnsetType = UNSET


Label: TypeAlias = Literal["big", "small"] | str
"""The schema's Label.

Source: ACP v2 schema, $defs/Label.
"""


@dataclass(slots=True, kw_only=True)
class Line(Record):
    """The schema's Line.

    Source: ACP v2 schema, $defs/Line.
    """

    to: str


@dataclass(slots=True, kw_only=True)
class LineOption(Record):
    """The arm of Option, type = "line".

    Wire: Option, type = "line". Source: ACP v2 schema, $defs/Option/oneOf/1.
    """

    id: str
    to: str


@dataclass(slots=True, kw_only=True)
class PassNotification(Record):
    """The schema's PassNotification.

    Wire: relay/pass. Source: ACP v2 schema, $defs/PassNotification.
    """


@dataclass(slots=True, kw_only=True)
class PassRequest(Record):
    """The schema's PassRequest.

    Wire: relay/pass. Source: ACP v2 schema, $defs/PassRequest.
    """


PassResponse: TypeAlias = Any
"""The schema's PassResponse.

Wire: relay/pass. Source: ACP v2 schema, $defs/PassResponse.
"""


@dataclass(slots=True, kw_only=True)
class Pixels(Record):
    """The schema's Pixels.

    Source: ACP v2 schema, $defs/Pixels.
    """

    data: str


Role: TypeAlias = Literal["author", "reader"] | str
"""The schema's Role.

Source: ACP v2 schema, $defs/Role.
"""


@dataclass(slots=True, kw_only=True)
class SolidLine(Line):
    """The schema's Line.

    Wire: Shape, type = "solid_line". Source: ACP v2 schema, $defs/Shape/anyOf/1.
    """


@dataclass(slots=True, kw_only=True)
class StdioServer(Record):
    """The schema's StdioServer.

    Source: ACP v2 schema, $defs/StdioServer.
    """

    command: str


@dataclass(slots=True, kw_only=True)
class StopRequestNotification(Record):
    """The schema's StopRequestNotification.

    Wire: $/stop_request. Source: ACP v2 schema, $defs/StopRequestNotification.
    """

    id: Id


@dataclass(slots=True, kw_only=True)
class Style(Record):
    """The schema's Style.

    Source: ACP v2 schema, $defs/Style.
    """

    width: int | UnsetType = UNSET
    opacity: float | None | UnsetType = UNSET
    colour: Colour | None | UnsetType = UNSET
    link: str | UnsetType = UNSET
    data: str | UnsetType = UNSET
    role: Role | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class TextContent(Record):
    """The schema's TextContent.

    Wire: Items, type = "plain". Source: ACP v2 schema, $defs/TextContent.
    """

    text: str


@dataclass(slots=True, kw_only=True)
class Tools(Record):
    """The schema's Tools.

    Source: ACP v2 schema, $defs/Tools.
    """

    pen: bool | UnsetType = UNSET
    import_: bool | UnsetType = UNSET


@dataclass(slots=True)
class UnknownItems(Unknown):
    """A Items whose type is none that the schema lists: a custom one, or one of a later protocol.

    Source: ACP v2 schema, $defs/Items/anyOf/1.
    """


@dataclass(slots=True)
class UnknownMark(Unknown):
    """A Mark whose kind is none that the schema lists: the schema has no such arm, the default mode
    keeps it.

    Source: ACP v2 schema, $defs/Mark.
    """


@dataclass(slots=True)
class UnknownOption(Unknown):
    """A Option whose type is none that the schema lists: the schema has no such arm, the default mode
    keeps it.

    Source: ACP v2 schema, $defs/Option.
    """


@dataclass(slots=True)
class UnknownQuestion(Unknown):
    """A Question whose mode is none that the schema lists: a custom one, or one of a later protocol.

    Source: ACP v2 schema, $defs/Question/anyOf/1.
    """


@dataclass(slots=True)
class UnknownShape(Unknown):
    """A Shape whose type is none that the schema lists: a custom one, or one of a later protocol.

    Source: ACP v2 schema, $defs/Shape/anyOf/4.
    """


@dataclass(slots=True)
class UnknownState(Unknown):
    """A State whose state is none that the schema lists: the schema has no such arm, the default mode
    keeps it.

    Source: ACP v2 schema, $defs/State.
    """


@dataclass(slots=True)
class UnknownUpdate(Unknown):
    """A Update whose sessionUpdate is none that the schema lists: the schema has no such arm, the
    default mode keeps it.

    Source: ACP v2 schema, $defs/Update.
    """


@dataclass(slots=True, kw_only=True)
class UserForm(Record):
    """One form of Form.

    Source: ACP v2 schema, $defs/Form/oneOf/1.
    """

    fields: list[str]
    user_id: int


@dataclass(slots=True, kw_only=True)
class UserFormQuestion(Record):
    """One form of Question.

    Source: ACP v2 schema, $defs/Form/oneOf/1.
    """

    text: str
    fields: list[str]
    user_id: int


@dataclass(slots=True, kw_only=True)
class UserScope(Record):
    """The schema's UserScope.

    Source: ACP v2 schema, $defs/UserScope.
    """

    user_id: int


Value: TypeAlias = str | int | float | bool | list[str]
"""The schema's Value.

Source: ACP v2 schema, $defs/Value.
"""


Version: TypeAlias = Annotated[int, "Version"]
"""The schema's Version.

Source: ACP v2 schema, $defs/Version.
"""


@dataclass(slots=True, kw_only=True)
class Weather(Record):
    """The schema's Weather.

    Source: ACP v2 schema, $defs/Weather.
    """

    wind: int | UnsetType = UNSET
    rain: int | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class WeatherReport(Weather):
    """The schema's Weather.

    Wire: Update, sessionUpdate = "weather_report". Source: ACP v2 schema, $defs/Update/oneOf/7.
    """


@dataclass(slots=True, kw_only=True)
class BadOutcome(Record):
    """One form of Outcome.

    Source: ACP v2 schema, $defs/Outcome/anyOf/1.
    """

    error: Code


@dataclass(slots=True, kw_only=True)
class CanvasForm(Record):
    """One form of Form.

    Source: ACP v2 schema, $defs/Form/oneOf/0.
    """

    fields: list[str]
    canvas_id: CanvasId


@dataclass(slots=True, kw_only=True)
class CanvasFormQuestion(Record):
    """One form of Question.

    Source: ACP v2 schema, $defs/Form/oneOf/0.
    """

    text: str
    fields: list[str]
    canvas_id: CanvasId


Content: TypeAlias = TextContent | BlobContent
"""The schema's Content.

Source: ACP v2 schema, $defs/Content.
"""


@dataclass(slots=True, kw_only=True)
class DottedLine(Line):
    """The schema's Line.

    Wire: Shape, type = "dotted_line". Source: ACP v2 schema, $defs/Shape/anyOf/2.
    """


Extra: TypeAlias = UserScope | Any
"""The schema's Extra.

Source: ACP v2 schema, $defs/Extra.
"""


@dataclass(slots=True, kw_only=True)
class FailedIdleState(IdleState):
    """The schema's IdleState.

    Wire: IdleState, reason = "failed". Source: ACP v2 schema, $defs/IdleState/anyOf/1.
    """

    reason: Literal["done", "failed"] | str | None | UnsetType = "failed"
    message: str | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class Figure(Record):
    """The schema's Figure.

    Wire: Update, sessionUpdate = "figure_drawn". Source: ACP v2 schema, $defs/Figure.
    """

    figure_id: FigureId
    name: str


@dataclass(slots=True, kw_only=True)
class FigureChange(Record):
    """The schema's FigureChange.

    Wire: Update, sessionUpdate = "figure_changed". Source: ACP v2 schema, $defs/FigureChange.
    """

    figure_id: FigureId
    name: str | None | UnsetType = UNSET
    kind: str | None | UnsetType = UNSET
    strokes: list[Any] | None | UnsetType = UNSET
    pixels: Pixels | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class FigureErased(Record):
    """The schema's FigureErased.

    Wire: Update, sessionUpdate = "figure_erased". Source: ACP v2 schema, $defs/FigureErased.
    """

    figure: Figure


Form: TypeAlias = CanvasForm | UserForm
"""The schema's Form.

Source: ACP v2 schema, $defs/Form.
"""


FormQuestion: TypeAlias = CanvasFormQuestion | UserFormQuestion
"""The arm of Question, mode = "form".

Wire: Question, mode = "form". Source: ACP v2 schema, $defs/Question/anyOf/0.
"""


Items: TypeAlias = TextContent | BlobContent | UnknownItems
"""The schema's Items.

Source: ACP v2 schema, $defs/Items.
"""


@dataclass(slots=True, kw_only=True)
class LineCorrected(Record):
    """The schema's LineCorrected.

    Wire: Update, sessionUpdate = "line_corrected". Source: ACP v2 schema, $defs/LineCorrected.
    """

    message_id: str
    content: list[Content] | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class LineSpoken(Record):
    """The schema's LineSpoken.

    Wire: Update, sessionUpdate = "line_spoken". Source: ACP v2 schema, $defs/LineSpoken.
    """

    content: Content
    message_id: str | None | UnsetType = UNSET


Lists: TypeAlias = list[TextContent] | list[BlobContent]
"""The schema's Lists.

Source: ACP v2 schema, $defs/Lists.
"""


Mark: TypeAlias = DotMark | DashMark | UnknownMark
"""The schema's Mark.

Source: ACP v2 schema, $defs/Mark.
"""


@dataclass(slots=True, kw_only=True)
class OpenRequest(Record):
    """The schema's OpenRequest.

    Wire: initialize. Source: ACP v2 schema, $defs/OpenRequest.
    """

    tools: Tools | UnsetType = UNSET


@dataclass(slots=True, kw_only=True)
class OpenResponse(Record):
    """The schema's OpenResponse.

    Wire: initialize. Source: ACP v2 schema, $defs/OpenResponse.
    """

    tools: Tools | None | UnsetType = UNSET


Option: TypeAlias = FlagOption | LineOption | UnknownOption
"""The schema's Option.

Source: ACP v2 schema, $defs/Option.
"""


Outcome: TypeAlias = GoodOutcome | BadOutcome
"""The schema's Outcome.

Source: ACP v2 schema, $defs/Outcome.
"""


Question: TypeAlias = FormQuestion | UnknownQuestion
"""The schema's Question.

Source: ACP v2 schema, $defs/Question.
"""


@dataclass(slots=True, kw_only=True)
class Rumour(Weather):
    """The schema's Weather.

    Wire: Update, sessionUpdate = "rumour". Source: ACP v2 schema, $defs/Update/oneOf/8.
    """


Server: TypeAlias = HttpServer | StdioServer
"""The schema's Server.

Source: ACP v2 schema, $defs/Server.
"""


State: TypeAlias = BusyState | IdleState | FailedIdleState | UnknownState
"""The schema's State.

Wire: Shape, type = "state". Source: ACP v2 schema, $defs/State.
"""


Update: TypeAlias = (
    LineSpoken
    | LineCorrected
    | Figure
    | FigureChange
    | FigureStroke
    | FigurePixels
    | FigureErased
    | WeatherReport
    | Rumour
    | UnknownUpdate
)
"""The schema's Update.

Source: ACP v2 schema, $defs/Update.
"""


@dataclass(slots=True, kw_only=True)
class UpdateNotification(Record):
    """The schema's UpdateNotification.

    Wire: session/update. Source: ACP v2 schema, $defs/UpdateNotification.
    """

    update: Update


Shape: TypeAlias = Circle | SolidLine | DottedLine | State | UnknownShape
"""The schema's Shape.

Source: ACP v2 schema, $defs/Shape.
"""


@dataclass(slots=True, kw_only=True)
class DrawRequest(Record):
    """A record. It says "draw" \\ and \"\"\"stops\"\"\".
    Second line.

    Wire: canvas/draw. Source: ACP v2 schema, $defs/DrawRequest.
    """

    canvas_id: CanvasId
    shapes: list[Shape]
    from_: str
    title: str | None | UnsetType = UNSET
    style: Style | UnsetType = UNSET
    tags: list[str] | UnsetType = UNSET
    labels: dict[str, Label] | UnsetType = UNSET
    marks: list[Mark] | None | UnsetType = UNSET
    raw: Any | UnsetType = UNSET
    place: DrawRequestPlace | UnsetType = UNSET
    meta: dict[str, Any] | None | UnsetType = UNSET


DrawAgainRequest: TypeAlias = DrawRequest
"""The schema's DrawAgainRequest.

Wire: canvas/draw_again. Source: ACP v2 schema, $defs/DrawAgainRequest.
"""
