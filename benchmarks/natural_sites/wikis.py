"""Sites that their readers write: a wiki, questions with answers, frequent questions, a forum."""

from __future__ import annotations

from urllib.parse import quote

from benchmarks.natural_sites.building import Book, Sheet, Stock, a, chunks, natural
from benchmarks.natural_sites.prose import Prose, phrases, slug
from benchmarks.natural_sites.skins import bare, blog, grid, landmarks


def _wiki_article(book: Book, n: int, run: int, titles: dict[int, str], stock: Stock) -> None:
    prose, here = Prose("wiki", n), f"/wiki/{quote(titles[n])}"
    edition = stock.edition(n, run)
    tabs = [
        (here, "Article"),
        (f"/wiki/Talk:{quote(titles[n])}", "Discussion"),
        (f"/w.cgi?title={quote(titles[n])}&action=edit", "Edit"),
        (f"/w.cgi?title={quote(titles[n])}&action=history", "History"),
    ]
    others = prose.random.sample(sorted(titles), 5)
    versions = prose.number(2, 4) + edition
    stable = [prose.text(prose.number(1, 4)) for _ in range(prose.number(1, 5))]
    for version in range(1, versions + 1):
        changing = Prose("wiki", n, version - versions + edition).text(2)
        sheet = Sheet(titles[n].replace("_", " ")).row(*tabs, css="tabs").p(*stable, changing)
        sheet.h("See also").links(
            [(f"/wiki/{quote(titles[o])}", titles[o].replace("_", " ")) for o in others]
        )
        sheet.raw("<p>Wanted:", a(f"/w.cgi?title=Wanted_{n}&action=edit", f"Wanted {n}"), "</p>")
        if version == versions:
            book.page(here, sheet)
            book.useless(f"/w.cgi?title={quote(titles[n])}", sheet, here)
        else:
            old = f"/w.cgi?title={quote(titles[n])}&oldid={version}"
            book.useless(old, sheet)
            diff = Sheet(f"Difference between versions of {titles[n]}").raw(
                f"<del>{changing}</del>"
            )
            book.useless(f"/w.cgi?title={quote(titles[n])}&diff={version}", diff.row(*tabs))
    history = Sheet(f"History of {titles[n]}").row(*tabs, css="tabs")
    for version in range(1, versions):
        history.row(
            (f"/w.cgi?title={quote(titles[n])}&oldid={version}", f"{version} May 2019"),
            (f"/w.cgi?diff={version}&title={quote(titles[n])}", "diff"),
            (f"/wiki/User:{prose('{first}')}", "author"),
        )
    book.useless(f"/w.cgi?title={quote(titles[n])}&action=history", history)
    edit = Sheet(f"Editing {titles[n]}").raw(
        "<form method=post><textarea>", *stable, "</textarea></form>"
    )
    book.useless(f"/w.cgi?title={quote(titles[n])}&action=edit", edit)
    book.useless(f"/w.cgi?title=Wanted_{n}&action=edit", Sheet(f"Editing Wanted {n}"))
    if n % 4 == 0:
        talk = Sheet(f"Talk:{titles[n]}").p(
            prose("{sentence} – {first}, {1-28} {month} {2008-2019}")
        )
        book.page(f"/wiki/Talk:{quote(titles[n])}", talk.row(*tabs))
    else:
        book.useless(
            f"/wiki/Talk:{quote(titles[n])}", Sheet("No discussion of this page exists yet.")
        )


def _wiki(run: int) -> Book:
    stock = Stock("wiki", 110)
    special = [(f"/wiki/Special:{name}", name) for name in ("AllPages", "RecentChanges", "Random")]
    book = Book(
        landmarks("Valley Wiki", [*special, ("/w.cgi?action=login", "Log in")]),
        "title action oldid diff",
    )
    titles = {
        n: Prose("wiki title", n).title("{town} {thing}").replace(" ", "_")
        for n in stock.living(run)
    }
    for n in titles:
        _wiki_article(book, n, run, titles, stock)
    ranked = sorted(titles.values())
    every = Sheet("All pages").links([(f"/wiki/{quote(t)}", t) for t in ranked])
    book.neutral("/wiki/Special:AllPages", every)
    recent = Sheet("Recent changes").links([(f"/wiki/{quote(t)}", t) for t in ranked[run::3]])
    book.useless("/wiki/Special:RecentChanges", recent)
    book.moved("/wiki/Special:Random", f"/wiki/{quote(ranked[7 + run])}")
    book.moved("/", "/wiki/Main_Page", 301)
    main = (
        Sheet("Main Page")
        .p(Prose("wiki main", run).text(3))
        .links([(f"/wiki/{quote(ranked[0])}", "First")])
    )
    book.page("/wiki/Main_Page", main)
    book.useless("/w.cgi?action=login", Sheet("Log in").raw("<form></form>"))
    for first in sorted({Prose("wiki", n)("{first}") for n in range(3)}):
        book.useless(f"/wiki/User:{first}", Sheet(f"User:{first}"))
    return book


