"""Sites whose parameters look like tracking or sessions: meaning in some, none in others."""

from __future__ import annotations

import zlib

from benchmarks.natural_sites.building import Book, Sheet, Stock, chunks, natural
from benchmarks.natural_sites.prose import Prose, phrases
from benchmarks.natural_sites.site import NaturalSite, Visit
from benchmarks.natural_sites.skins import bare, blog, divs, grid, landmarks, table


def _estates(run: int) -> Book:
    """``ref`` is the reference of a property."""
    stock = Stock("estates", 120, 310)
    book = Book(
        grid("Langdale Estates", [("/list?p=1", "Properties"), ("/contact", "Contact")]), "ref p"
    )
    refs = {n: f"{'ABCK'[n % 4]}{n * 17 % 9973:04}" for n in range(300, 450)}
    living = stock.living(run)
    for n in living:
        prose = Prose("estate", n)
        sheet = Sheet(prose.title("{quality} house near {town}|Flat with {thing}, {town}"))
        own = Prose("estate", n, stock.edition(n, run))
        sheet.p(prose.text(2), f"Reference {refs[n]}, {own('£{90-980},000')}.")
        sheet.row(
            (f"/property?ref={refs[n + 1]}", "Next"),
            (f"/viewing?ref={refs[n]}", "Arrange a viewing"),
        )
        book.page(f"/property?ref={refs[n]}", sheet)
        book.useless(f"/viewing?ref={refs[n]}", Sheet("Arrange a viewing").raw("<form></form>"))
    for page, part in enumerate(chunks(living, 12), 1):
        sheet = Sheet("Properties").links([(f"/property?ref={refs[n]}", refs[n]) for n in part])
        book.neutral(
            f"/list?p={page}", sheet.row(*((f"/list?p={p}", str(p)) for p in range(1, 11)))
        )
    book.page(
        "/contact", Sheet("Contact").p(Prose("estates")("{name}, {town}, {2-90} High Street"))
    )
    book.moved("/", "/list?p=1")
    book.useless("/property", Sheet("Unknown property"))
    return book


def _magazine(run: int) -> Book:
    """``sid`` is the number of a story, as in programs of 2001."""
    stock = Stock("magazine", 140, 1)
    topics = phrases("Astronomy|Biology|Chess|Design")
    book = Book(
        table("Slow News for Thinkers", [("/topics.pl", "Topics"), ("/submit.pl", "Submit")]),
        "sid tid mode",
    )
    living = stock.living(run)
    sids = {n: f"{n // 12 + 1:02}/{n % 28 + 1:02}/{n * 7919 % 240_000:06}" for n in living}
    for n in living:
        prose, here = Prose("magazine", n), f"/article.pl?sid={sids[n]}"
        sheet = Sheet(prose.title()).p(prose("Posted by {first} on {day}"), prose.text(3))
        sheet.p(Prose("magazine", n, stock.edition(n, run))("{first} writes: {sentence}"))
        sheet.row(
            *((f"{here}&mode={m}", m) for m in ("flat", "nested")),
            (f"/reply.pl?sid={sids[n]}", "Reply"),
        )
        book.page(here, sheet.near([("/topics.pl", "Topics")]))
        for mode in ("flat", "nested"):
            book.useless(
                f"{here}&mode={mode}", sheet, f"/article.pl?sid={sids[n].replace('/', '%2F')}"
            )
        book.useless(f"/reply.pl?sid={sids[n]}", Sheet("Reply").raw("<form></form>"))
    for t, topic in enumerate(topics):
        mine = [
            (f"/article.pl?sid={sids[n]}", Prose("magazine", n).title())
            for n in living
            if n % 4 == t
        ]
        book.neutral(f"/topic.pl?tid={t}", Sheet(topic).links(mine))
    index = [(f"/topic.pl?tid={t}", topic) for t, topic in enumerate(topics)]
    for target in ("/", "/topics.pl"):
        book.neutral(target, Sheet("Topics").links(index))
    book.useless("/submit.pl", Sheet("Submit a story").raw("<form></form>"))
    return book


