"""A blog: WordPress on MariaDB, with pages of comments, categories, tags and feeds."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from urllib.parse import unquote, urlsplit

from benchmarks.real_sites.php import behind_nginx
from benchmarks.real_sites.processes import free_port, program, run, running
from benchmarks.real_sites.site import NEUTRAL, Served
from benchmarks.real_sites.texts import notes, slug
from fixtures.nginx import Nginx

PACKAGES = (
    "wordpress",
    "wordpress-theme-twentytwentyone",
    "mariadb-server-core",
    "mariadb-client-core",
    "php8.2-mysql",
)
POSTS, PAGES = 30, 3
THEME = "twentytwentyone"
_NGINX = """\
root {root};
index index.php;
location / {{ try_files $uri $uri/ /index.php?$args; }}
location ~ \\.php$ {{
    include PHP;
    fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;
    fastcgi_param SCRIPT_NAME $fastcgi_script_name;
}}
"""
_CONFIGURATION = """<?php
define('DB_NAME', 'blog');
define('DB_USER', 'root');
define('DB_PASSWORD', '');
define('DB_HOST', '127.0.0.1:{port}');
define('DB_CHARSET', 'utf8mb4');
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('DISABLE_WP_CRON', true);
define('AUTOMATIC_UPDATER_DISABLED', true);
foreach (['AUTH_KEY', 'SECURE_AUTH_KEY', 'LOGGED_IN_KEY', 'NONCE_KEY', 'AUTH_SALT',
          'SECURE_AUTH_SALT', 'LOGGED_IN_SALT', 'NONCE_SALT'] as $name) define($name, $name);
$table_prefix = 'wp_';
if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
"""
_FILL = """<?php
define('WP_INSTALLING', true);
$_SERVER['HTTP_HOST'] = '{host}';
$_SERVER['SERVER_PROTOCOL'] = 'HTTP/1.1';
$_SERVER['REQUEST_METHOD'] = 'GET';
$_SERVER['REQUEST_URI'] = '/';
require 'wp-load.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';
wp_install('Notes', 'ada', 'ada@example.org', true, '', 'a pass phrase for nobody');
update_option('siteurl', 'http://{host}');
update_option('home', 'http://{host}');
switch_theme('{theme}');
update_option('permalink_structure', '/%year%/%monthnum%/%postname%/');
update_option('thread_comments', 1);
update_option('page_comments', 1);
update_option('comments_per_page', 2);
update_option('comment_moderation', 0);
global $wp_rewrite;
$wp_rewrite->init();
$wp_rewrite->flush_rules(true);
foreach (json_decode(file_get_contents('{entries}'), true) as $entry) {{
    $category = wp_create_category($entry['category']);
    $id = wp_insert_post(['post_title' => $entry['title'], 'post_content' => $entry['content'],
        'post_name' => $entry['name'], 'post_status' => 'publish', 'post_type' => $entry['type'],
        'post_date' => $entry['date'], 'post_author' => 1, 'post_category' => [$category],
        'tags_input' => $entry['tags']]);
    for ($number = 0; $number < $entry['comments']; $number++)
        wp_insert_comment(['comment_post_ID' => $id, 'comment_author' => 'Reader ' . $number,
            'comment_content' => 'Thanks for ' . $entry['title'] . ', says reader ' . $number . '.',
            'comment_approved' => 1]);
}}
global $wpdb;
$query = "SELECT ID FROM $wpdb->posts WHERE post_status = 'publish'
    AND post_type IN ('post', 'page')";
foreach ($wpdb->get_col($query) as $id) {{
    echo get_permalink($id), "\\n";
    if (get_comments_number($id) > 2) echo get_permalink($id), "comment-page-1/\\n";
}}
"""


def _entries() -> list[dict[str, str | int | list[str]]]:
    """Release notes as posts, the last of them as pages."""
    found: list[dict[str, str | int | list[str]]] = []
    for place, (version, text) in enumerate(islice(notes().items(), 60, 60 + POSTS + PAGES)):
        paragraphs = (f"<p>{each.strip()}</p>" for each in text[:4000].split("\n\n"))
        found.append(
            {
                "type": "post" if place < POSTS else "page",
                "title": f"Git {version}",
                "name": f"{slug(text, 3)}-{version.replace('.', '-')}",
                "content": "\n".join(paragraphs),
                "date": f"2026-{1 + place // 6:02}-{1 + place % 28:02} 12:00:00",
                "category": f"Series {place % 4}",
                "tags": [f"tag {place % 3}", f"label {place % 5}"],
                "comments": place % 4,
            }
        )
    return found


@contextmanager
def wordpress(folder: Path) -> Iterator[Served]:
    """WordPress as it comes; the truth is its table of posts and pages."""
    root = folder / "blog"
    shutil.copytree("/usr/share/wordpress", root, symlinks=False, ignore_dangling_symlinks=True)
    with _database(folder) as database:
        (root / "wp-config.php").write_text(_CONFIGURATION.format(port=database))
        port = free_port()
        host = f"127.0.0.1:{port}"
        entries = folder / "entries.json"
        entries.write_text(json.dumps(_entries()))
        (root / "fill.php").write_text(_FILL.format(host=host, theme=THEME, entries=entries))
        printed = run([program("php"), "-d", "display_errors=0", "fill.php"], root)
        (root / "fill.php").unlink()
        with behind_nginx(folder, _NGINX.format(root=root), port=port) as nginx:
            yield _served(nginx, printed)


def _served(nginx: Nginx, printed: str) -> Served:
    (origin,) = nginx.origins.values()
    lines = (line for line in printed.splitlines() if line.startswith(origin))
    pages = frozenset(urlsplit(line).path for line in lines)
    lists = ("/category/", "/tag/", "/author/", "/page/")

    def page_of(url: str) -> str | None:
        parts = urlsplit(url)
        path = unquote(parts.path)
        path = path if path.endswith("/") else f"{path}/"
        if parts.query:
            return None
        if path in pages:
            return path
        if "/feed/" in path:
            return None
        by_date = path.strip("/").replace("/", "").replace("page", "").isdigit()
        return NEUTRAL if path == "/" or path.startswith(lists) or by_date else None

    return Served(f"{origin}/", pages, page_of, lambda: len(nginx.log()))


@contextmanager
def _database(folder: Path) -> Iterator[int]:
    """MariaDB on a port of its own, with an empty database ``blog``."""
    port, data, socket = free_port(), folder / "mariadb", folder / "mariadb.sock"
    data.mkdir()
    user = ["--user=root"] if os.geteuid() == 0 else []
    install = [program("mariadb-install-db"), "--no-defaults", f"--datadir={data}", *user]
    run([*install, "--auth-root-authentication-method=normal", "--skip-test-db"], folder)
    server = [program("mariadbd"), "--no-defaults", f"--datadir={data}", f"--socket={socket}"]
    server += [f"--port={port}", "--bind-address=127.0.0.1", "--skip-name-resolve", *user]
    server += ["--skip-grant-tables", f"--pid-file={folder}/mariadb.pid"]
    with running(server, folder, port):
        client = [program("mariadb"), "--no-defaults", "-h", "127.0.0.1", "-P", str(port)]
        run([*client, "-u", "root", "-e", "CREATE DATABASE blog"], folder)
        yield port
