"""Sites about software: versions of a manual, releases, two hosts, hash links, help about errors."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.natural_sites.building import Book, Link, Sheet, Stock, a, natural
from benchmarks.natural_sites.prose import Prose, phrases, slug
from benchmarks.natural_sites.site import Reply, Visit
from benchmarks.natural_sites.skins import bare, blog, divs, grid, hash_links, landmarks

_TECH = [
    "The {word} reads a {word} from the {word} and passes it to the {word}.",
    "Set `{word}_{word}` to {2-900} when the {word} is {quality}.",
    "It returns a {quality} {word}, or raises an error if the {word} was {done}.",
    "By default a {word} has {2-64} entries of {8-512} bytes.",
    "Since {0-3}.{1-19} the {word} is {done} before every {word}.",
    "A {quality} {word} needs no {word}; use `--{word}={1-99}` instead.",
    "Do not mix a {quality} {word} with a {word} that was {done} by another {word}.",
]
_WORDS = phrases(
    "buffer|queue|parser|socket|token|index|cursor|filter|handler|channel|schema|worker|session|cache|"
    "record|stream|driver|plugin|encoder|lexer|timer|thread|module|bucket|shard|replica|digest|pipeline"
)


def _technical(sentences: int, *seed: object) -> str:
    return Prose(*seed).text(sentences, "{t}", t=_TECH, word=_WORDS)


def _manual(run: int) -> Book:
    """Three versions; /latest/ is the same as /v2/, to the byte."""
    book = Book(
        landmarks("Ferret Framework", [("/latest/", "Latest"), ("/v2/", "2.x"), ("/v1/", "1.x")])
    )
    edited = Stock("manual", 56)
    chapters = [f"{word}-{kind}" for kind in ("guide", "reference") for word in _WORDS]
    for version in ("v1", "v2"):
        here = chapters[: 38 + run] if version == "v1" else chapters[run:]
        for place, chapter in enumerate(here):
            title = chapter.replace("-", " ").title()
            sheet = Sheet(title).p(_technical(2, "manual", chapter))
            for section in range(Prose("manual size", chapter).number(1, 4)):
                sheet.h(_WORDS[(place + section * 5) % 28].title())
                edition = edited.edition(place, run) if version == "v2" else 0
                sheet.p(
                    _technical(
                        3, "manual", chapter, section, version if section == 0 else "", edition
                    )
                )
                sheet.raw(f"<pre>{_technical(1, 'code', chapter, section)}</pre>")
            sheet.near([("index.html", "Contents")])
            sheet.row(
                (f"{here[place - 1]}.html", "Previous"),
                (f"{here[(place + 1) % len(here)]}.html", "Next"),
            )
            name = f"{version} {chapter}"
            book.page(f"/{version}/{chapter}.html", sheet, name)
            if version == "v2":
                book.page(f"/latest/{chapter}.html", sheet, name)
        contents = Sheet("Contents").links([(f"{c}.html", c) for c in here], "ol")
        for folder in ("v2", "latest") if version == "v2" else ("v1",):
            for file in ("", "index.html"):
                book.neutral(f"/{folder}/{file}", contents)
    book.moved("/", "/latest/")
    return book


def _downloads(run: int) -> Book:
    book = Book(
        bare(
            "Index of the Otter archiver",
            [("/", "Home"), ("/releases.html", "Releases"), ("/faq.html", "FAQ")],
        )
    )
    releases = [
        f"{major}.{minor}.{patch}"
        for major in range(1, 5)
        for minor in range(6)
        for patch in range(4)
    ]
    releases = releases[: 88 + 2 * run]
    for place, release in enumerate(releases):
        fixes = Prose("release", release)
        sheet = Sheet(f"Otter {release}").p(
            f"Released on {fixes('{1-28} {month}')} {2004 + place // 5}."
        )
        sheet.list(
            [f"{_technical(1, release, n)} (#{place * 17 + n})" for n in range(fixes.number(1, 7))]
        )
        sheet.raw("<table><tr><th>File<th>SHA-1</tr>")
        for file in ("tar.gz", "zip", "dmg"):
            name = f"otter-{release}.{file}"
            digest = f"{fixes.random.getrandbits(160):040x}"
            sheet.raw(f"<tr><td>{a(f'/pool/{name}', name)}</td><td><tt>{digest}</tt></td></tr>")
            sheet.lines.append(digest)
            book.put(
                f"/pool/{name}", Reply(b"PK\x03\x04", headers={"Content-Type": "application/zip"})
            )
        sheet.raw("</table>").row((f"/mirrors/{release}", "from a mirror"))
        book.page(f"/releases/{release}.html", sheet.near([("/releases.html", "Releases")]))
        book.useless(f"/mirrors/{release}", Sheet("Choose a mirror"))
    listed = [(f"/releases/{r}.html", f"Otter {r}") for r in releases]
    book.neutral("/releases.html", Sheet("Releases").links(listed[::-1]))
    book.page("/faq.html", Sheet("FAQ").p(*(_technical(2, "otter faq", n) for n in range(9 + run))))
    book.page("/", Sheet("Otter").p(_technical(5, "otter")).links(listed[-3:]), "home")
    return book


def _two_hosts(run: int) -> Book:
    """A product's site and its manual on a host of its own; links between them are absolute."""
    main = grid("Pelican", [("@main@/", "Product"), ("@docs@/", "Docs"), ("@main@/blog", "Blog")])
    docs = divs(
        "Pelican Docs", [("@docs@/", "Docs"), ("@main@/", "Pelican"), ("@main@/login", "Sign in")]
    )
    book = Book(main)
    commands = [
        f"{one}-{two}" for one in ("create", "list", "drop", "merge") for two in _WORDS[:18]
    ]
    posts = Stock("pelican", 45)
    for n in posts.living(run):
        sheet = Sheet(Prose("pelican", n).title()).p(
            _technical(4, "pelican", n, posts.edition(n, run))
        )
        command = commands[n % len(commands)]
        sheet.raw("<p>See", a(f"@docs@/commands/{command}", command), "</p>")
        book.page(f"/blog/{n}", sheet.near([("/blog", "Blog")]))
    book.neutral(
        "/blog", Sheet("Blog").links([(f"@main@/blog/{n}", f"Post {n}") for n in posts.living(run)])
    )
    for topic in ("pricing", "security", "customers", "team"):
        book.page(f"/{topic}", Sheet(topic.title()).p(_technical(5, "pelican", topic, run)))
    parts = [
        ("/pricing", "Pricing"),
        ("/security", "Security"),
        ("/customers", "Customers"),
        ("/team", "Team"),
    ]
    book.page("/", Sheet("Pelican").p(_technical(3, "pelican home")).links(parts), "home")
    book.useless("/login", Sheet("Sign in").raw("<form method=post></form>"))
    book.skin = docs
    for place, command in enumerate(commands[: 70 + run]):
        sheet = Sheet(f"pelican {command}").p(_technical(2, "command", command))
        rows = [
            (f"--{_WORDS[(place + n * 3) % 28]}", _technical(1, command, n))
            for n in range(1 + place % 5)
        ]
        book.page(f"/commands/{command}", sheet.table(rows), host="docs")
    index = [(f"/commands/{c}", c) for c in commands[: 70 + run]]
    book.neutral("/", Sheet("Commands").links(index), host="docs")
    return book


