"""The login of a crawl by the form of its site, before the first page and when the session ends."""

from __future__ import annotations

import asyncio
import logging
import re
from urllib.parse import parse_qsl, urlsplit

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import (  # scrapy-poet evaluates the annotations of callbacks
    FormRequest,
    Response,
    TextResponse,
)
from scrapy.statscollectors import StatsCollector
from twisted.python.failure import Failure

from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.http.fetch_errors import LeaseExpiredError
from sitecrawl.policy.http.answers import FOLLOWED, backoff
from sitecrawl.policy.urls.login_links import leads_to_login
from sitecrawl.reqmeta import LOGIN, ORIGIN, own_request
from sitecrawl.responses import header, location
from sitecrawl.scheduling.background import BackgroundTasks
from sitecrawl.scheduling.origin import Origin
from sitecrawl.scheduling.origin_queues import OriginQueues
from sitecrawl.web.media_type import declared_type, is_html
from sitecrawl.web.urls.url import origin as origin_key
from sitecrawl.web.urls.url import resolve

MAX_STEPS = 10  # requests of one login, redirects included
MAX_FAULTS = 3  # of the server or the network, in a row
REPEATING = frozenset({307, 308})
"""Redirects that would send the form again (RFC 9110, 15.4)."""

logger = logging.getLogger(__name__)


