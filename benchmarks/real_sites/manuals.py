"""Documentation as packages bring it: plain, in folders by language, and negotiated."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from benchmarks.real_sites.processes import free_port, program, running
from benchmarks.real_sites.site import NEUTRAL, Served
from fixtures.nginx import Nginx

MANUAL = Path("/usr/share/doc/apache2-doc/manual")
DJANGO = Path("/usr/share/doc/python-django-doc/html")
FALLBACK = "en"  # what Apache sends whom it cannot please, and what untranslated pages link to
_ALTERNATE = re.compile(r'href="(?:\.\./)+([a-z]{2}(?:-[a-z]{2})?)/([^"#]+\.html)"')
_LINK = re.compile(r'href="([^":#]+\.html[^"]*)"')

_APACHE = """\
ServerName localhost
ServerRoot {folder}
PidFile {folder}/apache.pid
DefaultRuntimeDir {folder}
Mutex file:{folder}
Listen 127.0.0.1:{port}
ErrorLog {folder}/error.log
LoadModule mpm_event_module {modules}/mod_mpm_event.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule alias_module {modules}/mod_alias.so
LoadModule dir_module {modules}/mod_dir.so
LoadModule mime_module {modules}/mod_mime.so
LoadModule negotiation_module {modules}/mod_negotiation.so
LoadModule setenvif_module {modules}/mod_setenvif.so
LogFormat "%r" request
CustomLog {folder}/access.log request
StartServers 1
ThreadsPerChild 4
MinSpareThreads 1
MaxSpareThreads 4
MaxRequestWorkers 8
MaxKeepAliveRequests 0
TypesConfig /etc/mime.types
RemoveType tr es
{languages}
LanguagePriority en {names}
ForceLanguagePriority Prefer Fallback
DirectoryIndex index.html
DocumentRoot {root}
AliasMatch ^(?:/(?:{either}))?(/.*)?$ {root}$1
RedirectMatch 301 ^(?:/({either})){{2,}}(/.*)?$ /$1$2
SetEnvIf Request_URI ^/({either})/ prefer-language=$1
<Directory {root}>
    Require all granted
    AllowOverride None
    Options MultiViews FollowSymLinks
</Directory>
"""


def _languages() -> dict[str, list[Path]]:
    """The manual's own pages by language; a page that is not translated is a link to another."""
    found: dict[str, list[Path]] = {}
    for file in sorted(MANUAL.glob("*/**/*.html")):
        if not file.is_symlink():
            folder, *_ = file.relative_to(MANUAL).parts
            found.setdefault(folder, []).append(file.relative_to(MANUAL / folder))
    return found


def file_of(root: Path) -> Callable[[str], str | None]:
    """Names the page at a URL by its file below ``root``, links followed."""

    def page_of(url: str) -> str | None:
        path = unquote(urlsplit(url).path).lstrip("/")
        file = root / path
        if file.is_dir():
            file /= "index.html"
        return str(file.resolve().relative_to(root)) if file.is_file() else None

    return page_of


@contextmanager
def _files(
    folder: Path, root: Path, pages: frozenset[str], is_neutral: Callable[[str], bool]
) -> Iterator[Served]:
    page_of = file_of(root)

    def named(url: str) -> str | None:
        found = page_of(url)
        return NEUTRAL if found and is_neutral(found) else found

    with Nginx(folder, {"127.0.0.1": root}) as nginx:
        (origin,) = nginx.origins.values()
        yield Served(f"{origin}/", pages, named, lambda: len(nginx.log()))


@contextmanager
def plain(folder: Path) -> Iterator[Served]:
    """Django's documentation: one file, one page; listings of code and indexes are neutral."""
    files = (str(each.relative_to(DJANGO)) for each in DJANGO.rglob("*.html"))
    pages = frozenset(file for file in files if not is_index(file))
    with _files(folder, DJANGO, pages, is_index) as served:
        yield served


