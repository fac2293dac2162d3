"""Tests of the conversion of handlers to methods that accept a single params object."""

from __future__ import annotations

from pathlib import Path

import pytest
from acpport.port import port

from tests.acpport.single import ported_lines


@pytest.mark.parametrize(
    ("signature", "rewritten"),
    [
        (
            "new_session(self, params)",
            ["async def session_new(self, params):", "return self.make(params)"],
        ),
        (
            "new_session(self, params, **more)",
            [
                "async def session_new(self, params: v1.NewSessionRequest):",
                'params = (params.meta or {}).get("params")',
                "return self.make(params)",
            ],
        ),
        (
            "new_session(self, params, cwd=None, *, session_id)",
            [
                "async def session_new(self, params: v1.NewSessionRequest):",
                "cwd = params.cwd",
                'session_id = (params.meta or {}).get("session_id")',
                'params = (params.meta or {}).get("params")',
                "return self.make(params, cwd, session_id)",
            ],
        ),
        (
            "mcp_message(self, params)",
            [
                "async def mcp_message(self, params: v1.MessageMcpNotification):",
                "params = params.params if params.params is not UNSET else None",
                "return self.make(params)",
            ],
        ),
    ],
)
def test_a_parameter_called_params(signature: str, rewritten: list[str], tmp_path: Path) -> None:
    text = f"import acp\n\nclass A(acp.Agent):\n    async def {signature}:\n"
    lines = ported_lines(f"{text}        {rewritten[-1]}\n", tmp_path)
    assert [line.strip() for line in lines[-len(rewritten) :]] == rewritten


def test_the_connection_is_replaced_where_its_attributes_are_read(tmp_path: Path) -> None:
    text = """
import acp

class A(acp.Agent):
    def on_connect(self, conn):
        self.update = conn.session_update
"""
    lines = ported_lines(text, tmp_path)
    stub = "v1.ClientStub(peer, check_capabilities=False)"
    assert lines[-1].strip() == f"self.update = {stub}.session_update"


@pytest.mark.parametrize(
    "signature",
    [
        "def on_connect(self)",
        "async def on_connect(self, conn)",
        "def on_connect(self, conn, name)",
    ],
)
def test_on_connect_with_another_signature_is_marked(signature: str, tmp_path: Path) -> None:
    text = f"import acp\n\nclass A(acp.Agent):\n    {signature}: ...\n"
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    ported = port(tmp_path)
    assert ported.moved[0].new.decode().splitlines()[-1] == f"    {signature}: ..."
    assert [place.text for place in ported.left] == [
        "`connected(self, peer)` receives the connection and must not be async."
    ]


@pytest.mark.parametrize(
    ("parameters", "line"),
    [
        ("prompt, session_id, *rest", "rest = ()"),
        ("prompt, session_id, rest", 'rest = (params.meta or {}).get("rest")'),
        ("rest: acp.schema.PromptRequest, prompt, session_id", "rest = params"),
        ('rest: "acp.schema.PromptRequest", prompt, session_id', "rest = params"),
    ],
)
def test_a_parameter_that_is_not_a_field_is_assigned(
    parameters: str, line: str, tmp_path: Path
) -> None:
    text = f"""
import acp

class A(acp.Agent):
    async def prompt(self, {parameters}):
        return rest
"""
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    ported = port(tmp_path)
    assert ported.left == []
    assert [each.strip() for each in ported.moved[0].new.decode().splitlines()[-3:]] == [
        "async def session_prompt(self, params: v1.PromptRequest):",
        line,
        "return rest",
    ]