class Login:
    """Login at one origin, whose pages wait for it.

    The page of the form is asked for first, and again when a page looks as if the session had
    ended: if it shows no form, the user is still logged in. The form is sent to its own origin
    only, at most ``login_tries`` times, and once if its fields are refused; an origin without a
    login is given up, and its pages stay as they are.
    """

    def __init__(
        self,
        params: CrawlParams,
        queues: OriginQueues,
        tasks: BackgroundTasks,
        stats: StatsCollector,
    ) -> None:
        self._url = params.login
        self._key = origin_key(params.login)
        self._fields = {
            name: value.get_secret_value() for name, value in params.login_fields.items()
        }
        self._inputs = [
            re.compile(rf"""\bname\s*=\s*["']?{re.escape(name)}["'\s/>]""".encode())
            for name in self._fields
        ]
        self._mark = params.logged_in.encode()
        self._tries = params.login_tries
        self._queues = queues
        self._tasks = tasks
        self._stats = stats
        self._is_in = self._was_in = self._is_sent = False
        self._steps = self._faults = 0
        self._suspected: set[int] = set()

    def comes_first(self, origin: Origin) -> bool:
        """Return True if the user must log in before anything else of the origin is requested."""
        return origin.key == self._key and not (self._is_in or origin.given_up)

    def request(self, origin: Origin) -> Request | None:
        """Make the request for the page of the form, unless the login is under way."""
        if origin.awaits_login:
            return None
        origin.awaits_login = True
        self._steps, self._is_sent = 0, False
        return self._request(Request(self._url), origin)

    def suspect(self, origin: Origin, fingerprint: int, response: Response) -> bool:
        """Return True if a page must be visited again, as the session seems to have ended.

        The second time its response is believed: some pages are forbidden, or look alike.
        """
        if origin.key != self._key or not self._is_logged_out(response):
            return False
        if fingerprint in self._suspected:
            return False
        self._suspected.add(fingerprint)
        self._is_in = False
        return True

    def _is_logged_out(self, response: Response) -> bool:
        if response.status in FOLLOWED:
            return self._is_form_page(resolve(location(response.headers), response.url) or "")
        if response.status == 401:
            return True
        kind = declared_type(header(response.headers, "Content-Type"))
        if response.status >= 500 or not is_html(kind):
            return False
        return self._mark not in response.body if self._mark else self._shows_form(response)

    def _is_form_page(self, url: str) -> bool:
        one, other = urlsplit(url), urlsplit(self._url)
        if one[:3] != other[:3]:
            return leads_to_login(url)
        return set(parse_qsl(one.query)) >= set(parse_qsl(other.query))

    def _shows_form(self, response: Response) -> bool:
        return all(each.search(response.body) for each in self._inputs)

    # Requests

    def _request(self, request: Request, origin: Origin) -> Request:
        own = own_request(self, request.url, LOGIN, True, origin)  # noqa: FBT003 -- a mark
        own.meta["dont_obey_robotstxt"] = True
        return request.replace(
            callback=own.callback, errback=own.errback, dont_filter=True, meta=own.meta
        )

    def _send(self, request: Request, origin: Origin) -> None:
        origin.urgent_requests.append(self._request(request, origin))
        self._queues.ready.push(origin)
        self._tasks.wake()

    def answered(self, response: Response) -> None:
        """Take the next step of the login."""
        origin: Origin = response.meta[ORIGIN]
        self._steps += 1
        if response.status >= 500 or response.status == 429:
            self._postpone(origin, f"it answered {response.status}")
        elif response.status in FOLLOWED:
            self._follow(origin, response)
        elif not self._is_sent:
            self._fill_in(origin, response)
        elif self._mark in response.body if self._mark else not self._shows_form(response):
            self._count("succeeded")
            logger.info("Logged in at %s.", self._url)
            self._end(origin)
        else:
            self._fail(origin, "its fields (login_fields) were refused")

    def failed(self, failure: Failure) -> None:
        """Try again after a failure of the network."""
        origin: Origin = failure.request.meta[ORIGIN]  # type: ignore[attr-defined]
        if isinstance(failure.value, IgnoreRequest | LeaseExpiredError):
            self._go_on(origin)
        else:
            self._postpone(origin, failure.getErrorMessage())

    def _follow(self, origin: Origin, response: Response) -> None:
        target = resolve(location(response.headers), response.url) or ""
        if origin_key(target) != self._key:
            self._fail(origin, f"it redirects to {origin_key(target) or 'no address'}")
        elif self._steps >= MAX_STEPS:
            self._fail(origin, "it redirects too often")
        elif self._is_sent and response.status in REPEATING:
            why = f"it redirects with {response.status}, and the form is sent once only"
            self._fail(origin, why)
        else:
            self._send(Request(target), origin)

    def _fill_in(self, origin: Origin, response: Response) -> None:
        form = self._form(response) if isinstance(response, TextResponse) else None
        if form is None:
            is_in = self._mark in response.body if self._mark else self._was_in
            if is_in and response.status < 400:
                self._end(origin)
            else:
                self._fail(origin, f"it has no form with the fields {', '.join(self._fields)}")
        elif form.method != "POST" or origin_key(form.url) != self._key:
            self._fail(origin, f"its form is sent by {form.method} to {origin_key(form.url)}")
        elif not self._tries:
            self._fail(origin, "the session has ended more often than login_tries allows")
        else:
            self._tries -= 1
            self._is_sent = True
            self._send(form, origin)

    def _form(self, response: TextResponse) -> FormRequest | None:
        from scrapy.http import FormRequest  # noqa: PLC0415 -- only a crawl that logs in

        for number, form in enumerate(response.xpath("//form") if self._fields else ()):
            names = form.xpath(".//input/@name | .//select/@name | .//textarea/@name").getall()
            if self._fields.keys() <= set(names):
                return FormRequest.from_response(
                    response,
                    formnumber=number,
                    formdata=self._fields,
                    headers={"Referer": response.url},
                )
        return None

    # Ends

    def _end(self, origin: Origin) -> None:
        self._is_in = self._was_in = True
        self._faults = 0
        self._go_on(origin)

    def _postpone(self, origin: Origin, why: str) -> None:
        self._faults += 1
        if self._faults >= MAX_FAULTS:
            self._fail(origin, why)
            return
        origin.postpone(asyncio.get_running_loop().time() + backoff(self._faults))
        self._go_on(origin)

    def _fail(self, origin: Origin, why: str) -> None:
        self._count("failed")
        words = f"the login at {self._url} failed, {why}"
        origin.give_up(words, "login_failed")
        logger.warning("%s is paused until a later run: %s. Nothing is deleted.", origin.key, words)
        self._go_on(origin)

    def _go_on(self, origin: Origin) -> None:
        origin.awaits_login = False
        self._queues.advance(origin)
        self._tasks.wake()

    def _count(self, what: str) -> None:
        self._stats.inc_value(f"sitecrawl/login/{what}")
