"""Tests of the conversion of constructor and method calls."""

from __future__ import annotations

from pathlib import Path

import pytest
from acpport.port import port

from tests.acpport.single import TODO, ported_body, ported_lines


def test_a_class_that_is_now_a_union_is_constructed_as_its_variant(tmp_path: Path) -> None:
    text = 'from acp.schema import AuthMethod\n\nmethod = AuthMethod(id="a", name="A")\n'
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    ported = port(tmp_path)
    assert ported.left == []
    last = ported.moved[0].new.decode().splitlines()[-1]
    assert last == 'method = v1.AuthMethodAgent(id="a", name="A")'


@pytest.mark.parametrize("argument", ['"a"', "*texts", "**fields"])
def test_a_constructor_argument_without_a_keyword_is_marked(argument: str, tmp_path: Path) -> None:
    text = "from acp.schema import TextContentBlock\n\n"
    call = f"TextContentBlock({argument}, annotations=None)\n"
    (tmp_path / "a.py").write_text(text + call, encoding="utf-8")
    ported = port(tmp_path)
    assert ported.moved[0].new.decode().splitlines()[-1] == f"v1.TextContent({argument})"
    assert [place.text for place in ported.left] == [
        f"v1.TextContent accepts only keyword arguments: `{argument}`."
    ]


@pytest.mark.parametrize(
    ("arguments", "converted"),
    [
        ('"s", x, y', 'session_id="s", tool_call=x, options=y'),
        ('f"{x}", x, y', 'session_id=f"{x}", tool_call=x, options=y'),
        ("[], x, y", "options=[], session_id=x, tool_call=y"),
        ("x, y, []", "session_id=x, tool_call=y, options=[]"),
        ("x, y, tool_call", "options=x, session_id=y, tool_call=tool_call"),
        ("many, x, y", "options=many, session_id=x, tool_call=y"),
        ("x, y, many", "session_id=x, tool_call=y, options=many"),
        (
            "x, y, v1.ToolCallUpdate(tool_call_id=x)",
            "options=x, session_id=y, tool_call=v1.ToolCallUpdate(tool_call_id=x)",
        ),
        (
            "x, acp.schema.ToolCallUpdate(tool_call_id=y), []",
            "session_id=x, tool_call=v1.ToolCallUpdate(tool_call_id=y), options=[]",
        ),
    ],
)
def test_the_order_of_arguments_is_found_in_their_values_and_names(
    arguments: str, converted: str, tmp_path: Path
) -> None:
    imports = "import acp\nfrom acp_bindings import v1\n\n"
    many = "many: list[acp.schema.PermissionOption]"
    text = f"{imports}async def ask(conn: acp.Client, x, y, tool_call, {many}):\n"
    call = f"    await conn.request_permission({arguments})\n"
    last = ported_lines(text + call, tmp_path)[-1].strip()
    request = f"v1.RequestPermissionRequest({converted})"
    assert last == f"await conn.session_request_permission({request})"


@pytest.mark.parametrize(
    "use",
    [
        "self.conn = conn",
        "self.conn, other = conn, proc",
        "self.session = Session(proc, conn=conn)",
        "self.sessions['a'] = [conn]",
        "return conn",
        "return Session(conn)",
        "return Session(conn).opened",
        "return conn if proc else None",
        "yield conn, proc",
        "yield {'conn': conn}",
    ],
)
def test_a_connection_that_leaves_its_function_is_marked(use: str, tmp_path: Path) -> None:
    text = f"""
import acp

class Program:
    async def open(self, proc):
        conn = acp.connect_to_agent(X(), proc.stdin, proc.stdout)
        {use}
"""
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    ported = port(tmp_path)
    assert ported.moved[0].new.decode().splitlines()[-2:] == text.splitlines()[-2:]
    [left] = ported.left
    assert left.text.startswith("`connect` is a context manager; see AsyncExitStack in the guide.")


