"""A university with semesters, and the intranet of a works."""

from __future__ import annotations

from benchmarks.natural_sites.building import FILE, Book, Sheet, Stock, a, natural
from benchmarks.natural_sites.prose import Prose, phrases, slug
from benchmarks.natural_sites.skins import landmarks, table

_SUBJECTS = phrases("History of Art|Geology|Musicology|Botany|Statistics|Philology|Hydraulics")


def _staff(book: Book, living: list[int], stock: Stock, run: int) -> None:
    for n in living:
        prose, subject = Prose("staff", n), _SUBJECTS[n % 7]
        sheet = Sheet(prose("{t} {name}", t=["Prof.", "Dr", "Ms", "Mr"]))
        sheet.near([("/", "University"), (f"/departments/{slug(subject)}/", subject)])
        sheet.table([("Room", prose("{0-4}.{100-199}")), ("Extension", f"{7000 + n}"),
                     ("Hours", Prose("staff", n, stock.edition(n, run))("{day} {9-16}–{17-18}"))])  # fmt: skip
        if n % 3:
            papers = [
                prose("{title} ({1988-2022}). Proc. {town} {1-90}, {1-400}.") for _ in range(n % 9)
            ]
            sheet.h("Publications").list(papers, "ol")
        sheet.raw(f"<p>{a(f'/staff/{n}/cv.pdf', 'CV')} {a(f'/staff/{n}/vcard', 'vCard')}</p>")
        book.page(f"/staff/{n}", sheet)
        book.put(f"/staff/{n}/cv.pdf", FILE)


def _university(run: int) -> Book:
    """Courses come again in each semester, with other times and teachers."""
    staff = Stock("staff", 70)
    semesters = ["2022s", "2022w", "2023s", "2023w", "2024s", "2024w", "2025s"][: 5 + run]
    nav = [
        ("/departments/", "Departments"),
        (f"/courses?sem={semesters[-1]}", "Courses"),
        ("/sso?to=%2F", "Log in"),
    ]
    book = Book(landmarks("University of Ellworth", nav), "sem nr lang")
    living = staff.living(run)
    _staff(book, living, staff, run)
    for semester in semesters:
        for department in range(len(_SUBJECTS)):
            courses = range(department * 100, department * 100 + 7)
            for nr in courses:
                prose, own = Prose("course", nr), Prose("course", nr, semester)
                sheet = Sheet(
                    prose.title(
                        "Introduction to {quality} {things}|{things} and {things}|Seminar: {title}"
                    )
                )
                teacher = own.random.choice([n for n in living if n % 7 == department])
                sheet.p(prose.text(2)).table([("Semester", f"{semester}, No. {nr}"), ("Time", own("{day} {8-18}:15")),
                                              ("Room", own("{1-9}.{10-40}")), ("Credits", str(nr % 5 + 2))])  # fmt: skip
                sheet.links([(f"/staff/{teacher}", Prose("staff", teacher)("{name}"))])
                others = [(f"/course?sem={s}&nr={nr}", s) for s in semesters if s != semester]
                book.page(
                    f"/course?nr={nr}&sem={semester}",
                    sheet.row(*others, (f"/enrol?nr={nr}", "Enrol")),
                )
    for semester in semesters:
        links = [
            (f"/course?nr={d * 100 + c}&sem={semester}", f"{d * 100 + c}")
            for d in range(7)
            for c in range(7)
        ]
        sheet = Sheet(f"Courses {semester}").links(links[run:] + links[:run], css="courses")
        book.neutral(
            f"/courses?sem={semester}", sheet.row(*((f"/courses?sem={s}", s) for s in semesters))
        )
    for department, subject in enumerate(_SUBJECTS):
        sheet = Sheet(subject).p(Prose("department", department).text(4))
        members = [
            (f"/staff/{n}", Prose("staff", n)("{t} {name}", t=["Prof.", "Dr"]))
            for n in living
            if n % 7 == department
        ]
        book.page(f"/departments/{slug(subject)}/", sheet.links(members))
    book.neutral(
        "/departments/", Sheet("Departments").links([(f"{slug(s)}/", s) for s in _SUBJECTS])
    )
    book.page("/", Sheet("Welcome to Ellworth").p(Prose("university", run).text(3)), "home")
    for target in ("/sso", "/enrol"):
        book.useless(target, Sheet("Log in with your university account").raw("<form></form>"))
    return book


def _intranet(run: int) -> Book:
    """Folders of departments in mixed case; the server does not mind the case of a path."""
    departments = phrases(
        "Purchasing|HumanResources|QualityControl|IT-Support|Canteen|Works Council"
    )
    folders = [d.replace(" ", "_") for d in departments]
    nav = [
        ("/Default.aspx", "Start"),
        *((f"/{f}/Default.aspx", d) for f, d in zip(folders, departments, strict=True)),
    ]
    book = Book(table("KilnNet", nav, "For internal use only"))
    stock = Stock("intranet", 126)
    for place, folder in enumerate(folders):
        links = []
        for n in [n for n in stock.living(run) if n % 6 == place]:
            prose = Prose("intranet", n)
            title = prose.title(
                "{thing} {s} {quality}", s=["policy:", "report:", "rules:", "minutes:"]
            )
            file = "".join(word.title() for word in slug(title).split("-")) + f"_{n}.aspx"
            sheet = Sheet(title).near(aside=[nav[0], nav[place + 1]])
            sheet.p(prose.text(prose.number(1, 4)), f"Document KN-{n:04}, owner {prose('{name}')}.")
            sheet.p(
                Prose("intranet", n, stock.edition(n, run))(
                    "Valid until {month} {2025-2030}. {sentence}"
                )
            )
            here = f"/{folder}/{file}"
            book.page(here, sheet)
            links.append((here if n % 5 else here.replace(folder, folder.lower()), title))
            if n % 5 == 0:
                book.useless(here.replace(folder, folder.lower()), sheet, here)
        book.neutral(f"/{folder}/Default.aspx", Sheet(departments[place]).links(links))
        book.neutral(f"/{folder.lower()}/default.aspx", Sheet(departments[place]).links(links))
    lunch = [
        (day, Prose("lunch", day, run)("{thing} with {things}"), "€ 4.50")
        for day in ("Monday", "Tuesday", "Friday")
    ]
    book.page("/Canteen/Lunch.aspx", Sheet("Lunch of this week").table(lunch))
    home = Sheet("KilnNet").p(Prose("intranet home", run).text(2))
    home.links([(f"/{f.lower()}/default.aspx", f) for f in folders[:2]])
    home.links(
        [("/Canteen/Lunch.aspx", "Lunch"), ("/sites/Projects/Forms/AllItems.aspx", "Projects")]
    )
    for target in ("/", "/Default.aspx"):
        book.page(target, home, "home")
    return book


SITES = (
    natural("university", _university),
    natural("intranet", _intranet),
)