@pytest.mark.parametrize(
    ("method", "converted"),
    [
        (
            ["async def ext_method(self, name, params):", "    return name"],
            [
                "async def ext_request(self, name, params):",
                '    name = name.removeprefix("_")',
                "    return name",
            ],
        ),
        (
            ["async def ext_method(self, name, params):", '    """Ask."""', "    return name"],
            [
                "async def ext_request(self, name, params):",
                '    """Ask."""',
                '    name = name.removeprefix("_")',
                "    return name",
            ],
        ),
        (
            ["async def ext_method(self, name):", "    return name"],
            [
                "async def ext_request(self, name):",
                '    name = name.removeprefix("_")',
                "    return name",
            ],
        ),
        (
            ["async def ext_method(self, name, params):", "    return params"],
            ["async def ext_request(self, name, params):", "    return params"],
        ),
        (
            [
                "async def ext_notification(self, name, params):",
                '    """Ask."""',
                '    name = name.removeprefix("_")',
                "    return name",
            ],
            [
                "async def ext_notification(self, name, params):",
                '    """Ask."""',
                '    name = name.removeprefix("_")',
                "    return name",
            ],
        ),
        (
            ["async def ext_method(self): ..."],
            ["async def ext_request(self): ..."],
        ),
    ],
)
def test_an_extension_method_gets_the_name_without_the_underscore(
    method: list[str], converted: list[str], tmp_path: Path
) -> None:
    lines = [*("import acp", "class A(acp.Agent):"), *(f"    {line}" for line in method)]
    new = ported_lines("\n".join(lines), tmp_path)
    assert new[2:] == [f"    {line}" for line in converted]


@pytest.mark.parametrize("parameters", ["", "self, prompt, session_id, /"])
def test_a_method_that_the_sdk_cannot_call_stays(parameters: str, tmp_path: Path) -> None:
    method = f"    async def prompt({parameters}): ..."
    text = f"import acp\n\nclass A(acp.Agent):\n{method}\n"
    assert ported_lines(text, tmp_path)[-1] == method


@pytest.mark.parametrize(
    ("default", "line"),
    [
        ("", "client_info = params.client_info or None"),
        ("=make()", "client_info = params.client_info or make()"),
    ],
)
def test_a_field_gets_its_default_from_the_signature(
    default: str, line: str, tmp_path: Path
) -> None:
    text = f"""
import acp

class A(acp.Agent):
    async def initialize(self, protocol_version, client_info{default}):
        return client_info
"""
    assert ported_lines(text, tmp_path)[-2].strip() == line


def test_the_class_of_the_params_takes_the_place_of_a_tag(tmp_path: Path) -> None:
    text = """
import acp

class A(acp.Client):
    async def create_elicitation(self, message, mode):
        return mode
"""
    assert ported_lines(text, tmp_path)[-3:] == [
        "    async def elicitation_create(self, params: v1.CreateElicitationRequest):",
        "        mode = params",
        "        return mode",
    ]


def test_a_parameter_that_the_schema_no_longer_has_is_marked(tmp_path: Path) -> None:
    text = """
import acp

class A(acp.Agent):
    async def prompt(self, prompt, session_id, message_id):
        return message_id
"""
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    ported = port(tmp_path)
    assert [place.text for place in ported.left] == ["`message_id` is no longer in the schema."]
    assert 'message_id = (params.meta or {}).get("message_id")' in ported.moved[0].new.decode()


CONNECTION = "v1.ClientStub(peer, check_capabilities=False)"


@pytest.mark.parametrize(
    ("body", "converted"),
    [
        ("self.conn = conn", [f"self.conn = {CONNECTION}"]),
        ("self.other.conn = conn", [f"self.other.conn = {CONNECTION}"]),
        ("self.a = self.b = conn", [f"self.a = self.b = {CONNECTION}"]),
        ("self.keep(conn=conn)", [f"self.keep(conn={CONNECTION})"]),
        ("self.conn(conn)", [f"self.conn({CONNECTION})"]),
        ("print(conn, conn)", [f"conn = {CONNECTION}", "print(conn, conn)"]),
        ("print(self.conn)", ["print(self.conn)"]),
        ("self.close()", ["self.close()"]),
        ("pass", ["pass"]),
    ],
)
def test_a_connection_is_replaced_by_a_stub(
    body: str, converted: list[str], tmp_path: Path
) -> None:
    text = """
import acp

class A(acp.Agent):
    def on_connect(self, conn):
        '''Keeps it.'''
"""
    lines = ported_lines(f"{text}        {body}\n", tmp_path)
    assert [line.strip() for line in lines[lines.index("class A(v1.AgentHandler):") + 1 :]] == [
        "def connected(self, peer: Peer):",
        "'''Keeps it.'''",
        *converted,
    ]


