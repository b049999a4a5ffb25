"""Pages made by scripts, as a real Chromium shows them."""

from __future__ import annotations

import os
import shutil

from fixtures.applications import NEVER_LOADED, application, shell
from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page
from sitecrawl.config.installed_browser import find_chromium
from sitecrawl.policy.outcomes import Outcome
from tests.render.conftest import VIEWS, Result


def test_an_application_is_read_view_by_view(rendered: Result) -> None:
    assert rendered.crawl.status == 0, rendered.crawl.log[-3000:]
    for path in VIEWS:
        assert f"This is the view of {path}" in rendered.text(path)
        assert rendered.crawl.documents[f"{rendered.origin}{path}"]["title"] == f"View {path}"
        assert "JavaScript" not in rendered.text(path)


def test_content_that_comes_late_is_waited_for(rendered: Result) -> None:
    assert "The late text" in rendered.text("/late")
    assert rendered.log.count("/found") == 1


def test_a_page_that_grows_as_one_scrolls_is_scrolled_so_many_times(rendered: Result) -> None:
    batches = {
        int(word.split(".")[0]) for word in rendered.text("/scrolling").split() if "." in word
    }
    assert batches == {1, 2, 3, 4, 5, 6}  # what there was, and five scrolls


def test_dialogs_are_closed_and_windows_not_opened(rendered: Result) -> None:
    assert "After the dialogs: false" in rendered.text("/dialogs")
    assert rendered.log.count("/popup") == 0


def test_a_redirect_by_script_is_recorded_and_its_target_visited_by_itself(
    rendered: Result,
) -> None:
    outcome, reason, status, target, _ = rendered.rows["/leading"]
    assert (outcome, reason, status) == (Outcome.REDIRECT, "script", 200)
    assert target == f"{rendered.origin}/arrived"
    assert rendered.log.count("/arrived") == 1
    assert "Arrived" in rendered.text("/arrived")


def test_at_whatever_moment_a_script_leads_on_it_disturbs_no_page(
    server: Server, crawl: CrawlCommand
) -> None:
    moments = range(0, 400, 20)
    site: dict[str, Page] = {
        f"/from/{after}": shell(str(after), f"setTimeout(() => location.href = '/to', {after});")
        for after in moments
    }
    site["/again"] = shell("Again", "location.reload();")
    site["/anew"] = shell("Anew", "setTimeout(() => { document.open(); document.write('New'); });")
    origin = server.serve({"/": page(*site, title="Contents"), "/to": page(title="To"), **site})
    done = crawl(f"{origin}/", render="playwright", politeness=0, requests_per_origin=4)
    assert done.status == 0, done.log[-3000:]
    query = "select count(*) from url where outcome = ? and redirect_to = ?"
    assert crawl.rows(query, Outcome.REDIRECT, f"{origin}/to") == [(len(moments),)]
    assert done.documents[f"{origin}/anew"]["body"] == "New"
    assert all(server.log.count(path) == 1 for path in site)
    assert done.stats["sitecrawl/render/pages"] == len(site)
    assert done.stats["playwright/browser_count"] == 1


COMPONENTS = """
customElements.define('x-card', class extends HTMLElement {
    connectedCallback() {
        this.attachShadow({mode: 'open'}).innerHTML = '<style>h2 { color: red }</style>'
            + '<h2>Card</h2><slot name=text>nothing</slot> <x-more></x-more>';
    }
});
customElements.define('x-more', class extends HTMLElement {
    constructor() { super(); window.made = (window.made || 0) + 1; }
    connectedCallback() {
        this.attachShadow({mode: 'open'}).innerHTML = '<a href=/more>more ' + made + '</a>';
    }
});"""


def test_what_components_show_is_read_in_its_place(server: Server, crawl: CrawlCommand) -> None:
    card = "<x-card>unseen<b slot=text>of light</b></x-card><x-card></x-card><p>End</p>"
    shown = shell("Components", f"{COMPONENTS} document.body.innerHTML += {card!r};")
    origin = server.serve({"/": shown, "/more": page(title="More")})
    done = crawl(f"{origin}/", render="playwright")
    body = done.documents[f"{origin}/"]["body"]
    assert body.split("\n")[-7:] == [
        "Card",
        "of light",
        "more 1",
        "Card",
        "nothing",
        "more 2",
        "End",
    ]
    assert f"{origin}/more" in done.documents


