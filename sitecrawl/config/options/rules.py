"""Options of the rules: scope, patterns, query strings, limits."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal

from pydantic import AfterValidator

from sitecrawl.config.option import Effect, option
from sitecrawl.config.types import Extensions, Lines, OptionGroup, Patterns, Words, among, each
from sitecrawl.policy.documents.obedience import Obedience
from sitecrawl.policy.http.mime import CONTENT_TYPES, read_mime_extensions
from sitecrawl.policy.urls.canonicalization import read_combination, read_rewrite
from sitecrawl.policy.urls.scope import read_domain
from sitecrawl.policy.urls.session_ids import SESSION_PARAMETERS, TRACKING_PARAMETERS
from sitecrawl.policy.urls.url_rules import IGNORED_EXTENSIONS, read_policy
from sitecrawl.web.files.formats import media_types, wanted_extensions
from sitecrawl.web.robots.usage_statements import PURPOSES
from sitecrawl.web.urls.identity import DEFAULT_PAGES, FOLDS


class RuleParams(OptionGroup):
    """The options that decide which URLs are crawled."""

    scope: Literal["origin", "host", "site", "directory", "domain", "any"] = option(
        "origin", Effect.FOLLOWING
    )
    """Part of a start's URL that a link must share: origin (scheme, host and port), host, site
    (scheme and host), directory (origin, and below the last slash of the start, as in
    https://example.org/docs/), domain (the registered domain), or any."""
    allowed_domains: Annotated[Words, each(read_domain)] = option((), Effect.FOLLOWING)
    """Domains that are in scope besides, subdomains included; with scope=any, the only ones."""
    schemes: Words = option(("http", "https"), Effect.FOLLOWING, min_length=1)
    """The URL schemes that are crawled."""
    numeric_hosts: Literal["normalise", "allow", "refuse"] = option("normalise", Effect.FOLLOWING)
    """IP addresses in place of host names: normalise reads every way to write one as the same
    address, allow does too, refuse leaves out all but the starts' own."""
    max_url_length: int = option(2083, Effect.FOLLOWING, ge=1)
    """The longest URL that is crawled, in characters."""
    ignore_extensions: Extensions | None = option(None, Effect.FOLLOWING)
    """The crawl's own list of file extensions that are not fetched, in place of
    default_ignored_extensions."""
    default_ignored_extensions: Extensions = option(IGNORED_EXTENSIONS, Effect.FOLLOWING)
    """File extensions that are not fetched unless the crawl has its own list; +log adds to it."""
    always_ignored_extensions: Extensions = option((), Effect.FOLLOWING)
    """File extensions that are never fetched, whatever other lists say."""
    keep_extensions: bool = option(False, Effect.FOLLOWING)
    """Keep the list of extensions that a crawl began with in later runs, so that ignore_extensions
    alone changes it."""
    content_types: Annotated[Words, AfterValidator(partial(media_types, pages=CONTENT_TYPES))] = (
        option(CONTENT_TYPES, Effect.SELECTION | Effect.FOLLOWING, min_length=1)
    )
    """The media types that become documents. Words stand for several: pages for the default, files
    for all formats that can be read, pdf, docx, pptx, xlsx, odt, odp, ods and epub for one. The
    extensions of wanted files leave default_ignored_extensions."""
    mime_extensions: Annotated[Words, each(read_mime_extensions)] = option((), Effect.SELECTION)
    """Changes to the table of media types and their extensions, such as video/mp4:mp4+m4v; a type
    of an ignored extension is not read even at a URL without extension. TYPE: with nothing behind
    it takes the type off the table."""
    missing_content_type: Literal["sniff", "drop"] = option("sniff", Effect.SELECTION)
    """Treatment of a response without Content-Type: sniff keeps it if its first bytes are HTML or
    text, drop does not."""
    allow: Patterns = option((), Effect.FOLLOWING)
    """Regular expressions; if there are any, a URL must match one. Starts that match none are
    fetched for their links only."""
    deny: Patterns = option((), Effect.FOLLOWING)
    """Regular expressions; a URL that matches one is not crawled."""
    contains: Words = option((), Effect.FOLLOWING)
    """Substrings; if there are any, a URL must have one of them."""
    not_contains: Words = option((), Effect.FOLLOWING)
    """Substrings; a URL that has one of them is not crawled."""
    do_not_crawl: Annotated[Words, each(read_policy)] = option((), Effect.FOLLOWING)
    """Parts of sites that are not crawled: hosts (with their subdomains), or paths from the root or
    URLs as prefixes; * stands for anything, $ for the end."""
    url_rewrite: Annotated[Lines, each(read_rewrite)] = option((), Effect.FOLLOWING)
    """Rewriting of URLs before any other rule: PATTERN=>REPLACEMENT, applied in their order. The
    result of a replacement should not match again."""
    query: Literal["learn", "keep", "filter", "strip", "ignore", "policy"] = option(
        "learn", Effect.FOLLOWING
    )
    """Treatment of query strings: learn crawls them (without session and entry ids) as long as the
    pages of their kind bring something (effort), keep crawls them all, filter keeps only the
    parameters of query_keep, strip removes them, ignore refuses URLs that have one, policy refuses
    those that no url_query_parameters allows."""
    query_keep: Words = option((), Effect.FOLLOWING)
    """The parameters that query=filter keeps, and no list of names removes; with query=learn, URLs
    that have no others are always requested. Names are compared with case."""
    log_blocked: bool = option(False, Effect.FOLLOWING)
    """Store and log a link that do_not_crawl or query=policy refuses as a blocked visit; otherwise
    it is only counted."""
    url_query_parameters: Annotated[Words, each(read_combination)] = option((), Effect.FOLLOWING)
    """Combinations of parameters that query=policy allows, as ?id&page, /shop/?id or
    https://example.org/wiki?title; ?* allows any. Names are compared with case."""
    session_parameters: Words = option(SESSION_PARAMETERS, Effect.FOLLOWING)
    """Names of session ids, removed from queries and paths, whatever their case; * is any text.
    Digests (MD5, SHA-1) are removed from sid and other names of sessions too. The default names
    apply to query=learn, and never to parameters of query_keep or allow; they are guesses, which an
    origin loses where three URLs that differ in them bring several texts. If empty all session ids
    stay, as needed by a site that has no page without one."""
    entry_parameters: Words = option(TRACKING_PARAMETERS, Effect.FOLLOWING)
    """Names of parameters removed from queries, as those that only track where visitors came from;
    * is any text, and +name adds to the list. The default names are guesses as those of
    session_parameters are."""
    domino: bool = option(False, Effect.FOLLOWING)
    """Leave out the folded and paged views of Lotus Domino, with the pages that only they lead
    to."""
    default_pages: Words = option(tuple(sorted(DEFAULT_PAGES)), Effect.FOLLOWING)
    """File names that are the same page as their directory."""
    fold: Annotated[Words, among(FOLDS)] = option(FOLDS, Effect.FOLLOWING)
    """Spellings of a URL that are the same page: with and without the last slash (trailing_slash),
    with several slashes in a row for one (slashes), with the same parameters in another order
    (query_order)."""
    max_depth: int | None = option(None, Effect.FOLLOWING, ge=0)
    """The most links from a start; a start has depth 0."""
    max_path_depth: int = option(0, Effect.FOLLOWING, ge=0)
    """The most directories in a URL's path; 0 for no limit."""
    max_repeated_directory: int = option(3, Effect.FOLLOWING, ge=0)
    """Maximum number of times that a directory name may occur in a path; 0 for no limit."""
    max_links_per_page: int = option(0, Effect.FOLLOWING, ge=0)
    """The most links followed from one page; 0 for no limit."""
    max_pages_per_directory: int = option(0, Effect.FOLLOWING, ge=0)
    """The most pages fetched below one top directory in a run; known pages count, and are never
    left out. 0 for no limit."""
    effort: float = option(10.0, Effect.RUN, ge=0, le=1_000_000)
    """The number of requests that one more document may cost. A kind of page (URL template) is left
    out when, with 95 % confidence, fewer than one in so many of its pages bring new text or lead to
    some; parts of a site without an end are left out too. 0 leaves nothing out."""
    always_fetch: Patterns = option((), Effect.RUN)
    """Regular expressions; a URL that matches one is requested, whatever the pages of its kind have
    brought. The end of a crawl names those that fetch what was left out."""
    nofollow: Literal["obey", "ignore", "drop"] = option("obey", Effect.FOLLOWING | Effect.READING)
    """Treatment of nofollow: obey leaves out links with rel=nofollow or rel=noindex, and all links
    of a page whose robots directives say nofollow; drop makes no document of such a page either;
    ignore follows them all."""
    skip_known_views: bool = option(True, Effect.FOLLOWING | Effect.READING)
    """Leave out the links by which known software (forums, content management, code browsers,
    wikis, documentation) offers views of its pages: blame, differences, raw texts, old versions,
    histories, forms, print, single posts, lists in another order. A page tells its software by its
    generator or another mark."""
    rogue: bool = option(False, Effect.FOLLOWING | Effect.READING)
    """Ignore the whole robots exclusion standard, robots.txt as well as the directives of pages;
    for your own site, or with its owner's consent."""

    purpose: Annotated[Words, among(PURPOSES)] = option((), Effect.SELECTION)
    """Uses of the documents: search, ai-input (answers of models from them), ai-train. Pages whose
    site forbids one of these make no document. Without it, the field usage records what sites
    say."""

    @property
    def own_extensions(self) -> tuple[str, ...]:
        """The initial list of extensions of a crawl."""
        wanted = wanted_extensions(self.content_types)
        return tuple(each for each in self.default_ignored_extensions if each not in wanted)

    def obedience(self) -> Obedience:
        """Return the robots directives of pages that are obeyed."""
        return Obedience(
            self.rogue, self.nofollow != "ignore", self.nofollow != "drop", self.purpose
        )