def _mirror(run: int, differing: int = 0) -> Book:
    """A guide under two hosts, linked to by turns; some pages are on one host only, or differ on the other."""
    book = Book(landmarks("Heron", [("/", "Contents")]))
    stock = Stock("heron", 100)
    parts = stock.living(run)

    def hosts(n: int) -> tuple[str, ...]:
        return ("",) if n % 11 == 5 else ("docs",) if n % 13 == 4 else ("", "docs")

    def link(n: int, turn: int) -> Link:
        host = hosts(n)[turn % len(hosts(n))]
        return f"@{host or 'main'}@/guide/{n}", Prose("heron", n).title()

    for place, n in enumerate(parts):
        around = [link(each, place + each) for each in parts[max(0, place - 2) : place + 3]]
        for host in hosts(n):
            is_other = host and differing and n % differing == 0
            sheet = Sheet(Prose("heron", n).title())
            sheet.p(_technical(4, "heron", n, stock.edition(n, run), "other" if is_other else ""))
            sheet.links(around)
            book.page(f"/guide/{n}", sheet, f"{n} on {host}" if is_other else f"{n}", host)
    for host in ("", "docs"):
        contents = [link(n, n + len(host)) for n in parts if n % 4 == 0 or len(hosts(n)) == 1]
        book.neutral("/", Sheet("Contents").links(contents), host)
    return book