def test_a_page_that_never_ends_loading_is_taken_as_it_is(
    server: Server, crawl: CrawlCommand
) -> None:
    hanging = Answer("", delay=300)
    origin = server.serve({"/": NEVER_LOADED, "/hanging": hanging, "/hanging.js": hanging})
    done = crawl(f"{origin}/", render="playwright", render_time=3)
    assert "What there is" in done.documents[f"{origin}/"]["body"]
    assert done.stats["sitecrawl/render/unfinished"] == 1


def test_all_others_came_to_an_end(rendered: Result) -> None:
    assert rendered.crawl.stats["sitecrawl/render/unfinished"] == 0


def test_noindex_that_a_script_sets_is_obeyed(rendered: Result) -> None:
    assert rendered.rows["/hiding"][:2] == (Outcome.NOINDEX, "noindex")
    assert f"{rendered.origin}/hiding" not in rendered.crawl.documents


def test_robots_txt_holds_for_links_made_by_scripts(rendered: Result) -> None:
    assert rendered.rows["/private"][0] == Outcome.BLOCKED_BY_ROBOTS_TXT
    assert rendered.log.count("/private") == 0


def test_each_document_is_asked_for_once_and_pages_one_after_the_other(rendered: Result) -> None:
    for path in VIEWS:
        assert rendered.log.count(path) == 1
    ended = 0.0
    for each in rendered.log.of(rendered.origin):
        assert each.started >= ended, each.target
        ended = each.ended or 0.0


def test_the_reason_is_reported(rendered: Result) -> None:
    assert rendered.rows["/one"][4] == "rendered: asked (every page with scripts)"
    assert rendered.crawl.stats["sitecrawl/render/asked"] == 8
    assert rendered.crawl.stats["playwright/browser_count"] == 1


def test_what_did_not_change_never_starts_the_browser_and_the_browser_is_renewed(
    server: Server, crawl: CrawlCommand
) -> None:
    site = application({"/": ("/one",), "/one": ("/two",), "/two": ()})
    for path in ("/", "/one", "/two"):
        site[path] = Answer(str(site[path]), headers={"ETag": f'"{path}"', "X-Seen": "yes"})
    origin = server.serve(site)
    first = crawl(f"{origin}/", render="playwright", render_restart=2)
    assert len(first.documents) == 3
    assert first.documents[f"{origin}/one"]["etag"] == '"/one"'
    assert first.stats["playwright/browser_count"] == 2
    server.log.clear()
    again = crawl(f"{origin}/", render="playwright", recrawl=0)
    assert again.lines == []
    assert [each.status for each in server.log.of(origin) if each.target != "/robots.txt"] == [
        304,
        304,
        304,
    ]
    assert "playwright/browser_count" not in again.stats


def test_pages_reach_no_private_address_and_load_no_pictures(
    server: Server, crawl: CrawlCommand
) -> None:
    secret = server.serve({"*": Answer("secret", headers={"Access-Control-Allow-Origin": "*"})})
    inside = server.serve({"*": "secret"}, address="127.0.0.2")
    script = f"""const say = text => document.getElementById('root').append(text + ' ');
      const ask = url => fetch(url).then(a => a.text()).catch(() => 'lost').then(say);
      say('begun'); ask('{inside}/data'); ask('http://localhost.:1/x');
      new WebSocket('{inside.replace("http", "ws")}/socket'); new Image().src = '/picture.png';
      document.body.insertAdjacentHTML('beforeend', '<iframe src="/framed"></iframe>');"""
    origin = server.serve({"/": shell("Asking", script), "/framed": page(title="Framed")})
    done = crawl(f"{origin}/", render="playwright", max_pages=1)
    assert "begun" in done.documents[f"{origin}/"]["body"]
    assert "secret" not in done.documents[f"{origin}/"]["body"]
    assert server.log.connected(inside) == 0
    assert done.stats["sitecrawl/render/refused_connections"] >= 2
    assert server.log.targets(origin) == ["/robots.txt", "/"]
    assert server.log.connected(secret) == 0


def test_chromium_is_found_where_it_is_installed() -> None:
    assert find_chromium(os.environ) == shutil.which("chromium")
    assert find_chromium({"CHROMIUM": "sh", "PATH": os.environ["PATH"]}) == shutil.which("sh")
    assert find_chromium({"PATH": "/nowhere"}) is None


def test_a_name_of_localhost_is_rendered(server: Server, crawl: CrawlCommand) -> None:
    shown = shell("Local", "document.body.append('Shown here')")
    port = server.serve({"/": shown, "/robots.txt": ""}).rpartition(":")[2]
    origin = f"http://app.localhost:{port}"
    done = crawl(f"{origin}/", render="playwright")
    assert "Shown here" in done.documents[f"{origin}/"]["body"], done.log[-3000:]
