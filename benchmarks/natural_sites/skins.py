"""Templates of pages, from tables of 1997 to landmarks of HTML5."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from benchmarks.natural_sites.building import Link, Sheet, Skin, a


def _list(links: Sequence[Link], tag: str = "ul", css: str = "") -> str:
    mark = f' class="{css}"' if css else ""
    items = "".join(f"<li>{a(*link)}</li>\n" for link in links)
    return f"<{tag}{mark}>\n{items}</{tag}>\n" if links else ""


def landmarks(site: str, nav: Sequence[Link], foot: str = "") -> Skin:
    """HTML5 with landmarks."""

    def skin(sheet: Sheet) -> str:
        crumbs = f'<nav aria-label="Breadcrumb">{_list(sheet.crumbs, "ol")}</nav>'
        aside = f"<aside><h2>See also</h2>{_list(sheet.aside)}</aside>" if sheet.aside else ""
        return f"""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>{escape(sheet.title)} – {site}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">{sheet.head}
<link rel="stylesheet" href="/assets/site.css"></head>
<body><a class="skip" href="#content">Skip to content</a>
<header><a href="/" class="logo">{site}</a><nav>{_list(nav)}</nav></header>
<main id="content">{crumbs if sheet.crumbs else ""}
{sheet.body}
</main>{aside}
<footer><p>© 2024 {site}</p>{foot}</footer>
</body></html>
"""

    return skin


def divs(site: str, nav: Sequence[Link], foot: str = "") -> Skin:
    """XHTML of 2008: divs with ids."""

    def skin(sheet: Sheet) -> str:
        crumbs = " &raquo; ".join(a(*link) for link in sheet.crumbs)
        side = f'<div class="box"><h3>Latest</h3>{_list(sheet.aside)}</div>' if sheet.aside else ""
        return f"""<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN"
 "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml">
<head><meta http-equiv="Content-Type" content="text/html; charset=utf-8" />
<title>{site} | {escape(sheet.title)}</title>{sheet.head}</head>
<body>
<div id="wrapper"><div id="header"><div id="logo"><a href="/">{site}</a></div></div>
<div id="menu">{_list(nav, css="menu")}</div>
<div id="sidebar">{side}<div class="box"><h3>Search</h3>
<form action="/search" method="get"><input type="text" name="q" /></form></div></div>
<div id="content"><div class="breadcrumb">You are here: {crumbs}</div>
{sheet.body}
</div>
<div id="footer">{foot or "All rights reserved."} <a href="#header">Top</a></div></div>
</body></html>
"""

    return skin


def table(site: str, nav: Sequence[Link], foot: str = "") -> Skin:
    """HTML 4 with a table for the layout, attributes in single quotes or none."""

    def skin(sheet: Sheet) -> str:
        menu = "<br>".join(f"<a href='{href}'>{text}</a>" for href, text in nav)
        more = "<br>".join(f"<a href='{escape(href)}'>{text}</a>" for href, text in sheet.aside)
        crumbs = " &gt; ".join(f"<a href='{href}'>{text}</a>" for href, text in sheet.crumbs)
        return f"""<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">
