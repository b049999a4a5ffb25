"""Advice on fetches that brought no content: a reason in words, and a remedy, for each reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sitecrawl.policy.documents.page_faults import PAGE_FAULTS

CHECK_ADDRESS = "check the address"
LATER = "run the command again later"
OWNER = "ask the site's owner"
OTHER_TYPE = "name its type in -a content_types= if it is wanted"
OTHER_FILE = "leave it out, or give a start that leads to pages"


class Advice(NamedTuple):
    """A reason in words, and the remedy; a remedy that is empty depends on rules of the crawl."""

    words: str
    remedy: str = ""


ADVICE: Mapping[str, Advice] = {
    "archive_failed": Advice("the archive cannot be written", "make room for it, or give another"),
    "body_too_large": Advice("the answer is too large", "give a larger -a max_body_size="),
    "broken_encoding": Advice("the body is not what its Content-Encoding says", OWNER),
    "challenge": Advice(
        "a check for browsers stands before the site",
        f"{OWNER} to admit this crawler, or give the cookies of a browser that has passed it with "
        "-a cookie_file=",
    ),
    "client_error": Advice("the server refuses the request", f"{CHECK_ADDRESS}, or {OWNER}"),
    "connection_failed": Advice("no connection", f"{CHECK_ADDRESS}, or {LATER}"),
    "connection_lost": Advice("the server ends the connection without an answer", LATER),
    "connection_refused": Advice("nothing answers there", f"{CHECK_ADDRESS}, or {LATER}"),
    "consent_wall": Advice(
        "consent wall",
        "give the cookie that stores consent with -a cookie_file=, or -a render=auto",
    ),
    "content_type": Advice("not a page", OTHER_TYPE),
    "cut_short": Advice("the answer ends before its end", LATER),
    "decoded_too_large": Advice("the answer is too large", "give a larger -a max_body_size="),
    "dns_failed": Advice("no such host is known", CHECK_ADDRESS),
    "error_page": Advice(
        "error page", f"the site fails, or checks for browsers, with status 200: {OWNER}"
    ),
    "file_of_unknown_type": Advice("a file of unknown type", OTHER_TYPE),
    "forbidden": Advice("the server forbids it", f"give -a auth= or -a headers=, or {OWNER}"),
    "gibberish": Advice(
        "what answers there does not speak HTTP", f"{CHECK_ADDRESS}, its port and https:// too"
    ),
    "gone": Advice("the server has it no more", CHECK_ADDRESS),
    "header_too_large": Advice("the headers are larger than 64 KiB", OWNER),
    "legally_unavailable": Advice("withheld for legal reasons", "leave it out"),
    "key_expired": Advice(
        "the key of identity has expired", "make another by scrapy identity --make"
    ),
    "login_failed": Advice("the login failed", "check -a login= and -a login_fields="),
    "login_wall": Advice(
        "login wall", "give -a login=, -a cookie_file= or -a auth=ORIGIN=user:password"
    ),
    "mime_ignored": Advice("not a page", OTHER_TYPE),
    "no_content": Advice("the answer has no content", CHECK_ADDRESS),
    "no_document": Advice("the spider made no document of it"),
    "no_tls": Advice("the server speaks no TLS at this port", "give http:// in place of https://"),
    "not_acceptable": Advice(
        "the server has it in no form that was asked for", f"give -a headers=, or {OWNER}"
    ),
    "not_archived": Advice("the archives of from_warc do not have it", CHECK_ADDRESS),
    "not_found": Advice("the server has no such page", CHECK_ADDRESS),
    "parked": Advice("parked", "the domain or the server has no site of its own"),
    "partial_content": Advice("the server sends only a part", OWNER),
    "pipeline_error": Advice("an item pipeline failed", "see the traceback in the log"),
    "private_address": Advice(
        "a host whose address is not public", "give -a allow_private=yes if the network is yours"
    ),
    "rate_limited": Advice("the server asks for a pause", f"{LATER}, with a higher -a delay="),
    "reader_failed": Advice("no process for reading pages or files could be started", LATER),
    "redirect_loop": Advice(
        "it redirects to itself without end",
        f"open it in a browser, and start at the address where that ends; if it ends nowhere, {OWNER}",
    ),
    "redirect_without_location": Advice("a redirect without a target", OWNER),
    "render_timeout": Advice("rendering took too long", "give a longer -a render_time="),
    "render_too_large": Advice(
        "the rendered page is too large", "give a larger -a render_max_size="
    ),
    "renderer_lost": Advice("the browser ended", LATER),
    "renderer_missing": Advice("the browser cannot be started", "see the log for its reason"),
    "robots_txt": Advice(
        "forbidden by robots.txt",
        f"{OWNER} to allow it; on a site of your own give -a obey_robots=no",
    ),
    "robots_txt_unreachable": Advice(
        "robots.txt cannot be read", f"without it nothing may be requested: {LATER}"
    ),
    "scheme": Advice("this scheme cannot be crawled", "give an address with https://"),
    "script_shell": Advice("script shell", "give -a render=auto"),
    "server_error": Advice("the server failed", LATER),
    "server_timeout": Advice("the server took too long", LATER),
    "shutdown": Advice("the crawl was stopped", "the same command continues it"),
    "soft_404": Advice("soft 404", "the site answers 200 for pages that do not exist"),
    "spider_error": Advice("the spider failed", "see the traceback in the log"),
    "start_for_links": Advice("a start that is no wanted page, read for its links"),
    "timeout": Advice("no answer in time", f"{LATER}, or give a longer -a timeout="),
    "tls_failed": Advice(
        "no trusted TLS connection",
        "have the certificate renewed, or, if you trust the network, give "
        "-a unverified_origins=ORIGIN (* for all)",
    ),
    "too_slow": Advice("the answer took too long", f"{LATER}, or give a longer -a max_time="),
    "unauthorized": Advice("the server asks for a password", "give -a auth=ORIGIN=user:password"),
    "unavailable": Advice("the server is not available", LATER),
    "unknown_status": Advice("an answer with an unknown status", f"{CHECK_ADDRESS}, or {OWNER}"),
    **{
        name: Advice(each.meaning.replace("`", ""), OTHER_FILE)
        for name, each in PAGE_FAULTS.items()
    },
}


def in_words(reason: str) -> str:
    """Return a reason in words; that of a rule is its name."""
    return ADVICE[reason].words if reason in ADVICE else reason.replace("_", " ")
