"""The User-Agent's product token, as a site names it in robots.txt and in headers."""

from __future__ import annotations

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Server, page


@pytest.mark.behaviour("K-32")
@pytest.mark.parametrize("agent", ["MJ12bot/1.0 (x)", "008", "Agent1/2"])
def test_a_token_with_digits_is_sent_and_matched(
    server: Server, crawl: CrawlCommand, agent: str
) -> None:
    token = agent.partition("/")[0]
    robots = f"User-agent: *\nDisallow: /\n\nUser-agent: {token.upper()}\nDisallow: /private\n"
    hidden = Answer(page(title="Hidden"), headers={"X-Robots-Tag": f"{token.lower()}: noindex"})
    site = {"/robots.txt": robots, "/": page("/private", "/hidden", title="Start")}
    origin = server.serve({**site, "/private": page(title="Private"), "/hidden": hidden})
    run = crawl(f"{origin}/", user_agent=agent)
    assert run.documents.keys() == {f"{origin}/"}, run.log[-3000:]
    assert server.log.targets() == ["/robots.txt", "/", "/hidden"]
    assert set(server.log.header("/", "User-Agent")) == {agent}
