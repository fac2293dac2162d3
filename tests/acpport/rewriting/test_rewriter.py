"""Tests that possible calls to handlers are marked and that imports still in use are kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from acpport.port import port

from tests.acpport.single import TODO, ported_body, ported_lines


def marks(call: str, folder: Path) -> list[str]:
    """Return the TODO comments for a call on an object of unknown type. The call is unchanged."""
    text = f"import acp\n\nasync def f(other, value, params):\n    await {call}\n"
    (folder / "a.py").write_text(text, encoding="utf-8")
    ported = port(folder)
    new = ported.moved[0].new.decode()
    assert f"    await {call}\n" in new
    return [place.text for place in ported.left]


@pytest.mark.parametrize(
    "call",
    [
        "other.set_session_model(value)",  # no longer in the schema
        "other.write_file(value)",  # not a method of the SDK
        "other.prompt(value)",  # too common a name
        "other.session_update(params)",  # already passes a params object
    ],
)
def test_other_calls_have_no_mark(call: str, tmp_path: Path) -> None:
    assert marks(call, tmp_path) == []


def test_a_call_with_the_name_of_a_method_is_marked(tmp_path: Path) -> None:
    assert marks("other.session_update(value)", tmp_path) == [
        "if this calls the handler `session_update`, pass one params object."
    ]


@pytest.mark.parametrize(
    ("statement", "value", "mark"),
    [
        ("import acp", "acp", "`acp` is an SDK module: import its names instead."),
        (
            "from acp import schema",
            "schema",
            "`schema` is an SDK module: import its names instead.",
        ),
        (
            "import acp.schema",
            "acp.schema",
            "`acp.schema` is an SDK module: import its names instead.",
        ),
        ("from acp import Nonsense", "Nonsense()", "acp.Nonsense: unknown SDK name."),
        ("import acp", "acp.Nonsense()", "acp.Nonsense: unknown SDK name."),
        (
            "from acp.contrib import PermissionBroker",
            "PermissionBroker()",
            "acp.contrib.PermissionBroker: use `AgentSession.ask_permission`.",
        ),
        (
            "import acp",
            "acp.utils.to_json()",
            "acp.utils.to_json: use `decode` or `encode`. Stubs and handlers convert values "
            "automatically.",
        ),
        (
            "import acp",
            "acp.task.spawn()",
            "acp.task.spawn: use `runtime.aio.Peer.spawn`. Runs a task that is cancelled when the "
            "connection closes.",
        ),
    ],
)
def test_a_name_that_stays_keeps_its_import(
    statement: str, value: str, mark: str, tmp_path: Path
) -> None:
    (tmp_path / "a.py").write_text(f"{statement}\n\nprint({value})\n", encoding="utf-8")
    ported = port(tmp_path)
    assert [place.text for place in ported.left] == [mark]
    new = ported.moved[0].new.decode()
    assert new == f"{statement}\n\n# TODO(acpgen port): {mark}\nprint({value})\n"


def test_the_modules_of_the_sdk_are_known(tmp_path: Path) -> None:
    modules = [
        *("acp", "agent", "asgi", "client", "connection", "contrib", "core", "exceptions"),
        *("experimental", "helpers", "http", "interfaces", "meta", "permissions", "router"),
        *("schema", "server", "session_state", "stdio", "task", "telemetry", "tool_calls"),
        *("transports", "utils", "v2", "ws"),
    ]
    text = f"from acp import {', '.join(modules)}\n" + "".join(f"print({m})\n" for m in modules)
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    assert [place.text for place in port(tmp_path).left] == [
        f"`{module}` is an SDK module: import its names instead." for module in modules
    ]


def test_a_value_with_another_default_stays(tmp_path: Path) -> None:
    text = """
from acp.schema import ToolCallUpdate

def contents(call: ToolCallUpdate):
    return getattr(call, "content", []), getattr(call, "content"), call.content
