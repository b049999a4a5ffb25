"""Crawls of a real DokuWiki and a real WordPress that log in as their user."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fixtures.crawls import Crawl, CrawlCommand
from fixtures.php_sites import DOKUWIKI, USER, WORDPRESS, PhpSite, dokuwiki, missing, wordpress
from fixtures.server import Server, page
from sitecrawl.policy.urls.login_links import LogoutLinks
from sitecrawl.policy.urls.url_rules import read_target

PASSWORD = "open-s3same"
PAGES = {
    "start": "====== Start ======\nWelcome to the [[first]] and the [[second]].",
    "first": "====== First ======\nThe text of the first page.",
    "second": "====== Second ======\nThe text of the second page, and [[third]].",
    "third": "====== Third ======\nThe text of the third page.",
}
pytestmark = pytest.mark.slow


def check(site: PhpSite, crawl: CrawlCommand, run: Crawl) -> None:
    """Check that nothing ended the session or acted in it, and nothing holds the password."""
    rule = LogoutLinks(setting="login")
    for target in site.targets():
        assert not rule.refusal(read_target(f"{site.origin}{target}")), target
    assert run.stats["sitecrawl/login/succeeded"] == 1
    assert run.stats["sitecrawl/rules/logout"] > 0
    assert PASSWORD not in run.log
    for path in (path for path in crawl.directory.glob("*") if path.is_file()):
        assert PASSWORD.encode() not in path.read_bytes(), path


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the site stands, beside the crawl."""
    return tmp_path_factory.mktemp("site")


@pytest.mark.behaviour("SESSION-06", "SESSION-07")
@pytest.mark.skipif(not DOKUWIKI.is_dir() or bool(missing("php")), reason="dokuwiki, php-cli")
def test_dokuwiki(folder: Path, crawl: CrawlCommand) -> None:
    with dokuwiki(folder, PAGES, PASSWORD) as site:
        form = f"{site.origin}/doku.php?id=start&do=login"
        fields = f"u={USER}\np={PASSWORD}"
        start = f"{site.origin}/doku.php"
        anonymous = crawl(start, name="anonymous")
        assert not any("The text of" in each["body"] for each in anonymous.documents.values())
        run = crawl(start, login=form, login_fields=fields, logged_in="do=logout")
        assert run.status == 0, run.log[-3000:]
        bodies = " ".join(each["body"] for each in run.documents.values())
        assert all(
            f"The text of the {name} page" in bodies for name in ("first", "second", "third")
        )
        check(site, crawl, run)

        for session in folder.glob("sess_*"):
            session.unlink()  # the wiki forgets its users
        again = crawl(start, login=form, login_fields=fields, force=1)
        assert again.status == 0, again.log[-3000:]
        assert again.deletions == {}

        before = len(site.targets())
        wrong = crawl(start, login=form, login_fields=f"u={USER}\np=wrong", force=1)
        assert "its fields (login_fields) were refused" in wrong.log
        assert wrong.deletions == {}
        assert len(site.targets()) - before <= 3, "robots.txt, the form, the fields"


@pytest.mark.behaviour("SESSION-06", "SESSION-08")
@pytest.mark.skipif(not DOKUWIKI.is_dir() or bool(missing("php")), reason="dokuwiki, php-cli")
def test_two_workers_in_dokuwiki(folder: Path, crawl: CrawlCommand, server: Server) -> None:
    others = [
        f"{server.serve({'/': page(*map(str, range(20))), '*': page(title='P')})}/"
        for _ in range(3)
    ]
    with dokuwiki(folder, PAGES, PASSWORD) as site:
        starts = (f"{site.origin}/doku.php", *others)
        options = {"login": f"{site.origin}/doku.php?id=start&do=login", "workers": 2}
        options["logged_in"] = "do=logout"
        wrong = crawl(*starts, login_fields=f"u={USER}\np=wrong", **options)
        assert "its fields (login_fields) were refused" in wrong.log
        assert site.log.read_text("utf-8").count("POST /") == 1, "neither sends them again"
        run = crawl(*starts, login_fields=f"u={USER}\np={PASSWORD}", **options)
        bodies = " ".join(each["body"] for each in run.documents.values())
        assert "The text of the third page" in bodies, run.log[-3000:]
        assert site.log.read_text("utf-8").count("POST /") in (2, 3), "once by each worker"


@pytest.mark.behaviour("SESSION-06", "SESSION-07")
@pytest.mark.skipif(
    not WORDPRESS.is_dir() or bool(missing("php", "mariadbd")),
    reason="wordpress, php-cli, mariadb-server-core",
)
def test_wordpress(folder: Path, crawl: CrawlCommand) -> None:
    with wordpress(folder, PASSWORD) as site:
        start = f"{site.origin}/"
        options = {"login": f"{site.origin}/wp-login.php", "logged_in": "action=logout"}
        options["login_fields"] = f"log={USER}\npwd={PASSWORD}"
        run = crawl(start, delay=0, **options)
        assert run.status == 0, run.log[-3000:]
        bodies = " ".join(each["body"] for each in run.documents.values())
        assert "The text for public." in bodies
        assert "The text for members." in bodies
        check(site, crawl, run)
        posts = [each for each in run.documents if re.search(r"\?p=\d+$", each)]
        assert len(posts) >= 3, "the post of the installation, too"
