"""Three code browsers over repositories whose owner lets crawlers follow nofollow.

True pages are each file as it is now on each branch, each commit, and each tag. The Git browsers
show two repositories, the first of which has a branch and two tags.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from benchmarks.real_sites.processes import free_port, program, run, running
from benchmarks.real_sites.site import NEUTRAL, Served
from benchmarks.real_sites.texts import manuals
from fixtures.nginx import Nginx

CGIT = Path("/usr/lib/cgit/cgit.cgi")
GITWEB = Path("/usr/share/gitweb")
FILES, COMMITS = 23, 40
OWNERS_LEAVE = ("nofollow=ignore",)
NAMES = ("notes", "letters")
TAGS = {"v1.0": "main~20", "v2.0": "main"}
BRANCH, BRANCH_COMMITS = "next", 3
RELEASED = "2026-06-01T12:00:00Z"
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
"""
_CGIT_REPOSITORY = """\
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


@dataclass(slots=True)
class Repository:
    """A repository, and the versions that it has."""

    folder: Path

    @property
    def name(self) -> str:
        """Its name in the browsers."""
        return self.folder.name

    def git(self, *words: str) -> str:
        """Output of a Git command."""
        return run(["git", *words], self.folder).strip()

    def pages(self) -> frozenset[str]:
        """True pages: files as they are at the end of each branch, commits, and tags."""
        files = {page for branch in self._names("heads") for page in self._files(branch)}
        commits = self.git("log", "--all", "--format=%H").split()
        return frozenset([*files, *commits, *(f"{self.name} {tag}" for tag in self._names("tags"))])

    def file(self, version: str, path: str) -> str | None:
        """Name of the page of a file at a version; None if there is no such file."""
        return self._by_version(version).get(path)

    def is_now(self, version: str) -> bool:
        """Return True for the end of a branch; "" is that of the default one."""
        name = version.removeprefix("refs/heads/") or "HEAD"
        return name == "HEAD" or name in self._names("heads") or version in self._ends()

    def _names(self, kind: str) -> list[str]:
        return self.git("for-each-ref", "--format=%(refname:short)", f"refs/{kind}").split()

    def _ends(self) -> list[str]:
        return self.git("for-each-ref", "--format=%(objectname)", "refs/heads").split()

    def _files(self, version: str) -> list[str]:
        return list(self._by_version(version).values())

    def _by_version(self, version: str) -> dict[str, str]:
        lines = self.git("ls-tree", "-r", version or "HEAD").splitlines()
        blobs = ((line.partition("\t")[2], line.split()[2]) for line in lines)
        return {path: f"{self.name}/{path} {blob}" for path, blob in blobs}


def _commit(repository: Path, names: Sequence[str], number: int) -> None:
    """Change a few files: each is longer at every commit that it is part of."""
    for place, name in enumerate(names):
        if number == 0 or (number + place) % 7 == 0:
            lines = manuals()[name].splitlines()
            length = len(lines) * (number + 20) // (COMMITS + 20)
            file = repository / ("porcelain" if place % 2 else "plumbing") / f"{name}.txt"
            file.parent.mkdir(exist_ok=True)
            file.write_text("\n".join(lines[:length]) + "\n", encoding="utf-8")
    date = f"2026-{1 + number // 28:02}-{1 + number % 28:02}T12:00:00Z"
    message = f"Write more of {names[number % len(names)]}, part {number}"
    run(["git", "add", "."], repository)
    run(["git", "commit", "-qm", message], repository, _who(date))


def _who(date: str) -> dict[str, str]:
    who = {"NAME": "Ada Writer", "EMAIL": "ada@example.org", "DATE": date}
    return {f"GIT_{role}_{key}": v for role in ("AUTHOR", "COMMITTER") for key, v in who.items()}


def _repository(folder: Path, name: str, names: Sequence[str], commits: int) -> Repository:
    repository = folder / name
    run(["git", "init", "-q", "-b", "main", str(repository)], folder)
    for number in range(commits):
        _commit(repository, names, number)
    return Repository(repository)


def _one_repository(folder: Path) -> Repository:
    return _repository(folder, NAMES[0], list(manuals())[:FILES], COMMITS)


def _two_repositories(folder: Path) -> dict[str, Repository]:
    """A repository with a branch and two tags, and a smaller one with neither."""
    names = list(manuals())
    first = _one_repository(folder)
    for tag, version in TAGS.items():
        run(["git", "tag", "-am", f"Release {tag}", tag, version], first.folder, _who(RELEASED))
    run(["git", "checkout", "-q", "-b", BRANCH], first.folder)
    for number in range(COMMITS, COMMITS + BRANCH_COMMITS):
        _commit(first.folder, names[:FILES], number)
    run(["git", "checkout", "-q", "main"], first.folder)
    second = _repository(folder, NAMES[1], names[FILES : FILES + 14], 10)
    return {each.name: each for each in (first, second)}


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
    repositories = _two_repositories(folder)
    configuration = folder / "cgitrc"
    shown = (
        _CGIT_REPOSITORY.format(name=name, repository=each.folder / ".git")
        for name, each in repositories.items()
    )
    configuration.write_text(_CGITRC + "".join(shown))
    parameters = {
        "SCRIPT_FILENAME": CGIT,
        "SCRIPT_NAME": '""',
        "PATH_INFO": "$uri",
        "CGIT_CONFIG": configuration,
    }

    def page_of(url: str) -> str | None:
        parts = urlsplit(url)
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        name, _, rest = unquote(parts.path).strip("/").partition("/")
        if name not in repositories:
            return None if name else NEUTRAL
        repository = repositories[name]
        view, _, path = rest.partition("/")
        version = query.get("id", query.get("h", ""))
        if view in ("tree", "plain") and "." in path:
            return repository.file(version, path)
        if view == "commit" and not path:
            return repository.git("rev-parse", f"{version or 'HEAD'}^{{commit}}")
        if view == "tag":
            return f"{name} {query.get('h', '')}"
        now = repository.is_now(version)
        return NEUTRAL if now and _is_listing(view, path, set(query)) else None

    static = "if ($uri ~ ^/(cgit.css|cgit.png|favicon.ico|robots.txt)$) { return 404; }"
    with _cgi(folder, _pages(repositories), static, parameters, page_of) as served:
        yield served


def _pages(repositories: Mapping[str, Repository]) -> frozenset[str]:
    return frozenset(page for each in repositories.values() for page in each.pages())


def _is_listing(view: str, path: str, names: set[str]) -> bool:
    """The repository's own lists, as they are now: of folders, commits, branches."""
    if view == "tree":
        return "." not in path and names <= {"id", "h"}
    return view in ("", "about", "log", "refs", "summary") and not path and names <= {"ofs", "h"}