@pytest.mark.parametrize(
    "function",
    [
        "async def f(proc):\n    {}; proc = None",
        "async def f(proc):\n    {}; {}",
        "async def f(proc): {}",
        "async def f(proc):\n    proc.wait()\n    if proc:\n        {}",
        "async def f(proc):\n    proc.wait()\n    self.{}",
        "async def f(proc):\n    proc.wait()\n    other = {}",
        "async def f(proc):\n    proc.wait()\n    conn, {}",
        "def f(proc):\n    {}",
        "{}",
    ],
)
def test_a_connection_that_is_not_opened_in_its_own_line_is_marked(
    function: str, tmp_path: Path
) -> None:
    text = function.replace("{}", "conn = acp.connect_to_agent(X(), proc.stdin, proc.stdout)")
    lines = ported_lines(f"import acp\n{text}\nprint(acp.schema.TextContentBlock)\n", tmp_path)
    assert lines[:2] == ["from acp_bindings import v1", "import acp"]
    marks = [line for line in lines if TODO in line]
    assert [line.strip()[:60] for line in marks] == [
        f"{TODO}`connect` is a context manager; see Asy",
    ]
    assert [line for line in lines[2:-1] if line not in marks] == text.splitlines()


@pytest.mark.parametrize(
    "use",
    [
        "other = conn",
        "other = Session(conn)",
        "self.conn = proc",
        "self.name = conn.name",
        "self.turn = await talk(conn)",
        "return",
        "return proc",
        "return await talk(conn)",
        "return conn.name",
        "return Session(proc, conn=proc)",
        "return proc.conn",
        "yield conn.name, proc",
        "print(conn)",
    ],
)
def test_a_connection_can_be_used_in_its_function(use: str, tmp_path: Path) -> None:
    text = f"""
import acp

async def run(self, proc):
    conn = acp.connect_to_agent(X(), proc.stdin, proc.stdout)
    {use}
"""
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    ported = port(tmp_path)
    assert ported.left == []
    assert ported.moved[0].new.decode().splitlines()[-3:] == [
        "    async with connect(AsyncioStream(proc.stdout, proc.stdin), X()) as peer:",
        "        conn = v1.AgentStub(peer, check_capabilities=False)",
        f"        {use}",
    ]


@pytest.mark.parametrize("arguments", ["", '"a", "b"', '"a", color=1', "*texts", "**texts"])
def test_a_helper_call_with_other_parameters_is_marked(arguments: str, tmp_path: Path) -> None:
    call = f"acp.text_block({arguments})"
    (tmp_path / "a.py").write_text(f"import acp\n\n{call}\n", encoding="utf-8")
    ported = port(tmp_path)
    assert ported.moved[0].new.decode().splitlines()[-1] == call
    [left] = ported.left
    assert left.text.startswith("acp.text_block: use `TextContent`.")


@pytest.mark.parametrize(
    ("call", "mark"),
    [
        ('TextContentBlock(text="a", color=1)', "v1.TextContent has no field `color`."),
        ('TextContentBlock(text="a", color="red")', "v1.TextContent has no field `color`."),
        ('TextContentBlock(text="a", type=kind)', "v1.TextContent has no field `type`."),
        ("TextContentBlock()", "v1.TextContent needs `text`."),
        ("TextContentBlock(annotations=None)", "v1.TextContent needs `text`."),
        (
            'SessionConfigOption(id="a")',
            "v1.SessionConfigOption is a union, not a class: use one of its variants.",
        ),
        (
            "TextContentBlock.model_json_schema()",
            "`model_json_schema`: use v1.decode and v1.encode to convert JSON values.",
        ),
        (
            "TextContentBlock.model_fields.keys()",
            "`model_fields.keys`: use v1.decode and v1.encode to convert JSON values.",
        ),
        *(
            (
                f"TextContentBlock.model_validate({arguments})",
                "`model_validate`: use v1.decode and v1.encode to convert JSON values.",
            )
            for arguments in ("a, strict=True", "*a", "**a", "")
        ),
    ],
)
def test_a_call_without_a_counterpart_is_marked(call: str, mark: str, tmp_path: Path) -> None:
    text = f"from acp.schema import SessionConfigOption, TextContentBlock\n\n{call}\n"
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    assert [place.text for place in port(tmp_path).left] == [mark]


