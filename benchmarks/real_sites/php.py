"""PHP behind nginx, for the software that is written in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from benchmarks.real_sites.processes import free_port, program, running
from fixtures.nginx import Nginx

PACKAGES = ("php8.2-cgi", "php8.2-cli", "php8.2-mbstring", "php8.2-xml", "php8.2-intl")
_FASTCGI = """\
fastcgi_pass 127.0.0.1:{port};
fastcgi_param QUERY_STRING $query_string;
fastcgi_param REQUEST_METHOD $request_method;
fastcgi_param CONTENT_TYPE $content_type;
fastcgi_param CONTENT_LENGTH $content_length;
fastcgi_param REQUEST_URI $request_uri;
fastcgi_param DOCUMENT_URI $document_uri;
fastcgi_param SERVER_PROTOCOL $server_protocol;
fastcgi_param SERVER_ADDR $server_addr;
fastcgi_param SERVER_NAME $server_addr;
fastcgi_param SERVER_PORT $server_port;
fastcgi_param REMOTE_ADDR $remote_addr;
fastcgi_param REDIRECT_STATUS 200;
fastcgi_read_timeout 60;
"""


@contextmanager
def behind_nginx(
    folder: Path,
    directives: str,
    *,
    port: int = 0,
    settings: Mapping[str, object] | None = None,
    variables: Mapping[str, str] | None = None,
) -> Iterator[Nginx]:
    """Serve ``directives``, in which ``include PHP;`` passes a request to PHP.

    ``settings`` are those of php.ini, ``variables`` of the environment.
    """
    behind = free_port()
    file = folder / "php.conf"
    file.write_text(_FASTCGI.format(port=behind))
    command = [program("php-cgi"), "-b", f"127.0.0.1:{behind}"]
    for name, value in (settings or {}).items():
        command += ["-d", f"{name}={value}"]
    given = {"PHP_FCGI_CHILDREN": "2", "PHP_FCGI_MAX_REQUESTS": "0", **(variables or {})}
    served = directives.replace("include PHP;", f"include {file};")
    with (
        running(command, folder, behind, given),
        Nginx(folder, {"127.0.0.1": served}, port) as nginx,
    ):
        yield nginx
