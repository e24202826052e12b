"""Starts the site as a process, for commands that use it over HTTP."""

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from urllib.parse import quote

import requests
from django.conf import settings
from django.core.management.base import CommandError
from django.db import connection

# Longer than proxies and scripts keep an idle connection. If the site closed it first, a request could be lost.
KEEP_ALIVE = 130


def gunicorn_command(port: int, *, workers: int = 2, threads: int = 4) -> list[str]:
    """Returns the command line that serves the site. It uses threads, since pages mostly wait for the database."""
    return [
        *(sys.executable, "-m", "gunicorn", "annotation_site.wsgi", "--bind", f"127.0.0.1:{port}"),
        *("--worker-class", "gthread", "--workers", str(workers), "--threads", str(threads)),
        *("--log-level", "warning", "--keep-alive", str(KEEP_ALIVE), "--chdir", str(settings.BASE_DIR)),
        "--no-control-socket",  # all sites of a user would share its default place
    ]


@contextmanager
def site() -> Iterator[str]:
    """Runs the site on a free port with this process's database, and yields its address."""
    port = free_port()
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(
            gunicorn_command(port),
            # Nobody but this process reaches it, so it has neither the public name nor TLS.
            env={
                **os.environ,
                **{"DATABASE_URL": database_url(), "QUINTET_VAR": str(settings.VAR)},
                **{"HTTPS": "False", "ALLOWED_HOSTS": "127.0.0.1", "SECURE_HSTS_SECONDS": ""},
            },
            stdout=log,
            stderr=log,
        )
        try:
            if not wait_for(f"http://127.0.0.1:{port}", lambda: process.poll() is not None):
                raise CommandError("The site did not start.")
            yield f"http://127.0.0.1:{port}"
        except CommandError as error:
            # The page does not name the cause; the log does.
            raise CommandError(f"{error}\nThe last lines of the site's log:\n{tail(log)}") from None
        finally:
            process.terminate()
            try:
                process.wait(timeout=30)
            except subprocess.TimeoutExpired:  # a busy machine; what went wrong before must be told
                process.kill()
                process.wait()


def tail(log: IO[str]) -> str:
    log.seek(0)
    return log.read()[-4000:]


def wait_for(url: str, has_ended: Callable[[], bool]) -> bool:
    """Waits until the site answers, as long as it lives: a busy machine takes minutes. Returns whether it answered."""
    while not has_ended():
        try:
            requests.get(f"{url}/sign-in/", timeout=5)
            return True
        except (requests.ConnectionError, requests.Timeout):  # it accepts connections before it can answer
            time.sleep(0.1)
    return False


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def database_url() -> str:
    """Returns the address of the database that this process is connected to; in tests, the test database."""
    settings_ = connection.settings_dict
    name = settings_["NAME"]
    if connection.vendor == "sqlite":
        return f"sqlite:///{Path(name).resolve()}"
    login = ":".join(quote(part, safe="") for part in (settings_["USER"], settings_["PASSWORD"]) if part)
    host = str(settings_["HOST"] or "")
    port = f":{settings_['PORT']}" if settings_["PORT"] else ""
    # The settings expect a socket's folder before the name of the database.
    place = f"{port}/{host}" if host.startswith("/") else f"{host}{port}"
    return f"postgres://{login + '@' if login else ''}{place}/{name}"
