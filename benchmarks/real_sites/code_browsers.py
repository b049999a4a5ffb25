"""Three code browsers over one repository, whose owner lets crawlers follow nofollow.

True pages are each file as it is now, and each commit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from benchmarks.real_sites.processes import free_port, program, run, running
from benchmarks.real_sites.site import NEUTRAL, Served
from benchmarks.real_sites.texts import manuals
from fixtures.nginx import Nginx

CGIT = Path("/usr/lib/cgit/cgit.cgi")
GITWEB = Path("/usr/share/gitweb")
FILES, COMMITS = 23, 40
OWNERS_LEAVE = ("obey_nofollow=no",)
_NAME = "notes"
_CGITRC = """\
cache-size=0
virtual-root=/
css=/cgit.css
enable-blame=1
enable-commit-graph=1
enable-log-filecount=1
enable-log-linecount=1
enable-index-links=1
snapshots=tar.gz zip
max-stats=year
repo.url={name}
repo.path={repository}
repo.desc=Manuals of Git
repo.owner=Nobody
"""
_GITWEB = """\
our $projectroot = "{folder}";
our $projects_list = "{folder}/projects";
our $site_name = "Code";
$feature{{'blame'}}{{'default'}} = [1];
$feature{{'snapshot'}}{{'default'}} = ['tgz', 'zip'];
"""
_PROXY = """
    location / {{
        proxy_pass http://127.0.0.1:{port};
        proxy_set_header Host $http_host;
    }}
"""
_CGI = """
    location / {{
        {static}
        fastcgi_pass 127.0.0.1:{port};
        fastcgi_param QUERY_STRING $query_string;
        fastcgi_param REQUEST_METHOD $request_method;
        fastcgi_param REQUEST_URI $request_uri;
        fastcgi_param SERVER_NAME $server_addr;
        fastcgi_param SERVER_PORT $server_port;
        fastcgi_param SERVER_PROTOCOL $server_protocol;
        fastcgi_param HTTP_HOST $http_host;
        {parameters}
    }}
"""


def _commit(repository: Path, number: int) -> None:
    """Change a few files: each is longer at every commit that it is part of."""
    names = list(manuals())[:FILES]
    for place, name in enumerate(names):
        if number == 0 or (number + place) % 7 == 0:
            lines = manuals()[name].splitlines()
            length = len(lines) * (number + 20) // (COMMITS + 20)
            file = repository / ("porcelain" if place % 2 else "plumbing") / f"{name}.txt"
            file.parent.mkdir(exist_ok=True)
            file.write_text("\n".join(lines[:length]) + "\n", encoding="utf-8")
    date = f"2026-{1 + number // 28:02}-{1 + number % 28:02}T12:00:00Z"
    who = {"NAME": "Ada Writer", "EMAIL": "ada@example.org", "DATE": date}
    variables = {
        f"GIT_{role}_{key}": v for role in ("AUTHOR", "COMMITTER") for key, v in who.items()
    }
    message = f"Write more of {names[number % FILES]}, part {number}"
    run(["git", "add", "."], repository)
    run(["git", "commit", "-qm", message], repository, variables)


def _repository(folder: Path) -> tuple[Path, frozenset[str]]:
    """A repository, and the names of its true pages: files at its head, and commits."""
    repository = folder / _NAME
    run(["git", "init", "-q", "-b", "main", str(repository)], folder)
    for number in range(COMMITS):
        _commit(repository, number)
    files = run(["git", "ls-files"], repository).split()
    commits = run(["git", "log", "--format=%H"], repository).split()
    return repository, frozenset([*files, *commits])


@contextmanager
def _cgi(
    folder: Path,
    pages: frozenset[str],
    static: str,
    parameters: Mapping[str, object],
    page_of: Callable[[str], str | None],
) -> Iterator[Served]:
    port = free_port()
    given = "\n".join(f"fastcgi_param {name} {value};" for name, value in parameters.items())
    directives = _CGI.format(static=static, port=port, parameters=given)
    wrapper = [program("fcgiwrap"), "-c", "2", "-s", f"tcp:127.0.0.1:{port}"]
    with (
        running(wrapper, folder, port, {"GIT_CONFIG_GLOBAL": str(_any_owner(folder))}),
        Nginx(folder, {"127.0.0.1": directives}) as nginx,
    ):
        (origin,) = nginx.origins.values()
        yield Served(f"{origin}/", pages, page_of, lambda: len(nginx.log()))


def _any_owner(folder: Path) -> Path:
    file = folder / "gitconfig"
    file.write_text("[safe]\n\tdirectory = *\n")
    return file


@contextmanager
def cgit(folder: Path) -> Iterator[Served]:
    """The one in C: paths for views, ``?id=`` for commits."""
    repository, pages = _repository(folder)
    configuration = folder / "cgitrc"
    configuration.write_text(_CGITRC.format(name=_NAME, repository=repository / ".git"))
    parameters = {
        "SCRIPT_FILENAME": CGIT,
        "SCRIPT_NAME": '""',
        "PATH_INFO": "$uri",
        "CGIT_CONFIG": configuration,
    }
    head = run(["git", "rev-parse", "HEAD"], repository).strip()

    def page_of(url: str) -> str | None:
        parts = urlsplit(url)
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        _, _, rest = unquote(parts.path).strip("/").partition("/")
        view, _, path = rest.partition("/")
        now = query.get("id", head) == head
        if view in ("tree", "plain") and path in pages:
            return path if now else None
        if view == "commit" and not path:
            return query.get("id", head)
        return NEUTRAL if now and _is_listing(view, path, set(query)) else None

    static = "if ($uri ~ ^/(cgit.css|cgit.png|favicon.ico|robots.txt)$) { return 404; }"
    with _cgi(folder, pages, static, parameters, page_of) as served:
        yield served


def _is_listing(view: str, path: str, names: set[str]) -> bool:
    """The repository's own lists, as they are now: of folders, commits, branches."""
    if view == "tree":
        return "." not in path and names <= {"id", "h"}
    return view in ("", "about", "log", "refs", "summary") and not path and names <= {"ofs", "h"}


