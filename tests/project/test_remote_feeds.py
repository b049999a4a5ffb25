"""Feeds that Scrapy's storages write to other servers: S3, Google Cloud Storage, FTP."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import boto3
import pytest
from google.cloud import storage

from fixtures.own_spider import OwnCrawl
from fixtures.server import Server, page

pytestmark = pytest.mark.slow
SITE = {"/": page("/a", title="Home"), "/a": page(title="A")}
TITLES = ["Home", "A"]


@contextmanager
def running(*command: str, port: int) -> Iterator[None]:
    """A server of Python's packages, from when it listens on ``port`` until it is ended."""
    quiet = subprocess.DEVNULL
    server = subprocess.Popen([sys.executable, "-m", *command], stdout=quiet, stderr=quiet)
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and server.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.2)
        yield
    finally:
        server.terminate()
        server.wait()


@pytest.fixture
def port() -> int:
    """A port of the loopback address that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number: int = free.getsockname()[1]
    return number


@pytest.fixture
def origin(server: Server) -> str:
    """A site of two pages."""
    return server.serve(dict(SITE))


def titles(lines: bytes) -> list[str]:
    return [json.loads(line)["title"] for line in lines.splitlines()]


def test_a_feed_on_s3(
    port: int, origin: str, own: OwnCrawl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "a")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "b")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    endpoint = f"http://127.0.0.1:{port}"
    words = ("-a", f"start={origin}/", "-s", f"AWS_ENDPOINT_URL={endpoint}")
    with running("moto.server", "-H", "127.0.0.1", "-p", str(port), port=port):
        client = boto3.client("s3", endpoint_url=endpoint)
        client.create_bucket(Bucket="docs")
        assert own("", *words, output="s3://none/o.jsonl") == 1
        assert "Not all output could be stored" in own.log
        assert own("", *words, output="s3://docs/o.jsonl") == 0, own.log[-3000:]
        body = client.get_object(Bucket="docs", Key="o.jsonl")["Body"].read()
    assert titles(body) == TITLES


GOOGLE = """
    custom_settings = {"GCS_PROJECT_ID": "p"}
"""


def test_a_feed_on_google_cloud_storage(
    port: int, origin: str, own: OwnCrawl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", f"http://127.0.0.1:{port}")
    options = (
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--in-memory",
        "--default-bucket",
        "docs",
    )
    with running("gcp_storage_emulator", "start", *options, port=port):
        client = storage.Client(project="p")
        words = ("-a", f"start={origin}/")
        assert own(GOOGLE, *words, output="gs://none/o.jsonl") == 1
        assert own(GOOGLE, *words, output="gs://docs/o.jsonl") == 0, own.log[-3000:]
        body = client.bucket("docs").blob("o.jsonl").download_as_bytes()
    assert titles(body) == TITLES


def test_a_feed_on_ftp(port: int, origin: str, own: OwnCrawl, tmp_path: Path) -> None:
    folder = tmp_path / "ftp"
    folder.mkdir()
    words = ("-a", f"start={origin}/")
    assert own("", *words, output=f"ftp://u:p@127.0.0.1:{port}/o.jsonl") == 1
    login = ("-u", "u", "-P", "p")
    where = ("-i", "127.0.0.1", "-p", str(port), "-w", "-d", os.fspath(folder))
    with running("pyftpdlib", *where, *login, port=port):
        assert own("", *words, output=f"ftp://u:p@127.0.0.1:{port}/o.jsonl") == 0, own.log[-3000:]
    assert titles((folder / "o.jsonl").read_bytes()) == TITLES
