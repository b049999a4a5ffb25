"""Static sites of the nineties, written by hand or by the first editors."""

from __future__ import annotations

from html import escape

from benchmarks.natural_sites.building import PICTURE, Book, Link, Sheet, Stock, natural
from benchmarks.natural_sites.prose import Prose, phrases, slug
from benchmarks.natural_sites.site import NaturalSite


def _upper(sheet: Sheet) -> str:
    """Upper case, a background, a counter, a button of a web ring that is long gone."""
    menu = " | ".join(f'<A HREF="{href}">{escape(text)}</A>' for href, text in sheet.aside)
    body = (
        sheet.body.replace("<p>", "<P>")
        .replace("</p>", "")
        .replace("<ul>", "<UL>")
        .replace("<li>", "<LI>")
    )
    return f"""<HTML>
<HEAD><TITLE>{escape(sheet.title)}</TITLE>
<META NAME="GENERATOR" CONTENT="PageMill 2.0"></HEAD>
<BODY BGCOLOR="#C0FFEE" BACKGROUND="PARCHMNT.GIF" TEXT="#000000"><CENTER>
<FONT FACE="Comic Sans MS" SIZE=+1>{menu}</FONT></CENTER><HR>
{body}
<HR><CENTER><A HREF="GUESTBK.HTM">Sign my guest book!</A> <A HREF="/cgi-bin/counter.gif"><IMG
SRC="/cgi-bin/counter.gif" ALT="You are visitor no. 004711"></A><BR>
<A HREF="http://webring.example/cgi-bin/webring?ring=trams&id=17&next">Next site of the Tram Ring</A>
[<A HREF="http://webring.example/cgi-bin/webring?ring=trams&id=17&random">Random</A>]</CENTER>
</BODY></HTML>
"""


def _trams(run: int) -> Book:
    book = Book(_upper)
    stock = Stock("trams", 64)
    files = {n: f"TRAM{n:03}.HTM" for n in range(1, 80)}
    living = stock.living(run)
    nav: list[Link] = [("INDEX.HTM", "Home"), ("LINES.HTM", "Lines"), ("LINKS.HTM", "Links")]
    for n in living:
        prose = Prose("tram", n)
        sheet = Sheet(f"Car no. {n * 3 + 100} of {prose('{town}')}", is_heading=False).near(
            aside=nav
        )
        sheet.raw(f"<CENTER><FONT SIZE=6 COLOR=RED>{sheet.title}</FONT></CENTER>").lines.append(
            sheet.title
        )
        sheet.p(prose.text(prose.number(1, 5)), Prose("tram", n, stock.edition(n, run)).text(1))
        sheet.raw(f'<A HREF="PIC{n:03}.JPG"><IMG SRC="SMALL{n:03}.GIF" BORDER=0></A>')
        before, after = files[max(living[0], n - 1)], files[n + 1]
        sheet.raw(
            f'<BR><A HREF="{before}"><IMG SRC="LEFT.GIF"></A><A HREF="{after}"><IMG SRC="RIGHT.GIF"></A>'
        )
        book.page(f"/{files[n]}", sheet)
        book.put(f"/PIC{n:03}.JPG", PICTURE)
    areas = "".join(
        f'<AREA SHAPE=RECT COORDS="{n},0,{n + 9},9" HREF="{files[n]}">' for n in living[:20]
    )
    lines = (
        Sheet("Lines")
        .near(aside=nav)
        .raw(f'<MAP NAME="town">{areas}</MAP><IMG SRC="MAP.GIF" USEMAP="#town">')
    )
    book.neutral("/LINES.HTM", lines.links([(files[n], f"Car {n * 3 + 100}") for n in living[20:]]))
    home = Sheet("Welcome to my TRAM page!!!").near(aside=nav).p(Prose("tram home", run).text(3))
    for target in ("/", "/INDEX.HTM"):
        book.page(target, home, "home")
    out = Sheet("Links").near(aside=nav).p(Prose("tram links").text(2))
    book.page(
        "/LINKS.HTM",
        out.links([("http://trams.example/", "Trams abroad"), ("OLDNEWS.HTM", "Old news")]),
    )
    book.useless(
        "/GUESTBK.HTM", Sheet("Guest book").raw("<FORM METHOD=POST ACTION=/cgi-bin/guest></FORM>")
    )
    book.put("/cgi-bin/counter.gif", PICTURE)
    return book


