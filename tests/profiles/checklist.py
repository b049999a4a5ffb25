"""A site with all that the checklist of Search Tools Consulting speaks of."""

from __future__ import annotations

import time
from email.utils import formatdate

from fixtures.server import Answer, Page, Request, page, redirect

DAY = 86400
FRAMES = """<title>Frames</title><frameset><frame src="frame.html"><noframes>
<p>Text for those without frames <a href="noframes.html">and a link</a></noframes></frameset>"""
HREFS = """
<a href="anchor.html#section">1</a>
<a href="folder/mainpage.ht ml" onMouseOver="display(6);self.status ='a > b'; x.src='/over.html'">
<IMG SRC="image.gif" ALT="words of the image" LONGDESC="longdesc.html"></a>
<a href="'quoted.html'">2</a> <a href="./dot.html">3</a>
<a href="../../../../above.html">4</a> <a href="foldername/http://mydomain">5</a>
<a href="/SubDir/SpecialPage.html">6</a> <a href="/subdir/specialpage.html">7</a>
<map name="m"><area shape="rect" coords="1,2,3,4" href="area.html"></map>
<a href="server.map"><img ismap src="map.gif" alt=""></a>
<object data="applet.html"></object><iframe src="iframe.html"></iframe>
"""
SCRIPTS = """
<script>var junk = "junkword";
document.write('It\\'s written <a href="written.html">there<\\/a>'); document.writeln("onaline");
</script>
<form><select onChange="window.location.href=(options[selectedIndex].value)">
<option value="a.html">A</option><option value="7">Seven</option></select></form>
"""
CONTENT = """<html lang="de"><head><title>Content</title>
<meta name="keywords" content="cats,  small animals, pets,
 cats"><meta name="description" content="All about living with cats &amp; dogs.">
<meta name="DC.Creator" content="A. Writer"><meta name="DC.Publisher" content="A House">
<style>.hidden { color: styleword }</style></head><body><p>Cats&nbsp;&amp; dogs
<!-- noindex --> navigationword <a href="/in-noindex.html">x</a><!-- /noindex -->
<p lang="es">Hola</p><img src="http://127.0.0.9/ad1.gif" alt=""></body></html>"""
BANNER = CONTENT.replace("ad1.gif", "ad2.gif")
UNTITLED = "<p><a href='/'>Home</a> Navigation words<h1>A heading</h1><p>First useful text."


def robots(content: str, target: str) -> str:
    """A page with robots directives, and one link."""
    return page(target, title=content, head=f'<META NAME="robots" CONTENT="{content}">')


def with_cookie(request: Request) -> Answer:
    """A page that sets a cookie and tells the one it was sent."""
    sent = request.headers.get("cookie", "none")
    return Answer(page("/cookie2", title=f"cookie {sent}"), headers={"Set-Cookie": "state=kept"})


def dynamic_date(_: Request) -> Answer:
    """A page whose modification date is always now."""
    return Answer(
        page(title="Dynamic date"),
        headers={"Last-Modified": formatdate(usegmt=True)},
        ignores_validators=True,
    )


def anything_else(request: Request) -> str | Answer:
    """Below /error/ every page links to one that is a directory deeper; there is nothing else."""
    if not request.path.startswith("/error/"):
        return Answer(status=404)
    return page(f"{request.path}error/", title=f"error at {request.path}")


def pages() -> dict[str, Page]:
    """The pages that only have to be found."""
    named = ["anchor", "folder/mainpage", "quoted", "dot", "area", "iframe", "longdesc", "frame"]
    named += ["noframes", "written", "a", "alternate", "in-noindex", "new", "found", "refreshed"]
    named += [
        "follow1",
        "follow2",
        "hidden1",
        "hidden2",
        "over",
        "applet",
        "base/target",
        "list/file",
    ]
    plain: dict[str, Page] = {f"/{name}.html": page(title=f"page {name}") for name in named}
    for name in ("p.shtml", "p.pl", "p.cfm", "p.asp", "p.lasso", "p.nclk", "session", "entry"):
        plain[f"/{name}"] = Answer(page(title=name), headers={"Content-Type": "text/html"})
    for name in ("above", "SubDir/SpecialPage", "subdir/specialpage"):
        plain[f"/{name}.html"] = page(title=f"page {name}")
    return plain