@pytest.mark.parametrize(
    ("arguments", "converted"),
    [
        ('"acme/x", {}', '"_acme/x", {}'),
        ("name, {}", '"_" + name, {}'),
        ('method="acme/x", params={}', 'method="_acme/x", params={}'),
        ("params={}, method=name", 'params={}, method="_" + name'),
    ],
)
def test_extension_methods_get_an_underscore(
    arguments: str, converted: str, tmp_path: Path
) -> None:
    text = "import acp\n\nasync def f(conn: acp.Agent, name):\n"
    call = f"    await conn.ext_method({arguments})\n"
    (tmp_path / "a.py").write_text(text + call, encoding="utf-8")
    ported = port(tmp_path)
    assert ported.left == []
    last = ported.moved[0].new.decode().splitlines()[-1]
    assert last == f"    await conn.ext_request({converted})"


@pytest.mark.parametrize(
    ("arguments", "converted"),
    [
        ("params", "params"),
        ("", "v1.PromptRequest()"),
        ("session_id=params", "v1.PromptRequest(session_id=params)"),
        (
            'acp.PromptRequest(session_id="s", prompt=[])',
            'v1.PromptRequest(session_id="s", prompt=[])',
        ),
        (
            'session_id="s", prompt=[], color=1',
            'v1.PromptRequest(session_id="s", prompt=[], meta={"color": 1})',
        ),
        (
            'session_id="s", prompt=[], color=1, **params',
            'v1.PromptRequest(session_id="s", prompt=[], meta={"color": 1, **params})',
        ),
        (
            'session_id="s", prompt=[], **params, color=1',
            'v1.PromptRequest(session_id="s", prompt=[], meta={**params, "color": 1})',
        ),
        (
            'session_id="s", prompt=[], **params',
            'v1.PromptRequest(session_id="s", prompt=[], meta=given(params))',
        ),
    ],
)
def test_a_method_gets_one_params_object(arguments: str, converted: str, tmp_path: Path) -> None:
    text = "import acp\n\nasync def f(conn: acp.Agent, params):\n"
    call = f"    await conn.prompt({arguments})\n"
    (tmp_path / "a.py").write_text(text + call, encoding="utf-8")
    ported = port(tmp_path)
    assert ported.left == []
    last = ported.moved[0].new.decode().splitlines()[-1]
    assert last == f"    await conn.session_prompt({converted})"


@pytest.mark.parametrize(
    ("call", "mark"),
    [
        ("ext_method(*given)", "the names of extension methods must begin with `_`."),
        ("ext_method(**given)", "the names of extension methods must begin with `_`."),
        ("ext_method()", "the names of extension methods must begin with `_`."),
        ("close()", "leaving the `connect` block closes the connection."),
        (
            "set_session_model(given)",
            "set_session_model: No longer in the schema; see three alternatives in the guide. "
            "A session's models are now a config option.",
        ),
        (
            "new_session(**given)",
            "`session_new` accepts one params object, v1.NewSessionRequest.",
        ),
        (
            "prompt(given, other.ToolCallUpdate())",
            "`session_prompt` accepts one params object, v1.PromptRequest.",
        ),
        ("prompt(params, given)", "`session_prompt` accepts one params object, v1.PromptRequest."),
        (
            "cancel(*given, session_id=given)",
            "`session_cancel` accepts one params object, v1.CancelNotification.",
        ),
        ("prompt(*given)", "`session_prompt` accepts one params object, v1.PromptRequest."),
        ("prompt(given)", "`session_prompt` accepts one params object, v1.PromptRequest."),
    ],
)
def test_a_method_call_that_cannot_be_converted_is_marked(
    call: str, mark: str, tmp_path: Path
) -> None:
    text = f"import acp\n\nasync def f(conn: acp.Agent, given):\n    await conn.{call}\n"
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    assert [place.text for place in port(tmp_path).left] == [mark]


