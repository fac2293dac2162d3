"""Render a surface to the source of its modules."""

from __future__ import annotations

import ast
from pathlib import Path

import black
import black.mode
import jinja2

from acpgen import __version__
from acpgen.build.protocol.turns import find_turns
from acpgen.emit import quoting
from acpgen.emit.codec import View
from acpgen.emit.docstrings import handler_text, method_summary, stub_text
from acpgen.emit.methods import MethodIndex
from acpgen.emit.session_state import Sessions
from acpgen.emit.types import write_types
from acpgen.ir import naming
from acpgen.ir.model import Capability, Surface

MODE = black.Mode(target_versions={black.mode.TargetVersion.PY310}, line_length=100)
AGAIN = "Do not edit it; make it again with acpgen."


def format_source(source: str) -> str:
    """Format Python source; the style of every generated module."""
    return black.format_str(source, mode=MODE)


def header(made_from: str) -> str:
    """The first lines of a generated file."""
    return f"# Made by acpgen {__version__} from {quoting.comment(made_from)}.\n# {AGAIN}\n"


def surface_header(surface: Surface) -> str:
    """The first lines of a surface's files: which schema they are made from."""
    origin = surface.origin
    return header(f"{origin.label}, {origin.path} (sha256 {origin.sha256})")


def render_surface(
    surface: Surface, templates: Path, *, types_only: bool = False
) -> dict[str, str]:
    """The files of one surface, by path within the package.

    Args:
        types_only: whether to leave out all that is about methods and sessions.
    """
    calls = MethodIndex(surface)
    environment = _environment(templates, surface, calls, types_only=types_only)
    named = {name: environment.get_template(name) for name in SURFACE_TEMPLATES}
    head = surface_header(surface)
    types = head + named["types/head.jinja"].render()
    sources = {
        "__init__": head + named["package/surface.jinja"].render(),
        "types": write_types(surface, types, templates),
    }
    if not types_only:
        sources |= {name: head + text for name, text in _live(surface, calls, named).items()}
    formatted = {name: format_source(source) for name, source in sources.items()}
    formatted["codec"] = head + _codec(surface, named)
    return {f"{surface.name}/{name}.py": source for name, source in formatted.items()}


SURFACE_TEMPLATES = (
    "session/agent.jinja",
    "session/client.jinja",
    "codec/alias.jinja",
    "codec/head.jinja",
    "codec/record.jinja",
    "codec/tables.jinja",
    "codec/union.jinja",
    "methods/methods.jinja",
    "session/state.jinja",
    "methods/side.jinja",
    "package/surface.jinja",
    "types/head.jinja",
)


def _loader(templates: Path) -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # the output is Python; everything from a schema goes through `literal`
    )


def _environment(
    templates: Path, surface: Surface, calls: MethodIndex, *, types_only: bool
) -> jinja2.Environment:
    environment = _loader(templates)
    environment.filters["literal"] = quoting.literal
    environment.filters["tuple"] = tuple
    environment.filters["capability"] = _capability
    environment.filters["constant"] = lambda method: naming.constant(method.side, method.name)
    environment.filters["constant_name"] = naming.rule_name
    environment.filters["names"] = lambda classes: quoting.names(tuple(classes))
    environment.filters["pascal"] = naming.pascal
    environment.filters["summary"] = lambda method: quoting.words(method_summary(method, surface))
    environment.filters["handler_docstring"] = lambda method: quoting.docstring(
        handler_text(method, surface), margin=8
    )
    environment.filters["stub_docstring"] = lambda method: quoting.docstring(
        stub_text(method, surface), margin=8
    )
    environment.globals.update(
        view=View(surface),
        calls=calls,
        surface=surface,
        width=MODE.line_length,
        generator_version=__version__,
        types_only=types_only,
    )
    return environment


def _capability(capability: Capability) -> str:
    return f"Capability({quoting.literal(capability.pointer)}, {quoting.literal(capability.path)})"


def _live(
    surface: Surface, calls: MethodIndex, named: dict[str, jinja2.Template]
) -> dict[str, str]:
    """The sources of what a surface has beside its types: methods, sides, sessions."""
    sources = {"methods": named["methods/methods.jinja"].render()}
    for side in calls.sides():
        if side != "protocol":
            sources[side] = named["methods/side.jinja"].render(side=side)
    if surface.session_update is not None:
        sources["session"] = named["session/state.jinja"].render(session=Sessions(surface))
    turns = find_turns(surface)
    if turns is not None:
        for name in ("agent_session", "client_session"):
            template = named[f"session/{name.partition('_')[0]}.jinja"]
            body = template.render(turns=turns, types=())
            types = sorted(_names(body) & set(View(surface).class_names()))
            sources[name] = template.render(turns=turns, types=types)
    return sources


def _codec(surface: Surface, named: dict[str, jinja2.Template]) -> str:
    """The source of `codec.py`, without its header."""
    # One definition at a time: black goes twice over all it is given when it changes any of it.
    parts = [
        format_source(named[f"codec/{definition.kind}.jinja"].render(definition=definition))
        for definition in surface.definitions.values()
    ]
    parts.append(format_source(named["codec/tables.jinja"].render()))
    body = "\n\n".join(parts)
    head = named["codec/head.jinja"].render(used=_used(body, CODEC_IMPORTS))
    return format_source(head) + "\n\n" + body


# What the templates may use. A surface without, say, a map of records does not use all of it.
CODEC_IMPORTS = {
    "functools": ("partial",),
    "codec": ("alias", "restrict_to_arm", "record", "union"),
    "decoding": (
        *("Arm", "ObjectDecoder", "Tags", "anything", "boolean", "decode_untagged"),
        *("constant_or", "default", "default_member", "entries", "enumerated"),
        *("integer", "items", "json_object"),
        *(
            "keep_unknown",
            "missing",
            "new",
            "null",
            "nullable",
            "number",
            "repaired",
            "string",
            "unknown",
            "valid_entries",
        ),
        *("valid_items", "wrong", "wrong_member"),
    ),
    "encoding": (
        *("Json", "ObjectEncoder", "add_unknown", "encode_choice", "encode_unknown"),
        *("find_class", "refuse_tag", "unshadowed"),
    ),
    "errors": ("DecodeError", "EncodeError", "Issues", "Path"),
    "unset": ("UNSET",),
}


def _used(source: str, imports: dict[str, tuple[str, ...]]) -> dict[str, list[str]]:
    """Of the names a module may import, those its source uses."""
    names = _names(source)
    return {
        module: [each for each in offered if each in names] for module, offered in imports.items()
    }


def _names(source: str) -> set[str]:
    nodes = ast.walk(ast.parse(source))
    return {node.id for node in nodes if isinstance(node, ast.Name)}


def render_package(templates: Path, *, types_only: bool = False) -> dict[str, str]:
    """The files that belong to no surface: the runtime, emitted as it is, and the package."""
    files = {"py.typed": ""}
    folder = templates / "runtime"
    for path in sorted((folder / "values" if types_only else folder).rglob("*.py")):
        name = f"runtime/{path.relative_to(folder).as_posix()}"
        files[name] = header(f"templates/{name}") + "\n" + path.read_text(encoding="utf-8")
    init = _loader(templates).get_template("package/runtime.jinja").render(types_only=types_only)
    files["runtime/__init__.py"] = header("templates/package/runtime.jinja") + format_source(init)
    source = (templates / "package" / "package.py").read_text(encoding="utf-8")
    files["__init__.py"] = header("templates/package/package.py") + "\n" + source
    return files