<html><head><title>{escape(sheet.title)}</title>
<meta http-equiv=Content-Type content="text/html; charset=utf-8">{sheet.head}</head>
<body bgcolor=#ffffff link=#003399>
<table width=100% border=0 cellpadding=4><tr><td colspan=3 bgcolor=#003366>
<font color=white size=5>{site}</font></td></tr>
<tr valign=top><td width=160 bgcolor=#eeeeee>{menu}</td>
<td><small>{crumbs}</small>
{sheet.body}
</td><td width=150>{more}</td></tr>
<tr><td colspan=3 align=center><small>{foot or site}</small></td></tr></table>
</body></html>
"""

    return skin


def bare(site: str, nav: Sequence[Link], foot: str = "") -> Skin:
    """Markup by hand: no layout at all."""

    def skin(sheet: Sheet) -> str:
        menu = " - ".join(a(*link) for link in [*sheet.crumbs, *nav])
        return (
            f"<html>\n<head><title>{escape(sheet.title)} ({site})</title>{sheet.head}</head>\n<body>\n"
            f"{sheet.body}\n{_list(sheet.aside)}<hr>\n<p>{menu}</p>\n<address>{foot or site}</address>\n"
        )

    return skin


def grid(site: str, nav: Sequence[Link], foot: str = "") -> Skin:
    """A framework's classes: container, row, col."""

    def skin(sheet: Sheet) -> str:
        items = "".join(
            f'<li class="nav-item"><a class="nav-link" href="{escape(href)}">{text}</a></li>'
            for href, text in nav
        )
        crumbs = "".join(f'<li class="breadcrumb-item">{a(*link)}</li>' for link in sheet.crumbs)
        cards = "".join(f'<div class="card mb-3">{a(*link)}</div>' for link in sheet.aside)
        return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"/><title>{escape(sheet.title)} · {site}</title>{sheet.head}
<link href="/static/bootstrap.min.css" rel="stylesheet"/><script src="/static/app.js" defer></script>
</head><body class="bg-light">
<nav class="navbar navbar-expand-lg"><a class="navbar-brand" href="/">{site}</a>
<ul class="navbar-nav ml-auto">{items}</ul></nav>
<div class="container"><ol class="breadcrumb">{crumbs}</ol>
<div class="row"><div class="col-md-9">
{sheet.body}
</div><div class="col-md-3">{cards}</div></div></div>
<div class="footer text-muted"><div class="container">{foot or site}</div></div>
</body></html>
"""

    return skin


def blog(site: str, nav: Sequence[Link], foot: str = "") -> Skin:
    """A content management system: an article in a site's page, widgets beside it."""

    def skin(sheet: Sheet) -> str:
        widgets = (
            f'<section class="widget widget_recent"><h3 class="widget-title">Recent</h3>'
            f"{_list(sheet.aside)}</section>"
        )
        crumbs = " / ".join(a(*link) for link in sheet.crumbs)
        return f"""<!DOCTYPE html>
<html lang="en-GB" class="no-js"><head><meta charset="UTF-8">
<title>{escape(sheet.title)} | {site}</title>{sheet.head}</head>
<body class="single postid hfeed"><div id="page" class="site">
<div id="masthead" class="site-header"><p class="site-title"><a href="/" rel="home">{site}</a></p>
<div class="main-navigation">{_list(nav, css="nav-menu")}</div></div>
<div id="primary" class="content-area"><article class="post hentry">
<p class="entry-meta">{crumbs}</p><div class="entry-content">
{sheet.body}
</div></article></div>
<div id="secondary" class="widget-area">{widgets if sheet.aside else ""}</div>
<div id="colophon" class="site-footer">{foot or "Proudly made by hand"}</div>
</div></body></html>
"""

    return skin


def hash_links(site: str, nav: Sequence[Link], foot: str = "") -> Skin:
    """An application rendered by the server: links with fragments, data in a script."""

    def skin(sheet: Sheet) -> str:
        menu = "".join(f'<a class="tab" href="{escape(href)}">{text}</a>' for href, text in nav)
        more = "".join(
            f'<a href="{escape(href)}"><span>{text}</span></a>' for href, text in sheet.aside
        )
        return f"""<!doctype html><html><head><meta charset=utf-8><title>{escape(sheet.title)}</title>
{sheet.head}<script>window.__STATE__={{"route":"view","ready":true}}</script></head><body>
<div id="root" data-server-rendered="true"><div class="bar"><a href="/#/">{site}</a>{menu}
<a href="#" role="button">Menu</a><a href="#!login">Sign in</a></div>
<div class="view"><div class="crumbs">{"".join(a(*link) for link in sheet.crumbs)}</div>
{sheet.body}</div><div class="rail">{more}</div>
<div class="foot">{foot or site}</div></div><script src="/bundle.8f3a.js"></script></body></html>
"""

    return skin
