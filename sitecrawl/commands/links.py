"""`scrapy links URL`: links of one page, with the crawl's decision about each."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from typing import Any

from scrapy.settings import Settings

from sitecrawl.config.configuration import load
from sitecrawl.console.command_base import FetchingCommand, read_url
from sitecrawl.console.crawl_sources import Source, find_source
from sitecrawl.console.page_fetcher import FetchedPages
from sitecrawl.console.terminal import print_errors, print_lines
from sitecrawl.explain.explanation import Explainer, Explanation
from sitecrawl.extensions.crawl import crawl_of
from sitecrawl.frontier.base import NoCrawlError
from sitecrawl.frontier.opening import open_records
from sitecrawl.frontier.pending_file import ERROR, WAITING
from sitecrawl.policy.documents.obedience import Obedience
from sitecrawl.policy.urls.rule_engine import Rules
from sitecrawl.statuses import NO_RESULT
from sitecrawl.web.html.page import Link
from sitecrawl.web.urls.url import origin as origin_of


class Command(FetchingCommand):
    """Print the links of a page without adding it to the crawl."""

    def answer(self, args: Sequence[str], opts: argparse.Namespace) -> int:
        """Print the links; return 1 if there are none."""
        url = read_url(args, "links")
        source = _source(self.settings, opts.spargs, url)
        rules = self.rules(source.configuration)
        with open_records(source.database) if source.run else nullcontext() as records:
            explainer = Explainer(source.configuration, rules, records)
            looked_at = explainer.explain(url)
            refused = next((s for s in looked_at.rules if s.verdict == "refused"), None)
            if refused is not None:
                print_errors([f"{url} is refused: {refused.detail}"])
                return NO_RESULT
            depth = looked_at.stored.depth + 1 if looked_at.stored else 1
            params = source.configuration.params
            with self.fetch(params, [url], typed=[url]) as fetched:
                explainer.know(fetched.records.origin(origin_of(url), params.realm))
                found = list(_explained(explainer, rules, fetched, depth, params.obedience()))
                print_errors(_problems(fetched, url))
        return print_lines(
            _format_link(link, each, opts)
            for link, each in found
            if not opts.admitted or each.refusal is None
        )


def _source(settings: Settings, arguments: dict[str, str], url: str) -> Source:
    setting = settings["SITECRAWL_DATABASE"]
    try:
        return find_source(setting, arguments, origin_of(url))
    except NoCrawlError:
        return Source(load({**arguments, "start": url}), setting, None)


def _explained(
    explainer: Explainer, rules: Rules, fetched: FetchedPages, depth: int, obedience: Obedience
) -> Iterator[tuple[Link, Explanation]]:
    for page in fetched.collected.pages.values():
        said = obedience.rel_of_links(page.directives)
        views = rules.known_views.on_page(page.url, page.generators)
        found: dict[str, Link] = {}
        for link in page.links:
            found.setdefault(link.url, link)
        for link in found.values():
            rel = link.rel | said
            yield link, explainer.explain(link.url, depth=depth, rel=rel, views=views)


def _problems(fetched: FetchedPages, url: str) -> Iterator[str]:
    crawl = crawl_of(fetched.crawler)
    if any(page.links for page in fetched.collected.pages.values()):
        return
    if fetched.collected.pages:
        yield f"{url} has no links."
        return
    elsewhere = [target for _, _, _, target in fetched.records.redirects()]
    for origin in crawl.leased.origins.values():
        elsewhere += (
            origin.alternate_url.values()
        )  # the same page to a crawl, e.g. with a final slash
    if elsewhere:
        yield f"{url} redirects to {elsewhere[0]}; look there."
        return
    for problem in crawl.seed_report.problems().values():
        yield problem.removeprefix("start ")


def state(explanation: Explanation) -> str:
    """Return the state of a link in the crawl database: new, waiting, indexed or error."""
    stored = explanation.stored
    if stored is None:
        return "new"
    return {WAITING: "waiting", ERROR: "error"}.get(stored.state, "indexed")


def _format_link(link: Link, explanation: Explanation, opts: argparse.Namespace) -> str:
    refusal, url = explanation.refusal, explanation.admission.url
    if opts.json:
        return json.dumps(_record(link, explanation), ensure_ascii=False)
    if opts.admitted:
        return url
    verdict, why = ("refused", f"  {refusal.detail}") if refusal else ("admitted", "")
    return f"{verdict:8}  {state(explanation):8}{url}{why}"


def _record(link: Link, explanation: Explanation) -> dict[str, Any]:
    refusal = explanation.refusal
    return {
        "url": explanation.admission.url,
        "admitted": refusal is None,
        "reason": refusal.rule if refusal else None,
        "rule": refusal.detail if refusal else None,
        "state": state(explanation),
        "via": link.via,
        "text": link.text,
        "rel": sorted(link.rel),
    }