@pytest.mark.parametrize(
    ("value", "converted"),
    [
        ("x", "given(x)"),
        ("x or []", "x or []"),
        ("x or y", "given(x or y)"),
        ("x and []", "given(x and [])"),
        ("[] if x else [y]", "[] if x else [y]"),
        ("[] if x else y", "given([] if x else y)"),
        ("not x", "not x"),
        ("-x", "given(-x)"),
        ("bool(x)", "bool(x)"),
        ("bytes(x)", "bytes(x)"),
        ("dict(x)", "dict(x)"),
        ("float(x)", "float(x)"),
        ("int(x)", "int(x)"),
        ("list(x)", "list(x)"),
        ("str(x)", "str(x)"),
        ("tuple(x)", "tuple(x)"),
        ("True", "True"),
        ("False", "False"),
        ("1", "1"),
        ("b'a'", "b'a'"),
        ("{x}", "{x}"),
        ("{x: x}", "{x: x}"),
        ("(x, x)", "(x, x)"),
        ("(each for each in x)", "(each for each in x)"),
        ("x == y", "x == y"),
        ("lambda: x", "lambda: x"),
        ("x.y", "given(x.y)"),
        ("x.make()", "given(x.make())"),
        ("U(tool_call_id=x)", "v1.ToolCallUpdate(tool_call_id=x)"),
        ("make(x)", "given(make(x))"),
    ],
)
def test_an_optional_value_is_given_unless_it_cannot_be_none(
    value: str, converted: str, tmp_path: Path
) -> None:
    text = f"from acp.schema import ToolCallUpdate as U\n\nU(toolCallId='a', content={value})\n"
    last = ported_lines(text, tmp_path)[-1]
    assert last == f"v1.ToolCallUpdate(tool_call_id='a', content={converted})"


@pytest.mark.parametrize("value", ["5", "None", "[]", "{}", '"a"', 'f"{x}"', "x == 5", "(1, 2)"])
def test_a_json_value_in_a_helper_call_stays(value: str, tmp_path: Path) -> None:
    start = "import acp\n\ndef f(x):"
    call = f'acp.start_edit_tool_call("a", "Edit", "/a", {value})'
    [line] = ported_body(start, call, tmp_path)
    assert line.endswith(f', raw_input={{"path": "/a", "content": {value}}})')


@pytest.mark.parametrize("value", ["x", "x.y", "x()", "x[0]"])
def test_an_unknown_value_in_a_helper_call_is_marked(value: str, tmp_path: Path) -> None:
    start = "import acp\n\ndef f(x):"
    call = f'acp.start_edit_tool_call("a", "Edit", "/a", {value})'
    mark, line = ported_body(start, call, tmp_path)
    assert mark == f"{TODO}encode `{value}` if it is a protocol value."
    assert line.endswith(f', raw_input={{"path": "/a", "content": {value}}})')


@pytest.mark.parametrize("keyword", ["field_meta", "_meta"])
@pytest.mark.parametrize(
    ("call", "converted"),
    [
        ("ToolCallUpdate(tool_call_id=x, {}=y)", "v1.ToolCallUpdate(tool_call_id=x, {}=given(y))"),
        (
            "conn.cancel(x, {}=y)",
            "conn.session_cancel(v1.CancelNotification(session_id=x, {}=given(y)))",
        ),
        (
            'conn.set_config_option(config_id=x, session_id=x, value=True, {}={"a": 1})',
            "conn.session_set_config_option(v1.BooleanSetSessionConfigOptionRequest("
            'config_id=x, session_id=x, value=True, {}={"a": 1}))',
        ),
    ],
)
def test_the_meta_of_a_call_is_kept(
    call: str, converted: str, keyword: str, tmp_path: Path
) -> None:
    start = "import acp\nfrom acp.schema import ToolCallUpdate\n\ndef f(conn: acp.Agent, x, y):"
    body = ported_body(start, call.replace("{}", keyword, 1), tmp_path)
    assert body == [converted.replace("{}", "meta", 1)]


UNION_OF_PARAMS = (
    f"{TODO}`session_set_config_option` accepts one params object, "
    "v1.SetSessionConfigOptionRequest (a union of several classes)."
)


