"""The local server keeps what its documentation promises."""

from __future__ import annotations

import http.client
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from fixtures.server import Answer, Raw, Server, page, redirect, refusing_origin


def ask(origin: str, target: str = "/", **headers: str) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection(origin.removeprefix("http://"), timeout=60)
    try:
        connection.request(
            "GET", target, headers={name.replace("_", "-"): headers[name] for name in headers}
        )
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


def test_pages_of_every_form(server: Server) -> None:
    origin = server.serve(
        {
            "/": page("/a"),
            "/a": b"\xff",
            "/robots.txt": "User-agent: *\n",
            "/seq": ["one", "two"],
            "/call": lambda request: request.headers["x-probe"],
            "/old": redirect("/a"),
            "/twice": Answer(
                headers={"X-Robots-Tag": ("noindex", "nofollow"), "Content-Type": None}
            ),
        }
    )
    assert b'<a href="/a">' in ask(origin)[2]
    assert ask(origin, "/a")[2] == b"\xff"
    assert ask(origin, "/robots.txt")[1]["Content-Type"].startswith("text/plain")
    assert [ask(origin, "/seq")[2] for _ in range(3)] == [b"one", b"two", b"two"]
    assert ask(origin, "/call", x_probe="here")[2] == b"here"
    assert ask(origin, "/old")[:2][0] == 301
    assert "Content-Type" not in ask(origin, "/twice")[1]
    assert ask(origin, "/none")[0] == 404


def test_keys_go_from_the_narrow_to_the_wide(server: Server) -> None:
    origin = server.serve(
        {"//www.site.test/p": "host", "/p?q=1": "query", "/p": "path", "*": "rest"}
    )
    assert ask(origin, "/p", Host="www.site.test")[2] == b"host"
    assert ask(origin, "/p?q=1")[2] == b"query"
    assert ask(origin, "/p?q=2")[2] == b"path"
    assert ask(origin, "/else")[2] == b"rest"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"If_None_Match": '"1"'}, 304),
        ({"If_None_Match": 'W/"1"'}, 304),
        ({"If_None_Match": '"2"'}, 200),
        ({"If_Modified_Since": "Sun, 01 Nov 2026 00:00:00 GMT"}, 304),
        ({"If_Modified_Since": "Mon, 02 Nov 2026 00:00:00 GMT"}, 200),
    ],
)
def test_validators_are_honoured(server: Server, headers: dict[str, str], status: int) -> None:
    known = {"ETag": '"1"', "Last-Modified": "Sun, 01 Nov 2026 00:00:00 GMT"}
    site = {"/": Answer("x", headers=known), "/deaf": Answer("x", 200, known, 0, True)}
    origin = server.serve(site)
    assert ask(origin, **headers)[0] == status
    assert ask(origin, "/deaf", **headers)[0] == 200


def test_the_log_proves_requests_in_flight_and_gaps(server: Server) -> None:
    one = server.serve({"/": Answer("x" * 300_000, delay=1)})
    two = server.serve({"/": "quick"}, address="127.0.0.2")
    both = [threading.Thread(target=ask, args=(one,)) for _ in range(2)]
    for each in both:
        each.start()
    for each in both:
        each.join()
    assert server.log.most_in_flight(one) == 2
    begun = time.monotonic()
    ask(two)
    time.sleep(0.05)
    ask(two)
    assert server.log.most_in_flight(two) == 1
    assert 0.05 <= server.log.shortest_gap(two) < time.monotonic() - begun
    assert server.log.targets(two) == ["/", "/"]
    assert [each.sent for each in server.log.of(one)] == [300_000, 300_000]
    assert server.log.connected(two) == 2


def test_raw_answers_go_out_as_they_are(server: Server) -> None:
    def endless() -> Iterator[bytes]:
        while True:
            yield b"x" * 1000

    origin = server.serve({"/": Raw(b"no", 0.05, b" http"), "/endless": Raw(endless)})
    address, _, port = origin.removeprefix("http://").partition(":")
    with socket.create_connection((address, int(port)), 60) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\n\r\n")
        with connection.makefile("rb") as answer:
            assert answer.read() == b"no http"
    with socket.create_connection((address, int(port)), 60) as connection:
        connection.sendall(b"GET /endless HTTP/1.1\r\n\r\n")
        assert connection.recv(10)
    assert soon(lambda: server.log.of(origin)[-1].broken)


def soon(condition: Callable[[], bool]) -> bool:
    """Wait until a condition holds, at most a minute."""
    deadline = time.monotonic() + 60
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    return condition()


def test_an_exchange_ends_when_the_client_does_not_wait_for_it(server: Server) -> None:
    origin = server.serve({"/": Answer("late", delay=300)})
    address, _, port = origin.removeprefix("http://").partition(":")
    with socket.create_connection((address, int(port)), 60) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert soon(lambda: len(server.log.of(origin)) == 1)
        assert server.log.of(origin)[0].ended is None
    assert soon(lambda: server.log.of(origin)[0].broken)


def test_a_refusing_origin_refuses() -> None:
    with pytest.raises(ConnectionRefusedError):
        ask(refusing_origin())