def _sources(run: int) -> Book:
    """``src`` is the file that is shown."""
    book = Book(bare("Examples from the book", [("/", "Chapters")]), "src")
    stock = Stock("sources", 80)
    names = {n: f"ch{n % 12 + 1:02}/{Prose('file', n)('{thing}')}{n}.bas" for n in range(1, 90)}
    for n in stock.living(run):
        prose = Prose("source", n)
        sheet = Sheet(names[n]).p(Prose("source", n, stock.edition(n, run))("REM {sentence}"))
        code = [
            prose(f'{line} PRINT "{{quality}} {{thing}}", {{1-999}}') for line in range(10, 90, 10)
        ]
        sheet.raw("<pre>", "\n".join(code), "</pre>")
        sheet.lines += [line.replace("  ", " ") for line in code]
        book.page(f"/show.php?src={names[n]}", sheet)
    for chapter in range(1, 13):
        mine = [names[n] for n in stock.living(run) if names[n].startswith(f"ch{chapter:02}/")]
        sheet = Sheet(f"Chapter {chapter}").links([(f"show.php?src={name}", name) for name in mine])
        book.neutral(f"/chapter{chapter}.html", sheet)
    book.neutral(
        "/",
        Sheet("Chapters").links([(f"chapter{c}.html", f"Chapter {c}") for c in range(1, 13)], "ol"),
    )
    return book


def _registry(run: int) -> Book:
    """``id`` with long hexadecimal numbers names a document."""
    book = Book(
        divs("Register of Decisions", [("/list?start=0", "Decisions"), ("/search", "Search")]),
        "id start",
    )
    stock = Stock("registry", 150)
    ids = {
        n: f"{zlib.crc32(str(n).encode()):08x}{zlib.crc32(b'x%d' % n):08x}" for n in range(1, 170)
    }
    living = stock.living(run)
    for n in living:
        prose = Prose("decision", n)
        sheet = Sheet(f"Decision {n}/{2010 + n // 14}").near([("/list?start=0", "Decisions")])
        sheet.p(prose("{name} v {name}, {1-28} {month} {2010-2020}"), prose.text(1 + n % 6))
        sheet.p(
            Prose("decision", n, stock.edition(n, run))(
                "Held: the {thing} was {adverb} {done} {reason}."
            )
        )
        cited = prose.random.sample(living, 2)
        sheet.links([(f"/doc?id={ids[o]}", f"Decision {o}") for o in cited])
        book.page(f"/doc?id={ids[n]}", sheet)
    for start in range(0, len(living), 25):
        sheet = Sheet("Decisions").links(
            [(f"/doc?id={ids[n]}", f"No. {n}") for n in living[start : start + 25]]
        )
        book.neutral(f"/list?start={start}", sheet.row((f"/list?start={start + 25}", "Next page")))
    for target in {"/search", f"/list?start={(len(living) - 1) // 25 * 25 + 25}"}:
        book.useless(
            target, Sheet("No decisions").raw("<form action=/search><input name=q></form>")
        )
    book.moved("/", "/list?start=0")
    return book


def _tracked(run: int) -> Book:
    """``ref`` and ``utm_source`` name the place of the link: the same page with each."""
    stock = Stock("tracked", 130)
    book = Book(
        blog("Small Boats Weekly", [("/?ref=nav", "Home"), ("/issues/?ref=nav", "Issues")]), "issue"
    )
    titles = {n: Prose("boats", n).title() for n in stock.living(run)}
    for n, title in titles.items():
        prose, others = (
            Prose("boat text", n),
            Prose("boat more", n).random.sample(sorted(titles), 4),
        )
        sheet = Sheet(title).p(prose.text(3), Prose("boat text", n, stock.edition(n, run)).text(1))
        related = [(f"/story/{o}?ref=related-{place}", titles[o]) for place, o in enumerate(others)]
        popular = [
            (f"/story/{o}?ref=popular&utm_source=sidebar", titles[o]) for o in sorted(titles)[:6]
        ]
        sheet.near([("/?ref=crumb", "Home")], popular).links(related)
        sheet.row((f"/story/{n}?utm_source=mail&utm_medium=share", "Mail this"))
        book.page(f"/story/{n}", sheet)
    for issue in range(1, 14):
        mine = [
            (f"/story/{n}?ref=issue{issue}", t) for n, t in titles.items() if n % 13 == issue - 1
        ]
        book.neutral(f"/issues/?issue={issue}", Sheet(f"Issue {issue}").links(mine))
    issues = [(f"/issues/?issue={i}&ref=issues", f"Issue {i}") for i in range(1, 14)]
    book.neutral("/issues/", Sheet("Issues").links(issues))
    newest = sorted(titles)[-8:]
    book.neutral(
        "/", Sheet("This week").links([(f"/story/{n}?ref=home", titles[n]) for n in newest])
    )
    return book