_TROUBLES = [
    "Why does my {thing} become {quality} in {month}?",
    "How do I get {quality} {things} out of a {material} {thing}?",
    "Is a {quality} {thing} better than {2-9} {things}?",
    "Can the {thing} be {done} without a {person}?",
    "Which {material} for a {quality} {thing}?",
]


def _question_lists(book: Book, living: list[int], titles: dict[int, str]) -> None:
    for start in range(0, len(living), 15):
        for sort in ("", "votes", "active"):
            ranked = (
                living[::-1]
                if not sort
                else sorted(living, key=lambda n: Prose(sort, n).number(0, 99))
            )
            sheet = Sheet("All questions")
            sheet.links(
                [
                    (f"/questions/{n}/{slug(titles[n])}", titles[n])
                    for n in ranked[start : start + 15]
                ]
            )
            extra = f"&sort={sort}" if sort else ""
            sheet.row(
                *((f"/questions?start={s}{extra}", str(s)) for s in range(0, len(living), 15))
            )
            sheet.row(*((f"/questions?sort={s}&start=0", s) for s in ("votes", "active")))
            (book.useless if sort else book.neutral)(f"/questions?start={start}{extra}", sheet)


def _questions(run: int) -> Book:
    stock = Stock("questions", 160, 5200)
    book = Book(grid("Ask a Craftsman", [("/questions?start=0", "Questions"), ("/tags", "Tags"),
                     ("/users", "Users"), ("/users/login", "Log in")]), "start sort answertab")  # fmt: skip
    living = stock.living(run)
    titles = {n: Prose("trouble", n)("{t}", t=_TROUBLES) for n in living}
    members = {u: Prose("craftsman", u)("{first}{10-99}") for u in range(300, 340)}
    for n in living:
        prose, here = Prose("trouble text", n), f"/questions/{n}/{slug(titles[n])}"
        answers = [prose.text(prose.number(1, 4)) for _ in range(prose.number(0, 4))]
        answers += [Prose("late", n, e).text(2) for e in range(stock.edition(n, run))]
        asked = prose("{t} {sentence} {sentence}", t=_TROUBLES)
        author, related = 300 + n % 40, prose.random.sample(living, 4)
        tag = ("wood", "metal", "masonry", "glass")[n % 4]
        for order in ("", "votes", "oldest"):
            sheet = Sheet(titles[n]).near([("/questions?start=0", "Questions")],
                                          [(f"/questions/{r}/{slug(titles[r])}", titles[r]) for r in related])  # fmt: skip
            sheet.p(asked)
            sheet.row((f"/questions/tagged/{tag}", tag), (f"/users/{author}", members[author]))
            sheet.h(f"{len(answers)} answers").row(
                *((f"{here}?answertab={t}#tab-top", t) for t in ("votes", "oldest"))
            )
            sheet.p(*(answers if order != "oldest" else answers[::-1]), tag='div class="answer"')
            sheet.row((f"/posts/{n}/edit", "improve"), (f"/q/{n}/{author}", "share"))
            if order:
                book.useless(f"{here}?answertab={order}", sheet, here)
            else:
                book.page(here, sheet)
        book.moved(f"/q/{n}/{author}", here, 301)
        book.moved(f"/posts/{n}/edit", "/users/login")
    _question_lists(book, living, titles)
    for u, member in members.items():
        mine = [n for n in living if 300 + n % 40 == u]
        sheet = Sheet(member).links(
            [(f"/questions/{n}/{slug(titles[n])}", titles[n]) for n in mine]
        )
        if u % 3:
            book.neutral(f"/users/{u}", sheet)
        else:
            book.page(
                f"/users/{u}", sheet.p(Prose("about", u)("I am a {person} from {town}. {sentence}"))
            )
    book.neutral("/users", Sheet("Users").links([(f"/users/{u}", m) for u, m in members.items()]))
    for place, tag in enumerate(("wood", "metal", "masonry", "glass")):
        tagged = [n for n in living if n % 4 == place]
        sheet = Sheet(tag).links([(f"/questions/{n}/{slug(titles[n])}", titles[n]) for n in tagged])
        book.neutral(f"/questions/tagged/{tag}", sheet)
    tags = [(f"/questions/tagged/{tag}", tag) for tag in ("wood", "metal", "masonry", "glass")]
    book.neutral("/tags", Sheet("Tags").links(tags))
    book.useless("/users/login", Sheet("Log in").raw("<form></form>"))
    book.moved("/", "/questions?start=0")
    return book


