"""`scrapy mcp`, asked by the client of the official SDK in both transports."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import Any

import pytest
from browsing import SECONDS, Shown, free_port
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.types import TextContent

from fixtures.command import Command

pytestmark = pytest.mark.slow
Ask = Callable[[Client], Awaitable[Any]]


def asked(server: Any, ask: Ask) -> Any:
    """Return the result of ``ask`` with a connected client; its loop needs a thread of its own."""

    async def connect() -> Any:
        async with Client(server) as client:
            return await ask(client)

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, connect()).result(SECONDS)


def stdio(shown: Shown) -> StdioServerParameters:
    """The command as a program of a language model starts it."""
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "scrapy", "mcp"],
        env={**os.environ, "SCRAPY_SETTINGS_MODULE": "sitecrawl.settings"},
        cwd=shown.command.directory,
    )


@contextmanager
def serving(shown: Shown) -> Iterator[int]:
    """``scrapy mcp --http`` on a free port, ended with Ctrl-C."""
    port, output = free_port(), shown.command.directory / "mcp.out"
    process = Command(
        ["mcp", "--http", str(port)], shown.command.directory, output=output, errors=output
    )
    try:
        deadline = time.monotonic() + SECONDS
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                assert time.monotonic() < deadline, output.read_text()
                time.sleep(0.05)
        yield port
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(SECONDS) == 0, output.read_text()
    finally:
        process.kill()


async def call(client: Client, tool: str, **arguments: object) -> Any:
    """The structured answer of a tool, or its error as text."""
    result = await client.call_tool(tool, arguments)
    if result.is_error:
        [content] = result.content
        assert isinstance(content, TextContent)
        return content.text
    return result.structured_content


async def converse(client: Client) -> dict[str, Any]:
    """Search, read what was found, look around, and ask why."""
    found = await call(client, "search", query="folder archive")
    url = found["results"][0]["url"]
    page = url.partition("#")[0]
    site = page.removesuffix("docs/guide")
    return {
        "tools": [tool.model_dump() for tool in (await client.list_tools()).tools],
        "found": found,
        "whole": await call(client, "read", url=page),
        "section": await call(client, "read", url=url),
        "named": await call(client, "read", url=page, section="Removal"),
        "sites": await call(client, "outline"),
        "root": await call(client, "outline", url=site),
        "many": await call(client, "outline", url=f"{site}many/", offset=20),
        "page": await call(client, "outline", url=page),
        "none": await call(client, "search", query="installasshun"),
        "misspelled": await call(client, "search", query="foldre"),
        "filtered": await call(client, "search", query="archive", language="de", version="docs"),
        "short": await call(client, "search", query="many words", limit=20, max_tokens=100),
        "short text": await call(client, "read", url=page, max_tokens=10),
        "why": await call(client, "explain", url=f"{site}private/x"),
        "hostile": await call(client, "read", url=f"{site}docs/hostile"),
        "reserved": await call(client, "read", url=f"{site}docs/reserved"),
        "reserved found": await call(client, "search", query="reserved secret"),
        "errors": [
            await call(client, "read", url=f"{site}never"),
            await call(client, "read", url="file:///etc/passwd"),
            await call(client, "read", url=page, section="none"),
            await call(client, "outline", url=f"{site}none/"),
            await call(client, "search", query="x", limit=10_000),
        ],
    }


def check(shown: Shown, said: dict[str, Any]) -> None:
    """Every answer of the conversation."""
    guide = f"{shown.origin}/docs/guide"
    tools = {tool["name"]: tool for tool in said["tools"]}
    assert tools.keys() == {"search", "read", "outline", "explain"}
    for tool in tools.values():
        assert tool["annotations"]["read_only_hint"] is True
        assert len(tool["description"]) > 40
        properties = tool["input_schema"]["properties"].values()
        assert all(each["description"] for each in properties)
    [hit] = said["found"]["results"]
    assert hit["url"] == f"{guide}#install"
    whole = said["whole"]
    assert (whole["url"], whole["format"], whole["next_offset"]) == (guide, "markdown", None)
    assert "## Installation" in whole["text"]
    assert {"heading": "Guide › Removal", "section": "remove"} in whole["sections"] or whole[
        "sections"
    ]
    assert said["section"]["text"].startswith("## Installation")
    assert "Delete the folder" not in said["section"]["text"]
    assert "Delete the folder" in said["named"]["text"]
    assert said["sites"]["lines"] == [f"{shown.origin}/ (31)"]
    assert said["root"]["lines"] == ["docs/ (4)", "many/ (26)", " Home"]
    assert (len(said["many"]["lines"]), said["many"]["next_offset"]) == (6, None)
    assert said["page"]["lines"][-2:] == ["#install Installation", "#remove Removal"]
    assert said["none"]["message"].startswith("No page has these words.")
    assert "installation" in said["none"]["message"]
    assert "searched for 'folder'" in said["misspelled"]["message"]
    assert "Search without the filters." in said["filtered"]["message"]
    assert 0 < len(said["short"]["results"]) < 5 < said["short"]["total"]
    assert len(said["short text"]["text"]) == 40 == said["short text"]["next_offset"]
    assert (said["why"]["allowed"], said["why"]["refusals"][0]["rule"]) == (False, "robots_txt")
    assert "\u202e" not in said["hostile"]["title"]
    assert "do not permit" in said["reserved"]
    assert said["reserved found"]["results"][0]["snippet"] in said["reserved"]
    never, file, section, folder, limit = said["errors"]
    assert "There is no document" in never
    assert "is not a web address" in file
    assert "known: " in section
    assert "There is no document of" in folder
    assert "limit" in limit


@pytest.mark.behaviour("BR-08", "BR-09")
def test_a_program_that_starts_it_speaks_over_its_streams(shown: Shown) -> None:
    check(shown, asked(stdio(shown), converse))


@pytest.mark.behaviour("BR-08", "BR-09")
def test_programs_speak_over_http(shown: Shown) -> None:
    with serving(shown) as port:
        check(shown, asked(f"http://127.0.0.1:{port}/mcp", converse))
        assert refusal(port, Host="attacker.example") == 421
        assert refusal(port, Origin="http://attacker.example") == 403


def refusal(port: int, **headers: str) -> int:
    """The status of a call under other names."""
    connection = HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    try:
        connection.request("POST", "/mcp", "{}", {**sent, **headers})
        return connection.getresponse().status
    finally:
        connection.close()


@pytest.mark.behaviour("BR-08")
def test_long_texts_come_in_parts(shown: Shown, tmp_path: Any) -> None:
    from fixtures.crawls import CrawlCommand
    from fixtures.server import Server, page

    long = " ".join(f"word{number}" for number in range(8000))
    with Server() as server:
        origin = server.serve({"/": page(title="Long", text=long)})
        command = CrawlCommand(tmp_path)
        command(f"{origin}/")

    async def read(client: Client) -> list[dict[str, Any]]:
        parts = [await call(client, "read", url=f"{origin}/")]
        while parts[-1]["next_offset"]:
            offset = parts[-1]["next_offset"]
            parts.append(await call(client, "read", url=f"{origin}/", offset=offset))
        return parts

    parts = asked(stdio(Shown(shown.app, origin, command, "")), read)
    assert len(parts) == 4
    assert all(len(part["text"]) <= 20_000 for part in parts)
    assert "".join(part["text"] for part in parts).split() == long.split()
    assert parts[0]["format"] == "text"


def test_wrong_usage_of_mcp_is_told(shown: Shown) -> None:
    status, said = shown.command.command("mcp", "--http", str(shown.app.port))
    assert (status, "the port cannot be used" in said) == (2, True)
    assert shown.command.command("mcp", "x")[0] == 2