def _with_origins(visit: Visit, body: str) -> str:
    docs, main = visit.origins.get("docs", ""), visit.origins.get("", "")
    return body.replace("@docs@", docs).replace("@main@", main)


def _application(run: int) -> Book:
    """Rendered by the server, but written like an application: fragments beside real addresses."""
    stock = Stock("application", 96)
    trails = stock.living(run)
    book = Book(
        hash_links("Trailhead", [("/trails", "Trails"), ("#/map", "Map"), ("#!/me", "My trails")])
    )
    for n in trails:
        prose = Prose("trail", n)
        sheet = Sheet(
            prose.title("{town} {thing} loop|From {town} to {town}|Round the {quality} {thing}")
        )
        sheet.p(
            prose.text(2),
            f"{Prose('trail', n, stock.edition(n, run)).number(30, 310) / 10} km, trail {n}.",
        )
        sheet.row(
            ("#overview", "Overview"),
            ("#elevation", "Elevation"),
            (f"#/trail/{n}/photos", "Photos"),
        )
        sheet.raw(
            f'<div id="elevation" data-trail="{n}"></div><a href="javascript:void(0)">Save</a>'
        )
        around = [(f"/trails/{o}#overview", f"Trail {o}") for o in trails if 0 < abs(o - n) < 3]
        sheet.near([("/trails", "Trails")], around).row(
            (f"/trails/{n}/gpx", "GPX"), (f"/trails/{n}#!reviews", "Reviews")
        )
        book.page(f"/trails/{n}", sheet)
        book.useless(f"/trails/{n}/gpx", Sheet("Please sign in to download this track"))
    listed = [(f"/trails/{n}#/from/list", f"Trail {n}") for n in trails]
    book.neutral("/trails", Sheet("Trails").links(listed[run:] + listed[:run]))
    book.page("/", Sheet("Trailhead").p(Prose("trailhead", run).text(2)).links(listed[:8]), "home")
    return book


def _tutorials(run: int) -> Book:
    """Fragments lead to sections, ?print=1 to the same page for printers, ?print=all to a whole course."""
    book = Book(
        blog("Learn to Bind Books", [("/", "Courses"), ("/glossary#top", "Glossary")]), "print font"
    )
    for c, course in enumerate(
        phrases("Sewing|Cutting|Gluing|Covers|Gilding|Repair|Paper|Presses")
    ):
        whole = Sheet(f"{course}: the whole course")
        lessons = range(1, 10 + c % 4 + (run if c % 3 == 0 else 0))
        for n in lessons:
            prose, here = Prose("lesson", course, n), f"/{slug(course)}/lesson{n}"
            sheet = Sheet(prose.title(f"{{quality}} {course.lower()}: {{thing}} and {{thing}}"))
            sheet.near([("/", "Courses"), (f"/{slug(course)}/", course)])
            sections = [prose.title("{quality} {things}") for _ in range(3)]
            sheet.links([(f"#{slug(s)}", s) for s in sections], css="toc")
            for s, section in enumerate(sections):
                sheet.raw(f'<a name="{slug(section)}"></a>').h(section)
                sheet.p(
                    Prose("lesson", course, n, s, run if (c + n + s) % 20 == run else 0).text(2)
                )
            sheet.row((f"{here}?print=1", "Print"), (f"{here}?font=large", "A+"), (f"{here}?print=1&font=large", "Print A+"),
                      (f"lesson{n % len(lessons) + 1}#{slug(sections[0])}", "Next"))  # fmt: skip
            book.page(here, sheet)
            for variant in ("print=1", "font=large", "font=large&print=1"):
                book.useless(f"{here}?{variant}", sheet, here)
            whole.raw(*sheet.parts)
        book.useless(f"/{slug(course)}/?print=all", whole)
        contents = Sheet(course).links([(f"lesson{n}", f"Lesson {n}") for n in lessons])
        book.neutral(f"/{slug(course)}/", contents.row(("?print=all", "Print the whole course")))
    courses = [
        (f"/{slug(c)}/", c)
        for c in phrases("Sewing|Cutting|Gluing|Covers|Gilding|Repair|Paper|Presses")
    ]
    book.neutral("/", Sheet("Courses").links(courses))
    terms = [
        Prose("binding", n)("{thing}: a {quality} {thing} of {material}") for n in range(40 + run)
    ]
    book.page("/glossary", Sheet("Glossary").list(terms))
    return book


