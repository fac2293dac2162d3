# Made by acpgen 0.1.0 from schema.json, schema.json (sha256 bcb9e99398dd0aa64dbfd9583b7c4e4fe8fcd95147d4b54c90c30fa21a562bce).
# Do not edit it; make it again with acpgen.
"""Decoders and encoders of this surface: two functions for each type.

A decoder names every member it knows; what is left over goes to `unknown_fields`. An encoder
writes the members that are set, in the same order, and the unknown ones after them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from ..runtime.values.codec import Codec, SchemaInfo, alias, restrict_to_arm, record, union
from ..runtime.values.decoding import (
    Arm,
    ObjectDecoder,
    Tags,
    anything,
    boolean,
    decode_untagged,
    default,
    default_member,
    entries,
    enumerated,
    integer,
    items,
    keep_unknown,
    missing,
    new,
    number,
    string,
    unknown,
    valid_items,
    wrong,
    wrong_member,
)
from ..runtime.values.encoding import (
    Json,
    ObjectEncoder,
    add_unknown,
    encode_choice,
    encode_unknown,
    find_class,
    refuse_tag,
    unshadowed,
)
from ..runtime.values.errors import DecodeError, EncodeError, Issues, Path
from ..runtime.values.unset import UNSET
from .types import (
    BadOutcome,
    BlobContent,
    BusyState,
    CanvasForm,
    CanvasFormQuestion,
    CanvasId,
    CanvasScope,
    Circle,
    ClearNotification,
    Code,
    Colour,
    Content,
    Currency,
    DashMark,
    DotMark,
    DottedLine,
    DrawAgainRequest,
    DrawAgainResponse,
    DrawRequest,
    DrawRequestPlace,
    DrawResponse,
    ExtRequest,
    ExtResponse,
    Extra,
    FailedIdleState,
    Failure,
    Figure,
    FigureChange,
    FigureErased,
    FigureId,
    FigurePixels,
    FigureStroke,
    FlagOption,
    Form,
    FormQuestion,
    GoodOutcome,
    HttpServer,
    Id,
    IdleState,
    Items,
    Label,
    Line,
    LineCorrected,
    LineOption,
    LineSpoken,
    Lists,
    Mark,
    OpenRequest,
    OpenResponse,
    Option,
    Outcome,
    PassNotification,
    PassRequest,
    PassResponse,
    Pixels,
    Question,
    Role,
    Rumour,
    Server,
    Shape,
    SolidLine,
    State,
    StdioServer,
    StopRequestNotification,
    Style,
    TextContent,
    Tools,
    UnknownItems,
    UnknownMark,
    UnknownOption,
    UnknownQuestion,
    UnknownShape,
    UnknownState,
    UnknownUpdate,
    Update,
    UpdateNotification,
    UserForm,
    UserFormQuestion,
    UserScope,
    Value,
    Version,
    Weather,
    WeatherReport,
)


def decode_BadOutcome(d: Any, issues: Issues, path: Path) -> BadOutcome:
    try:
        value = d["error"]
    except (KeyError, TypeError):
        raise missing(d, "error", path, "integer") from None
    o = new(BadOutcome)
    o.error = decode_Code(value, issues, (path, "error"))
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        o.unknown_fields = unknown(d, _BadOutcome, ())
    return o


def encode_BadOutcome(o: BadOutcome, out: Json) -> Json:
    out["error"] = o.error
    if o.unknown_fields:
        add_unknown(out, o, _BadOutcome)
    return out


def decode_BlobContent(d: Any, issues: Issues, path: Path) -> BlobContent:
    try:
        value = d["blob"]
    except (KeyError, TypeError):
        raise missing(d, "blob", path, "string") from None
    o = new(BlobContent)
    if type(value) is not str:
        raise wrong_member(d, "blob", path, "string")
    o.blob = value
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        o.unknown_fields = unknown(d, _BlobContent, ())
    return o


def encode_BlobContent(o: BlobContent, out: Json) -> Json:
    out["blob"] = o.blob
    if o.unknown_fields:
        add_unknown(out, o, _BlobContent)
    return out


def decode_BusyState(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> BusyState:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(BusyState)
    o.unknown_fields = None
    rest = len(d) - len(tags)
    if rest:
        o.unknown_fields = unknown(d, _BusyState, tags)
    return o


def encode_BusyState(o: BusyState, out: Json) -> Json:
    if o.unknown_fields:
        add_unknown(out, o, _BusyState)
    return out


def decode_CanvasForm(d: Any, issues: Issues, path: Path) -> CanvasForm:
    try:
        value = d["fields"]
    except (KeyError, TypeError):
        raise missing(d, "fields", path, "array") from None
    o = new(CanvasForm)
    o.fields = items(value, issues, (path, "fields"), string)
    value = d.get("canvasId")
    if type(value) is not str:
        raise wrong_member(d, "canvasId", path, "string")
    o.canvas_id = value
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        o.unknown_fields = unknown(d, _CanvasForm, ())
    return o


def encode_CanvasForm(o: CanvasForm, out: Json) -> Json:
    out["fields"] = o.fields
    out["canvasId"] = o.canvas_id
    if o.unknown_fields:
        add_unknown(out, o, _CanvasForm)
    return out


def decode_CanvasFormQuestion(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> CanvasFormQuestion:
    try:
        value = d["text"]
    except (KeyError, TypeError):
        raise missing(d, "text", path, "string") from None
    o = new(CanvasFormQuestion)
    if type(value) is not str:
        raise wrong_member(d, "text", path, "string")
    o.text = value
    if (value := d.get("fields", UNSET)) is UNSET:
        raise wrong_member(d, "fields", path, "array")
    o.fields = items(value, issues, (path, "fields"), string)
    value = d.get("canvasId")
    if type(value) is not str:
        raise wrong_member(d, "canvasId", path, "string")
    o.canvas_id = value
    o.unknown_fields = None
    rest = len(d) - 3 - len(tags)
    if rest:
        o.unknown_fields = unknown(d, _CanvasFormQuestion, tags)
    return o


def encode_CanvasFormQuestion(o: CanvasFormQuestion, out: Json) -> Json:
    out["text"] = o.text
    out["fields"] = o.fields
    out["canvasId"] = o.canvas_id
    if o.unknown_fields:
        add_unknown(out, o, _CanvasFormQuestion)
    return out


def decode_CanvasId(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


def decode_CanvasScope(d: Any, issues: Issues, path: Path) -> CanvasScope:
    try:
        value = d["canvasId"]
    except (KeyError, TypeError):
        raise missing(d, "canvasId", path, "string") from None
    o = new(CanvasScope)
    if type(value) is not str:
        raise wrong_member(d, "canvasId", path, "string")
    o.canvas_id = value
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        o.unknown_fields = unknown(d, _CanvasScope, ())
    return o


def encode_CanvasScope(o: CanvasScope, out: Json) -> Json:
    out["canvasId"] = o.canvas_id
    if o.unknown_fields:
        add_unknown(out, o, _CanvasScope)
    return out


def decode_Circle(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> Circle:
    try:
        value = d["radius"]
    except (KeyError, TypeError):
        raise missing(d, "radius", path, "number") from None
    o = new(Circle)
    o.radius = number(value, issues, (path, "radius"))
    o.unknown_fields = None
    rest = len(d) - 1 - len(tags)
    if rest:
        o.unknown_fields = unknown(d, _Circle, tags)
    return o


def encode_Circle(o: Circle, out: Json) -> Json:
    out["radius"] = o.radius
    if o.unknown_fields:
        add_unknown(out, o, _Circle)
    return out


def decode_ClearNotification(d: Any, issues: Issues, path: Path) -> ClearNotification:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(ClearNotification)
    o.unknown_fields = None
    rest = len(d)
    if rest:
        o.unknown_fields = unknown(d, _ClearNotification, ())
    return o


def encode_ClearNotification(o: ClearNotification, out: Json) -> Json:
    if o.unknown_fields:
        add_unknown(out, o, _ClearNotification)
    return out


def decode_Code(value: Any, issues: Issues, path: Path) -> Any:
    return integer(value, issues, path, minimum=-2147483648, maximum=2147483647)


def decode_Colour(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


def decode_Content(value: Any, issues: Issues, path: Path) -> Any:
    return decode_untagged(
        value, issues, path, _Content_arms, "object with text or object with blob", False
    )


def encode_Content(o: Content, out: Json) -> Json:
    encode = find_class(o, _Content_encoders, "Content")
    return unshadowed(o, encode(o, out), decode_Content, "Content")


def decode_Currency(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path, pattern="^[A-Z]{3}$")


def decode_DashMark(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> DashMark:
    try:
        value = d["length"]
    except (KeyError, TypeError):
        raise missing(d, "length", path, "integer") from None
    o = new(DashMark)
    o.length = integer(value, issues, (path, "length"))
    o.unknown_fields = None
    rest = len(d) - 1 - len(tags)
    if rest:
        o.unknown_fields = unknown(d, _DashMark, tags)
    return o


def encode_DashMark(o: DashMark, out: Json) -> Json:
    out["length"] = o.length
    if o.unknown_fields:
        add_unknown(out, o, _DashMark)
    return out


def decode_DotMark(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> DotMark:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(DotMark)
    o.unknown_fields = None
    rest = len(d) - len(tags)
    if rest:
        o.unknown_fields = unknown(d, _DotMark, tags)
    return o


def encode_DotMark(o: DotMark, out: Json) -> Json:
    if o.unknown_fields:
        add_unknown(out, o, _DotMark)
    return out


def decode_DottedLine(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> DottedLine:
    try:
        value = d["to"]
    except (KeyError, TypeError):
        raise missing(d, "to", path, "string") from None
    o = new(DottedLine)
    if type(value) is not str:
        raise wrong_member(d, "to", path, "string")
    o.to = value
    o.unknown_fields = None
    rest = len(d) - 1 - len(tags)
    if rest:
        o.unknown_fields = unknown(d, _DottedLine, tags)
    return o


def encode_DottedLine(o: DottedLine, out: Json) -> Json:
    out["to"] = o.to
    if o.unknown_fields:
        add_unknown(out, o, _DottedLine)
    return out


def decode_DrawAgainRequest(value: Any, issues: Issues, path: Path) -> Any:
    return decode_DrawRequest(value, issues, path)


def encode_DrawAgainRequest(o: DrawAgainRequest, out: Json) -> Json:
    return encode_DrawRequest(o, out)


def decode_DrawAgainResponse(d: Any, issues: Issues, path: Path) -> DrawAgainResponse:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(DrawAgainResponse)
    o.unknown_fields = None
    rest = len(d)
    if rest:
        o.unknown_fields = unknown(d, _DrawAgainResponse, ())
    return o


def encode_DrawAgainResponse(o: DrawAgainResponse, out: Json) -> Json:
    if o.unknown_fields:
        add_unknown(out, o, _DrawAgainResponse)
    return out


def decode_DrawRequest(d: Any, issues: Issues, path: Path) -> DrawRequest:
    try:
        value = d["canvasId"]
    except (KeyError, TypeError):
        raise missing(d, "canvasId", path, "string") from None
    o = new(DrawRequest)
    if type(value) is not str:
        raise wrong_member(d, "canvasId", path, "string")
    o.canvas_id = value
    if (value := d.get("shapes", UNSET)) is UNSET:
        raise wrong_member(d, "shapes", path, "array")
    o.shapes = items(value, issues, (path, "shapes"), decode_Shape, 1)
    if (value := d.get("from", UNSET)) is UNSET:
        raise wrong_member(d, "from", path, "string")
    o.from_ = string(value, issues, (path, "from"), min_length=1)
    o.title = UNSET
    o.style = UNSET
    o.tags = UNSET
    o.labels = UNSET
    o.marks = UNSET
    o.raw = UNSET
    o.place = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 3
    if rest:
        if (value := d.get("title", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                value = default_member(issues, d, "title", path, "string or null", UNSET)
            o.title = value
        if (value := d.get("style", UNSET)) is not UNSET:
            rest -= 1
            try:
                o.style = decode_Style(value, issues, (path, "style"))
            except DecodeError as error:
                o.style = default(
                    issues, (path, "style"), value, error, decode_Style({"width": 2}, None, ())
                )
        if (value := d.get("tags", UNSET)) is not UNSET:
            rest -= 1
            if value is None:
                value = default_member(issues, d, "tags", path, "array", [])
            else:
                value = items(value, issues, (path, "tags"), string)
            o.tags = value
        if (value := d.get("labels", UNSET)) is not UNSET:
            rest -= 1
            if value is None:
                value = default_member(issues, d, "labels", path, "object", {})
            else:
                value = entries(value, issues, (path, "labels"), decode_Label)
            o.labels = value
        if (value := d.get("marks", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = valid_items(value, issues, (path, "marks"), decode_Mark)
                except DecodeError as error:
                    value = default(issues, (path, "marks"), value, error, UNSET)
            o.marks = value
        if (value := d.get("raw", UNSET)) is not UNSET:
            rest -= 1
            o.raw = value
        if (value := d.get("place", UNSET)) is not UNSET:
            rest -= 1
            o.place = decode_DrawRequestPlace(value, issues, (path, "place"))
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                value = default_member(issues, d, "_meta", path, "object or null", UNSET)
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _DrawRequest, ())
    return o


def encode_DrawRequest(o: DrawRequest, out: Json) -> Json:
    out["canvasId"] = o.canvas_id
    out["shapes"] = [encode_Shape(item, {}) for item in o.shapes]
    out["from"] = o.from_
    if o.title is not UNSET:
        out["title"] = o.title
    if o.style is not UNSET:
        out["style"] = encode_Style(o.style, {})
    if o.tags is not UNSET:
        out["tags"] = o.tags
    if o.labels is not UNSET:
        out["labels"] = o.labels
    if o.marks is not UNSET:
        out["marks"] = None if o.marks is None else [encode_Mark(item, {}) for item in o.marks]
    if o.raw is not UNSET:
        out["raw"] = o.raw
    if o.place is not UNSET:
        out["place"] = encode_DrawRequestPlace(o.place, {})
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _DrawRequest)
    return out


def decode_DrawRequestPlace(d: Any, issues: Issues, path: Path) -> DrawRequestPlace:
    try:
        value = d["x"]
    except (KeyError, TypeError):
        raise missing(d, "x", path, "integer") from None
    o = new(DrawRequestPlace)
    o.x = integer(value, issues, (path, "x"))
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        o.unknown_fields = unknown(d, _DrawRequestPlace, ())
    return o


def encode_DrawRequestPlace(o: DrawRequestPlace, out: Json) -> Json:
    out["x"] = o.x
    if o.unknown_fields:
        add_unknown(out, o, _DrawRequestPlace)
    return out


def decode_DrawResponse(d: Any, issues: Issues, path: Path) -> DrawResponse:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(DrawResponse)
    o.unknown_fields = None
    rest = len(d)
    if rest:
        o.unknown_fields = unknown(d, _DrawResponse, ())
    return o


def encode_DrawResponse(o: DrawResponse, out: Json) -> Json:
    if o.unknown_fields:
        add_unknown(out, o, _DrawResponse)
    return out


def decode_ExtRequest(value: Any, issues: Issues, path: Path) -> Any:
    return value


def decode_ExtResponse(value: Any, issues: Issues, path: Path) -> Any:
    return value


def decode_Extra(value: Any, issues: Issues, path: Path) -> Any:
    return decode_untagged(
        value, issues, path, _Extra_arms, "object with userId or any JSON", False
    )


def encode_Extra(o: Extra) -> Any:
    return unshadowed(o, encode_choice(o, _Extra_encoders), decode_Extra, "Extra")


def decode_FailedIdleState(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> FailedIdleState:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(FailedIdleState)
    o.reason = UNSET
    o.message = UNSET
    o.unknown_fields = None
    rest = len(d) - len(tags)
    if rest:
        if (value := d.get("reason", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = string(value, issues, (path, "reason"))
                except DecodeError as error:
                    value = default(issues, (path, "reason"), value, error, UNSET)
            o.reason = value
        if (value := d.get("message", UNSET)) is not UNSET:
            rest -= 1
            if type(value) is not str:
                raise wrong_member(d, "message", path, "string")
            o.message = value
        if rest:
            o.unknown_fields = unknown(d, _FailedIdleState, tags)
    return o


def encode_FailedIdleState(o: FailedIdleState, out: Json) -> Json:
    if o.reason != "failed":
        raise EncodeError("FailedIdleState: reason must be failed")
    out["reason"] = "failed"
    if o.message is not UNSET:
        out["message"] = o.message
    if o.unknown_fields:
        add_unknown(out, o, _FailedIdleState)
    return out


def decode_Failure(d: Any, issues: Issues, path: Path) -> Failure:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(Failure)
    o.message = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("message", UNSET)) is not UNSET:
            rest -= 1
            if type(value) is not str:
                raise wrong_member(d, "message", path, "string")
            o.message = value
        if rest:
            o.unknown_fields = unknown(d, _Failure, ())
    return o


def encode_Failure(o: Failure, out: Json) -> Json:
    if o.message is not UNSET:
        out["message"] = o.message
    if o.unknown_fields:
        add_unknown(out, o, _Failure)
    return out


def decode_Figure(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> Figure:
    try:
        value = d["figureId"]
    except (KeyError, TypeError):
        raise missing(d, "figureId", path, "string") from None
    o = new(Figure)
    if type(value) is not str:
        raise wrong_member(d, "figureId", path, "string")
    o.figure_id = value
    value = d.get("name")
    if type(value) is not str:
        raise wrong_member(d, "name", path, "string")
    o.name = value
    o.unknown_fields = None
    rest = len(d) - 2 - len(tags)
    if rest:
        o.unknown_fields = unknown(d, _Figure, tags)
    return o


def encode_Figure(o: Figure, out: Json) -> Json:
    out["figureId"] = o.figure_id
    out["name"] = o.name
    if o.unknown_fields:
        add_unknown(out, o, _Figure)
    return out


def decode_FigureChange(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> FigureChange:
    try:
        value = d["figureId"]
    except (KeyError, TypeError):
        raise missing(d, "figureId", path, "string") from None
    o = new(FigureChange)
    if type(value) is not str:
        raise wrong_member(d, "figureId", path, "string")
    o.figure_id = value
    o.name = UNSET
    o.kind = UNSET
    o.strokes = UNSET
    o.pixels = UNSET
    o.unknown_fields = None
    rest = len(d) - 1 - len(tags)
    if rest:
        if (value := d.get("name", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                raise wrong_member(d, "name", path, "string or null")
            o.name = value
        if (value := d.get("kind", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                raise wrong_member(d, "kind", path, "string or null")
            o.kind = value
        if (value := d.get("strokes", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                value = items(value, issues, (path, "strokes"), anything)
            o.strokes = value
        if (value := d.get("pixels", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                value = decode_Pixels(value, issues, (path, "pixels"))
            o.pixels = value
        if rest:
            o.unknown_fields = unknown(d, _FigureChange, tags)
    return o


def encode_FigureChange(o: FigureChange, out: Json) -> Json:
    out["figureId"] = o.figure_id
    if o.name is not UNSET:
        out["name"] = o.name
    if o.kind is not UNSET:
        out["kind"] = o.kind
    if o.strokes is not UNSET:
        out["strokes"] = o.strokes
    if o.pixels is not UNSET:
        out["pixels"] = None if o.pixels is None else encode_Pixels(o.pixels, {})
    if o.unknown_fields:
        add_unknown(out, o, _FigureChange)
    return out


def decode_FigureErased(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> FigureErased:
    try:
        value = d["figure"]
    except (KeyError, TypeError):
        raise missing(d, "figure", path, "object") from None
    o = new(FigureErased)
    o.figure = decode_Figure(value, issues, (path, "figure"))
    o.unknown_fields = None
    rest = len(d) - 1 - len(tags)
    if rest:
        o.unknown_fields = unknown(d, _FigureErased, tags)
    return o


def encode_FigureErased(o: FigureErased, out: Json) -> Json:
    out["figure"] = encode_Figure(o.figure, {})
    if o.unknown_fields:
        add_unknown(out, o, _FigureErased)
    return out


def decode_FigureId(value: Any, issues: Issues, path: Path) -> Any:
    return string(value, issues, path)


def decode_FigurePixels(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> FigurePixels:
    try:
        value = d["figureId"]
    except (KeyError, TypeError):
        raise missing(d, "figureId", path, "string") from None
    o = new(FigurePixels)
    if type(value) is not str:
        raise wrong_member(d, "figureId", path, "string")
    o.figure_id = value
    value = d.get("data")
    if type(value) is not str:
        raise wrong_member(d, "data", path, "string")
    o.data = value
    o.unknown_fields = None
    rest = len(d) - 2 - len(tags)
    if rest:
        o.unknown_fields = unknown(d, _FigurePixels, tags)
    return o


def encode_FigurePixels(o: FigurePixels, out: Json) -> Json:
    out["figureId"] = o.figure_id
    out["data"] = o.data
    if o.unknown_fields:
        add_unknown(out, o, _FigurePixels)
    return out


def decode_FigureStroke(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> FigureStroke:
    try:
        value = d["figureId"]
    except (KeyError, TypeError):
        raise missing(d, "figureId", path, "string") from None
    o = new(FigureStroke)
    if type(value) is not str:
        raise wrong_member(d, "figureId", path, "string")
    o.figure_id = value
    if (value := d.get("content", UNSET)) is UNSET:
        raise wrong_member(d, "content", path, "any JSON")
    o.content = value
    o.unknown_fields = None
    rest = len(d) - 2 - len(tags)
    if rest:
        o.unknown_fields = unknown(d, _FigureStroke, tags)
    return o


def encode_FigureStroke(o: FigureStroke, out: Json) -> Json:
    out["figureId"] = o.figure_id
    out["content"] = o.content
    if o.unknown_fields:
        add_unknown(out, o, _FigureStroke)
    return out


def decode_FlagOption(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> FlagOption:
    try:
        value = d["id"]
    except (KeyError, TypeError):
        raise missing(d, "id", path, "string") from None
    o = new(FlagOption)
    if type(value) is not str:
        raise wrong_member(d, "id", path, "string")
    o.id = value
    value = d.get("value")
    if type(value) is not bool:
        raise wrong_member(d, "value", path, "boolean")
    o.value = value
    o.unknown_fields = None
    rest = len(d) - 2 - len(tags)
    if rest:
        o.unknown_fields = unknown(d, _FlagOption, tags)
    return o


def encode_FlagOption(o: FlagOption, out: Json) -> Json:
    out["id"] = o.id
    out["value"] = o.value
    if o.unknown_fields:
        add_unknown(out, o, _FlagOption)
    return out


def decode_Form(value: Any, issues: Issues, path: Path) -> Any:
    return decode_untagged(
        value,
        issues,
        path,
        _Form_arms,
        "exactly one of: object with canvasId or object with userId",
        True,
    )


def encode_Form(o: Form, out: Json) -> Json:
    encode = find_class(o, _Form_encoders, "Form")
    return unshadowed(o, encode(o, out), decode_Form, "Form")


def decode_FormQuestion(value: Any, issues: Issues, path: Path, tags: Tags = ()) -> Any:
    return decode_untagged(
        value,
        issues,
        path,
        _FormQuestion_arms,
        "exactly one of: object with canvasId or object with userId",
        True,
        tags,
    )


def encode_FormQuestion(o: FormQuestion, out: Json) -> Json:
    encode = find_class(o, _FormQuestion_encoders, "FormQuestion")
    return unshadowed(o, encode(o, out), decode_FormQuestion, "FormQuestion")


def decode_GoodOutcome(d: Any, issues: Issues, path: Path) -> GoodOutcome:
    try:
        value = d["result"]
    except (KeyError, TypeError):
        raise missing(d, "result", path, "any JSON") from None
    o = new(GoodOutcome)
    o.result = value
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        o.unknown_fields = unknown(d, _GoodOutcome, ())
    return o


def encode_GoodOutcome(o: GoodOutcome, out: Json) -> Json:
    out["result"] = o.result
    if o.unknown_fields:
        add_unknown(out, o, _GoodOutcome)
    return out


def decode_HttpServer(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> HttpServer:
    try:
        value = d["url"]
    except (KeyError, TypeError):
        raise missing(d, "url", path, "string") from None
    o = new(HttpServer)
    if type(value) is not str:
        raise wrong_member(d, "url", path, "string")
    o.url = value
    o.unknown_fields = None
    rest = len(d) - 1 - len(tags)
    if rest:
        o.unknown_fields = unknown(d, _HttpServer, tags)
    return o


def encode_HttpServer(o: HttpServer, out: Json) -> Json:
    out["url"] = o.url
    if o.unknown_fields:
        add_unknown(out, o, _HttpServer)
    return out


def decode_Id(value: Any, issues: Issues, path: Path) -> Any:
    return (
        None
        if value is None
        else decode_untagged(
            value,
            issues,
            path,
            (
                Arm(
                    ("number",),
                    (),
                    partial(integer, minimum=-9223372036854775808, maximum=9223372036854775807),
                ),
                Arm(("string",), (), string),
            ),
            "integer or string",
            False,
        )
    )


def decode_IdleState(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> IdleState:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    if d.get("reason") == "failed":
        return decode_FailedIdleState(d, issues, path, tags)
    o = new(IdleState)
    o.reason = UNSET
    o.unknown_fields = None
    rest = len(d) - len(tags)
    if rest:
        if (value := d.get("reason", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                try:
                    value = string(value, issues, (path, "reason"))
                except DecodeError as error:
                    value = default(issues, (path, "reason"), value, error, UNSET)
            o.reason = value
        if rest:
            o.unknown_fields = unknown(d, _IdleState, tags)
    return o


def encode_IdleState(o: IdleState, out: Json) -> Json:
    if isinstance(o, FailedIdleState):
        return encode_FailedIdleState(o, out)
    if o.reason == "failed":
        raise EncodeError("IdleState: reason failed is written by FailedIdleState")
    if o.reason is not UNSET:
        out["reason"] = o.reason
    if o.unknown_fields:
        add_unknown(out, o, _IdleState)
    return out


def decode_Items(d: Any, issues: Issues, path: Path) -> Items:
    try:
        decode = _Items[d["type"]]
    except (KeyError, TypeError):
        pass
    else:
        return decode(d, issues, path, ("type",))
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    tag = d.get("type")
    if type(tag) is str:
        return UnknownItems(tag, d)
    return decode_BlobContent(d, issues, path)


def encode_Items(o: Items, out: Json) -> Json:
    encoders = _Items_encoders
    tag, encode = encoders.get(o.__class__) or find_class(o, encoders, "Items")
    if tag is not None:
        out["type"] = tag
    return encode(o, out)


def _encode_Items_default(o: Any, out: Json) -> Json:
    encode_BlobContent(o, out)
    return refuse_tag(out, "type", _Items, True, "Items")


def _encode_UnknownItems(o: UnknownItems, out: Json) -> Json:
    return encode_unknown(o, out, "type", _Items, None)


def decode_Label(value: Any, issues: Issues, path: Path) -> Any:
    return enumerated(value, issues, path, ("big", "small"), "one of big, small", True)


def decode_Line(d: Any, issues: Issues, path: Path) -> Line:
    try:
        value = d["to"]
    except (KeyError, TypeError):
        raise missing(d, "to", path, "string") from None
    o = new(Line)
    if type(value) is not str:
        raise wrong_member(d, "to", path, "string")
    o.to = value
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        o.unknown_fields = unknown(d, _Line, ())
    return o


def encode_Line(o: Line, out: Json) -> Json:
    out["to"] = o.to
    if o.unknown_fields:
        add_unknown(out, o, _Line)
    return out


def decode_LineCorrected(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> LineCorrected:
    try:
        value = d["messageId"]
    except (KeyError, TypeError):
        raise missing(d, "messageId", path, "string") from None
    o = new(LineCorrected)
    if type(value) is not str:
        raise wrong_member(d, "messageId", path, "string")
    o.message_id = value
    o.content = UNSET
    o.meta = UNSET
    o.unknown_fields = None
    rest = len(d) - 1 - len(tags)
    if rest:
        if (value := d.get("content", UNSET)) is not UNSET:
            rest -= 1
            o.content = items(value, issues, (path, "content"), decode_Content)
        if (value := d.get("_meta", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and value.__class__ is not dict:
                raise wrong_member(d, "_meta", path, "object or null")
            o.meta = value
        if rest:
            o.unknown_fields = unknown(d, _LineCorrected, tags)
    return o


def encode_LineCorrected(o: LineCorrected, out: Json) -> Json:
    out["messageId"] = o.message_id
    if o.content is not UNSET:
        out["content"] = [encode_Content(item, {}) for item in o.content]
    if o.meta is not UNSET:
        out["_meta"] = o.meta
    if o.unknown_fields:
        add_unknown(out, o, _LineCorrected)
    return out


def decode_LineOption(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> LineOption:
    try:
        value = d["id"]
    except (KeyError, TypeError):
        raise missing(d, "id", path, "string") from None
    o = new(LineOption)
    if type(value) is not str:
        raise wrong_member(d, "id", path, "string")
    o.id = value
    value = d.get("to")
    if type(value) is not str:
        raise wrong_member(d, "to", path, "string")
    o.to = value
    o.unknown_fields = None
    rest = len(d) - 2 - len(tags)
    if rest:
        o.unknown_fields = unknown(d, _LineOption, tags)
    return o


def encode_LineOption(o: LineOption, out: Json) -> Json:
    out["id"] = o.id
    out["to"] = o.to
    if o.unknown_fields:
        add_unknown(out, o, _LineOption)
    return out


def decode_LineSpoken(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> LineSpoken:
    try:
        value = d["content"]
    except (KeyError, TypeError):
        raise missing(d, "content", path, "object with text or object with blob") from None
    o = new(LineSpoken)
    o.content = decode_Content(value, issues, (path, "content"))
    o.message_id = UNSET
    o.unknown_fields = None
    rest = len(d) - 1 - len(tags)
    if rest:
        if (value := d.get("messageId", UNSET)) is not UNSET:
            rest -= 1
            if value is not None and type(value) is not str:
                raise wrong_member(d, "messageId", path, "string or null")
            o.message_id = value
        if rest:
            o.unknown_fields = unknown(d, _LineSpoken, tags)
    return o


def encode_LineSpoken(o: LineSpoken, out: Json) -> Json:
    out["content"] = encode_Content(o.content, {})
    if o.message_id is not UNSET:
        out["messageId"] = o.message_id
    if o.unknown_fields:
        add_unknown(out, o, _LineSpoken)
    return out


def decode_Lists(value: Any, issues: Issues, path: Path) -> Any:
    return decode_untagged(
        value,
        issues,
        path,
        _Lists_arms,
        "array of objects with text or array of objects with blob",
        False,
    )


def encode_Lists(o: Lists) -> Any:
    return unshadowed(o, encode_choice(o, _Lists_encoders), decode_Lists, "Lists")


def decode_Mark(d: Any, issues: Issues, path: Path) -> Mark:
    try:
        decode = _Mark[d["kind"]]
    except (KeyError, TypeError):
        pass
    else:
        return decode(d, issues, path, ("kind",))
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    tag = d.get("kind")
    if type(tag) is str:
        keep_unknown(issues, (path, "kind"), tag, "one of dot, dash")
        return UnknownMark(tag, d)
    raise wrong_member(d, "kind", path, "string")


def encode_Mark(o: Mark, out: Json) -> Json:
    encoders = _Mark_encoders
    tag, encode = encoders.get(o.__class__) or find_class(o, encoders, "Mark")
    if tag is not None:
        out["kind"] = tag
    return encode(o, out)


def _encode_UnknownMark(o: UnknownMark, out: Json) -> Json:
    return encode_unknown(o, out, "kind", _Mark, None)


def decode_OpenRequest(d: Any, issues: Issues, path: Path) -> OpenRequest:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(OpenRequest)
    o.tools = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("tools", UNSET)) is not UNSET:
            rest -= 1
            o.tools = decode_Tools(value, issues, (path, "tools"))
        if rest:
            o.unknown_fields = unknown(d, _OpenRequest, ())
    return o


def encode_OpenRequest(o: OpenRequest, out: Json) -> Json:
    if o.tools is not UNSET:
        out["tools"] = encode_Tools(o.tools, {})
    if o.unknown_fields:
        add_unknown(out, o, _OpenRequest)
    return out


def decode_OpenResponse(d: Any, issues: Issues, path: Path) -> OpenResponse:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(OpenResponse)
    o.tools = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("tools", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                value = decode_Tools(value, issues, (path, "tools"))
            o.tools = value
        if rest:
            o.unknown_fields = unknown(d, _OpenResponse, ())
    return o


def encode_OpenResponse(o: OpenResponse, out: Json) -> Json:
    if o.tools is not UNSET:
        out["tools"] = None if o.tools is None else encode_Tools(o.tools, {})
    if o.unknown_fields:
        add_unknown(out, o, _OpenResponse)
    return out


def decode_Option(d: Any, issues: Issues, path: Path) -> Option:
    try:
        decode = _Option[d["type"]]
    except (KeyError, TypeError):
        pass
    else:
        return decode(d, issues, path, ("type",))
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    tag = d.get("type")
    if type(tag) is str:
        keep_unknown(issues, (path, "type"), tag, "one of flag, line")
        return UnknownOption(tag, _check_UnknownOption(d, issues, path))
    raise wrong_member(d, "type", path, "string")


def encode_Option(o: Option, out: Json) -> Json:
    encoders = _Option_encoders
    tag, encode = encoders.get(o.__class__) or find_class(o, encoders, "Option")
    if tag is not None:
        out["type"] = tag
    return encode(o, out)


def _encode_UnknownOption(o: UnknownOption, out: Json) -> Json:
    return encode_unknown(o, out, "type", _Option, _check_UnknownOption)


def _check_UnknownOption(d: Any, issues: Issues, path: Path) -> Json:
    _checked: Any
    raw: Json = d
    if (value := d.get("id", UNSET)) is UNSET:
        raise wrong_member(d, "id", path, "string")
    if type(value) is not str:
        raise wrong_member(d, "id", path, "string")
    _checked = value

    return raw


def decode_Outcome(value: Any, issues: Issues, path: Path) -> Any:
    return decode_untagged(
        value, issues, path, _Outcome_arms, "object with result or object with error", False
    )


def encode_Outcome(o: Outcome, out: Json) -> Json:
    encode = find_class(o, _Outcome_encoders, "Outcome")
    return unshadowed(o, encode(o, out), decode_Outcome, "Outcome")


def decode_PassNotification(d: Any, issues: Issues, path: Path) -> PassNotification:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(PassNotification)
    o.unknown_fields = None
    rest = len(d)
    if rest:
        o.unknown_fields = unknown(d, _PassNotification, ())
    return o


def encode_PassNotification(o: PassNotification, out: Json) -> Json:
    if o.unknown_fields:
        add_unknown(out, o, _PassNotification)
    return out


def decode_PassRequest(d: Any, issues: Issues, path: Path) -> PassRequest:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(PassRequest)
    o.unknown_fields = None
    rest = len(d)
    if rest:
        o.unknown_fields = unknown(d, _PassRequest, ())
    return o


def encode_PassRequest(o: PassRequest, out: Json) -> Json:
    if o.unknown_fields:
        add_unknown(out, o, _PassRequest)
    return out


def decode_PassResponse(value: Any, issues: Issues, path: Path) -> Any:
    return value


def decode_Pixels(d: Any, issues: Issues, path: Path) -> Pixels:
    try:
        value = d["data"]
    except (KeyError, TypeError):
        raise missing(d, "data", path, "string") from None
    o = new(Pixels)
    if type(value) is not str:
        raise wrong_member(d, "data", path, "string")
    o.data = value
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        o.unknown_fields = unknown(d, _Pixels, ())
    return o


def encode_Pixels(o: Pixels, out: Json) -> Json:
    out["data"] = o.data
    if o.unknown_fields:
        add_unknown(out, o, _Pixels)
    return out


def decode_Question(d: Any, issues: Issues, path: Path) -> Question:
    try:
        decode = _Question[d["mode"]]
    except (KeyError, TypeError):
        pass
    else:
        return decode(d, issues, path, ("mode",))
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    tag = d.get("mode")
    if type(tag) is str:
        return UnknownQuestion(tag, _check_UnknownQuestion(d, issues, path))
    raise wrong_member(d, "mode", path, "string")


def encode_Question(o: Question, out: Json) -> Json:
    encoders = _Question_encoders
    tag, encode = encoders.get(o.__class__) or find_class(o, encoders, "Question")
    if tag is not None:
        out["mode"] = tag
    return encode(o, out)


def _encode_UnknownQuestion(o: UnknownQuestion, out: Json) -> Json:
    return encode_unknown(o, out, "mode", _Question, _check_UnknownQuestion)


def _check_UnknownQuestion(d: Any, issues: Issues, path: Path) -> Json:
    _checked: Any
    raw: Json = d
    if (value := d.get("text", UNSET)) is UNSET:
        raise wrong_member(d, "text", path, "string")
    if type(value) is not str:
        raise wrong_member(d, "text", path, "string")
    _checked = value

    mark = len(issues or ())
    _checked = decode_untagged(
        raw,
        issues,
        path,
        _UnknownQuestion_arms,
        "exactly one of: object with canvasId or object with userId",
        True,
    )
    if len(issues or ()) > mark:
        raw = encode_choice(
            _checked,
            {
                CanvasScope: encode_CanvasScope,
                UserScope: encode_UserScope,
            },
        )
    return raw


def decode_Role(value: Any, issues: Issues, path: Path) -> Any:
    return enumerated(value, issues, path, ("author", "reader"), "one of author, reader", True)


def decode_Rumour(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> Rumour:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(Rumour)
    o.wind = UNSET
    o.rain = UNSET
    o.unknown_fields = None
    rest = len(d) - len(tags)
    if rest:
        if (value := d.get("wind", UNSET)) is not UNSET:
            rest -= 1
            o.wind = integer(value, issues, (path, "wind"))
        if (value := d.get("rain", UNSET)) is not UNSET:
            rest -= 1
            o.rain = integer(value, issues, (path, "rain"))
        if rest:
            o.unknown_fields = unknown(d, _Rumour, tags)
    return o


def encode_Rumour(o: Rumour, out: Json) -> Json:
    if o.wind is not UNSET:
        out["wind"] = o.wind
    if o.rain is not UNSET:
        out["rain"] = o.rain
    if o.unknown_fields:
        add_unknown(out, o, _Rumour)
    return out


def decode_Server(d: Any, issues: Issues, path: Path) -> Server:
    try:
        decode = _Server[d["type"]]
    except (KeyError, TypeError):
        pass
    else:
        return decode(d, issues, path, ("type",))
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    return decode_StdioServer(d, issues, path)


def encode_Server(o: Server, out: Json) -> Json:
    encoders = _Server_encoders
    tag, encode = encoders.get(o.__class__) or find_class(o, encoders, "Server")
    if tag is not None:
        out["type"] = tag
    return encode(o, out)


def _encode_Server_default(o: Any, out: Json) -> Json:
    encode_StdioServer(o, out)
    return refuse_tag(out, "type", _Server, False, "Server")


def decode_Shape(d: Any, issues: Issues, path: Path) -> Shape:
    try:
        decode = _Shape[d["type"]]
    except (KeyError, TypeError):
        pass
    else:
        return decode(d, issues, path, ("type",))
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    tag = d.get("type")
    if type(tag) is str:
        return UnknownShape(tag, _check_UnknownShape(d, issues, path))
    raise wrong_member(d, "type", path, "string")


def encode_Shape(o: Shape, out: Json) -> Json:
    encoders = _Shape_encoders
    tag, encode = encoders.get(o.__class__) or find_class(o, encoders, "Shape")
    if tag is not None:
        out["type"] = tag
    return encode(o, out)


def _encode_UnknownShape(o: UnknownShape, out: Json) -> Json:
    return encode_unknown(o, out, "type", _Shape, _check_UnknownShape)


def _check_UnknownShape(d: Any, issues: Issues, path: Path) -> Json:
    _checked: Any
    raw: Json = d
    if (value := d.get("planId", UNSET)) is UNSET:
        raise wrong_member(d, "planId", path, "string")
    if type(value) is not str:
        raise wrong_member(d, "planId", path, "string")
    _checked = value

    return raw


def decode_SolidLine(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> SolidLine:
    try:
        value = d["to"]
    except (KeyError, TypeError):
        raise missing(d, "to", path, "string") from None
    o = new(SolidLine)
    if type(value) is not str:
        raise wrong_member(d, "to", path, "string")
    o.to = value
    o.unknown_fields = None
    rest = len(d) - 1 - len(tags)
    if rest:
        o.unknown_fields = unknown(d, _SolidLine, tags)
    return o


def encode_SolidLine(o: SolidLine, out: Json) -> Json:
    out["to"] = o.to
    if o.unknown_fields:
        add_unknown(out, o, _SolidLine)
    return out


def decode_State(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> State:
    try:
        decode = _State[d["state"]]
    except (KeyError, TypeError):
        pass
    else:
        return decode(d, issues, path, (*tags, "state"))
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    tag = d.get("state")
    if type(tag) is str:
        keep_unknown(issues, (path, "state"), tag, "one of busy, idle")
        return UnknownState(tag, d)
    raise wrong_member(d, "state", path, "string")


def encode_State(o: State, out: Json) -> Json:
    encoders = _State_encoders
    tag, encode = encoders.get(o.__class__) or find_class(o, encoders, "State")
    if tag is not None:
        out["state"] = tag
    return encode(o, out)


def _encode_UnknownState(o: UnknownState, out: Json) -> Json:
    return encode_unknown(o, out, "state", _State, None)


def decode_StdioServer(d: Any, issues: Issues, path: Path) -> StdioServer:
    try:
        value = d["command"]
    except (KeyError, TypeError):
        raise missing(d, "command", path, "string") from None
    o = new(StdioServer)
    if type(value) is not str:
        raise wrong_member(d, "command", path, "string")
    o.command = value
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        o.unknown_fields = unknown(d, _StdioServer, ())
    return o


def encode_StdioServer(o: StdioServer, out: Json) -> Json:
    out["command"] = o.command
    if o.unknown_fields:
        add_unknown(out, o, _StdioServer)
    return out


def decode_StopRequestNotification(d: Any, issues: Issues, path: Path) -> StopRequestNotification:
    try:
        value = d["id"]
    except (KeyError, TypeError):
        raise missing(d, "id", path, "integer or string or null") from None
    o = new(StopRequestNotification)
    o.id = decode_Id(value, issues, (path, "id"))
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        o.unknown_fields = unknown(d, _StopRequestNotification, ())
    return o


def encode_StopRequestNotification(o: StopRequestNotification, out: Json) -> Json:
    out["id"] = o.id
    if o.unknown_fields:
        add_unknown(out, o, _StopRequestNotification)
    return out


def decode_Style(d: Any, issues: Issues, path: Path) -> Style:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(Style)
    o.width = UNSET
    o.opacity = UNSET
    o.colour = UNSET
    o.link = UNSET
    o.data = UNSET
    o.role = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("width", UNSET)) is not UNSET:
            rest -= 1
            o.width = integer(
                value, issues, (path, "width"), minimum=1, maximum=18446744073709551615
            )
        if (value := d.get("opacity", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                value = number(value, issues, (path, "opacity"), minimum=0, maximum=1)
            o.opacity = value
        if (value := d.get("colour", UNSET)) is not UNSET:
            rest -= 1
            if value is not None:
                value = decode_Colour(value, issues, (path, "colour"))
            o.colour = value
        if (value := d.get("link", UNSET)) is not UNSET:
            rest -= 1
            if type(value) is not str:
                raise wrong_member(d, "link", path, "string")
            o.link = value
        if (value := d.get("data", UNSET)) is not UNSET:
            rest -= 1
            if type(value) is not str:
                raise wrong_member(d, "data", path, "string")
            o.data = value
        if (value := d.get("role", UNSET)) is not UNSET:
            rest -= 1
            o.role = decode_Role(value, issues, (path, "role"))
        if rest:
            o.unknown_fields = unknown(d, _Style, ())
    return o


def encode_Style(o: Style, out: Json) -> Json:
    if o.width is not UNSET:
        out["width"] = o.width
    if o.opacity is not UNSET:
        out["opacity"] = o.opacity
    if o.colour is not UNSET:
        out["colour"] = o.colour
    if o.link is not UNSET:
        out["link"] = o.link
    if o.data is not UNSET:
        out["data"] = o.data
    if o.role is not UNSET:
        out["role"] = o.role
    if o.unknown_fields:
        add_unknown(out, o, _Style)
    return out


def decode_TextContent(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> TextContent:
    try:
        value = d["text"]
    except (KeyError, TypeError):
        raise missing(d, "text", path, "string") from None
    o = new(TextContent)
    if type(value) is not str:
        raise wrong_member(d, "text", path, "string")
    o.text = value
    o.unknown_fields = None
    rest = len(d) - 1 - len(tags)
    if rest:
        o.unknown_fields = unknown(d, _TextContent, tags)
    return o


def encode_TextContent(o: TextContent, out: Json) -> Json:
    out["text"] = o.text
    if o.unknown_fields:
        add_unknown(out, o, _TextContent)
    return out


def decode_Tools(d: Any, issues: Issues, path: Path) -> Tools:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(Tools)
    o.pen = UNSET
    o.import_ = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("pen", UNSET)) is not UNSET:
            rest -= 1
            if type(value) is not bool:
                raise wrong_member(d, "pen", path, "boolean")
            o.pen = value
        if (value := d.get("import", UNSET)) is not UNSET:
            rest -= 1
            if type(value) is not bool:
                raise wrong_member(d, "import", path, "boolean")
            o.import_ = value
        if rest:
            o.unknown_fields = unknown(d, _Tools, ())
    return o


def encode_Tools(o: Tools, out: Json) -> Json:
    if o.pen is not UNSET:
        out["pen"] = o.pen
    if o.import_ is not UNSET:
        out["import"] = o.import_
    if o.unknown_fields:
        add_unknown(out, o, _Tools)
    return out


def decode_Update(d: Any, issues: Issues, path: Path) -> Update:
    try:
        decode = _Update[d["sessionUpdate"]]
    except (KeyError, TypeError):
        pass
    else:
        return decode(d, issues, path, ("sessionUpdate",))
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    tag = d.get("sessionUpdate")
    if type(tag) is str:
        keep_unknown(
            issues,
            (path, "sessionUpdate"),
            tag,
            "one of line_spoken, line_corrected, figure_drawn, figure_changed, figure_stroke, figure_pixels, figure_erased, weather_report, rumour",
        )
        return UnknownUpdate(tag, d)
    raise wrong_member(d, "sessionUpdate", path, "string")


def encode_Update(o: Update, out: Json) -> Json:
    encoders = _Update_encoders
    tag, encode = encoders.get(o.__class__) or find_class(o, encoders, "Update")
    if tag is not None:
        out["sessionUpdate"] = tag
    return encode(o, out)


def _encode_UnknownUpdate(o: UnknownUpdate, out: Json) -> Json:
    return encode_unknown(o, out, "sessionUpdate", _Update, None)


def decode_UpdateNotification(d: Any, issues: Issues, path: Path) -> UpdateNotification:
    try:
        value = d["update"]
    except (KeyError, TypeError):
        raise missing(d, "update", path, "object") from None
    o = new(UpdateNotification)
    o.update = decode_Update(value, issues, (path, "update"))
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        o.unknown_fields = unknown(d, _UpdateNotification, ())
    return o


def encode_UpdateNotification(o: UpdateNotification, out: Json) -> Json:
    out["update"] = encode_Update(o.update, {})
    if o.unknown_fields:
        add_unknown(out, o, _UpdateNotification)
    return out


def decode_UserForm(d: Any, issues: Issues, path: Path) -> UserForm:
    try:
        value = d["fields"]
    except (KeyError, TypeError):
        raise missing(d, "fields", path, "array") from None
    o = new(UserForm)
    o.fields = items(value, issues, (path, "fields"), string)
    if (value := d.get("userId", UNSET)) is UNSET:
        raise wrong_member(d, "userId", path, "integer")
    o.user_id = integer(
        value, issues, (path, "userId"), minimum=-9223372036854775808, maximum=9223372036854775807
    )
    o.unknown_fields = None
    rest = len(d) - 2
    if rest:
        o.unknown_fields = unknown(d, _UserForm, ())
    return o


def encode_UserForm(o: UserForm, out: Json) -> Json:
    out["fields"] = o.fields
    out["userId"] = o.user_id
    if o.unknown_fields:
        add_unknown(out, o, _UserForm)
    return out


def decode_UserFormQuestion(
    d: Any, issues: Issues, path: Path, tags: Tags = ()
) -> UserFormQuestion:
    try:
        value = d["text"]
    except (KeyError, TypeError):
        raise missing(d, "text", path, "string") from None
    o = new(UserFormQuestion)
    if type(value) is not str:
        raise wrong_member(d, "text", path, "string")
    o.text = value
    if (value := d.get("fields", UNSET)) is UNSET:
        raise wrong_member(d, "fields", path, "array")
    o.fields = items(value, issues, (path, "fields"), string)
    if (value := d.get("userId", UNSET)) is UNSET:
        raise wrong_member(d, "userId", path, "integer")
    o.user_id = integer(
        value, issues, (path, "userId"), minimum=-9223372036854775808, maximum=9223372036854775807
    )
    o.unknown_fields = None
    rest = len(d) - 3 - len(tags)
    if rest:
        o.unknown_fields = unknown(d, _UserFormQuestion, tags)
    return o


def encode_UserFormQuestion(o: UserFormQuestion, out: Json) -> Json:
    out["text"] = o.text
    out["fields"] = o.fields
    out["userId"] = o.user_id
    if o.unknown_fields:
        add_unknown(out, o, _UserFormQuestion)
    return out


def decode_UserScope(d: Any, issues: Issues, path: Path) -> UserScope:
    try:
        value = d["userId"]
    except (KeyError, TypeError):
        raise missing(d, "userId", path, "integer") from None
    o = new(UserScope)
    o.user_id = integer(
        value, issues, (path, "userId"), minimum=-9223372036854775808, maximum=9223372036854775807
    )
    o.unknown_fields = None
    rest = len(d) - 1
    if rest:
        o.unknown_fields = unknown(d, _UserScope, ())
    return o


def encode_UserScope(o: UserScope, out: Json) -> Json:
    out["userId"] = o.user_id
    if o.unknown_fields:
        add_unknown(out, o, _UserScope)
    return out


def decode_Value(value: Any, issues: Issues, path: Path) -> Any:
    return decode_untagged(
        value, issues, path, _Value_arms, "string or integer or number or boolean or array", False
    )


def decode_Version(value: Any, issues: Issues, path: Path) -> Any:
    return integer(value, issues, path, minimum=0, maximum=65535)


def decode_Weather(d: Any, issues: Issues, path: Path) -> Weather:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(Weather)
    o.wind = UNSET
    o.rain = UNSET
    o.unknown_fields = None
    rest = len(d)
    if rest:
        if (value := d.get("wind", UNSET)) is not UNSET:
            rest -= 1
            o.wind = integer(value, issues, (path, "wind"))
        if (value := d.get("rain", UNSET)) is not UNSET:
            rest -= 1
            o.rain = integer(value, issues, (path, "rain"))
        if rest:
            o.unknown_fields = unknown(d, _Weather, ())
    return o


def encode_Weather(o: Weather, out: Json) -> Json:
    if o.wind is not UNSET:
        out["wind"] = o.wind
    if o.rain is not UNSET:
        out["rain"] = o.rain
    if o.unknown_fields:
        add_unknown(out, o, _Weather)
    return out


def decode_WeatherReport(d: Any, issues: Issues, path: Path, tags: Tags = ()) -> WeatherReport:
    if d.__class__ is not dict:
        raise wrong(d, path, "object")
    o = new(WeatherReport)
    o.wind = UNSET
    o.rain = UNSET
    o.unknown_fields = None
    rest = len(d) - len(tags)
    if rest:
        if (value := d.get("wind", UNSET)) is not UNSET:
            rest -= 1
            o.wind = integer(value, issues, (path, "wind"))
        if (value := d.get("rain", UNSET)) is not UNSET:
            rest -= 1
            o.rain = integer(value, issues, (path, "rain"))
        if rest:
            o.unknown_fields = unknown(d, _WeatherReport, tags)
    return o


def encode_WeatherReport(o: WeatherReport, out: Json) -> Json:
    if o.wind is not UNSET:
        out["wind"] = o.wind
    if o.rain is not UNSET:
        out["rain"] = o.rain
    if o.unknown_fields:
        add_unknown(out, o, _WeatherReport)
    return out


# --- tables: members of records, arms of unions ---

_BadOutcome = ("error",)
_BlobContent = ("blob",)
_BusyState = ()
_CanvasForm = ("fields", "canvasId")
_CanvasFormQuestion = ("text", "fields", "canvasId")
_CanvasScope = ("canvasId",)
_Circle = ("radius",)
_ClearNotification = ()
_Content_arms = (
    Arm(("object",), ("text",), decode_TextContent),
    Arm(("object",), ("blob",), decode_BlobContent),
)
_Content_encoders: dict[type, ObjectEncoder] = {
    TextContent: encode_TextContent,
    BlobContent: encode_BlobContent,
}
_DashMark = ("length",)
_DotMark = ()
_DottedLine = ("to",)
_DrawAgainResponse = ()
_DrawRequest = (
    "canvasId",
    "shapes",
    "from",
    "title",
    "style",
    "tags",
    "labels",
    "marks",
    "raw",
    "place",
    "_meta",
)
_DrawRequestPlace = ("x",)
_DrawResponse = ()
_Extra_arms = (
    Arm(("object",), ("userId",), decode_UserScope),
    Arm(("null", "boolean", "number", "string", "array", "object"), (), anything),
)
_Extra_encoders: dict[type, ObjectEncoder] = {
    UserScope: encode_UserScope,
}
_FailedIdleState = ("reason", "message")
_Failure = ("message",)
_Figure = ("figureId", "name")
_FigureChange = ("figureId", "name", "kind", "strokes", "pixels")
_FigureErased = ("figure",)
_FigurePixels = ("figureId", "data")
_FigureStroke = ("figureId", "content")
_FlagOption = ("id", "value")
_Form_arms = (
    Arm(("object",), ("canvasId",), decode_CanvasForm),
    Arm(("object",), ("userId",), decode_UserForm),
)
_Form_encoders: dict[type, ObjectEncoder] = {
    CanvasForm: encode_CanvasForm,
    UserForm: encode_UserForm,
}
_FormQuestion_arms = (
    Arm(("object",), ("canvasId",), decode_CanvasFormQuestion),
    Arm(("object",), ("userId",), decode_UserFormQuestion),
)
_FormQuestion_encoders: dict[type, ObjectEncoder] = {
    CanvasFormQuestion: encode_CanvasFormQuestion,
    UserFormQuestion: encode_UserFormQuestion,
}
_GoodOutcome = ("result",)
_HttpServer = ("url",)
_IdleState = ("reason",)
_Items: dict[str, ObjectDecoder[Items]] = {
    "plain": decode_TextContent,
}
_Items_encoders: dict[type, tuple[str | None, ObjectEncoder]] = {
    TextContent: ("plain", encode_TextContent),
    BlobContent: (None, _encode_Items_default),
    UnknownItems: (None, _encode_UnknownItems),
}
_Line = ("to",)
_LineCorrected = ("messageId", "content", "_meta")
_LineOption = ("id", "to")
_LineSpoken = ("content", "messageId")
_Lists_arms = (
    Arm(("array",), ("text",), partial(items, decode=decode_TextContent)),
    Arm(("array",), ("blob",), partial(items, decode=decode_BlobContent)),
)
_Lists_encoders: dict[type, ObjectEncoder] = {
    TextContent: encode_TextContent,
    BlobContent: encode_BlobContent,
}
_Mark: dict[str, ObjectDecoder[Mark]] = {
    "dot": decode_DotMark,
    "dash": decode_DashMark,
}
_Mark_encoders: dict[type, tuple[str | None, ObjectEncoder]] = {
    DotMark: ("dot", encode_DotMark),
    DashMark: ("dash", encode_DashMark),
    UnknownMark: (None, _encode_UnknownMark),
}
_OpenRequest = ("tools",)
_OpenResponse = ("tools",)
_Option: dict[str, ObjectDecoder[Option]] = {
    "flag": decode_FlagOption,
    "line": decode_LineOption,
}
_Option_encoders: dict[type, tuple[str | None, ObjectEncoder]] = {
    FlagOption: ("flag", encode_FlagOption),
    LineOption: ("line", encode_LineOption),
    UnknownOption: (None, _encode_UnknownOption),
}
_Outcome_arms = (
    Arm(("object",), ("result",), decode_GoodOutcome),
    Arm(("object",), ("error",), decode_BadOutcome),
)
_Outcome_encoders: dict[type, ObjectEncoder] = {
    GoodOutcome: encode_GoodOutcome,
    BadOutcome: encode_BadOutcome,
}
_PassNotification = ()
_PassRequest = ()
_Pixels = ("data",)
_Question: dict[str, ObjectDecoder[Question]] = {
    "form": decode_FormQuestion,
}
_Question_encoders: dict[type, tuple[str | None, ObjectEncoder]] = {
    CanvasFormQuestion: ("form", encode_FormQuestion),
    UserFormQuestion: ("form", encode_FormQuestion),
    UnknownQuestion: (None, _encode_UnknownQuestion),
}
_UnknownQuestion_arms = (
    Arm(("object",), ("canvasId",), decode_CanvasScope),
    Arm(("object",), ("userId",), decode_UserScope),
)
_Rumour = ("wind", "rain")
_Server: dict[str, ObjectDecoder[Server]] = {
    "http": decode_HttpServer,
}
_Server_encoders: dict[type, tuple[str | None, ObjectEncoder]] = {
    HttpServer: ("http", encode_HttpServer),
    StdioServer: (None, _encode_Server_default),
}
_Shape: dict[str, ObjectDecoder[Shape]] = {
    "circle": decode_Circle,
    "solid_line": decode_SolidLine,
    "dotted_line": decode_DottedLine,
    "state": decode_State,
}
_Shape_encoders: dict[type, tuple[str | None, ObjectEncoder]] = {
    Circle: ("circle", encode_Circle),
    SolidLine: ("solid_line", encode_SolidLine),
    DottedLine: ("dotted_line", encode_DottedLine),
    BusyState: ("state", encode_State),
    IdleState: ("state", encode_State),
    FailedIdleState: ("state", encode_State),
    UnknownState: ("state", encode_State),
    UnknownShape: (None, _encode_UnknownShape),
}
_SolidLine = ("to",)
_State: dict[str, ObjectDecoder[State]] = {
    "busy": decode_BusyState,
    "idle": decode_IdleState,
}
_State_encoders: dict[type, tuple[str | None, ObjectEncoder]] = {
    BusyState: ("busy", encode_BusyState),
    IdleState: ("idle", encode_IdleState),
    FailedIdleState: ("idle", encode_IdleState),
    UnknownState: (None, _encode_UnknownState),
}
_StdioServer = ("command",)
_StopRequestNotification = ("id",)
_Style = ("width", "opacity", "colour", "link", "data", "role")
_TextContent = ("text",)
_Tools = ("pen", "import")
_Update: dict[str, ObjectDecoder[Update]] = {
    "line_spoken": decode_LineSpoken,
    "line_corrected": decode_LineCorrected,
    "figure_drawn": decode_Figure,
    "figure_changed": decode_FigureChange,
    "figure_stroke": decode_FigureStroke,
    "figure_pixels": decode_FigurePixels,
    "figure_erased": decode_FigureErased,
    "weather_report": decode_WeatherReport,
    "rumour": decode_Rumour,
}
_Update_encoders: dict[type, tuple[str | None, ObjectEncoder]] = {
    LineSpoken: ("line_spoken", encode_LineSpoken),
    LineCorrected: ("line_corrected", encode_LineCorrected),
    Figure: ("figure_drawn", encode_Figure),
    FigureChange: ("figure_changed", encode_FigureChange),
    FigureStroke: ("figure_stroke", encode_FigureStroke),
    FigurePixels: ("figure_pixels", encode_FigurePixels),
    FigureErased: ("figure_erased", encode_FigureErased),
    WeatherReport: ("weather_report", encode_WeatherReport),
    Rumour: ("rumour", encode_Rumour),
    UnknownUpdate: (None, _encode_UnknownUpdate),
}
_UpdateNotification = ("update",)
_UserForm = ("fields", "userId")
_UserFormQuestion = ("text", "fields", "userId")
_UserScope = ("userId",)
_Value_arms = (
    Arm(("string",), (), string),
    Arm(("number",), (), integer),
    Arm(("number",), (), number),
    Arm(("boolean",), (), boolean),
    Arm(("array",), (), partial(items, decode=string)),
)
_Weather = ("wind", "rain")
_WeatherReport = ("wind", "rain")

_DEFINITIONS = (
    record(BlobContent, decode_BlobContent, encode_BlobContent),
    record(BusyState, decode_BusyState, encode_BusyState),
    alias("CanvasId", CanvasId, decode_CanvasId),
    record(CanvasScope, decode_CanvasScope, encode_CanvasScope),
    record(Circle, decode_Circle, encode_Circle),
    record(ClearNotification, decode_ClearNotification, encode_ClearNotification),
    alias("Code", Code, decode_Code),
    alias("Colour", Colour, decode_Colour),
    union("Content", Content, decode_Content, encode_Content),
    alias("Currency", Currency, decode_Currency),
    union("DrawAgainRequest", DrawAgainRequest, decode_DrawAgainRequest, encode_DrawAgainRequest),
    record(DrawAgainResponse, decode_DrawAgainResponse, encode_DrawAgainResponse),
    record(DrawRequest, decode_DrawRequest, encode_DrawRequest),
    record(DrawResponse, decode_DrawResponse, encode_DrawResponse),
    alias("ExtRequest", ExtRequest, decode_ExtRequest),
    alias("ExtResponse", ExtResponse, decode_ExtResponse),
    alias("Extra", Extra, decode_Extra, encode_Extra),
    record(Failure, decode_Failure, encode_Failure),
    record(Figure, decode_Figure, encode_Figure),
    record(FigureChange, decode_FigureChange, encode_FigureChange),
    record(FigureErased, decode_FigureErased, encode_FigureErased),
    alias("FigureId", FigureId, decode_FigureId),
    record(FigurePixels, decode_FigurePixels, encode_FigurePixels),
    record(FigureStroke, decode_FigureStroke, encode_FigureStroke),
    union("Form", Form, decode_Form, encode_Form),
    record(HttpServer, decode_HttpServer, encode_HttpServer),
    alias("Id", Id, decode_Id),
    record(IdleState, decode_IdleState, encode_IdleState),
    union("Items", Items, decode_Items, encode_Items),
    alias("Label", Label, decode_Label),
    record(Line, decode_Line, encode_Line),
    record(LineCorrected, decode_LineCorrected, encode_LineCorrected),
    record(LineSpoken, decode_LineSpoken, encode_LineSpoken),
    alias("Lists", Lists, decode_Lists, encode_Lists),
    union("Mark", Mark, decode_Mark, encode_Mark),
    record(OpenRequest, decode_OpenRequest, encode_OpenRequest),
    record(OpenResponse, decode_OpenResponse, encode_OpenResponse),
    union("Option", Option, decode_Option, encode_Option),
    union("Outcome", Outcome, decode_Outcome, encode_Outcome),
    record(PassNotification, decode_PassNotification, encode_PassNotification),
    record(PassRequest, decode_PassRequest, encode_PassRequest),
    alias("PassResponse", PassResponse, decode_PassResponse),
    record(Pixels, decode_Pixels, encode_Pixels),
    union("Question", Question, decode_Question, encode_Question),
    alias("Role", Role, decode_Role),
    union("Server", Server, decode_Server, encode_Server),
    union("Shape", Shape, decode_Shape, encode_Shape),
    union("State", State, decode_State, encode_State),
    record(StdioServer, decode_StdioServer, encode_StdioServer),
    record(StopRequestNotification, decode_StopRequestNotification, encode_StopRequestNotification),
    record(Style, decode_Style, encode_Style),
    record(TextContent, decode_TextContent, encode_TextContent),
    record(Tools, decode_Tools, encode_Tools),
    union("Update", Update, decode_Update, encode_Update),
    record(UpdateNotification, decode_UpdateNotification, encode_UpdateNotification),
    record(UserScope, decode_UserScope, encode_UserScope),
    alias("Value", Value, decode_Value),
    alias("Version", Version, decode_Version),
    record(Weather, decode_Weather, encode_Weather),
)
# Arms of unions that are no definitions of the schema.
_ARMS = (
    record(BadOutcome, restrict_to_arm(decode_Outcome, "BadOutcome", BadOutcome), encode_Outcome),
    record(CanvasForm, restrict_to_arm(decode_Form, "CanvasForm", CanvasForm), encode_Form),
    record(
        CanvasFormQuestion,
        restrict_to_arm(decode_Question, "CanvasFormQuestion", CanvasFormQuestion),
        encode_Question,
    ),
    record(DashMark, restrict_to_arm(decode_Mark, "DashMark", DashMark), encode_Mark),
    record(DotMark, restrict_to_arm(decode_Mark, "DotMark", DotMark), encode_Mark),
    record(DottedLine, restrict_to_arm(decode_Shape, "DottedLine", DottedLine), encode_Shape),
    record(DrawRequestPlace, decode_DrawRequestPlace, encode_DrawRequestPlace),
    record(
        FailedIdleState,
        restrict_to_arm(decode_IdleState, "FailedIdleState", FailedIdleState),
        encode_IdleState,
    ),
    record(FlagOption, restrict_to_arm(decode_Option, "FlagOption", FlagOption), encode_Option),
    union(
        "FormQuestion",
        FormQuestion,
        restrict_to_arm(decode_Question, "FormQuestion", CanvasFormQuestion, UserFormQuestion),
        encode_Question,
    ),
    record(
        GoodOutcome, restrict_to_arm(decode_Outcome, "GoodOutcome", GoodOutcome), encode_Outcome
    ),
    record(UnknownItems, restrict_to_arm(decode_Items, "UnknownItems", UnknownItems), encode_Items),
    record(LineOption, restrict_to_arm(decode_Option, "LineOption", LineOption), encode_Option),
    record(UnknownMark, restrict_to_arm(decode_Mark, "UnknownMark", UnknownMark), encode_Mark),
    record(
        UnknownOption, restrict_to_arm(decode_Option, "UnknownOption", UnknownOption), encode_Option
    ),
    record(
        UnknownQuestion,
        restrict_to_arm(decode_Question, "UnknownQuestion", UnknownQuestion),
        encode_Question,
    ),
    record(Rumour, restrict_to_arm(decode_Update, "Rumour", Rumour), encode_Update),
    record(UnknownShape, restrict_to_arm(decode_Shape, "UnknownShape", UnknownShape), encode_Shape),
    record(SolidLine, restrict_to_arm(decode_Shape, "SolidLine", SolidLine), encode_Shape),
    record(UnknownState, restrict_to_arm(decode_State, "UnknownState", UnknownState), encode_State),
    record(
        UnknownUpdate, restrict_to_arm(decode_Update, "UnknownUpdate", UnknownUpdate), encode_Update
    ),
    record(UserForm, restrict_to_arm(decode_Form, "UserForm", UserForm), encode_Form),
    record(
        UserFormQuestion,
        restrict_to_arm(decode_Question, "UserFormQuestion", UserFormQuestion),
        encode_Question,
    ),
    record(
        WeatherReport, restrict_to_arm(decode_Update, "WeatherReport", WeatherReport), encode_Update
    ),
)

SCHEMA = SchemaInfo(
    protocol_version=2,
    stability="stable",
    source="schema.json",
    sha256="bcb9e99398dd0aa64dbfd9583b7c4e4fe8fcd95147d4b54c90c30fa21a562bce",
    generator_version="0.1.0",
)

TYPES: Mapping[str, Any] = MappingProxyType({each.name: each.type for each in _DEFINITIONS})

_codec = Codec((*_DEFINITIONS, *_ARMS))
decode = _codec.decode
encode = _codec.encode
loads = _codec.loads
dumps = _codec.dumps
