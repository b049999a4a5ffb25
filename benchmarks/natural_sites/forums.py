"""Forums: threads over several pages, permalinks, quotes, print views and profiles."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape

from benchmarks.natural_sites.editions import Truth, number, query, standing, version
from benchmarks.natural_sites.layouts import boxes, items, link, plain, tables
from benchmarks.natural_sites.site import MISSING, NEUTRAL, NaturalSite, Reply, Visit
from benchmarks.natural_sites.vocabulary import PLACES, dice, name_of, paragraph, person


@cache
def _size(forum: str, topic: int, run: int, longest: int) -> int:
    """The number of posts of a topic; some grow from run to run."""
    chance = dice("size", forum, topic)
    return chance.randrange(1, longest) + (run * chance.randrange(1, 4) if topic % 5 == 0 else 0)


def _title(forum: str, topic: int) -> str:
    return f"{name_of(forum, topic)} in {dice(forum, topic).choice(PLACES)}"


def _post(forum: str, topic: int, post: int, run: int) -> str:
    """The text of a post, sometimes a few words, sometimes long."""
    length = dice("length", forum, topic, post).choice((1, 1, 2, 3, 6))
    return paragraph(length, forum, topic, post, version(run, forum, topic, post, one_in=60))


def _pages(forum: str, run: int, topics: Sequence[int], longest: int, each: int) -> Truth:
    """The pages of all topics by ``topic.offset`` with the texts of their posts."""
    return {
        f"{topic}.{start}": [
            _post(forum, topic, n, run) for n in range(start, min(size, start + each))
        ]
        for topic in topics
        for size in (_size(forum, topic, run, longest),)
        for start in range(0, size, each)
    }


# A forum of 300 pages: viewtopic?t=&start=, without any other view

_LONG = 78


def _start_reply(visit: Visit) -> Reply:
    given, run, name = query(visit), visit.run, "start"
    topics = standing(run, 75, name)
    menu = (("/", "Board index"), ("/login", "Log in"), ("/faq", "FAQ"))
    if visit.path == "/login":
        return Reply(boxes("Log in", "<form><input name=user></form>", menu), "")
    if visit.path == "/faq":
        return Reply(boxes("FAQ", f"<p>{paragraph(6, name)}</p>", menu), "faq")
    if visit.path == "/":
        forums = [(f"/viewforum?f={n}", f"Forum {n}") for n in range(6)]
        return Reply(boxes("Board index", f"<ul>{items(forums)}</ul>", menu), NEUTRAL)
    if visit.path == "/viewforum":
        mine = [t for t in topics if t % 6 == number(given.get("f"))]
        rows = [(f"/viewtopic?t={t}", _title(name, t)) for t in (reversed(mine) if run else mine)]
        return Reply(boxes("Forum", f"<ul class=topics>{items(rows)}</ul>", menu), NEUTRAL)
    topic, start = number(given.get("t")), number(given.get("start", "0"))
    if visit.path != "/viewtopic" or topic not in topics or start % 10:
        return MISSING
    size = _size(name, topic, run, _LONG)
    if not 0 <= start < size:
        return MISSING
    posts = "".join(
        f"<div class=post><b>{person(name, topic, n)}</b> #{n + 1}<div>{_post(name, topic, n, run)}</div></div>"
        for n in range(start, min(size, start + 10))
    )
    pager = [(f"/viewtopic?t={topic}&start={n}", str(n // 10 + 1)) for n in range(0, size, 10)]
    content = f"<p>{items(pager, 'span')}</p>{posts}"
    return Reply(boxes(_title(name, topic), content, menu), f"{topic}.{start}")


def _start_truth(run: int) -> Truth:
    faq: Truth = {"faq": (paragraph(6, "start"),)}
    return faq | _pages("start", run, standing(run, 75, "start"), _LONG, 10)


# Profiles, which two of the forums have


def _profile(forum: str, member: int) -> list[str]:
    chance = dice("profile", forum, member)
    joined = f"{chance.randrange(1, 29)} {chance.choice(('Jan', 'May', 'Oct'))} {chance.randrange(2001, 2012)}"
    return [
        f"{person(forum, 'member', member)} from {chance.choice(PLACES)}",
        f"Joined {joined}, {chance.randrange(2, 900)} posts, {chance.randrange(1, 99)} topics",
    ]


# phpBB: permalinks of posts, quotes and print views

_MEMBERS = 20


def _posts(forum: str, run: int, topics: Sequence[int], longest: int) -> dict[int, tuple[int, int]]:
    """Topic and position of each post by its number."""
    return {
        topic * 100 + n: (topic, n)
        for topic in topics
        for n in range(_size(forum, topic, run, longest))
    }


def _phpbb(visit: Visit) -> Reply:
    given, run, name = query(visit), visit.run, "phpbb"
    topics = standing(run, 26, name)
    menu = (("./index.php", "Index"), ("./ucp.php?mode=login", "Login"), ("./search.php", "Search"))
    script = visit.path.rpartition("/")[2]
    if script in ("", "index.php"):
        rows = [(f"./viewforum.php?f={f}", f"Forum {f}") for f in (2, 3, 4)]
        return Reply(boxes("Index", f"<dl>{items(rows, 'dd')}</dl>", menu), NEUTRAL)
    if script in ("ucp.php", "search.php") or given.get("mode") in ("quote", "reply"):
        return Reply(boxes("Please log in", "<form action=login><input name=u></form>", menu), "")
    if script == "viewforum.php":
        mine = [t for t in topics if t % 3 + 2 == number(given.get("f"))]
        rows = [(f"./viewtopic.php?f={t % 3 + 2}&t={t}", _title(name, t)) for t in mine]
        last = [(f"./viewtopic.php?p={100 * t}#p{100 * t}", "View the latest post") for t in mine]
        return Reply(boxes("Topics", f"<ul>{items(rows)}</ul>{items(last, 'i')}", menu), NEUTRAL)
    if script == "memberlist.php":
        member = number(given.get("u"))
        if not 1 <= member <= _MEMBERS:
            return MISSING
        title, *lines = _profile(name, member)
        return Reply(
            boxes(title, f"<dl><dt>Statistics</dt><dd>{lines[0]}</dd></dl>", menu), f"u{member}"
        )
    return _phpbb_topic(given, run, topics, menu) if script == "viewtopic.php" else MISSING


def _phpbb_topic(
    given: Mapping[str, str], run: int, topics: Sequence[int], menu: Sequence[tuple[str, str]]
) -> Reply:
    name = "phpbb"
    by_post = _posts(name, run, topics, 36)
    topic, start = number(given.get("t")), number(given.get("start", "0"))
    if "p" in given:
        topic, position = by_post.get(number(given["p"]), (-1, 0))
        start = position // 10 * 10
    if topic not in topics or not 0 <= start < _size(name, topic, run, 36):
        return MISSING
    forum, size = topic % 3 + 2, _size(name, topic, run, 36)
    posts = ""
    for n in range(start, min(size, start + 10)):
        post, member = topic * 100 + n, dice(name, topic, n).randrange(1, _MEMBERS + 1)
        quote = link(f"./posting.php?mode=quote&f={forum}&p={post}", "Quote")
        author = link(
            f"./memberlist.php?mode=viewprofile&u={member}", person(name, "member", member)
        )
        posts += (
            f'<div id="p{post}" class="post bg{n % 2 + 1}"><p class="author">'
            f"{link(f'./viewtopic.php?p={post}#p{post}', 'Post')} by <b>{author}</b></p>"
            f'<div class="content">{_post(name, topic, n, run)}</div>{quote}</div>'
        )
    base = f"./viewtopic.php?f={forum}&t={topic}"
    if given.get("view") == "print":
        return Reply(plain(_title(name, topic), posts, ()), f"{topic}.{start}")
    pager = [(base + (f"&start={n}" if n else ""), str(n // 10 + 1)) for n in range(0, size, 10)]
    tools = [
        (f"{base}&start={start}&view=print", "Print view"),
        (f"./posting.php?mode=reply&t={topic}", "Reply"),
    ]
    content = f"<p>{items(pager, 'span')}</p>{posts}<ul>{items(tools)}</ul>"
    return Reply(boxes(_title(name, topic), content, menu), f"{topic}.{start}")


def _phpbb_truth(run: int) -> Truth:
    members: Truth = {f"u{n}": _profile("phpbb", n) for n in _members_who_post("phpbb", run)}
    return members | _pages("phpbb", run, standing(run, 26, "phpbb"), 36, 10)


def _members_who_post(name: str, run: int) -> set[int]:
    posts = _posts(name, run, standing(run, 26, name), 36).values()
    return {dice(name, topic, n).randrange(1, _MEMBERS + 1) for topic, n in posts}


# SMF: parameters by semicolon, an address for each post

_SMF_MEMBERS = 24


def _smf(visit: Visit) -> Reply:
    given, run, name = query(visit, ";"), visit.run, "smf"
    topics, script = standing(run, 60, name), f"{visit.origins.get('', '')}/index.php"
    menu = (
        (script, "Home"),
        (f"{script}?action=help", "Help"),
        (f"{script}?action=login", "Login"),
    )
    if visit.path not in ("/", "/index.php"):
        return MISSING
    action, (topic, _, part) = given.get("action", ""), given.get("topic", "").partition(".")
    if action == "profile" and 1 <= number(given.get("u")) <= _SMF_MEMBERS:
        title, *lines = _profile(name, number(given["u"]))
        return Reply(
            tables(title, f"<table><tr><td>{lines[0]}</td></tr></table>", menu), f"u{given['u']}"
        )
    if action == "printpage" and number(topic) in topics:
        size = _size(name, number(topic), run, 32)
        texts = "".join(f"<dd>{_post(name, number(topic), n, run)}</dd>" for n in range(size))
        return Reply(f"<title>Print Page</title><dl>{texts}</dl>", "")
    if action:
        return Reply(tables("Warning!", "Only registered members are allowed here.", menu), "")
    if number(topic) in topics:
        return _smf_topic(number(topic), part, run, script, menu)
    board, _, first = given.get("board", "").partition(".")
    if not board:
        rows = [(f"{script}?board={b}.0", f"Board {b}") for b in (1, 2)]
        return Reply(tables("Boards", f"<ul>{items(rows)}</ul>", menu), NEUTRAL)
    mine = [t for t in topics if t % 2 + 1 == number(board)]
    if given.get("sort"):
        mine.sort(key=lambda t: _title(name, t))
    page = mine[max(0, number(first)) :][:20]
    rows = [(f"{script}?topic={t}.0", _title(name, t)) for t in page]
    more = [(f"{script}?board={board}.{n}", str(n // 20 + 1)) for n in range(0, len(mine), 20)]
    sort = link(f"{script}?board={board}.{first};sort=subject", "Subject")
    content = f"{sort}<ul>{items(rows)}</ul>{items(more, 'b')}"
    return Reply(tables(f"Board {board}", content, menu), "" if given.get("sort") else NEUTRAL)


def _smf_topic(
    topic: int, part: str, run: int, script: str, menu: Sequence[tuple[str, str]]
) -> Reply:
    name, size = "smf", _size("smf", topic, run, 32)
    message = number(part.removeprefix("msg")) if part.startswith("msg") else -1
    start = (message - 100 * topic) // 15 * 15 if message >= 0 else number(part)
    if not 0 <= start < size or start % 15 or message >= 100 * topic + size:
        return MISSING
    posts = ""
    for n in range(start, min(size, start + 15)):
        post, member = 100 * topic + n, dice(name, topic, n).randrange(1, _SMF_MEMBERS + 1)
        own = link(f"{script}?topic={topic}.msg{post}#msg{post}", f"Re: {_title(name, topic)}")
        author = link(f"{script}?action=profile;u={member}", person(name, "member", member))
        quote = link(f"{script}?action=post;quote={post};topic={topic}.{start}", "Quote")
        posts += (
            f'<table width="100%"><tr><td class="windowbg">{author}</td><td><b>{own}</b> {quote}'
            f"<hr>{_post(name, topic, n, run)}</td></tr></table>"
        )
    pager = [(f"{script}?topic={topic}.{n}", str(n // 15 + 1)) for n in range(0, size, 15)]
    tools = [
        (f"{script}?action=printpage;topic={topic}.0", "Print"),
        (f"{script}?topic={topic}.{start}", "Top"),
    ]
    content = f"Pages: {items(pager, 'b')}{posts}{items(tools, 'i')}"
    return Reply(tables(_title(name, topic), content, menu), f"{topic}.{start}")


def _smf_truth(run: int) -> Truth:
    topics = standing(run, 60, "smf")
    posts = _posts("smf", run, topics, 32).values()
    members = {dice("smf", topic, n).randrange(1, _SMF_MEMBERS + 1) for topic, n in posts}
    profiles: Truth = {f"u{n}": _profile("smf", n) for n in members}
    return profiles | _pages("smf", run, topics, 32, 15)


# Threads with the next and the previous thread at addresses of their own: view=next


def _neighbours(visit: Visit) -> Reply:
    given, run, name = query(visit), visit.run, "neighbours"
    topics = standing(run, 52, name)
    menu = (("index.html", "Forums"), ("profile.cgi?mode=register", "Register"))
    if visit.path in ("/", "/index.html"):
        rows = "".join(
            f"<tr><td>{link(f'thread.cgi?id={t}&view=all', _title(name, t))}"
            f"<td>{_size(name, t, run, 28)}</tr>"
            for t in topics
        )
        return Reply(tables("Forums", f"<table>{rows}</table>", menu), NEUTRAL)
    if visit.path == "/profile.cgi":
        return Reply(tables("Register", "<form><input name=mail></form>", menu), "")
    topic = number(given.get("id"))
    if visit.path != "/thread.cgi" or topic not in topics:
        return MISSING
    if given.get("view") in ("next", "previous"):
        place = topics.index(topic) + (1 if given["view"] == "next" else -1)
        if not 0 <= place < len(topics):
            return Reply(
                tables("Information", "There are no more threads in this forum.", menu), ""
            )
        topic = topics[place]
    size, page = _size(name, topic, run, 28), number(given.get("page", "1"))
    if not 1 <= page <= (size + 7) // 8:
        return MISSING
    start = 8 * (page - 1)
    posts = "<hr>".join(
        f"<i>{person(name, topic, n)}:</i><br>{escape(_post(name, topic, n, run))}"
        for n in range(start, min(size, start + 8))
    )
    pager = [(f"thread.cgi?id={topic}&page={n + 1}", str(n + 1)) for n in range((size + 7) // 8)]
    around = [
        (f"thread.cgi?id={topic}&view={way}", f"{way} thread") for way in ("previous", "next")
    ]
    content = f"{items(around, 'small')}<br>{posts}<p>Page {items(pager, 'span')}"
    return Reply(tables(_title(name, topic), content, menu), f"{topic}.{start}")


def _neighbours_truth(run: int) -> Truth:
    return _pages("neighbours", run, standing(run, 52, "neighbours"), 28, 8)


# Replies below one another, each a page: /read/12-34


_REPLIES = re.compile(r"/read/(\d+)-(\d+)")


def _tree(visit: Visit) -> Reply:
    run, name = visit.run, "tree"
    topics = standing(run, 30, name)
    if visit.path == "/":
        rows = [(f"/read/{t}-0", _title(name, t)) for t in topics]
        return Reply(plain("Guestbook and discussion", f"<ul>{items(rows)}</ul>", ()), NEUTRAL)
    if visit.path.startswith("/reply/"):
        return Reply(plain("Reply", "<form><textarea></textarea></form>", ()), "")
    match = _REPLIES.fullmatch(visit.path)
    topic, post = map(int, match.groups()) if match else (-1, -1)
    size = _size(name, topic, run, 12) if topic in topics else 0
    if not 0 <= post < size:
        return MISSING
    rows = [
        (f"/read/{topic}-{n}", f"Re: {person(name, topic, n)}") for n in range(size) if n != post
    ]
    title = ("Re: " if post else "") + _title(name, topic)
    content = f"<p>{_post(name, topic, post, run)}</p><h3>Whole thread</h3><ul>{items(rows)}</ul>"
    menu = (("/", "All threads"), (f"/reply/{topic}-{post}", "Reply"))
    return Reply(plain(title, content, menu), f"{topic}-{post}")


def _tree_truth(run: int) -> Truth:
    return {
        f"{topic}-{n}": (_post("tree", topic, n, run),)
        for topic in standing(run, 30, "tree")
        for n in range(_size("tree", topic, run, 12))
    }


SITES = (
    NaturalSite("forum-start", _start_reply, _start_truth),
    NaturalSite("forum-permalinks", _phpbb, _phpbb_truth),
    NaturalSite("forum-messages", _smf, _smf_truth, start="/index.php"),
    NaturalSite("forum-neighbours", _neighbours, _neighbours_truth),
    NaturalSite("forum-tree", _tree, _tree_truth),
)
