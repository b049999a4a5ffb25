"""Markup around the content of a page, as programs of different ages write it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

Menu = Sequence[tuple[str, str]]
"""Links of a menu: address and text."""


def link(href: str, text: str) -> str:
    """An anchor."""
    return f'<a href="{escape(href)}">{escape(text)}</a>'


def items(menu: Menu, tag: str = "li") -> str:
    """Links as the items of a list."""
    return "".join(f"<{tag}>{link(*each)}</{tag}>" for each in menu)


def paragraphs(lines: Sequence[str]) -> str:
    """A paragraph for each line."""
    return "\n".join(f"<p>{escape(line)}</p>" for line in lines)


def tables(title: str, content: str, menu: Menu, side: str = "") -> str:
    """A page laid out with tables, without a doctype."""
    row = " | ".join(link(*each) for each in menu)
    return f"""<HTML><HEAD><TITLE>{escape(title)}</TITLE></HEAD>
<BODY BGCOLOR="#FFFFEE" TEXT="#000000"><TABLE WIDTH="100%" BORDER=0 CELLPADDING=4>
<TR><TD COLSPAN=2 BGCOLOR="#CCCCDD"><FONT SIZE=2>{row}</FONT></TD></TR>
<TR><TD VALIGN=TOP WIDTH=140>{side}</TD><TD VALIGN=TOP><H2>{escape(title)}</H2>
{content}</TD></TR>
<TR><TD COLSPAN=2 ALIGN=CENTER><FONT SIZE=1>Best viewed with any browser</FONT></TD></TR>
</TABLE></BODY></HTML>"""


def boxes(title: str, content: str, menu: Menu, side: str = "", site: str = "Portal") -> str:
    """A page of nested div elements with classes."""
    return f"""<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN">
<html xmlns="http://www.w3.org/1999/xhtml"><head><title>{escape(title)} - {site}</title>
<link rel="stylesheet" type="text/css" href="/style.css" /></head>
<body><div id="wrap"><div class="headerbar"><div class="inner"><h1>{site}</h1></div></div>
<div class="navbar"><ul class="linklist">{items(menu)}</ul></div>
<div class="row"><div class="col-8"><div class="panel"><h2>{escape(title)}</h2>
{content}
</div></div><div class="col-4"><div class="widget">{side}</div></div></div>
<div class="copyright">Powered by {site} &copy; 2009</div></div></body></html>"""


def landmarks(title: str, content: str, menu: Menu, side: str = "", head: str = "") -> str:
    """A page with the elements of HTML5."""
    aside = f"<aside>{side}</aside>" if side else ""
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>
<meta name="viewport" content="width=device-width">{head}</head>
<body><header><a class="logo" href="/">Home</a><nav><ul>{items(menu)}</ul></nav></header>
<main><article><h1>{escape(title)}</h1>
{content}
</article>{aside}</main>
<footer><p>All rights reserved.</p><a href="/imprint">Imprint</a></footer></body></html>"""


def plain(title: str, content: str, menu: Menu, head: str = "") -> str:
    """A page of someone who writes markup by hand."""
    return f"""<!DOCTYPE html>
<title>{escape(title)}</title>{head}
<h1>{escape(title)}</h1>
{content}
<hr>
{" - ".join(link(*each) for each in menu)}
"""