@pytest.mark.parametrize(
    ("method", "converted"),
    [
        (
            ["async def authenticate(self, method_id: str = 'a', **_): return None"],
            ["async def authenticate(self, params: v1.AuthenticateRequest): return None"],
        ),
        (
            ["async def authenticate(self, *method_id): return method_id"],
            [
                "async def authenticate(self, params: v1.AuthenticateRequest):",
                "    method_id = ()",
                "    return method_id",
            ],
        ),
        (
            ["@decorated", "def load_session(self, session_id, cwd) -> object: return session_id"],
            [
                "@decorated",
                "def session_load(self, params: v1.LoadSessionRequest) -> object:",
                "    session_id = params.session_id",
                "    return session_id",
            ],
        ),
        (
            ["async def new_session(self, mcp_servers=None, **kwargs): return mcp_servers, kwargs"],
            [
                "async def session_new(self, params: v1.NewSessionRequest):",
                "    mcp_servers = params.mcp_servers",
                '    kwargs = {"additional_directories": params.additional_directories, '
                '"cwd": params.cwd, **(params.meta or {})}',
                "    return mcp_servers, kwargs",
            ],
        ),
        (
            ["async def resume_session(self, mcp_servers=(), *, cwd): print(mcp_servers, cwd)"],
            [
                "async def session_resume(self, params: v1.ResumeSessionRequest):",
                "    mcp_servers = params.mcp_servers if params.mcp_servers "
                "not in (None, UNSET) else ()",
                "    cwd = params.cwd",
                "    print(mcp_servers, cwd)",
            ],
        ),
        (
            [
                "async def cancel(  # noqa: C901",
                "    self, session_id: str, *,",
                "    color=None,  # new",
                ") -> None:  # noqa: D102",
                "    # sent once",
                "    print(session_id, color)",
            ],
            [
                "async def session_cancel(self, params: v1.CancelNotification) -> None:"
                "  # noqa: C901  # noqa: D102",
                "    session_id = params.session_id",
                "    # new",
                '    color = (params.meta or {}).get("color")',
                "    # sent once",
                "    print(session_id, color)",
            ],
        ),
        (
            ["async def prompt(self, session_id, prompt): return {'stop_reason': session_id}"],
            [
                "async def session_prompt(self, params: v1.PromptRequest):",
                "    session_id = params.session_id",
                "    return v1.decode(v1.PromptResponse, {'stop_reason': session_id})",
            ],
        ),
        (
            [
                "async def prompt(self, session_id):",
                "    def inner(): return {}",
                "    return inner()",
            ],
            [
                "async def session_prompt(self, params: v1.PromptRequest):",
                "    def inner(): return {}",
                "    return inner()",
            ],
        ),
        (
            ["async def ext_method(self, method, params): return {}"],
            ["async def ext_request(self, method, params): return {}"],
        ),
        (["async def other(self): return {}"], ["async def other(self): return {}"]),
    ],
)
def test_the_parameters_of_a_handler_become_one_params_object(
    method: list[str], converted: list[str], tmp_path: Path
) -> None:
    lines = [*("import acp", "class A(acp.Agent):"), *(f"    {line}" for line in method)]
    new = ported_lines("\n".join(lines), tmp_path)
    start = new.index("class A(v1.AgentHandler):")
    assert [line.removeprefix("    ") for line in new[start + 1 :]] == converted