@contextmanager
def gitweb(folder: Path) -> Iterator[Served]:
    """The one in Perl: everything in the query, parted by semicolons."""
    repositories = _two_repositories(folder)
    projects = (f"{name}/.git Nobody\n" for name in repositories)
    (folder / "projects").write_text("".join(projects))
    configuration = folder / "gitweb.conf"
    configuration.write_text(_GITWEB.format(folder=folder))
    parameters = {
        "SCRIPT_FILENAME": GITWEB / "gitweb.cgi",
        "SCRIPT_NAME": "/",
        "GITWEB_CONFIG": configuration,
    }

    def page_of(url: str) -> str | None:
        query = dict(re.findall(r"(?:^|[;&])(\w+)=([^;&]*)", unquote(urlsplit(url).query)))
        name = query.get("p", "").removesuffix("/.git")
        if name not in repositories:
            return None if name else NEUTRAL
        repository = repositories[name]
        action, path, at = query.get("a", "summary"), query.get("f", ""), query.get("h", "")
        if action in ("blob", "blob_plain"):
            found = f"{name}/{path} {at}" if at else None
            return found or repository.file(query.get("hb", ""), path)
        if action == "commit":
            return repository.git("rev-parse", f"{at or 'HEAD'}^{{commit}}")
        if action == "tag":
            return f"{name} {repository.git('cat-file', 'tag', at).splitlines()[2].split()[1]}"
        if action == "tree":
            return NEUTRAL if repository.is_now(query.get("hb", "")) else None
        lists = ("summary", "log", "shortlog", "heads", "tags", "project_list")
        return NEUTRAL if action in lists and repository.is_now(at) else None

    static = f"location /static/ {{ alias {GITWEB}/static/; }}"
    with _cgi(folder, _pages(repositories), static, parameters, page_of) as served:
        yield served


@contextmanager
def hgweb(folder: Path) -> Iterator[Served]:
    """The one of Mercurial: a view and a revision in each path."""
    repository = _one_repository(folder).folder
    converted = folder / "hg" / NAMES[0]
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