def _village_skin(sheet: Sheet) -> str:
    """Tables in tables, font tags, and no doctype."""
    left = "".join(
        f"<tr><td bgcolor=navy><font face=arial size=2><a href={href}><font color=yellow>{text}</font></a>"
        "</font></td></tr>"
        for href, text in sheet.aside
    )
    return f"""<html><head><title>{escape(sheet.title)}</title></head>
<body bgcolor=white link=blue vlink=purple topmargin=0>
<table width=760 align=center border=0><tr><td colspan=2><img src=/banner.gif width=760 height=90></td></tr>
<tr><td width=150 valign=top><table border=0 cellspacing=2>{left}</table></td>
<td valign=top><font face="Times New Roman" size=3>
{sheet.body}
</font></td></tr></table>
<p align=center><font size=1>This page is best viewed with 800x600. Last update: see newspaper.</font>
"""


def _village(run: int) -> Book:
    """A folder for each street, a file for each house."""
    book = Book(_village_skin)
    streets = [Prose("village street", s).title("{thing} Street") + f" {s + 1}" for s in range(9)]
    nav = [("/index.html", "Village"), *((f"/{slug(s)}/index.html", s) for s in streets)]
    edited = Stock("village", 140)
    for s, street in enumerate(streets):
        houses = range(1, 12 + s % 5 + (run if s == 4 else 0))
        links = []
        for house in houses:
            if (s * 16 + house) % 67 == 7 * run + 3:
                continue
            prose = Prose("village", s, house)
            sheet = Sheet(f"{street}, house {house}").near(aside=nav)
            sheet.p(
                prose.text(prose.number(1, 2)),
                Prose("village", s, house, edited.edition(s * 16 + house, run)).text(1),
            )
            owners = [
                (str(1700 + house * 9 + 31 * n), prose("{name}"), prose("{person}"))
                for n in range(house % 5)
            ]
            sheet.table(owners, " border=1")
            sheet.raw(f"<a href=house{house - 1}.html>previous</a> <a href=index.html>street</a>")
            book.page(f"/{slug(street)}/house{house}.html", sheet)
            links.append((f"house{house}.html", f"No. {house}"))
        listing = Sheet(street).near(aside=nav).links(links)
        for file in ("", "index.html"):
            book.neutral(f"/{slug(street)}/{file}", listing)
    home = Sheet("A village and its houses").near(aside=nav).p(Prose("village home", run).text(4))
    for target in ("/", "/index.html"):
        book.page(target, home, "home")
    return book


def _exported(sheet: Sheet) -> str:
    """Exported by an office program: styles in each paragraph, names of fonts everywhere."""
    body = sheet.body.replace(
        "<p>", "<p class=MsoNormal style='margin-bottom:0cm'><span lang=EN-GB>"
    )
    body = body.replace("</p>", "<o:p></o:p></span></p>")
    here = " &nbsp; ".join(
        f"<a href='{href}'><span style='color:blue'>{text}</span></a>" for href, text in sheet.aside
    )
    return f"""<html xmlns:o="urn:schemas-microsoft-com:office:office">
<head><meta name=Generator content="Microsoft Word 9"><title>{escape(sheet.title)}</title>
<style><!-- p.MsoNormal {{font-family:"Times New Roman"}} --></style></head>
<body lang=EN-GB link=blue vlink=purple><div class=Section1>
<p class=MsoNormal>{here}</p>
{body}
</div></body></html>
"""


