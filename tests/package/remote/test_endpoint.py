"""Tests of a remote agent's URL and of the headers and cookies of requests."""

from __future__ import annotations

import ssl
from typing import Any

import pytest
from acp_bindings.remote.endpoint import Endpoint


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://a", (False, "a", 80, "a", "/acp", "ws://a/acp")),
        ("https://a.b/", (True, "a.b", 443, "a.b", "/", "wss://a.b/")),
        ("ws://a:8/x?y=z", (False, "a", 8, "a:8", "/x?y=z", "ws://a:8/x?y=z")),
        ("wss://[::1]:8/x", (True, "::1", 8, "[::1]:8", "/x", "wss://[::1]:8/x")),
    ],
)
def test_a_url_has_parts(url: str, expected: Any) -> None:
    found = Endpoint(url)
    parts = (found.is_secure, found.host, found.port, found.authority, found.target)
    assert (*parts, found.websocket_url) == expected
    assert (found.tls is not None) is found.is_secure


TWICE = "^`token` and an 'Authorization' header are set; pass one of them$"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"url": "ftp://a"}, "begin with 'http://'"),
        ({"url": "127.0.0.1:80"}, "begin with"),
        ({"url": "http:///acp"}, "begin with"),
        ({"url": "http://u:secret@a"}, "the URL contains credentials"),
        (
            {"url": "http://u@a"},
            "the URL contains credentials; pass `token` or `headers` instead$",
        ),
        ({"url": "http://a/ü"}, "percent-encode spaces, control"),
        ({"url": "http://a/b c"}, "percent-encode spaces, control"),
        ({"url": "http://a:99999"}, "[Pp]ort"),
        ({"url": "http://a", "tls": ssl.create_default_context()}, "use 'https://'"),
        ({"url": "http://a", "token": "t", "headers": {"Authorization": "x"}}, TWICE),
        ({"url": "http://a", "token": "t\r\nx: y"}, "invalid value for header 'authorization'"),
        ({"url": "http://a", "headers": {"a b": "c"}}, "invalid header 'a b'"),
        ({"url": "http://a", "headers": {"Host": "c"}}, "invalid header 'host'"),
        ({"url": "http://a", "headers": {"x": "ü"}}, "invalid value for header 'x'"),
        ({"url": "http://a", "cookies": {"x": "a;b"}}, "invalid cookie 'x'"),
    ],
)
def test_bad_arguments_are_refused(arguments: Any, error: str) -> None:
    with pytest.raises(ValueError, match=error) as caught:
        Endpoint(**arguments)
    assert "secret" not in str(caught.value)


def test_its_text_has_no_query() -> None:
    assert str(Endpoint("wss://a:1/x?token=secret")) == "https://a:1/x"


def test_cookies_are_kept_until_they_expire() -> None:
    cookies = {"mine": "1"}
    endpoint = Endpoint("http://a", cookies=cookies, headers={"Cookie": "fixed=0"})
    endpoint.keep_cookies(["a=1; Path=/", "b=2", "c=3; Max-Age=60", "bad name=1", "=2", "x"])
    assert cookies == {"mine": "1", "a": "1", "b": "2", "c": "3", "x": ""}
    assert endpoint.request_headers()["cookie"] == "fixed=0; mine=1; a=1; b=2; c=3; x="
    endpoint.keep_cookies(
        ["a=; Max-Age=0", "b=; expires=Thu, 01 Jan 1970 00:00:00 GMT", "c=4; expires=nonsense"]
    )
    assert cookies == {"mine": "1", "c": "4", "x": ""}


def test_the_cookies_of_a_server_are_limited() -> None:
    endpoint = Endpoint("http://a")
    endpoint.keep_cookies([f"c{count}={count}" for count in range(1000)])
    assert len(endpoint.cookies) == 50
    endpoint.keep_cookies(["c0=" + "x" * 5000, "c1=new"])
    assert (endpoint.cookies["c0"], endpoint.cookies["c1"]) == ("0", "new")
    endpoint.keep_cookies(["c1=" + "x" * 4093, "c2=" + "x" * 4094])
    assert (endpoint.cookies["c1"], endpoint.cookies["c2"]) == ("x" * 4093, "2")