@contextmanager
def gitweb(folder: Path) -> Iterator[Served]:
    """The one in Perl: everything in the query, parted by semicolons."""
    repository, pages = _repository(folder)
    (folder / "projects").write_text(f"{_NAME}/.git Nobody\n")
    configuration = folder / "gitweb.conf"
    configuration.write_text(_GITWEB.format(folder=folder))
    parameters = {
        "SCRIPT_FILENAME": GITWEB / "gitweb.cgi",
        "SCRIPT_NAME": "/",
        "GITWEB_CONFIG": configuration,
    }
    blobs = dict(_blobs(repository))
    head = run(["git", "rev-parse", "HEAD"], repository).strip()

    def page_of(url: str) -> str | None:
        query = dict(re.findall(r"(?:^|[;&])(\w+)=([^;&]*)", unquote(urlsplit(url).query)))
        action, path, at = query.get("a", ""), query.get("f", ""), query.get("h", "")
        if action in ("blob", "blob_plain"):
            now = query.get("hb", head) in (head, "HEAD", "refs/heads/main")
            return path if blobs.get(path) == at or (now and not at) else None
        if action == "commit":
            return at if at in pages else head
        lists = ("", "summary", "log", "shortlog", "heads", "tags", "project_list", "tree")
        now = at in ("", "HEAD", "refs/heads/main", "main", head)
        return NEUTRAL if action in lists and now else None

    static = f"location /static/ {{ alias {GITWEB}/static/; }}"
    with _cgi(folder, pages, static, parameters, page_of) as served:
        yield served


def _blobs(repository: Path) -> Iterator[tuple[str, str]]:
    for line in run(["git", "ls-tree", "-r", "HEAD"], repository).splitlines():
        mode_kind_blob, _, path = line.partition("\t")
        yield path, mode_kind_blob.split()[2]


@contextmanager
def hgweb(folder: Path) -> Iterator[Served]:
    """The one of Mercurial: a view and a revision in each path."""
    repository, _ = _repository(folder)
    converted = folder / "hg" / _NAME
    converted.parent.mkdir()
    own = {"HGRCPATH": "", "HGPLAIN": "1", "GIT_CONFIG_GLOBAL": str(_any_owner(folder))}
    hg = [program("hg"), "--config", "extensions.convert="]
    run([*hg, "convert", str(repository), str(converted)], folder, own)
    nodes = run([*hg, "log", "-T", "{node|short}\n"], converted, own).split()
    files = run([*hg, "files", "-r", "tip"], converted, own).split()
    last = {
        name: nodes.index(run([*hg, "log", "-l", "1", "-T", "{node|short}", name], converted, own))
        for name in files
    }
    places = {"tip": 0, "default": 0, "main": 0} | {node: n for n, node in enumerate(nodes)}

    def page_of(url: str) -> str | None:
        view, at, path = (*unquote(urlsplit(url).path).strip("/").split("/", 2), "", "", "")[:3]
        place = places.get(at[:12], -1)
        if view in ("file", "raw-file") and path in last:
            return path if 0 <= place <= last[path] else None
        if view in ("rev", "changeset") and not path:
            return nodes[place] if place >= 0 else None
        lists = ("", "summary", "log", "shortlog", "changelog", "graph", "branches", "tags",
                 "bookmarks", "help")  # fmt: skip
        is_list = view in lists or (view == "file" and "." not in path)
        return NEUTRAL if is_list and (not at or place == 0 or view == "help") else None

    port = free_port()
    server = [program("hg"), "-R", str(converted), "serve", "-a", "127.0.0.1", "-p", str(port)]
    with (
        running(server, folder, port, own),
        Nginx(folder, {"127.0.0.1": _PROXY.format(port=port)}) as nginx,
    ):
        (origin,) = nginx.origins.values()
        pages = frozenset([*files, *nodes])
        yield Served(f"{origin}/", pages, page_of, lambda: len(nginx.log()))
