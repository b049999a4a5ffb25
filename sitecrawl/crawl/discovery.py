"""Judge links, make candidates of those that are admitted, and keep their texts."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import NamedTuple, TypeVar

from scrapy.statscollectors import StatsCollector

from sitecrawl.frontier.base import SEED_PRIORITY, Candidate, DueUrl, StoredLink, VisitResult
from sitecrawl.policy.decision import ALLOWED, Admission, Decision, Refusals, refuse
from sitecrawl.policy.outcomes import RULE_STATS
from sitecrawl.policy.urls.known_views import PageViews
from sitecrawl.policy.urls.parameter_trials import Found, ParameterTrials
from sitecrawl.policy.urls.path_limits import PathLimits, RedirectChains
from sitecrawl.policy.urls.rule_engine import Rules
from sitecrawl.policy.urls.scope import Scope
from sitecrawl.policy.urls.url_rules import WellFormed, read_target
from sitecrawl.web.html.page import Link, Page
from sitecrawl.web.urls.url import normalize

MAX_PAGES, MAX_TEXTS, MAX_LENGTH = 100_000, 20, 200
logger = logging.getLogger(__name__)
MEANINGS = {
    "unclosed_section": "a noindex section has no end, so the rest of the page is left out",
    "too_long": "it is too large to be read whole",
    "too_deep": "its elements are nested too deeply, some are left out",
    "attributes": "tags with hundreds of attributes lose them",
    "broken_pages": "some pages of the file are broken, they are left out",
    "fragments": "scripts and noscript hold too much markup, some is left out",
    "article": "it is too large to look for its article, the text of the page is taken",
    "too_many_elements": "it has too many elements, the rest of it is left out",
    "names": "elements and attributes of thousands of different names lose theirs",
    "too_many_headings": "it has too many headings, the last ones are only text",
    "too_many_definitions": "it has too many definitions, the last ones are only text",
    "too_many_metas": "it has too many metas or JSON-LD scripts, the last ones are left out",
    "too_many_images": "it has too many images, the addresses of the last ones are left out",
    "too_many_links": "it has too many links, the last ones are left out",
}
"""Log texts of truncations; kinds without one, such as a single odd link, are only counted."""
MAX_OUTSIDE = 200
"""Addresses stored of one page that are not crawled."""
OUTSIDE_SCOPE = Scope.reason.name
DECLARED = frozenset({"refresh", "canonical"})
"""Elements that declare another URL of a page; they are no links that a person can follow."""
MIN_GROWTH = 2
"""Number of new links of a page from which on its links to known URLs are kept."""
MAX_REPEATED = 1000
REWRITTEN = "rewritten"
T = TypeVar("T")


class AnchorTexts:
    """Distinct texts of links to each page, from pages that this run has read.

    The numbers of pages, of texts per page, and of characters per text are bounded.
    """

    def __init__(self) -> None:
        self._texts: dict[int, list[str]] = {}

    def note(self, fingerprint: int, text: str) -> None:
        """Keep the text of a link to the page of ``fingerprint``."""
        if fingerprint not in self._texts and len(self._texts) >= MAX_PAGES:
            return
        texts = self._texts.setdefault(fingerprint, [])
        text = text[:MAX_LENGTH]
        if len(texts) < MAX_TEXTS and text not in texts:
            texts.append(text)

    def pop(self, fingerprint: int) -> list[str]:
        """Remove and return the texts of the links to a page, in the order they were found."""
        return self._texts.pop(fingerprint, [])


class Reference(NamedTuple):
    """Redirect target or canonical URL of a page.

    ``target`` is its candidate if it is admitted, ``candidates`` are the new ones to store.
    """

    admission: Admission
    target: Candidate | None = None
    candidates: tuple[Candidate, ...] = ()


class FoundLinks(NamedTuple):
    """Links of one page: candidates for those that are new, and all that are to be stored.

    ``stored`` is None if the crawl stores no links, or follows none; ``outside`` are addresses that
    are not crawled, each with its kind, None if they are not stored.
    """

    new: list[Candidate]
    stored: list[StoredLink] | None = None
    outside: list[tuple[str, str]] | None = None


@dataclass(eq=False, repr=False)
class Discovery:
    """Filter of links, with the lowest depth at which this process has seen each URL.

    Links never become Request objects: an admitted link that is new, or closer to a start than
    before, becomes a Candidate of the visit that found it, and is stored with its outcome. Links
    refused for a reason in ``logged`` are stored too, and refused again when they are due.
    Until the visit of a page has ended, ``repeated`` has its links to known URLs if it leads to
    several new ones, ``translations`` language and admission of the translations it declares, and
    ``pictures`` its own images.
    """

    rules: Rules
    limits: PathLimits
    _chains: RedirectChains
    _stats: StatsCollector
    _: KW_ONLY
    follows: bool
    stores_links: bool = False
    stores_outside: bool = False
    logged: frozenset[str] = frozenset()
    refusals: Refusals = field(default_factory=Refusals)
    anchors: AnchorTexts = field(default_factory=AnchorTexts)
    repeated: dict[int, list[tuple[str, int]]] = field(default_factory=dict)
    translations: dict[int, list[tuple[str, Admission]]] = field(default_factory=dict)
    pictures: dict[int, Sequence[str]] = field(default_factory=dict)
    start_origins: set[str] = field(default_factory=set)
    _seen: dict[int, int] = field(default_factory=dict)
    _unnamed: frozenset[int] = frozenset()
    _warned_of: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.trials = ParameterTrials(self.rules)

    def watch(self, fingerprints: Iterable[int]) -> None:
        """Store every reference to these former starts, even to those already seen."""
        self._unnamed = frozenset(fingerprints)

    def seeds(self, starts: Iterable[str]) -> tuple[list[Candidate], list[Admission]]:
        """Return candidates for the admitted starts, and the admissions of the refused ones."""
        admissions = [
            self.rules.admit(normalize(start) or start, depth=0, via="seed") for start in starts
        ]
        refused = [each for each in admissions if not each.decision.allowed]
        admitted = [each for each in admissions if each.decision.allowed]
        self.start_origins |= {each.origin for each in admitted}
        return [Candidate.of(each, 0, "seed", None) for each in admitted], refused

    def links_of(self, page: Page, due: DueUrl, rel: frozenset[str]) -> FoundLinks:
        """Return the links of a page; ``rel`` applies to all of them."""
        if not self.follows:
            return FoundLinks([])
        if page.images:
            _keep(self.pictures, due.fingerprint, page.images)
        found = FoundLinks(
            [], [] if self.stores_links else None, [] if self.stores_outside else None
        )
        self._read_links(page, due, rel, found)
        if found.outside is not None:
            room = MAX_OUTSIDE - len(found.outside)
            found.outside.extend((url, "asset") for url in page.assets[:room])
        return found

    def _read_links(self, page: Page, due: DueUrl, rel: frozenset[str], found: FoundLinks) -> None:
        if page.inert or page.malformed:
            self._pass_over(page, due)
        if rel:
            self._leave(page.links, rel, due, found)
            return
        links: set[str] = set()
        views = self.rules.known_views.on_page(due.url, page.generators)
        followed = (self._follow_link(due, link, links, views, found) for link in page.links)
        known = [admission for admission in followed if admission is not None]
        if len(found.new) >= MIN_GROWTH:
            self._note_repeated(due, found.new, known)

    def follow(self, url: str, page: DueUrl | None) -> Candidate | None:
        """Return the candidate for a URL that the project's spider follows, possibly from ``page``.

        None if the rules refuse it, or it was seen at this depth or a lower one.
        """
        depth = page.depth + 1 if page is not None else 1
        referrer = page.url if page is not None else None
        admission = self.rules.admit(url, depth=depth)
        if not admission.decision.allowed:
            self.refused(admission.decision, url, referrer)
            return None
        watched = admission.fingerprint in self._unnamed
        if self._seen.get(admission.fingerprint, depth + 1) <= depth and not watched:
            return None
        self._seen[admission.fingerprint] = depth
        return Candidate.of(admission, depth, "link", referrer)

    def listed(
        self, urls: Iterable[str], source: str, via: str, *, is_news: bool = False
    ) -> dict[str, Candidate]:
        """Return candidates for the admitted URLs of a sitemap or feed, by the URL as listed.

        If the listing was read earlier in this run, its new URLs come before all but the starts.
        """
        found: dict[str, Candidate] = {}
        for url in urls:
            admission = self.rules.admit(url, depth=1, via=via)
            if admission.decision.allowed:
                each = Candidate.of(admission, 1, via, None)
                if is_news and admission.fingerprint not in self._seen:
                    each = each._replace(priority=SEED_PRIORITY)
                self._seen[admission.fingerprint] = 1
                found[url] = each
            else:
                self.refused(admission.decision, admission.url, source)
        return found

    def lost(self, visit: VisitResult) -> None:
        """Forget the candidates of a visit that was not written, because its page is read again."""
        for each in visit.candidates:
            self._seen.pop(each.fingerprint, None)

    def nearer(self, due: DueUrl) -> DueUrl:
        """Return a stored URL with the depth at which this run has seen it, if that is lower."""
        seen = self._seen.get(due.fingerprint, due.depth)
        return replace(due, depth=seen) if seen < due.depth else due

    def recheck(self, due: DueUrl) -> Decision:
        """Judge a stored URL by today's rules; one that they rewrite is refused."""
        admission = self.rules.admit(due.url, depth=due.depth, via=due.via)
        if admission.fingerprint != due.fingerprint and self.rules.at_rest(admission):
            return refuse(REWRITTEN, admission.url)
        return admission.decision

    def successor(self, due: DueUrl) -> Candidate:
        """Return the candidate into which today's rules rewrite a stored URL."""
        admission = self.rules.admit(due.url, depth=due.depth, via=due.via)
        return Candidate.of(admission, due.depth, due.via, due.referrer)

    def admit_fetch(self, due: DueUrl) -> Decision:
        """Apply the limit on pages of a directory to a URL just before it is fetched."""
        if due.via == "seed":
            return ALLOWED
        return self.limits.admit_fetch(due.url, new=due.indexed_at is None)

    def refused(self, decision: Decision, url: str, referrer: str | None) -> None:
        """Count a refusal and keep the first examples of its reason."""
        self.refusals.note(decision, url, referrer)
        self._stats.inc_value(RULE_STATS + decision.reason)

    def canonical(self, due: DueUrl, url: str) -> Reference:
        """Judge the canonical URL of a page."""
        admission = self.rules.admit(url, depth=due.depth, via="canonical")
        return self._refer(due, admission, "canonical")

    def redirect(self, due: DueUrl, target: str) -> Reference:
        """Judge the redirect target of a URL; that of a start may be brought into scope."""
        if due.depth == 0 and due.via in {"seed", "redirect"}:
            self.sent(due.url, target)
        admission = self.rules.admit(target, depth=due.depth, via="redirect")
        decision = admission.decision
        if decision.allowed and admission.fingerprint != due.fingerprint:
            decision = self._chains.follow(due.fingerprint, admission.fingerprint)
        return self._refer(due, admission._replace(decision=decision), "redirect")

    def sent(self, start: str, target: str) -> None:
        """Bring into scope the redirect target of a start, or of its redirect target."""
        notice = self.rules.admit_redirect(start, target)
        if notice:
            logger.info("%s", notice)

    def note_cuts(self, page: Page) -> None:
        """Count the truncations of a page, and log a warning for the first page of each kind."""
        for cut in dict.fromkeys(page.cuts):
            self._stats.inc_value(f"sitecrawl/cuts/{cut}")
            if cut in MEANINGS and cut not in self._warned_of:
                self._warned_of.add(cut)
                logger.warning(
                    "%s: %s (others are counted as sitecrawl/cuts/%s)", page.url, MEANINGS[cut], cut
                )

    def _pass_over(self, page: Page, due: DueUrl) -> None:
        """Count the links that do not lead to a page."""
        for address in page.inert:
            self.refused(self.rules.admit(address, depth=due.depth + 1).decision, address, due.url)
        for href in page.malformed:
            self.refused(WellFormed.reason.refuse(f"no URL: {href!r}"), href, due.url)

    def _leave(
        self, links: Iterable[Link], rel: frozenset[str], due: DueUrl, found: FoundLinks
    ) -> None:
        """Count the links of a nofollow page like links with that attribute."""
        for link in links:
            admission = self.rules.admit(link.url, depth=due.depth + 1, rel=link.rel | rel)
            if not admission.decision.allowed:
                self._left(admission, admission.decision, link, due, found)

    def _left(
        self, admission: Admission, decision: Decision, link: Link, due: DueUrl, found: FoundLinks
    ) -> None:
        """Count a link that is not followed; store it if it leads to a URL seen in this run."""
        self.refused(decision, link.url, due.url)
        if found.stored is not None and admission.fingerprint in self._seen:
            found.stored.append((admission.origin, admission.fingerprint, ""))
        elif (
            found.outside is not None
            and decision.reason == OUTSIDE_SCOPE
            and len(found.outside) < MAX_OUTSIDE
        ):
            found.outside.append((link.url, "link"))

    def _follow_link(
        self, due: DueUrl, link: Link, links: set[str], views: PageViews | None, found: FoundLinks
    ) -> Admission | None:
        """Judge a link, and add it to ``found``; return its admission if its URL is known."""
        candidates, stored = found.new, found.stored
        depth = due.depth + 1
        admission = self.rules.admit(link.url, depth=depth, rel=link.rel, views=views)
        decision = admission.decision
        seen = self._seen.get(admission.fingerprint)
        if self._is_unnamed(due, admission):
            candidates.append(Candidate.of(admission, depth, "link", due.url))
        if decision.allowed:
            decision = self.limits.admit_link(links, admission.url)
        if not decision.allowed and not self._is_logged(decision, admission.url):
            self._left(admission, decision, link, due, found)
            return None
        if link.hreflang and "alternate" in link.rel:
            known = self.translations.get(due.fingerprint, [])
            _keep(self.translations, due.fingerprint, [*known, (link.hreflang, admission)])
        candidates.extend(self._samples(link.url, admission, depth, due))
        if stored is not None and link.via not in DECLARED:
            stored.append((admission.origin, admission.fingerprint, admission.url))
        if link.text:  # extracted only if enabled
            self.anchors.note(admission.fingerprint, link.text)
        if seen is not None and depth >= seen:
            return admission
        self._seen[admission.fingerprint] = depth
        candidates.append(Candidate.of(admission, depth, "link", due.url))
        return None

    def _samples(
        self, url: str, admission: Admission, depth: int, due: DueUrl
    ) -> Iterator[Candidate]:
        """Yield the candidates for a trial of the parameters that a link has lost, if it begins."""
        if "?" in url and admission.url != url:
            links = self.trials.note(admission.origin, admission.url, Found(url, depth, due.url))
            yield from filter(None, map(self.found, links))

    def found(self, link: Found) -> Candidate | None:
        """Return the candidate for a link that was found before, if it is admitted and new by now."""
        admission = self.rules.admit(link.url, depth=link.depth)
        if not admission.decision.allowed or admission.fingerprint in self._seen:
            return None
        self._seen[admission.fingerprint] = link.depth
        return Candidate.of(admission, link.depth, "link", link.referrer)

    def _note_repeated(
        self, due: DueUrl, candidates: Sequence[Candidate], known: Sequence[Admission]
    ) -> None:
        own = {each.fingerprint for each in candidates}
        own.add(due.fingerprint)
        repeated = [
            (each.url, each.fingerprint)
            for each in known
            if each.fingerprint not in own and each.origin == due.origin
        ]
        _keep(self.repeated, due.fingerprint, repeated)

    def _is_logged(self, decision: Decision, url: str) -> bool:
        return decision.reason in self.logged and self.rules.scope.covers(read_target(url))

    def _is_unnamed(self, due: DueUrl, admission: Admission) -> bool:
        """Return True if a URL is a former start that another page references with a followed link."""
        if admission.fingerprint not in self._unnamed:
            return False
        return admission.decision.reason != "rel" and admission.fingerprint != due.fingerprint

    def _refer(self, due: DueUrl, admission: Admission, via: str) -> Reference:
        if not admission.decision.allowed and not self._is_logged(
            admission.decision, admission.url
        ):
            self.refused(admission.decision, admission.url, due.url)
            return Reference(admission)
        candidate = Candidate.of(admission, due.depth, via, due.url)
        candidates = [candidate] if self._is_unnamed(due, admission) else []
        seen = self._seen.get(admission.fingerprint)
        if seen is None or due.depth < seen:
            self._seen[admission.fingerprint] = due.depth
            candidates.append(candidate)
        return Reference(
            admission, candidate if admission.decision.allowed else None, tuple(candidates)
        )


def _keep(until_ended: dict[int, T], fingerprint: int, value: T) -> None:
    """Keep a value until the visit has ended; visits that never end must not fill the memory."""
    if len(until_ended) >= MAX_REPEATED:
        until_ended.clear()
    until_ended[fingerprint] = value