@pytest.mark.parametrize(
    ("value", "converted"),
    [
        ("True", "v1.BooleanSetSessionConfigOptionRequest({})"),
        ("False", "v1.BooleanSetSessionConfigOptionRequest({})"),
        ("flag", "v1.BooleanSetSessionConfigOptionRequest({})"),
        ('"b"', "v1.ValueIdSetSessionConfigOptionRequest({})"),
        ("name", "v1.ValueIdSetSessionConfigOptionRequest({})"),
        (
            "either",
            "v1.BooleanSetSessionConfigOptionRequest({}) if isinstance(either, bool) else "
            "v1.ValueIdSetSessionConfigOptionRequest({})",
        ),
        (
            "x",
            "v1.BooleanSetSessionConfigOptionRequest({}) if isinstance(x, bool) else "
            "v1.ValueIdSetSessionConfigOptionRequest({})",
        ),
        ("x.y", ""),
        ("number", ""),
        ("real", ""),
        ("nothing", ""),
        ("flags", ""),
        ("[]", ""),
    ],
)
def test_the_class_of_the_params_is_found_in_the_types_of_the_arguments(
    value: str, converted: str, tmp_path: Path
) -> None:
    variables = "flag: bool, name: str, either: 'bool | str', x, number: int, real: float"
    start = f"import acp\n\ndef f(conn: acp.Agent, {variables}, nothing: None, flags: list[bool]):"
    arguments = f'config_id="a", session_id="s", value={value}'
    call = f"conn.set_config_option({arguments})"
    params = converted.replace("{}", arguments)
    expected = [f"conn.session_set_config_option({params})"] if params else [UNION_OF_PARAMS, call]
    assert ported_body(start, call, tmp_path) == expected


@pytest.mark.parametrize(
    ("arguments", "converted"),
    [
        (
            "SetSessionConfigOptionBooleanRequest(config_id=x, session_id=x, value=x)",
            "v1.BooleanSetSessionConfigOptionRequest(config_id=x, session_id=x, value=x)",
        ),
        ("params", "params"),
        ("config_id=x, session_id=x, value=True, color=1", ""),
        ("config_id=x, session_id=x, color=x", ""),
        ("", ""),
    ],
)
def test_the_params_of_a_method_with_several_classes(
    arguments: str, converted: str, tmp_path: Path
) -> None:
    imports = "import acp\nfrom acp.schema import SetSessionConfigOptionBooleanRequest"
    call = f"conn.set_config_option({arguments})"
    body = ported_body(f"{imports}\n\ndef f(conn: acp.Agent, x):", call, tmp_path)
    expected = f"conn.session_set_config_option({converted})"
    assert body == ([expected] if converted else [UNION_OF_PARAMS, call])


@pytest.mark.parametrize(
    "module", ["", ".schema", ".helpers", ".core", ".interfaces", ".exceptions", ".stdio"]
)
def test_a_helper_is_found_in_every_module_that_exports_it(module: str, tmp_path: Path) -> None:
    text = f"import acp\n\nprint(acp{module}.text_block('a'))\n"
    assert ported_lines(text, tmp_path)[-1] == "print(v1.TextContent(text='a'))"


@pytest.mark.parametrize("module", ["acp", "acp.helpers"])
@pytest.mark.parametrize(
    ("call", "converted"),
    [
        ("update_current_mode(x)", "v1.CurrentModeUpdate(current_mode_id=x)"),
        ("update_available_commands([])", "v1.AvailableCommandsUpdate(available_commands=[])"),
        ("text_block(text=x)", "v1.TextContent(text=x)"),
        ('plan_entry("a")', 'v1.PlanEntry(content="a", priority="medium", status="pending")'),
        (
            'resource_link_block("a", x, size=y)',
            'v1.ResourceLink(name="a", uri=x, size=given(y))',
        ),
        (
            "update_agent_message_text(x)",
            "v1.AgentMessageChunk(content=v1.TextContent(text=x))",
        ),
        (
            "start_read_tool_call(x, y, z, None)",
            'v1.ToolCall(tool_call_id=x, title=y, kind="read", status="pending", '
            'locations=[v1.ToolCallLocation(path=z)], raw_input={"path": z})',
        ),
    ],
)
def test_a_helper_is_replaced_by_the_equivalent_call(
    call: str, converted: str, module: str, tmp_path: Path
) -> None:
    start = "import acp\n\ndef f(x, y: int | None, z: str):"
    assert ported_body(start, f"{module}.{call}", tmp_path) == [converted]