def _chronicle(run: int) -> Book:
    """A chronicle with a file for each year; names of files have spaces and both cases."""
    book = Book(_exported)
    years = [year for year in range(1871, 1993 + run) if year % 41 != 20 + run]
    decades = sorted({year // 10 * 10 for year in years})
    nav = [("../Default.htm", "Index"), ("../Sources.htm", "Sources")]
    edited = Stock("chronicle", 130)
    for year in years:
        prose = Prose("year", year)
        sheet = Sheet(f"The year {year}").near(aside=nav)
        for month in prose.pick(
            phrases("January|March|April|June|August|October|December"), prose.number(1, 5)
        ):
            sheet.h(month, 3).p(prose.text(prose.number(1, 2)))
        sheet.p(
            Prose("year", year, edited.edition(year - 1870, run))(
                f"In {year} the society had {{20-400}} members."
            )
        )
        sheet.raw(
            f"<a href='Year%20{year - 1}.htm'>&lt;</a> <a href='Year%20{year + 1}.htm'>&gt;</a>"
        )
        book.page(f"/Chronicle/Year%20{year}.htm", sheet)
    for decade in decades:
        mine = [(f"Year%20{year}.htm", str(year)) for year in years if year // 10 * 10 == decade]
        book.neutral(
            f"/Chronicle/Decade_{decade}.HTM", Sheet(f"From {decade}").near(aside=nav).links(mine)
        )
    index = Sheet("Chronicle of the Choral Society").p(Prose("chronicle").text(3))
    index.near(aside=[("Sources.htm", "Sources")])
    index.links([(f"Chronicle/Decade_{d}.HTM", f"{d}–{d + 9}") for d in decades])
    for target in ("/", "/Default.htm"):
        book.page(target, index, "index")
    sources = [
        Prose("source", n)("{last}, {title}, {town} {1880-1990}, p. {1-400}")
        for n in range(60 + run)
    ]
    book.page("/Sources.htm", Sheet("Sources").near(aside=[("Default.htm", "Index")]).list(sources))
    return book


_ACTS = {
    "mail": "Send this page to a friend. Your address, their address, your words.",
    "edit": "Log in to edit this entry.",
    "log": "Nobody has changed this entry yet.",
    "rate": "Your marks, from 1 to 5.",
    "report": "What is wrong with this entry? The editors read it soon.",
    "image": "There is no larger picture.",
}


def _stamps(run: int) -> Book:
    """One program for all: a parameter says what it does with an entry."""
    book = Book(_upper, "do id from")
    stock = Stock("stamps", 90)
    living = stock.living(run)
    nav: list[Link] = [("/index.php", "Home"), ("/index.php?do=list", "Album")]
    for place, n in enumerate(living):
        prose = Prose("stamp", n)
        title, entry = prose.title(), f"/index.php?do=show&id={n}"
        sheet = Sheet(title).near(aside=nav).p(prose.text(2), f"Catalogue no. {n * 7 + 100}")
        sheet.p(Prose("stamp", n, stock.edition(n, run)).text(1))
        sheet.links((entry.replace("show", act), act) for act in ("print", *_ACTS))
        sheet.row((f"/index.php?do=show&id={living[place - 1]}", "Previous stamp"))
        book.page(entry, sheet)
        book.useless(entry.replace("show", "print"), sheet, entry)
        for act, words in _ACTS.items():
            view = Sheet("The stamp club", is_heading=False).near(aside=nav)
            book.useless(entry.replace("show", act), view.raw(f"<P>{words}"))
    for start in range(0, len(living), 15):
        links = [(f"?do=show&id={n}", Prose("stamp", n).title()) for n in living[start:][:15:3]]
        sheet = Sheet("Album").near(aside=nav).links(links)
        more = f"/index.php?do=list&from={start + 15}"
        book.neutral(f"/index.php?do=list&from={start}", sheet.row((more, "More")))
    book.moved("/index.php?do=list", "/index.php?do=list&from=0")
    for target in ("/", "/index.php"):
        home = Sheet("The stamp club").near(aside=nav)
        book.page(target, home.p(Prose("stamp home", run).text(3)), "home")
    return book


SITES: tuple[NaturalSite, ...] = (
    natural("one-program", _stamps),
    natural("tram-pages", _trams),
    natural("village-houses", _village),
    natural("chronicle", _chronicle),
)