def site_of(port: str) -> dict[str, Page]:
    """The site, with a link to ``port``, which is another port of its host."""
    links = ["/hrefs.html", "/scripts.html", "/frames.html", "/content.html", "/untitled.html"]
    links += [
        "/base.html",
        "/noindex.html",
        "/nofollow.html",
        "/both.html",
        "/PRIVATE/x",
        "/nosl/x",
    ]
    links += ["/old.html", "/temporary.html", "/refresh.html", "/list/", "/text.txt", "/access.log"]
    links += ["/p.shtml", "/p.pl", "/p.cfm", "/p.asp", "/p.lasso", "/p.nclk", "/data.xml", "/x.css"]
    links += ["/entry?tw=frontdoor", "/entry", "/session;jsessionid=1A2B", "/session?sessionid=9"]
    links += ["/cookie1", "/view.nsf/a?OpenDocument", "/view.nsf/b?OpenView&Start=10"]
    links += ["/view.nsf/c?ExpandView", "/view.nsf/d?OpenDocument&x=1", "/error/", "/dated"]
    links += ["/view.nsf/e?OpenView&CollapseView", "/view.nsf/e?OpenView&CollapseView=3"]
    links += ["/index-follow.html"]
    links += [
        "/dir/",
        "/dir/index.html",
        "/203",
        "/404",
        "/410",
        "/403",
        "/500",
        "/expires",
        "/now",
    ]
    links += [f"{port}/on-a-port.html"]
    return {
        **pages(),
        "/robots.txt": "User-agent: *\rDisallow: /private/\rDisallow: nosl/\r",
        "/": page(*links, title="Home", head='<link rel="alternate" href="/alternate.html">'),
        "//localhost/": page(title="Another host on the same address"),
        "/hrefs.html": f"<title>Hrefs</title>{HREFS}",
        "/scripts.html": f"<title>Scripts</title>{SCRIPTS}",
        "/frames.html": FRAMES,
        "/content.html": CONTENT,
        "/untitled.html": UNTITLED,
        "/base.html": page("target.html", title="Base", head='<base href="/base/index.html">'),
        "/noindex.html": robots("noindex", "/follow1.html"),
        "/nofollow.html": robots("NOFOLLOW", "/hidden1.html"),
        "/both.html": robots("nofollow ,  NoIndex", "/hidden2.html"),
        "/index-follow.html": robots("index,follow", "/follow2.html"),
        "/old.html": redirect("/new.html"),
        "/temporary.html": redirect("/found.html", status=302),
        "/refresh.html": '<META http-equiv="Refresh" content="1; URL=refreshed.html"><p>Going on',
        "/list/": "<title>Index of /list</title><pre><a href='?C=N;O=D'>Name</a>"
        "<a href='/'>Parent Directory</a> <a href='file.html'>file.html</a></pre>",
        "/list/file.html": page(title="A listed file"),
        "/text.txt": "A plain text, which is almost always useful.",
        "/access.log": "127.0.0.1 - - GET /",
        "/data.xml": "<book><title>A book</title><chapter>between fields</chapter></book>",
        "/cookie1": with_cookie,
        "/cookie2": with_cookie,
        "/view.nsf/a": page(title="A Domino document"),
        "/view.nsf/e": page(title="A folded view"),
        "/dated": Answer(
            page(title="Dated"), headers={"Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"}
        ),
        "/dir/": page(title="A directory"),
        "/dir/index.html": page(title="A directory"),
        "/203": Answer(page(title="Non-authoritative"), status=203),
        "/404": page(title="Will be gone for a while"),
        "/410": Answer(status=410),
        "/403": Answer(status=403),
        "/500": Answer(status=500),
        "/expires": Answer(
            page(title="Expires"),
            headers={"Expires": formatdate(time.time() + 5 * DAY, usegmt=True), "ETag": '"1"'},
        ),
        "/now": dynamic_date,
        "*": anything_else,
    }
