"""An answer means the same however the network cuts it."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.http.fetch_errors import HeaderTooLargeError, MalformedResponseError
from sitecrawl.http.messages import Framing, HeadReader, framing_of

HEADS = [
    b"HTTP/1.1 200 OK\r\nX-A: b\r\n",
    b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200\nX-A:b\n",
    b"HTTP/1.0 404 \r\nX-A: a\r\n\tb\r\nno field\r\n",
]
BODIES = [
    b"Content-Length: 12\r\n\r\nhello\r\n\r\nyou",
    b"Content-Length: 0\r\n\r\n",
    b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0007;a=b\r\n\r\n\r\nyou\r\n0\r\nX-B: c\r\n\r\n",
    b"Transfer-Encoding: chunked\n\n5\nhello\n7\n\r\n\r\nyou\n0\n\n",
    b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"Transfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n0\r\n\r\n",
    b"Content-Length: many\r\n\r\nhello",
    b"\r\nhello\r\n\r\nyou",
]
REST = [b"", b"HTTP/1.1 200 OK\r\n\r\nof the next"]


def read(pieces: Iterable[bytes]) -> tuple[object, bytes, bytes | None]:
    """Fields of the head (or what it fails with), the body, and what comes behind it."""
    reader = HeadReader(1000)
    framing: Framing | None = None
    fields: object = None
    body, behind = b"", b""
    try:
        for data in pieces:
            piece = data
            if framing is None:
                found = reader.take(piece)
                if found is None:
                    continue
                head, piece = found
                fields = (head.version, head.status, head.fields)
                framing, _ = framing_of(head, to_head=False)
            if framing.rest is None:
                body += framing.take(piece)
                behind = framing.rest or b""
            else:
                behind += piece
    except MalformedResponseError as error:
        return str(error), b"", None
    return fields, body, behind if framing is not None and framing.rest is not None else None


@pytest.mark.parametrize("rest", REST)
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("head", HEADS)
def test_cut_anywhere(head: bytes, body: bytes, rest: bytes) -> None:
    whole = head + body + rest
    expected = read([whole])
    assert expected[0]
    assert read(whole[at : at + 1] for at in range(len(whole))) == expected
    for at in range(1, len(whole)):
        assert read([whole[:at], whole[at:]]) == expected


def test_what_is_read() -> None:
    fields = [(b"X-A", b"b"), (b"Transfer-Encoding", b"chunked")]
    found = read([HEADS[1] + BODIES[2] + REST[1]])
    assert found == (("HTTP/1.1", 200, fields), b"hello\r\n\r\nyou", REST[1])


@given(st.binary(max_size=300), st.sampled_from([b"", *HEADS]), st.sampled_from([b"", *BODIES]))
def test_anything_is_read_or_refused(noise: bytes, head: bytes, body: bytes) -> None:
    for whole in (noise, head + noise, head + body + noise):
        read([whole])
        read([whole[:50], whole[50:]])


@pytest.mark.parametrize("size", [1, 7, 5000])
def test_head_has_a_size(size: int) -> None:
    head = b"HTTP/1.1 200 OK\r\nX-A: " + b"b" * 973 + b"\r\n\r\n"
    assert len(head) == 999
    for more in (b"", b"b"):
        reader = HeadReader(999)
        whole = head[:20] + more + head[20:]
        pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
        if more:
            with pytest.raises(HeaderTooLargeError):
                [reader.take(piece) for piece in pieces]
        else:
            assert [reader.take(piece) for piece in pieces][-1] is not None
