"""Pages with status 200 that hold no content of the site make no documents, and are counted."""

from __future__ import annotations

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Request, Server, Site, page

WORDS = ("red round sweet", "green long soft", "blue small tart", "yellow hard sour")
NAMES = ("/apples", "/pears", "/plums", "/quinces")
MENU = "<nav>Home Shop News Contact Imprint</nav>"
LOGIN = page(
    title="Log in - Example",
    text="Please log in to see this page.",
    body='<form><input name="user"><input type="password" name="word"><button>Log in</button></form>',
)
CONSENT = page(
    title="Before you continue",
    text="We use cookies. By your consent we and 12 partners store cookies and personal data. "
    "Read our privacy policy, then accept or decline.",
    body="<form><button>Accept all</button><button>Decline</button></form>",
)
SHELL = (
    '<!doctype html><title>App</title><div id="root"></div>'
    "<noscript>You need to enable JavaScript to run this app.</noscript><script src=/a.js></script>"
)
PARKED = page(title="example.org", text="This domain is for sale. Buy this domain now.")
ERROR = page(title="503 Service Unavailable", text="Guru meditation. Please try again later.")
WALLS = {
    "login_wall": LOGIN,
    "consent_wall": CONSENT,
    "script_shell": SHELL,
    "parked": PARKED,
    "error_page": ERROR,
}


def orchard(town: str = "Harbour") -> Site:
    """A home page and four others, none like another, nor like those in another town."""
    texts = zip(NAMES, WORDS, strict=True)
    own = {
        name: page(title=name, text=f"{name} of {town} are {words} fruit.") for name, words in texts
    }
    return {"/": page(*NAMES, title="Fruit", text=f"Welcome to the fruit shop of {town}."), **own}


def missing(request: Request) -> Answer:
    """A soft 404 that repeats the URL, the time, and what is on offer by the hour."""
    text = (
        f"{MENU}<p>Sorry, there is no page {request.path} on this site. It is {request.number}:30."
    )
    return Answer(f"<!doctype html><title>Page not found: {request.path}</title>{text}")


@pytest.mark.behaviour("EMP-01")
def test_walls_make_no_documents_and_one_line_says_what_to_do(
    server: Server, crawl: CrawlCommand
) -> None:
    walls = {f"/{kind}": wall for kind, wall in WALLS.items()}
    site = {**orchard(), **walls, "/": page(*NAMES, *walls, text="Welcome to the fruit shop.")}
    origin = server.serve(site)
    run = crawl(origin)
    assert set(run.documents) == {f"{origin}{path}" for path in ("/", *NAMES)}
    assert {name: run.stats.get(f"sitecrawl/outcomes/{name}") for name in WALLS} == dict.fromkeys(
        WALLS, 1
    )
    (line,) = [line for line in run.log.splitlines() if "Pages without content" in line]
    assert "render=auto" in line
    assert "auth" in line
    assert run.status == 0
    _, explained = crawl.command("explain", f"{origin}/login_wall")
    assert "login_wall" in explained.replace(" ", "_")


@pytest.mark.behaviour("EMP-01")
@pytest.mark.parametrize("kind", WALLS)
def test_each_kind_can_be_kept(server: Server, crawl: CrawlCommand, kind: str) -> None:
    origin = server.serve({"/": page("/wall", text="Welcome"), "/wall": WALLS[kind]})
    others = " ".join(name for name in WALLS if name != kind)
    assert f"{origin}/wall" in crawl(origin, placeholder_pages=others).documents


@pytest.mark.behaviour("EMP-02")
def test_a_start_that_is_a_wall_is_an_error(server: Server, crawl: CrawlCommand) -> None:
    sites = {kind: server.serve({"/": wall}) for kind, wall in WALLS.items()}
    for _ in range(2):
        run = crawl(*sites.values())
        assert run.status == 1
        assert run.lines == []
        for kind, origin in sites.items():
            said = f"ERROR: start {origin}/ produced nothing: {kind.replace('_', ' ')}"
            assert said in run.log


@pytest.mark.behaviour("EMP-02")
def test_a_start_that_is_a_wall_is_an_error_beside_others(
    server: Server, crawl: CrawlCommand
) -> None:
    site = orchard()
    site |= {"/in": Answer(status=302, headers={"Location": "/login"}), "/login": LOGIN}
    origin = server.serve(site)
    run = crawl(origin, f"{origin}/in")
    assert run.status == 4
    assert f"ERROR: start {origin}/in produced nothing" in run.log
    assert len(run.documents) == 5


@pytest.mark.behaviour("EMP-03")
def test_a_wall_before_known_content_deletes_nothing(server: Server, crawl: CrawlCommand) -> None:
    """Each kind is put before a site of its own."""
    sites = {kind: orchard(kind) for kind in WALLS}
    origins = [server.serve(site) for site in sites.values()]
    assert len(crawl(*origins, recrawl=0).documents) == 5 * len(WALLS)
    for kind, site in sites.items():
        site.update(dict.fromkeys(NAMES, WALLS[kind]))
    for _ in range(4):
        assert crawl(*origins, recrawl=0).lines == []
    assert "held back" not in crawl.command("frontier", "stats")[1]
    for kind, site in sites.items():
        site.update(orchard(kind))
    server.log.clear()
    assert crawl(*origins).lines == []  # the pages are due whatever their age
    for origin in origins:
        assert set(NAMES) <= set(server.log.targets(origin))