def _frequent(run: int) -> Book:
    stock = Stock("frequent", 64)
    topics = phrases("Accounts|Delivery|Payment|Returns|Gift cards")
    book = Book(
        blog("Help | Bellamy Books", [("/faq/", "Questions"), ("/faq/contact/", "Contact")]),
        "helpful",
    )
    asked = [
        "Can I have my {thing} {done} in {month}?",
        "What happens if the {thing} is {quality}?",
        "How long does a {quality} parcel to {town} take?",
        "Do you accept {things} instead of {material}?",
        "Who has {done} my {thing}?",
    ]
    said = [
        "Yes, within {2-30} days.", "No.", "Please write to {first} at our office in {town}.",
        "This takes {2-9} days, for {quality} parcels {10-20}.", "You find it under “{quality} {things}”.",
        "Only if the {person} has {done} it first.", "It costs {1-40} pounds.",
    ]  # fmt: skip
    titles = {n: Prose("asked", n)("{q}", q=asked) for n in stock.living(run)}
    for n, title in titles.items():
        prose, topic = Prose("asked", n, stock.edition(n, run)), topics[n % 5]
        here = f"/faq/{slug(topic)}/{slug(title)}-{n}/"
        sheet = Sheet(title).p(
            prose.text(1 + n % 3, "{s}", s=said), f"Question {n} of our {topic} team."
        )
        sheet.row((f"{here}?helpful=yes", "Yes"), (f"{here}?helpful=no", "No"), css="vote")
        sheet.near([("/faq/", "Questions"), (f"/faq/{slug(topic)}/", topic)])
        book.page(here, sheet)
        for vote in ("yes", "no"):
            book.useless(f"{here}?helpful={vote}", Sheet("Thank you for your vote!"))
    for place, topic in enumerate(topics):
        mine = [
            (f"/faq/{slug(topic)}/{slug(t)}-{n}/", t) for n, t in titles.items() if n % 5 == place
        ]
        book.neutral(f"/faq/{slug(topic)}/", Sheet(topic).links(mine[run:] + mine[:run], css="faq"))
    book.neutral("/faq/", Sheet("Help").links([(f"/faq/{slug(t)}/", t) for t in topics]))
    book.moved("/", "/faq/")
    contact = Prose("faq contact")("Write to {name}, {2-90} {thing} Street, {town}.")
    book.page("/faq/contact/", Sheet("Contact").p(contact).raw("<form method=post></form>"))
    return book


def _thread(book: Book, t: int, edition: int) -> None:
    prose = Prose("thread", t)
    title, f = prose.title(), t % 4 + 1
    posts = [prose.text(prose.number(1, 4)) for _ in range(prose.number(1, 24))]
    posts += [Prose("thread", t, later).text(2) for later in range(edition)]
    pages = [posts[start : start + 10] for start in range(0, len(posts), 10)]
    here = f"viewtopic.php?f={f}&t={t}"
    for place, part in enumerate(pages):
        sheet = Sheet(title if not place else f"{title}, page {place + 1}")
        start = f"&start={place * 10}" if place else ""
        for n, post in enumerate(part):
            sheet.p(post)
            sheet.row((f"viewtopic.php?p={t * 30 + place * 10 + n}#p{n}", f"#{place * 10 + n + 1}"),
                      (f"memberlist.php?mode=viewprofile&u={t % 17}", prose("{first}")),
                      (f"posting.php?mode=quote&p={t * 30 + n}", "Quote"))  # fmt: skip
            name = f"thread {t}{start}"
            book.useless(f"/viewtopic.php?p={t * 30 + place * 10 + n}", sheet, name)
            book.useless(
                f"/posting.php?mode=quote&p={t * 30 + n}", Sheet("You must log in to post")
            )
        sheet.row(*((f"{here}&start={p * 10}", str(p + 1)) for p in range(len(pages))),
                  (f"{here}{start}&view=print", "Print view"))  # fmt: skip
        book.page(f"/{here}{start}", sheet, name)
        if not place:
            book.useless(f"/{here}&start=0", sheet, name)
        book.useless(f"/{here}{start}&view=print", sheet, name)


def _forum(run: int) -> Book:
    stock = Stock("forum", 90, 700)
    boards = phrases("General|For sale|Engines|Meetings")
    menu = [(f"viewforum.php?f={f}", name) for f, name in enumerate(boards, 1)]
    book = Book(bare("Traction Engine Forum", [("index.php", "Index"), *menu, ("ucp.php", "Login")]),
                "f t p start u view mode")  # fmt: skip
    living = stock.living(run)
    for t in living:
        _thread(book, t, stock.edition(t, run))
    for f, board in enumerate(boards, 1):
        lists = chunks([t for t in living[::-1] if t % 4 + 1 == f], 10)
        for page, members in enumerate(lists):
            topics = [(f"viewtopic.php?t={t}&f={f}", Prose("thread", t).title()) for t in members]
            sheet = Sheet(board).links(topics)
            sheet.row(
                *((f"viewforum.php?f={f}&start={p * 10}", str(p + 1)) for p in range(len(lists)))
            )
            for target in {f"/viewforum.php?f={f}&start={page * 10}", f"/viewforum.php?f={f}"}:
                if page == 0 or "start" in target:
                    book.neutral(target, sheet)
    for target in ("/", "/index.php"):
        book.neutral(target, Sheet("Boards").links(menu))
    for u in range(17):
        book.useless(f"/memberlist.php?mode=viewprofile&u={u}", Sheet("Log in to see profiles"))
    book.useless("/ucp.php", Sheet("Login").raw("<form method=post></form>"))
    return book


SITES = (
    natural("wiki", _wiki),
    natural("questions", _questions),
    natural("frequent-questions", _frequent, gone=410),
    natural("forum", _forum),
)
