"""The sites by name."""

from __future__ import annotations

from functools import partial

from benchmarks.real_sites import blog, code_browsers, generated, manuals, php, versions, wikis
from benchmarks.real_sites.site import Site
from benchmarks.real_sites.texts import PACKAGES as TEXTS

_ALL = (
    Site("documentation", ("python-django-doc",), manuals.plain),
    Site(
        "documentation-two-hosts",
        ("python-django-doc",),
        manuals.two_hosts,
        ("scope=domain", "allow_private=1"),
    ),
    Site("manual-in-folders", ("apache2-doc",), manuals.in_folders),
    Site("manual-negotiated", ("apache2-doc", "apache2-bin"), manuals.negotiated),
    *(
        Site(
            name,
            packages,
            partial(versions.releases, sources=sources, has_menu=has_menu),
            max_pages=5000,
        )
        for name, packages, sources, has_menu in (
            ("versions", versions.CLANG_PACKAGES, versions.CLANG, True),
            ("versions-apart", versions.CLANG_PACKAGES, versions.CLANG, False),
            ("versions-reference", versions.LLVM_PACKAGES, versions.LLVM, True),
        )
    ),
    Site("java-reference", versions.JAVA_PACKAGES, versions.reference),
    Site("mediawiki", ("mediawiki", "php8.2-sqlite3", *php.PACKAGES, *TEXTS), wikis.mediawiki),
    Site("dokuwiki", ("dokuwiki", *php.PACKAGES, *TEXTS), wikis.dokuwiki),
    Site("wordpress", (*blog.PACKAGES, *php.PACKAGES, *TEXTS), blog.wordpress),
    Site("cgit", ("cgit", "fcgiwrap", *TEXTS), code_browsers.cgit, code_browsers.OWNERS_LEAVE),
    Site(
        "gitweb",
        ("gitweb", "fcgiwrap", *TEXTS),
        code_browsers.gitweb,
        code_browsers.OWNERS_LEAVE,
        max_pages=2000,
    ),
    Site(
        "hgweb",
        ("mercurial", *TEXTS),
        code_browsers.hgweb,
        (*code_browsers.OWNERS_LEAVE, "entry_parameters=+revcount"),  # 500 for many of its pages
    ),
    Site("tarpit", TEXTS, generated.tarpit, max_pages=1500),
    Site("tarpit-nested", TEXTS, partial(generated.tarpit, nested=True), max_pages=1500),
    Site("archive", TEXTS, partial(generated.archive, named=False), max_pages=11_000),
    Site("archive-named", TEXTS, partial(generated.archive, named=True), max_pages=11_000),
    Site("catalogue", TEXTS, generated.catalogue),
    Site("forum", (), generated.forum),
)

SITES = {site.name: site for site in _ALL}
