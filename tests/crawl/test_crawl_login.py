"""Logins by a form: a site whose pages are for members, and all that goes wrong there."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import parse_qs

import pytest

from fixtures.crawls import Crawl, CrawlCommand
from fixtures.server import Answer, Page, Request, Server, page, redirect
from sitecrawl.policy.urls.login_links import LogoutLinks, leads_to_login
from sitecrawl.policy.urls.url_rules import read_target

PASSWORD = "s3cret-open"
FORM = """<title>Log in</title><form method=post action="{action}"><input type=hidden name=nonce
value=42><input name=user><input name=pass type=password><button name=go value=1>Go</button></form>"""
PATHS = tuple(f"/{n}" for n in range(12))


@dataclass
class Club:
    """A site for members; ``lives`` are the pages that a session lasts, ``wall`` its answer to others."""

    lives: int = 1_000
    wall: str = "redirect"
    action: str = "/enter"
    enter: Page | None = None
    faults: int = 0
    left: int = 0
    sessions: int = 0
    wrong: list[Request] = field(default_factory=list)

    def serve(self, server: Server) -> str:
        """Serve it; its origin."""
        pages: dict[str, Page] = {
            "*": self.member_page,
            "/robots.txt": "User-agent: *\nDisallow: /login\n",
        }
        pages |= {"/login": self.form, "/enter": self.answer, "/logout": self.logout}
        return server.serve(pages)

    def form(self, _: Request) -> Answer:
        """The page of the form."""
        if self.faults:
            self.faults -= 1
            return Answer("busy", status=503)
        return Answer(FORM.format(action=self.action))

    def answer(self, asked: Request) -> Page:
        """Take the fields."""
        sent = {name: values[0] for name, values in parse_qs(asked.body.decode()).items()}
        if sent != {"nonce": "42", "user": "me", "pass": PASSWORD, "go": "1"}:
            self.wrong.append(asked)
            return Answer(FORM.format(action=self.action))
        if self.enter is not None:
            return self.enter
        self.sessions, self.left = self.sessions + 1, self.lives
        return Answer("", 303, {"Location": "/", "Set-Cookie": f"sid=s{self.sessions}; Path=/"})

    def logout(self, _: Request) -> Answer:
        """End the session."""
        self.left = 0
        return Answer("<p>Good bye")

    def member_page(self, asked: Request) -> Page:
        """A page for members."""
        if self.left and asked.headers.get("cookie") == f"sid=s{self.sessions}":
            self.left -= 1
            return page("/logout", *PATHS, title=f"Page {asked.path}")
        walls: dict[str, Page] = {
            "redirect": redirect("/login?next=1", 302),
            "form": Answer(FORM.format(action=self.action)),
            "404": Answer("<title>Nothing</title>", 404),
        }
        return walls[self.wall]


def enter(crawl: CrawlCommand, origin: str, **options: object) -> Crawl:
    """A crawl that logs in."""
    fields = f"user=me\npass={PASSWORD}"
    return crawl(f"{origin}/", **{"login": f"{origin}/login", "login_fields": fields, **options})


def check_that_nothing_has_the_password(crawl: CrawlCommand, run: Crawl) -> None:
    """Look for it in the log, and in all files but that of the secret."""
    assert PASSWORD not in run.log
    for path in (path for path in crawl.directory.rglob("*") if path.is_file()):
        assert path.name == "secret" or PASSWORD.encode() not in path.read_bytes(), path


@pytest.mark.behaviour("SESSION-06", "SESSION-07")
@pytest.mark.parametrize("wall", ["redirect", "form", "404"])
def test_a_session_that_ends_is_begun_again(wall: str, server: Server, crawl: CrawlCommand) -> None:
    club = Club(lives=7, wall=wall)
    origin = club.serve(server)
    (crawl.directory / "secret").write_text(f"{PASSWORD}\n", encoding="utf-8")
    run = enter(
        crawl, origin, login_fields="user=me\npass=file:secret", logged_in="/logout", warc="archive"
    )
    assert run.status == 0, run.log[-3000:]
    assert set(run.documents) == {f"{origin}{path}" for path in ("/", *PATHS)}
    assert club.sessions in (2, 3)  # 13 pages, and the one after each login
    assert server.log.count("/logout", origin) == 0, "it would end the session"
    assert run.stats["sitecrawl/login/succeeded"] == club.sessions
    assert server.log.most_in_flight(origin) == 1
    check_that_nothing_has_the_password(crawl, run)
    status, told = crawl.command("explain", f"{origin}/logout")
    assert (status, "'/logout'" in told) == (1, True), told
    assert "Every document stays as it is." in crawl.command("reindex", "--dry-run")[1]


@pytest.mark.behaviour("SESSION-06")
def test_without_a_mark_the_form_tells(server: Server, crawl: CrawlCommand) -> None:
    club = Club(lives=5, wall="form", faults=1)
    run = enter(crawl, club.serve(server), login_tries=5)
    assert run.status == 0, run.log[-3000:]
    assert len(run.documents) == 13
    assert 2 < club.sessions <= 5


@pytest.mark.behaviour("SESSION-08")
def test_fields_that_are_refused_are_sent_once(
    server: Server, crawl: CrawlCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLUB_PASSWORD", PASSWORD[::-1])
    club = Club()
    origin = club.serve(server)
    run = enter(crawl, origin, login_fields="user=me\npass=env:CLUB_PASSWORD")
    assert run.status == 1
    assert len(club.wrong) == 1
    assert server.log.count("/", origin) == 0, "no page is asked for without the login"
    assert "is paused until a later run: the login at" in run.log
    assert "its fields (login_fields) were refused. Nothing is deleted." in run.log
    assert PASSWORD[::-1] not in run.log


@pytest.mark.behaviour("SESSION-07", "SESSION-08")
def test_an_end_of_the_session_beyond_all_tries_keeps_the_documents(
    server: Server, crawl: CrawlCommand
) -> None:
    club = Club(wall="404")
    origin = club.serve(server)
    assert len(enter(crawl, origin, logged_in="/logout").documents) == 13
    club.lives, club.left = 3, 0
    run = enter(crawl, origin, logged_in="/logout", login_tries=2, force=1)
    assert club.sessions == 3
    assert run.deletions == {}
    assert "the session has ended more often than login_tries allows" in run.log
    assert crawl.rows("select count(*) from url where outcome = 44") == [(0,)]


@pytest.mark.behaviour("SESSION-09")
@pytest.mark.parametrize("way", ["action", "redirect", "again", "page"])
def test_the_form_goes_to_its_own_origin_only(
    way: str, server: Server, crawl: CrawlCommand
) -> None:
    other = server.serve({"*": page(title="Elsewhere")}, "127.0.0.2")
    club = Club()
    said = f"to {other}"
    if way == "action":
        club.action = f"{other}/enter"
    elif way == "page":
        club.form = lambda _: redirect(f"{other}/login", 302)  # type: ignore[method-assign]
    else:
        club.enter = redirect(f"{other}/login" if way == "redirect" else "/enter", 307)
        said = said if way == "redirect" else "it redirects with 307"
    origin = club.serve(server)
    run = enter(crawl, origin, allow_private=1)
    assert run.status == 1
    assert said in run.log
    assert server.log.of(other) == []
    assert server.log.count("/enter", origin) == (way in {"redirect", "again"})


@pytest.mark.behaviour("SESSION-08")
def test_options_that_leave_no_login(crawl: CrawlCommand) -> None:
    login = "http://127.0.0.2:9/login"
    cases = {
        "login_fields has no fields of the form": {"login_fields": ""},
        "cookies=no leaves no session": {"cookies": "no"},
        "is at no origin of a start": {"login": login},
        "the environment has no variable NO_SUCH_THING": {"login_fields": "a=env:NO_SUCH_THING"},
        "the file none cannot be read: No such file or directory": {"login_fields": "a=file:none"},
    }
    for said, options in cases.items():
        run = enter(crawl, "http://127.0.0.1:9", **options)
        assert (run.status, len(run.log.splitlines())) == (2, 1), run.log
        assert said in run.log
        assert PASSWORD not in run.log


@pytest.mark.behaviour("SESSION-10")
@pytest.mark.parametrize("wall", ["redirect", "form"])
def test_a_wall_in_mid_crawl_pauses_the_origin(
    wall: str, server: Server, crawl: CrawlCommand
) -> None:
    club = Club(wall=wall)
    origin = club.serve(server)
    club.sessions, club.left = 1, 1_000
    cookie = "127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\ts1\n"
    (crawl.directory / "c").write_text(f"# Netscape HTTP Cookie File\n{cookie}", encoding="utf-8")
    assert len(crawl(f"{origin}/", cookie_file="c").documents) == 13
    assert server.log.count("/logout", origin) == 0
    club.left = 4
    before = len(server.log.of(origin))
    run = crawl(f"{origin}/", cookie_file="c", force=1)
    assert run.deletions == {}
    assert "5 pages in a row ask for a login" in run.log
    # The last walls may still be read when the next pages are requested.
    assert len(server.log.of(origin)) - before <= 1 + 4 + 5 + 3, "robots.txt, pages, walls"
    club.left = 1_000
    again = crawl(f"{origin}/", cookie_file="c")
    assert again.status == 0
    assert crawl.rows("select count(*) from url where outcome = 43") == [(0,)]


REFUSED = [
    "/logout",
    "/user/logout",
    "/accounts/logout/",
    "/my-account/customer-logout/",
    "/users/sign_out",
    "/signoff",
    "/wp-login.php?action=logout&_wpnonce=1",
    "/doku.php?id=start&do=logout",
    "/logout.php",
    "/?logout",
    "/index.php/Special:UserLogout",
    "/Spezial:Abmelden",
    "/index.php?option=com_users&task=user.logout",
    "/LogOff?x=1",
    "/oauth2/sign_out",
    "/?logout=1",
    "/doku.php?id=a&do=subscribe&sectok=3",
    "/a?csrf_token=3",
]
ADMITTED = [
    "/",
    "/how-to-log-out",
    "/blog/sign-out-of-office",
    "/layout",
    "/catalogue",
    "/?q=logouts",
    "/login",
    "/about/signing-off-letters",
    "/blogoffice",
    "/a?token=3",
]


@pytest.mark.behaviour("SESSION-07")
def test_names_of_logouts() -> None:
    rule = LogoutLinks(setting="cookie_file 'x'")
    for path, refused in (
        *((each, True) for each in REFUSED),
        *((each, False) for each in ADMITTED),
    ):
        assert bool(rule.refusal(read_target(f"https://logout.test{path}"))) is refused, path
    for path in [
        "/login",
        "/wp-login.php?redirect_to=x",
        "/users/sign_in",
        "/doku.php?do=login",
        "/saml2/x",
    ]:
        assert leads_to_login(f"https://a.test{path}"), path
    assert not leads_to_login("https://login.test/blogging/how-to-log-in")


@pytest.mark.slow
@pytest.mark.behaviour("SESSION-08", "SESSION-10")
def test_two_workers_share_an_end_of_the_session(server: Server, crawl: CrawlCommand) -> None:
    club = Club(wall="form")
    origin = club.serve(server)
    others = [
        server.serve({"/": page(*PATHS), "*": lambda asked: page(title=asked.path)})
        for _ in range(3)
    ]
    starts = [f"{each}/" for each in others]
    options = {"workers": 2, "delay": 0.1, "login": f"{origin}/login", "logged_in": "/logout"}
    wrong = {**options, "login_fields": "user=me\npass=wrong"}
    crawl(f"{origin}/", *starts, **wrong)
    assert len(club.wrong) == 1, "the other worker sends nothing"
    assert server.log.count("/", origin) == 0

    right = {**options, "login_fields": f"user=me\npass={PASSWORD}", "recrawl": 0}
    run = crawl(f"{origin}/", *starts, **right)
    assert {f"{origin}{path}" for path in ("/", *PATHS)} <= run.documents.keys(), run.log[-3000:]
    assert club.sessions <= 2, "each worker logs in once at most"

    club.lives, club.left, club.sessions = 3, 0, 0
    run = crawl(f"{origin}/", *starts, login_tries=2, **right)
    assert run.deletions == {}
    assert club.sessions <= 4, "each worker has tries of its own"
    assert "the session has ended more often than login_tries allows" in run.log
    assert run.log.count(f"{origin} is paused until a later run") == 1
    for other in others:
        assert all(server.log.count(path, other) >= 3 for path in PATHS)
