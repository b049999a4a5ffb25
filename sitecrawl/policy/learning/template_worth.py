"""Worth of URL templates: the share of their pages that become documents or lead to some.

Views of a page (edit forms, histories, printouts, comment forms) share a template. A template is
judged after a handful of pages by their outcomes (noindex, non-canonical, missing) and by the texts
that related pages have already. One that brings little comes after the others; one that brings
nothing is sampled ever more thinly.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from sitecrawl.policy.decision import RefusalReason
from sitecrawl.policy.learning.parameter_rules import parameters_of
from sitecrawl.policy.urls.templates import url_template

HANDFUL = 5
"""Number of pages after which a template is judged."""
LOW_SHARE = 0.25
"""Share of pages that bring something, below which a template comes after the others."""
DOUBTED_AFTER = 2
"""Number of pages that brought nothing, and none that did, after which a template comes after the
others; one page is enough if the site itself takes it out of the index."""
STATED = frozenset({"noindex"})
"""Results by which a site itself says that a page is none to be indexed."""
TEACHING = frozenset({"permanent_redirect", "non_canonical"})
"""Results from which rules on URLs are learned; such pages are not put off before they have been."""
BARREN_SHARE = 0.04
"""Share of pages that bring something, below which a template is only sampled."""
MIN_EXCEPTIONS = 50
"""Number of pages after which a template that has brought something may count as barren."""
COPIED_SHARE, MIN_COPIED = 0.15, 20
"""Share of pages that bring something, below which a template of near copies is only sampled after
this many pages: a text that differs enough by chance is no reason to read a thousand that do not."""
MANY_VIEWS, FEW, FEW_COPIED = 5, 3, 2 * HANDFUL
"""Number of templates of near copies after which an origin is one of views; and the numbers of pages
after which further ones are judged there, if they brought nothing, and otherwise."""
MIN_POOLED, MIN_STATED = 2 * HANDFUL, HANDFUL + 1
"""Number of pages of related templates that brought nothing, and none that did, after which the pool
is judged; and the number if the site itself took all of them out of the index."""
NEAR_COPY = "near_copy"
"""Result of a document whose text a related page has already."""
MAX_POOLS = 3
"""Number of directories of a URL, the first ones, and of its parameters, that are judged."""
ALL = "**"
"""Mark in the name of a pool for what its templates differ in."""
MAX_TEMPLATES = 2000
MAX_VALUES = 16
"""Maximum number of words that a parameter chooses from, such as actions; more are content."""
MAX_WORD = 20
MAX_PARAMETERS = 2000
BARREN_TEMPLATE = RefusalReason(
    "barren_template",
    "a kind of page that brought no text of its own and led to none, or of which all pages fail "
    "(`learn_worth`)",
    options=("learn_worth",),
)


_NAMESPACE = re.compile(r"[A-Za-z_]+(?::|%3A)", re.IGNORECASE)  # Special:RecentChanges


class TemplateVisit(NamedTuple):
    """A page that was requested: the template of its referrer gets credit if it ``is_new``.

    ``result`` names its outcome. ``is_new`` is True for a document with text of its own;
    ``original`` is the page that a near copy repeats. ``is_counted`` is False for a document of which
    it is unknown if its text is new, as it was not compared.
    """

    url: str
    referrer: str | None
    result: str
    is_new: bool
    original: str = ""
    is_counted: bool = True


@dataclass(slots=True)
class TemplateWorth:
    """The evidence on one template.

    ``new`` counts the documents, ``credit`` those first found on pages of the
    template, ``results`` the outcomes of the others, ``skipped`` the URLs considered since it
    was found barren. ``uncompared`` are further documents, which count as new ones unless pages of the
    template are near copies. ``example`` is a near copy and the page that it repeats. ``is_hasty``: its origin
    has many templates of near copies.
    """

    pages: int = 0
    new: int = 0
    credit: int = 0
    skipped: int = 0
    uncompared: int = 0
    results: Counter[str] = field(default_factory=Counter)
    example: str = ""
    is_hasty: bool = False

    @property
    def brought(self) -> int:
        """Number of documents, its own and those it led to."""
        return self.new + self.credit + self._presumed

    @property
    def share(self) -> float:
        """Documents, its own and those it led to, for each page."""
        return self.brought / max(1, self.pages + self._presumed)

    @property
    def _presumed(self) -> int:
        return 0 if self.results[NEAR_COPY] else self.uncompared

    @property
    def is_copied(self) -> bool:
        """True if most pages are near copies."""
        return 2 * self.results[NEAR_COPY] > self.pages

    @property
    def is_low(self) -> bool:
        """True if the template brings little."""
        return self.pages >= HANDFUL and self.share < LOW_SHARE

    @property
    def comes_last(self) -> bool:
        """True if the template comes after others: it brings little, or has brought nothing yet."""
        if self.brought:
            return self.is_low
        if not TEACHING.isdisjoint(self.results):
            return self.pages >= HANDFUL
        return self.pages >= (1 if self.is_stated else DOUBTED_AFTER)

    @property
    def is_stated(self) -> bool:
        """True if the site itself took all pages but those with documents out of the index."""
        return self.results.keys() <= STATED

    @property
    def is_barren(self) -> bool:
        """True if only samples of the template are requested."""
        if self.is_hasty and self.is_copied:
            if self.pages >= FEW_COPIED:
                return self.share < LOW_SHARE
            return self.pages >= FEW and not self.new and not self.credit
        if self.pages >= MIN_COPIED and self.is_copied:
            return self.share < COPIED_SHARE
        enough = MIN_EXCEPTIONS if self.brought else HANDFUL
        return self.pages >= enough and self.share < BARREN_SHARE

    @property
    def is_barren_pool(self) -> bool:
        """True if it is a pool of which only samples are requested."""
        if self.pages >= MIN_COPIED and self.is_copied:
            return self.share < COPIED_SHARE
        enough = MIN_STATED if self.is_stated else MIN_POOLED
        if self.brought:
            enough = MIN_EXCEPTIONS
        return self.pages >= enough and self.share < BARREN_SHARE

    def sample(self) -> bool:
        """Count a URL; return True for the first, second, fourth, eighth and so on.

        Of near copies among many kinds of these the fourth, sixteenth and so on are enough.
        """
        self.skipped += 1
        if self.skipped & (self.skipped - 1):
            return False
        is_view = self.is_hasty and self.is_copied
        return not is_view or (self.skipped.bit_length() % 2 == 1 and self.skipped > 1)

    def in_words(self, name: str) -> str:
        """Return the evidence in readable form."""
        found = ", ".join(f"{count} {result}" for result, count in self.results.most_common())
        led = "none led" if not self.credit else f"they led {self.credit} times"
        example = f"; {self.example}" if self.example else ""
        return (
            f"of {self.pages + self._presumed} pages of {name}: {found};"
            f" {self.new + self._presumed} became documents"
            f"{' with text of their own' if example else ''}, {led} to one{example}"
        )


@dataclass(slots=True)
class Templates:
    """The templates of one origin.

    ``revived`` is True if a barren template brought something, so that the URLs left out are
    admitted again. ``is_hasty``: many of them are of near copies, so that further ones are judged sooner.
    """

    revived: bool = False
    is_comparing: bool = False
    is_hasty: bool = False
    found: dict[str, TemplateWorth] = field(default_factory=dict)
    _values: dict[tuple[str, str], set[str]] = field(default_factory=dict)

    def observe(self, page: TemplateVisit) -> None:
        """Learn from a page that was requested for the first time."""
        template = self._of(self.name_of(page.url))
        self._count(template, page)
        if page.is_new and page.referrer is not None and not template.is_low:
            is_sure = page.is_counted or not template.results[NEAR_COPY]
            self._credit(page.referrer, is_sure=is_sure)
        if page.result not in TEACHING:
            for name in _pools_of(page.url):
                self._count(self._of(name), page)

    def supersede(self, urls: Iterable[str], by: str) -> None:
        """Count documents as near copies whose text a later page has."""
        for url in urls:
            for name in (self.name_of(url), *_pools_of(url)):
                template = self.found.get(name)
                if template is not None and template.new:
                    template.new -= 1
                    template.results[NEAR_COPY] += 1
                    template.example = f"{url} repeats {by}"

    def start_comparing(self) -> None:
        """Forget what was judged without a comparison of texts, as all documents were new."""
        self.is_comparing = True
        for name, each in list(self.found.items()):
            if not each.results or (each.new and ALL in name):
                del self.found[name]

    def has_copies(self, url: str) -> bool:
        """Return True if pages of the template of a URL were near copies."""
        template = self.found.get(self.name_of(url))
        return template is not None and NEAR_COPY in template.results

    def judge(self, url: str) -> tuple[str, TemplateWorth] | None:
        """Return what a URL is judged by and the evidence on it, None if there is none.

        That is its template; or a pool of related templates of which none brought anything. The first
        page of a template that only shares a parameter or namespace with the pool is requested.
        """
        if not self.found:
            return None
        name = self.name_of(url)
        template = self.found.get(name)
        if template is None or template.pages < self._enough or template.is_barren:
            pool = max(self._barren_pools_of(url), key=lambda each: each[1].pages, default=None)
            if pool is not None and (template is not None or pool[0].endswith(f"/{ALL}")):
                return pool
        return (name, template) if template is not None else None

    def awaited(self, url: str) -> tuple[str, int]:
        """Return the template of a URL, and how many more of its pages are needed to judge it.

        0 if it is judged, or if so many pages brought something that more of them are read anyway.
        """
        name, judged = self.name_of(url), self.judge(url)
        if judged is not None and (judged[1].is_barren or judged[1].pages >= MIN_COPIED):
            return name, 0
        template = self.found.get(name)
        pages, enough = template.pages if template is not None else 0, self._enough
        return name, enough - pages if pages < enough else enough

    def may_be_view(self, url: str) -> bool:
        """Return True for a URL with a query whose kind has not proved its worth yet.

        Where pages share names it may show another page, or an older state of one, and is read when
        these are known.
        """
        if not self.is_comparing or "?" not in url:
            return False
        template = self.found.get(self.name_of(url))
        return template is None or template.pages < HANDFUL

    def _barren_pools_of(self, url: str) -> Iterator[tuple[str, TemplateWorth]]:
        for name in _pools_of(url):
            pool = self.found.get(name)
            if pool is not None and pool.is_barren_pool:
                yield name, pool

    @property
    def has_copied_kinds(self) -> bool:
        """True if the pages of a template are near copies for the most part."""
        return any(each.is_copied and each.is_low for each in self.found.values())

    @property
    def has_mixes(self) -> bool:
        """True if pages have several parameters between them, and may be mixes of facets."""
        return sum(f"?{ALL}" in name for name in self.found) > 1

    def copied_kind(self, url: str) -> str:
        """Return the template or directory of a URL whose pages are near copies, "" if none is."""
        name = self.name_of(url)
        template = self.found.get(name)
        if template is not None and template.pages >= HANDFUL:
            return name if template.is_copied and template.is_low else ""
        for name in _pools_of(url):
            each = self.found.get(name)
            if each is not None and each.is_copied and each.is_low:
                return name
        return ""

    def group_of(self, url: str) -> str:
        """Return the name of the kind of page by which the documents of a URL's kind are judged."""
        return self.copied_kind(url) or self.name_of(url)

    def _count(self, template: TemplateWorth, page: TemplateVisit) -> None:
        was_barren = template.is_barren
        template.pages += page.is_counted
        if not page.is_counted:
            template.uncompared += 1
        elif page.is_new:
            template.new += 1
        else:
            template.results[page.result] += 1
            if page.original:
                template.example = f"{page.url} repeats {page.original}"
        self.revived |= was_barren and not template.is_barren
        if not was_barren and template.is_barren and template.is_copied:
            self._hurry()

    def _hurry(self) -> None:
        """Judge templates sooner from now on, if there are many of near copies."""
        views = sum(each.is_copied and each.is_barren for each in self.found.values())
        if views >= MANY_VIEWS and not self.is_hasty:
            self.is_hasty = True
            for each in self.found.values():
                each.is_hasty = True

    @property
    def _enough(self) -> int:
        """Number of pages after which a template is judged."""
        return FEW if self.is_hasty else HANDFUL

    def names_of(self, url: str) -> frozenset[str]:
        """Return the names of the template of a URL, and of the pools by which it may be judged."""
        return frozenset((self.name_of(url), *_pools_of(url)))

    def name_of(self, url: str) -> str:
        """Return the template of a URL, with the words that its parameters choose from.

        ``/index.php?action=edit&title``: the few words of a parameter name kinds of pages.
        """
        if "?" not in url:
            return url_template(url).path
        name = str(url_template(url))
        path = url[: url.index("?")]
        view = path.rsplit("/", 2)[1] if path.endswith("/") else ""  # /commit/?id, /tree/?id
        words = [view] if view.isalpha() and self._is_choice(name, "/", view) else []
        words += [
            f"{key}={value}"
            for key, value in parameters_of(url.replace(";", "&"))
            if value.islower() and value.replace("_", "").isalpha()
            if self._is_choice(name, key, value)
        ]
        return f"{name} {'&'.join(sorted(words))}" if words else name

    def _is_choice(self, template: str, key: str, value: str) -> bool:
        if len(value) > MAX_WORD:
            return False
        values = self._values.get((template, key))
        if values is None:
            if len(self._values) >= MAX_PARAMETERS:
                return False
            values = self._values[template, key] = set()
        if len(values) <= MAX_VALUES:
            values.add(value)
        return len(values) <= MAX_VALUES

    def _credit(self, referrer: str, *, is_sure: bool) -> None:
        """Count a document found on a page; of a page that is a near copy only if it is new for sure."""
        for name in (self.name_of(referrer), *_pools_of(referrer)):
            template = self.found.get(name)
            if template is not None and (is_sure or not template.is_copied):
                was_barren = template.is_barren
                template.credit += 1
                self.revived |= was_barren and not template.is_barren

    def _of(self, name: str) -> TemplateWorth:
        template = self.found.get(name)
        if template is None:
            if len(self.found) >= MAX_TEMPLATES:
                few = (key for key, each in self.found.items() if each.pages < HANDFUL)
                del self.found[next(few, next(iter(self.found)))]
            template = self.found[name] = TemplateWorth(is_hasty=self.is_hasty)
        return template

    def as_stored(self) -> Iterable[tuple[str, str, dict[str, Any]]]:
        """Yield name, state and values of each template that was judged."""
        for name, each in self.found.items():
            if each.pages >= HANDFUL or each.is_barren:
                state = "barren" if each.is_barren else "low" if each.is_low else "good"
                values = {
                    "pages": each.pages,
                    "new": each.new,
                    "credit": each.credit,
                    "skipped": each.skipped,
                    "uncompared": each.uncompared,
                    "results": dict(each.results),
                    "example": each.example,
                }
                yield name, state, values

    def restore(self, stored: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        """Restore the templates of an earlier run."""
        for name, values in stored:
            own = {**values, "results": Counter(values["results"])}
            self.found[name] = TemplateWorth(**own)
        self._hurry()


@lru_cache(maxsize=2048)  # called when a URL is due, when it is read, and for the pages found on it
def _pools_of(url: str) -> tuple[str, ...]:
    """Return the names of what related templates share: directories, namespaces, parameters.

    A directory counts at its place, together with the names of the parameters.
    """
    path, parameters = url_template(url)
    names = f"?{'&'.join(parameters)}" if parameters else ""
    *directories, _ = segments = path.split("/")[1:]
    pools = [
        f"{'/*' * place}/{each}/{ALL}{names}"
        for place, each in enumerate(directories[:MAX_POOLS])
        if each and "<" not in each
    ]
    for place, each in enumerate(segments):
        if namespace := _NAMESPACE.match(each):
            pools.append(f"{'/'.join(['', *segments[:place]])}/{namespace[0]}{ALL}")
            break
    return (*pools, *(f"{path}?{ALL}{each}" for each in parameters[:MAX_POOLS]))
