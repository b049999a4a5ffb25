"""The JSON of DocSearch's scraper, which docs-scraper and others have taken over."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any

from sitecrawl.config.foreign.draft import Draft, ForeignConfigError, texts

SAME = {
    "allowed_domains": "allowed_domains",
    "index_name": "crawl_name",
    "index_uid": "crawl_name",
    "js_wait": "render_wait",
    "selectors_exclude": "remove_selectors",
    "stop_urls": "deny",
    "user_agent": "user_agent",
}
"""Settings that an option takes as they are."""
OTHERWISE: Mapping[str, tuple[str, Callable[[Any], Any]]] = {
    "js_render": ("render", lambda _: "auto"),
    "remove_get_params": ("query", lambda _: "strip"),
}
"""Settings that are on or off, with the option that is set where they are on."""
ANSWERED = {
    "selectors": "a page's content and its headings are found without; else content_selector",
    "sitemap_urls": 'sitemaps are found in robots.txt; else mode = "sitemap"',
    "scrape_start_urls": "a start that allow does not match is read for its links only",
    "scrap_start_urls": "a start that allow does not match is read for its links only",
    "nb_hits": "the end of a crawl says how many documents there are",
    "conversation_id": "of the service",
    "comments": "of the reader",
}
"""Settings whose counterpart is no option, with that counterpart."""


def read_docsearch(text: str) -> Draft:
    """Read a configuration; raises ForeignConfigError."""
    try:
        values = json.loads(text)
    except ValueError as error:
        raise ForeignConfigError(f"is not JSON: {error}") from error
    if not isinstance(values, dict) or not {"start_urls", "sitemap_urls"} & values.keys():
        raise ForeignConfigError("has no start_urls, as one of DocSearch's scraper has")
    draft = Draft("DocSearch's scraper")
    starts = [url for each in values.pop("start_urls", ()) for url in _starts(each, draft)]
    draft.options["start"] = starts or texts(values["sitemap_urls"])
    if starts:
        draft.options["allow"] = [f"^{re.escape(url)}" for url in starts]
        draft.options["allow"] += texts(values.pop("sitemap_urls_regexs", None))
    else:
        draft.options["mode"] = "sitemap"
    draft.take({n: v for n, v in values.items() if v}, SAME, OTHERWISE, ANSWERED)
    draft.options["split"] = "sections"
    return draft


def _starts(start: str | Mapping[str, Any], draft: Draft) -> Iterator[str]:
    if isinstance(start, str):
        yield start
        return
    variables = {n: v for n, v in start.get("variables", {}).items() if isinstance(v, list)}
    for values in product(*variables.values()):
        url = str(start["url"])
        for name, value in zip(variables, values, strict=True):
            url = re.sub(rf"\(\?P<{re.escape(name)}>.*?\)", str(value), url)
        if "(?P<" in url:
            draft.left_out.append(f"start_urls: {url}")
        else:
            yield url
    draft.left_out += [f"start_urls: {n}" for n in start if n not in {"url", "variables"}]