@contextmanager
def two_hosts(folder: Path) -> Iterator[Served]:
    """The same under two host names of one address; each page links to one and the other by turns."""
    port = free_port()
    hosts = tuple(f"http://{name}:{port}" for name in ("docs.localhost", "www.docs.localhost"))
    root = folder / "manual"
    for file in DJANGO.rglob("*.html"):
        copy = root / file.relative_to(DJANGO)
        copy.parent.mkdir(parents=True, exist_ok=True)
        text = file.read_text(encoding="utf-8")
        copy.write_text(_with_hosts(text, copy.relative_to(root), hosts), encoding="utf-8")
    page_of = file_of(root)
    names = (str(each.relative_to(root)) for each in root.rglob("*.html"))
    pages = frozenset(name for name in names if not is_index(name))

    def named(url: str) -> str | None:
        found = page_of(url)
        return NEUTRAL if found and is_index(found) else found

    with Nginx(folder, {"127.0.0.1": root}, port) as nginx:
        yield Served(f"{hosts[0]}/", pages, named, lambda: len(nginx.log()))


def _with_hosts(text: str, page: Path, hosts: tuple[str, ...]) -> str:
    turns = cycle(hosts)
    return _LINK.sub(lambda found: f'href="{urljoin(f"{next(turns)}/{page}", found[1])}"', text)


def is_index(file: str) -> bool:
    """Return True for an index or a listing of code, which counts neither way."""
    names = {"genindex.html", "py-modindex.html", "search.html"}
    return file.startswith(("_modules", "_static")) or Path(file).name in names


@contextmanager
def in_folders(folder: Path) -> Iterator[Served]:
    """Apache's manual: a folder for each language, untranslated pages linked to the English."""
    own = _languages()
    pages = frozenset(f"{name}/{page}" for name, files in own.items() for page in files)
    with _files(folder, MANUAL, pages, lambda file: file == "index.html") as served:
        yield served


@contextmanager
def negotiated(folder: Path) -> Iterator[Served]:
    """The same as its makers serve it: ``x.html``, ``x.html.en`` and ``/en/x.html``."""
    own = _languages()
    root = folder / "manual"
    for name, files in own.items():
        for page in files:
            copy = root / f"{page}.{name}"
            copy.parent.mkdir(parents=True, exist_ok=True)
            text = (MANUAL / name / page).read_bytes().decode("latin-1")
            copy.write_bytes(_negotiable(text, page).encode("latin-1"))
    port = free_port()
    (folder / "apache.conf").write_text(_configuration(folder, root, port, sorted(own)))
    log = folder / "access.log"
    command = [program("apache2"), "-D", "FOREGROUND", "-f", str(folder / "apache.conf")]
    with running(command, folder, port):
        yield Served(
            f"http://127.0.0.1:{port}/",
            frozenset(f"{page}.{name}" for name, files in own.items() for page in files),
            lambda url: _negotiated_page(url, own),
            lambda: log.read_bytes().count(b"\n"),
        )


def _negotiable(text: str, page: Path) -> str:
    """Links to translations as in the makers' tree: above through folders, below by suffix."""
    up = "../" * (len(page.parts) - 1) or "./"
    above, mark, below = text.partition('<div class="bottomlang">')
    above = _ALTERNATE.sub(rf'href="{up}\1/\2"', above)
    below = _ALTERNATE.sub(rf'href="{up}\2.\1"', below)
    return above + mark + below


def _configuration(folder: Path, root: Path, port: int, names: list[str]) -> str:
    return _APACHE.format(
        folder=folder,
        root=root,
        port=port,
        modules="/usr/lib/apache2/modules",
        languages="\n".join(f"AddLanguage {name} .{name}" for name in names),
        names=" ".join(name for name in names if name != FALLBACK),
        either="|".join(names),
    )


def _negotiated_page(url: str, own: dict[str, list[Path]]) -> str | None:
    first, _, rest = unquote(urlsplit(url).path).lstrip("/").partition("/")
    wanted = first if first in own else ""
    path = rest if wanted else f"{first}/{rest}".rstrip("/") if rest else first
    if "." not in Path(path).name or path.endswith("/"):
        path = f"{path.rstrip('/')}/index.html".lstrip("/")
    stem, _, suffix = path.rpartition(".")
    if suffix in own:
        return path if Path(stem) in own[suffix] else None
    for name in (wanted, FALLBACK, *sorted(own)):
        if Path(path) in own.get(name, ()):
            return f"{path}.{name}"
    return None