@pytest.mark.behaviour("EMP-04")
def test_soft_404s_are_known_by_what_a_random_url_shows(
    server: Server, crawl: CrawlCommand
) -> None:
    lost = [f"/lost/{name}" for name in ("one", "two-words", "three", "four")]
    site: Site = {**orchard(), "*": missing, "/robots.txt": Answer(status=404)}
    site["/"] = page(*lost, *NAMES, title="Fruit", text="Welcome to the fruit shop.")
    origin = server.serve(site)
    run = crawl(origin)
    assert set(run.documents) == {f"{origin}{path}" for path in ("/", *NAMES)}
    assert run.stats["sitecrawl/outcomes/soft_404"] == 4
    asked = [target for target in server.log.targets(origin) if "no-such-page" in target]
    assert len(asked) == 1
    assert server.log.targets(origin)[0] == "/robots.txt"
    assert server.log.most_in_flight(origin) == 1
    assert "4 soft_404" in run.log


@pytest.mark.behaviour("EMP-04")
def test_a_site_with_a_status_of_its_own_for_missing_pages_keeps_pages_about_them(
    server: Server, crawl: CrawlCommand
) -> None:
    about = page(title="404 Not Found", text="The status 404 says that a page was not found.")
    origin = server.serve({"/": page("/404", "/b", text="Statuses"), "/404": about, "/b": about})
    assert f"{origin}/404" in crawl(origin).documents


@pytest.mark.behaviour("EMP-04")
def test_robots_txt_holds_for_the_random_url(server: Server, crawl: CrawlCommand) -> None:
    site: Site = {**orchard(), "*": missing, "/robots.txt": "User-agent: *\nDisallow: /x/no-such\n"}
    site["/"] = page("/x/a", "/x/b", title="Fruit", text="Welcome to the fruit shop.")
    origin = server.serve(site)
    crawl(origin)
    assert not [target for target in server.log.targets(origin) if "no-such" in target]


@pytest.mark.behaviour("EMP-04")
def test_a_site_that_shows_its_home_page_for_everything_keeps_it(
    server: Server, crawl: CrawlCommand
) -> None:
    home = page("/a", "/b", title="Nothing found yet", text="Welcome to us. Search to find more.")
    origin = server.serve({"*": home, "/robots.txt": Answer(status=404)})
    run = crawl(origin)
    assert set(run.documents) == {f"{origin}/"}
    assert run.status == 0


@pytest.mark.behaviour("EMP-03")
def test_known_pages_that_become_soft_404s_wait_for_a_person_when_they_are_several(
    server: Server, crawl: CrawlCommand
) -> None:
    site: Site = {**orchard(), "/robots.txt": Answer(status=404)}
    origin = server.serve(site)
    crawl(origin, recrawl=0)
    for name in NAMES:
        site[name] = missing
    site["*"] = missing
    for _ in range(4):
        run = crawl(origin, recrawl=0)
        assert run.lines == []
    assert "4 of 5 documents" in run.log
    assert "scrapy frontier confirm" in run.log
    site.update({name: orchard()[name] for name in NAMES})
    assert crawl(origin, recrawl=0).lines == []


@pytest.mark.behaviour("EMP-03")
def test_a_single_page_that_becomes_a_soft_404_is_deleted_after_three_visits(
    server: Server, crawl: CrawlCommand
) -> None:
    site: Site = {**orchard(), "/robots.txt": Answer(status=404)}
    origin = server.serve(site)
    crawl(origin, recrawl=0)
    site["/plums"] = missing
    site["*"] = missing
    deletions = [crawl(origin, recrawl=0).deletions for _ in range(3)]
    assert deletions == [{}, {}, {f"{origin}/plums": "not_found"}]


@pytest.mark.behaviour("EMP-04")
def test_an_error_page_that_does_not_say_so_is_asked_for_once_five_pages_are_alike(
    server: Server, crawl: CrawlCommand
) -> None:
    oops = page(title="Oops", text="Something went astray here, so have a look at our start page.")
    lost = [f"/lost/{number}" for number in range(12)]
    site: Site = {**orchard(), "*": lambda _: oops, "/robots.txt": Answer(status=404)}
    site["/"] = page(*lost, *NAMES, text="Fruit shop")
    site |= {path: oops.replace("Oops", f"Oops {path[6:]}") for path in lost}
    origin = server.serve(site)
    run = crawl(origin)
    assert run.stats["sitecrawl/outcomes/soft_404"] == 7
    targets = server.log.targets(origin)
    assert len([target for target in targets if "no-such-page" in target]) == 1
    assert {targets.count(path) for path in lost} == {1}


@pytest.mark.behaviour("EMP-05")
def test_pages_about_maintenance_domains_and_logins_are_documents(
    server: Server, crawl: CrawlCommand
) -> None:
    texts = {
        "/maintenance": "Maintenance of your machines by our team: we come within a day.",
        "/domains": "This domain is for sale, says a page. " + " ".join(WORDS) + " are its words.",
        "/login": "Log in with the word on your card. " + " ".join(WORDS) + " are no words for it.",
    }
    site: Site = {name: page("/", title=name, text=text) for name, text in texts.items()}
    site |= {"/": page(*texts, title="Example Ltd", text="Machines."), "/robots.txt": ""}
    origin = server.serve(site)
    run = crawl(f"{origin}/")
    assert {url.removeprefix(origin) for url in run.documents} == {"/", *texts}, run.log[-3000:]
