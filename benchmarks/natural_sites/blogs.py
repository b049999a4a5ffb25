"""Blogs: pages of comments, tags, categories, archives by month, feeds and trackbacks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from html import escape

from benchmarks.natural_sites.editions import Truth, number, query, standing, version
from benchmarks.natural_sites.layouts import boxes, items, landmarks, link, paragraphs
from benchmarks.natural_sites.site import MISSING, NEUTRAL, NaturalSite, Reply, Visit
from benchmarks.natural_sites.vocabulary import dice, name_of, paragraph, person

# Comments on pages of their own below the same article: ?id=&cpage=

_EACH = 6


def _comments(run: int, post: int) -> list[str]:
    count = dice("comments", post).choice((0, 2, 5, 9, 14, 20)) + (run if post % 7 == 0 else 0)
    return [
        f"{person('c', post, n)} says: {paragraph(1 + n % 2, 'c', post, n)}" for n in range(count)
    ]


def _article(run: int, post: int) -> list[str]:
    edited = version(run, "cpage", post)
    return [paragraph(4, "cpage", post, edited), paragraph(3, "cpage", post, "end")]


def _comment_pages(visit: Visit) -> Reply:
    given, run = query(visit), visit.run
    posts = standing(run, 60, "cpage", new=2)
    latest = [(f"?id={n}", name_of("cpage", n)) for n in posts[-5:]]
    side = f"<h4>Latest posts</h4><ul>{items(latest)}</ul>"
    menu = (("/", "Blog"), ("/?rss=1", "RSS"), ("/admin", "Log in"))
    if visit.path != "/":
        return (
            MISSING if visit.path != "/admin" else Reply(boxes("Log in", "<form></form>", menu), "")
        )
    if "rss" in given:
        text = "".join(f"<item><title>{name_of('cpage', n)}</title></item>" for n in posts[-5:])
        return Reply(
            f"<rss><channel>{text}</channel></rss>", headers={"Content-Type": "application/rss+xml"}
        )
    if "id" not in given:
        page = max(1, number(given.get("page", "1")))
        shown = posts[::-1][10 * page - 10 : 10 * page]
        teasers = "".join(
            f"<h3>{link(f'?id={n}', name_of('cpage', n))}</h3><p>{_article(run, n)[0][:150]} ...</p>"
            for n in shown
        )
        older = link(f"?page={page + 1}", "Older posts") if shown and shown[-1] != posts[0] else ""
        return Reply(boxes("Notes", teasers + older, menu, side), NEUTRAL)
    post, page = number(given["id"]), number(given.get("cpage", "1"))
    if post not in posts:
        return MISSING
    comments = _comments(run, post)
    pages = max(1, (len(comments) + _EACH - 1) // _EACH)
    if not 1 <= page <= pages:
        return MISSING
    shown_comments = comments[_EACH * (page - 1) : _EACH * page]
    listed = "".join(f"<div class=comment>{escape(each)}</div>" for each in shown_comments)
    pager = [(f"?id={post}&cpage={n + 1}", f"Comments {n + 1}") for n in range(pages) if pages > 1]
    content = f"{paragraphs(_article(run, post))}<h4>{len(comments)} comments</h4>{listed}{items(pager, 'b')}"
    return Reply(boxes(name_of("cpage", post), content, menu, side), f"{post}.{page}")


def _comment_truth(run: int) -> Truth:
    found: Truth = {}
    for post in standing(run, 60, "cpage", new=2):
        comments, article = _comments(run, post), _article(run, post)
        found[f"{post}.1"] = [*article, *comments[:_EACH]]
        for start in range(_EACH, len(comments), _EACH):
            found[f"{post}.{start // _EACH + 1}"] = comments[start : start + _EACH]
    return found


# A blog of known software without its name: dated addresses, tags, archives, feeds, trackbacks

_TAGS = ("walks", "repairs", "recipes", "reading", "garden", "trains", "music", "winter")
_POST = re.compile(r"/(\d{4})/(\d\d)/([a-z-]+)-(\d+)/(feed/|trackback/|)")
_LIST = re.compile(r"/(tag/\w+|category/\w+|author/\w+|\d{4}|\d{4}/\d\d|)/?(page/(\d+)/)?(feed/)?")
_FIXED = {"/about/": "about", "/imprint": "imprint", "/contact/": "contact"}


def _month(post: int) -> str:
    return f"{2016 + post // 24}/{post // 2 % 12 + 1:02}"


def _path(post: int) -> str:
    return f"/{_month(post)}/{name_of('blog', post).lower().replace(' ', '-')}-{post}/"


def _tags(post: int) -> list[str]:
    return dice("tags", post).sample(_TAGS, 3)


def _blog_lines(run: int, post: int) -> list[str]:
    length = dice("blog", "length", post).choice((1, 2, 3, 8))
    lines = [
        paragraph(length, "blog", post, part, version(run, "blog", post, part)) for part in (1, 2)
    ]
    return lines + [paragraph(1, "blog", post, "c", n) for n in range(post % 4)]


def _blog(visit: Visit) -> Reply:
    given, run, path = query(visit), visit.run, visit.path
    posts = standing(run, 96, "blog", new=2)
    if path == "/" and number(given.get("p")) in posts:
        return Reply(status=301, headers={"Location": _path(number(given["p"]))})
    if path in _FIXED:
        return _framed(
            run, _FIXED[path].title(), f"<p>{paragraph(3, 'blog', path)}</p>", _FIXED[path]
        )
    if path in ("/wp-login.php", "/xmlrpc.php", "/search/"):
        return Reply("<title>Log in</title><form><input name=log></form>", "")
    match = _POST.fullmatch(path)
    if not match:
        return _blog_list(run, posts, path)
    post = int(match[4])
    if post not in posts or not path.startswith(_path(post)):
        return MISSING
    if match[5] == "trackback/":
        return Reply(status=302, headers={"Location": _path(post)})
    return _feed([post]) if match[5] else _blog_post(run, post)


def _blog_list(run: int, posts: Sequence[int], path: str) -> Reply:
    match = _LIST.fullmatch(path)
    if not match:
        return MISSING
    chosen = [post for post in posts if _is_listed(post, match[1])][::-1]
    page = int(match[3] or 1)
    shown = chosen[8 * page - 8 : 8 * page]
    if not shown:
        return MISSING
    if match[4]:
        return _feed(shown)
    base = f"/{match[1]}/".replace("//", "/")
    more = link(f"{base}page/{page + 1}/", "Older entries") if chosen[8 * page :] else ""
    newer = link(f"{base}page/{page - 1}/" if page > 2 else base, "Newer") if page > 1 else ""
    teasers = "".join(
        f"<h2>{link(_path(n), name_of('blog', n))}</h2><p>{_blog_lines(run, n)[0][:120]}</p>"
        for n in shown
    )
    return _framed(run, match[1] or "Journal", teasers + more + newer, NEUTRAL)


def _is_listed(post: int, chosen: str) -> bool:
    kind, _, value = chosen.partition("/")
    tags = _tags(post)
    if kind == "tag":
        return value in tags
    if kind == "category":
        return value == tags[0][:1]
    if kind == "author":
        return value == ("anna", "ben")[post % 2]
    return _month(post).startswith(chosen)


def _feed(posts: Sequence[int]) -> Reply:
    rows = "".join(
        f"<item><title>{name_of('blog', n)}</title><link>{_path(n)}</link></item>" for n in posts
    )
    headers = {"Content-Type": "application/rss+xml; charset=UTF-8"}
    return Reply(
        f'<?xml version="1.0"?><rss version="2.0"><channel>{rows}</channel></rss>', headers=headers
    )


def _blog_post(run: int, post: int) -> Reply:
    path, lines = _path(post), _blog_lines(run, post)
    comments = "".join(
        f'<li id="comment-{post}{n}"><cite>{person("b", post, n)}</cite><p>{line}</p>'
        f'<a rel="nofollow" href="{path}?replytocom={post}{n}#respond">Reply</a></li>'
        for n, line in enumerate(lines[2:])
    )
    tags = [(f"/tag/{tag}/", tag) for tag in _tags(post)] + [
        (f"/category/{_tags(post)[0][:1]}/", "Filed")
    ]
    by = link(f"/author/{('anna', 'ben')[post % 2]}/", ("Anna", "Ben")[post % 2])
    tools = [
        (f"{path}trackback/", "Trackback"),
        (f"{path}feed/", "Comments feed"),
        (f"/?p={post}", "Shortlink"),
    ]
    content = f"<p class=meta>by {by} {items(tags, 'span')}</p>{paragraphs(lines[:2])}"
    content += f"<ol class=commentlist>{comments}</ol><p>{items(tools, 'small')}</p>"
    return _framed(run, name_of("blog", post), content, str(post))


@cache
def _side(run: int) -> str:
    posts = standing(run, 96, "blog", new=2)
    months = sorted({_month(n) for n in posts}, reverse=True)
    side = f"<h3>Archives</h3><ul>{items([(f'/{month}/', month) for month in months])}</ul>"
    side += f"<ul>{items([(_path(n), name_of('blog', n)) for n in posts[:-6:-1]])}</ul>"
    return side + items([(f"/tag/{tag}/", tag) for tag in _TAGS], "span")


def _framed(run: int, title: str, content: str, page: str) -> Reply:
    menu = (("/", "Journal"), ("/about/", "About"), ("/contact/", "Contact"), ("/feed/", "RSS"))
    return Reply(landmarks(title, content, (*menu, ("/wp-login.php", "Log in")), _side(run)), page)


def _blog_truth(run: int) -> Truth:
    found: Truth = {name: (paragraph(3, "blog", path),) for path, name in _FIXED.items()}
    return found | {str(n): _blog_lines(run, n) for n in standing(run, 96, "blog", new=2)}


SITES = (
    NaturalSite("blog-comment-pages", _comment_pages, _comment_truth),
    NaturalSite("blog-archives", _blog, _blog_truth),
)