_ERRORS = phrases(
    "404 Page not found|403 Access denied|500 Internal server error|503 Service unavailable|"
    "This domain has expired|This domain is parked|Please log in to continue|Session expired|"
    "Please enable cookies|Please enable JavaScript|Site under maintenance|Account suspended|"
    "Too many requests|Your connection is not private|Coming soon|No results found|"
    "This page has moved|Buy this domain|Captcha required|It works!"
)


def _help_about_errors(run: int) -> Book:
    """Articles that quote what crawlers take for errors, answered with status 200."""
    book = Book(divs("Webmaster's Help", [("/", "Messages"), ("/hosts/", "Hosting companies")]))
    advice: Callable[[Prose, str], str] = lambda prose, message: prose("{x}", x=[
        f"“{message}” appears when the {{word}} was {{done}} or the {{word}} is {{quality}}.",
        f"If visitors see “{message}”, restart the {{word}} and clear the {{word}}.",
        f"In {{2005-2022}} we found that {{2-60}} percent of all “{message}” pages came from a {{word}}.",
        f"Search engines treat “{message}” as a {{quality}} {{word}}.", "{t}"],
        t=_TECH, word=_WORDS)  # fmt: skip
    edited = Stock("errors", 100)
    systems = phrases("Apache|nginx|IIS|your router|your browser|a shop")
    for e, message in enumerate(_ERRORS[: 18 + run]):
        listing: list[Link] = []
        for s, system in enumerate(systems[: 3 + e % 4]):
            here = f"/help/{slug(message)}/{slug(system)}"
            prose = Prose("error", e, s, edited.edition(e * 5 + s, run))
            sheet = Sheet(message if s == 0 else f"{message} ({system})").near([("/", "Messages")])
            sheet.p(*(advice(prose, message) for _ in range(prose.number(1, 5))))
            sheet.p(f"Note {e * 10 + s}: applies to {system}.")
            book.page(here, sheet)
            listing.append((here, system))
        book.neutral(f"/help/{slug(message)}/", Sheet(f"Help: {message}").links(listing))
    hosts = [Prose("hosting", n)("{last} Hosting") for n in range(20)]
    for n, host in enumerate(hosts):
        sheet = Sheet(host).p(
            Prose("hosting", n)("Shows “{m}” for {2-40} days.", m=_ERRORS), f"Since {1994 + n}."
        )
        book.page(f"/hosts/{n}", sheet)
    book.neutral("/hosts/", Sheet("Hosts").links([(f"/hosts/{n}", h) for n, h in enumerate(hosts)]))
    messages = [(f"/help/{slug(m)}/", m) for m in _ERRORS[: 18 + run]]
    book.neutral("/", Sheet("Messages").links(messages[::-1] if run == 2 else messages))
    return book


SITES = (
    natural("manual-versions", _manual),
    natural("downloads", _downloads),
    natural("two-hosts", _two_hosts, hosts=("docs",), finish=_with_origins),
    natural("mirror", _mirror, hosts=("docs",), finish=_with_origins),
    natural(
        "mirror-that-differs",
        lambda run: _mirror(run, differing=20),
        hosts=("docs",),
        finish=_with_origins,
    ),
    natural("hash-links", _application),
    natural("fragments-and-print", _tutorials),
    natural("help-about-errors", _help_about_errors),
)