def _seed_shop(run: int) -> Book:
    """A new session id in the links of every reply; programs ignore it."""
    stock = Stock("seeds", 100)
    beds = phrases("Beans|Roots|Salads|Herbs|Flowers")
    nav = [(f"/bed.cgi?bed={b}&sid=@sid@", bed) for b, bed in enumerate(beds)]
    book = Book(
        table("Marsh & Son, Seedsmen", [*nav, ("/basket.cgi?sid=@sid@", "Basket")]), "bed seed p"
    )
    titles = {
        n: Prose("seed", n).title("{town} {quality}|{last}'s {colour}|{colour} {month}")
        for n in range(1, 110)
    }
    for b, bed in enumerate(beds):
        inside = [n for n in stock.living(run) if n % 5 == b]
        for page, part in enumerate(chunks(inside, 15), 1):
            sheet = Sheet(f"{bed}, page {page}")
            sheet.links([(f"/seed.cgi?sid=@sid@&seed={n}&bed={b}", titles[n]) for n in part])
            if page * 15 < len(inside):
                sheet.row((f"/bed.cgi?bed={b}&p={page + 1}&sid=@sid@", "more"))
            here = f"/bed.cgi?bed={b}"
            for target in (f"{here}&p={page}", here)[: 1 + (page == 1)]:
                book.neutral(target, sheet)
        for n in inside:
            prose = Prose("seed text", n)
            sheet = Sheet(f"{titles[n]} ({bed[:-1].lower()} {n})").p(prose("{x} {x}", x=[
                "Sow in {month}, {1-9} cm deep.", "{quality} leaves, {colour} pods, hardy to −{2-20} °C.",
                "Bred by {name} of {town} in {1850-1990}.", "Not eaten by {things} or a {person}."]))  # fmt: skip
            price = Prose("seed text", n, stock.edition(n, run))(
                "Packet of {10-500} seeds: £{1-6}.{10-99}"
            )
            sheet.p(price).row((f"/basket.cgi?add={n}&sid=@sid@", "Add"))
            book.page(f"/seed.cgi?seed={n}&bed={b}", sheet.near([nav[b]]))
    book.useless("/basket.cgi", Sheet("Basket").raw("<p>Nothing here yet.</p>"))
    book.page("/", Sheet("Seeds since 1888").p(Prose("seeds", run).text(3)).links(nav), "home")
    return book


def _with_session(visit: Visit, body: str) -> str:
    return body.replace("@sid@", f"{zlib.crc32(visit.target.encode()):08x}{len(visit.target):04x}")


def _blogger(run: int) -> Book:
    """Addresses with a question mark only, absolute links, feeds and replies beside each post."""
    stock = Stock("blogger", 75)
    book = Book(landmarks("A Potter's Diary", [("@main@/", "Home"), ("@main@/?page_id=2", "About")]),
                "p page_id cat paged m replytocom feed")  # fmt: skip
    living = stock.living(run)
    for n in living:
        prose, here = Prose("diary", n), f"@main@/?p={n}"
        sheet = Sheet(prose.title()).p(*(prose.text(prose.number(1, 3)) for _ in range(1 + n % 4)))
        sheet.p(Prose("diary", n, stock.edition(n, run)).text(1))
        for comment in range(n % 3):
            sheet.p(prose("{first}: {sentence}")).row(
                (f"{here}&replytocom={comment}#respond", "Reply")
            )
            book.useless(f"/?p={n}&replytocom={comment}", sheet, f"/?p={n}")
        book.page(f"/?p={n}", sheet.row((f"@main@/?cat={n % 4}", "Category")))
    for key, names in (
        ("cat", [str(c) for c in range(4)]),
        ("m", [f"2012{m:02}" for m in range(1, 13)]),
    ):
        for place, name in enumerate(names):
            mine = [
                (f"@main@/?p={n}", Prose("diary", n).title())
                for n in living
                if n % len(names) == place
            ]
            book.neutral(f"/?{key}={name}", Sheet(f"Archive {name}").links(mine))
    archives = [(f"@main@/?m=2012{m:02}", f"2012-{m:02}") for m in range(1, 13)]
    for page, part in enumerate(chunks(living[::-1], 10), 1):
        sheet = Sheet("Diary").links([(f"@main@/?p={n}", Prose("diary", n).title()) for n in part])
        sheet.near(aside=archives).row((f"@main@/?paged={page + 1}", "Older"))
        book.neutral(f"/?paged={page}" if page > 1 else "/", sheet)
    book.page("/?page_id=2", Sheet("About me").p(Prose("diary about", run).text(4)))
    return book


def _with_origin(visit: Visit, body: str) -> str:
    return body.replace("@main@", visit.origins.get("", ""))


SITES: tuple[NaturalSite, ...] = (
    natural("ref-of-a-property", _estates),
    natural("sid-of-a-story", _magazine),
    natural("src-of-a-listing", _sources),
    natural("id-of-a-decision", _registry),
    natural("ref-as-tracking", _tracked),
    natural("session-in-queries", _seed_shop, finish=_with_session, is_endless=True),
    natural("posts-by-parameter", _blogger, finish=_with_origin),
)