"""
    assert ported_lines(text, tmp_path)[-1] == text.splitlines()[-1]


@pytest.mark.parametrize(
    "method",
    [
        "def on_connect(self, conn, name): self.conn = conn",
        "def on_connect(self): self.conn = None",
        "def on_connect(self, conn): self.conn = self.other",
        "def on_connect(self, conn): self.conn = conn.inner",
    ],
)
def test_a_call_of_on_connect_is_marked_unless_it_only_keeps_the_connection(
    method: str, tmp_path: Path
) -> None:
    text = f"import acp\n\nclass A(acp.Agent):\n    {method}\n\nA().on_connect(1)\n"
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    ported = port(tmp_path)
    assert ported.moved[0].new.decode().splitlines()[-1] == "A().on_connect(1)"
    assert ported.left[-1].text == (
        "`connected` receives a peer; see the guide's section about mocks."
    )


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("experimental.v2.schema", "TextContentBlock"),  # from another protocol version
        ("agent.router", "TextContentBlock"),
    ],
)
def test_a_name_of_another_module_is_not_confused(module: str, name: str, tmp_path: Path) -> None:
    text = f"from acp.{module} import {name}\n\nprint({name})\n"
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    assert [place.text for place in port(tmp_path).left] == [
        f"acp.{module}.{name}: unknown SDK name."
    ]


OUTCOMES = "acp.schema.AllowedOutcome | acp.schema.DeniedOutcome"
VARIANTS = "v1.SelectedPermissionOutcome | v1.CancelledRequestPermissionOutcome"


@pytest.mark.parametrize(
    ("annotation", "converted"),
    [
        (f"list[{OUTCOMES}]", "list[v1.RequestPermissionOutcome]"),
        (f"List[{OUTCOMES}]", "List[v1.RequestPermissionOutcome]"),
        (f"Sequence[{OUTCOMES}]", f"Sequence[{VARIANTS}]"),
        (f"list[str] | {OUTCOMES}", f"list[str] | {VARIANTS}"),
        (f"list[1:2] | {OUTCOMES}", f"list[1:2] | {VARIANTS}"),
    ],
)
def test_a_list_of_all_variants_is_a_list_of_the_union(
    annotation: str, converted: str, tmp_path: Path
) -> None:
    text = f"import acp\n\ndef f(x: {annotation}): ...\n"
    assert ported_lines(text, tmp_path)[-1] == f"def f(x: {converted}): ..."


@pytest.mark.parametrize(
    ("annotation", "converted"),
    [
        ('"acp.Client"', '"v1.ClientStub"'),
        ("'list[acp.Client]'", "'list[v1.ClientStub]'"),
        ('r"acp.Client"', 'r"v1.ClientStub"'),
        ("u'acp.Client'", "u'v1.ClientStub'"),
        ('Literal[b"acp.Client"]', 'Literal[b"acp.Client"]'),
        ('"acp."', '"acp."'),
    ],
)
def test_a_quoted_annotation_is_converted(annotation: str, converted: str, tmp_path: Path) -> None:
    text = f"import acp\n\ndef f(conn: acp.Client, x: {annotation}): ...\n"
    last = ported_lines(text, tmp_path)[-1]
    assert last == f"def f(conn: v1.ClientStub, x: {converted}): ..."


@pytest.mark.parametrize(
    ("statement", "mark"),
    [
        ('setattr(agent, "new_session", x)', "the method `new_session` is now `session_new`."),
        ('patch.object(agent, "new_session")', "the method `new_session` is now `session_new`."),
        ('getattr(agent, "ext_method")()', "the method `ext_method` is now `ext_request`."),
        (
            "getattr(agent, x)()",
            "methods have different names now and accept one params object.",
        ),
        ('hasattr(agent, "new_session")', "the method `new_session` is now `session_new`."),
        ('delattr(agent, "new_session")', "the method `new_session` is now `session_new`."),
        ('register(agent, "new_session")', ""),
        ('getattr(agent, "prompt")', ""),  # too common a name
        ('getattr(agent, "set_session_model")', ""),
        ("getattr(agent, x)", ""),
        ("getattr(x, x)()", ""),
        ("getattr(agent)", ""),
        ("agent.text_block(x)", ""),  # not a method of the SDK
    ],
)
def test_the_name_of_a_method_in_a_string_is_marked(
    statement: str, mark: str, tmp_path: Path
) -> None:
    start = "import acp\n\ndef f(agent: acp.Agent, x):"
    expected = [f"{TODO}{mark}", statement] if mark else [statement]
    assert ported_body(start, statement, tmp_path) == expected


MOCKED = [
    *("assert_awaited", "assert_awaited_once", "assert_called", "assert_called_once"),
    *("assert_not_awaited", "assert_not_called", "await_count", "awaited", "call_count"),
    *("called", "reset_mock", "return_value"),
]


@pytest.mark.parametrize(
    ("attribute", "is_marked"),
    [*((each, False) for each in MOCKED), ("call_args", True), ("assert_called_with", True)],
)
def test_an_attribute_of_a_mocked_method_is_marked_if_it_depends_on_the_arguments(
    attribute: str, is_marked: bool, tmp_path: Path
) -> None:
    start = "import acp\n\ndef f(agent: acp.Agent):"
    mark = f"{TODO}`session_new` accepts one params object."
    expected = [*([mark] if is_marked else []), f"print(agent.session_new.{attribute})"]
    assert ported_body(start, f"print(agent.new_session.{attribute})", tmp_path) == expected
