"""What every test stands on: PostgreSQL, folders of its own, the cast, and no way out to the network."""

import ipaddress
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import hypothesis
import pytest
from django.conf import settings as django_settings
from django.db import OperationalError, connection
from django.test import Client
from rest_framework.test import APIClient
from whitenoise.middleware import WhiteNoiseMiddleware

from accounts.models import User
from jobs import tasks as jobs_tasks
from tests import cast

REPOSITORY = Path(__file__).resolve().parent.parent
FLUSH_TRIES = 5


# A busy machine is no fault of the code, and a run must mean the same the second time.
hypothesis.settings.register_profile(
    "quintet", deadline=None, derandomize=True, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("quintet")


@pytest.hookimpl(trylast=True)  # after pytest-django, which puts tests without a database last
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long tests come first: begun last, they would leave the other processes with nothing to do."""
    long_files = {item.path for item in items if item.get_closest_marker("thorough")}
    items.sort(key=lambda item: item.path not in long_files)


def pytest_configure(config: pytest.Config) -> None:
    if connection.vendor != "postgresql":
        raise pytest.UsageError(
            "The tests run on PostgreSQL, where locks mean something. `make test` finds or starts one; "
            "by hand: DATABASE_URL=postgres://postgres@localhost/quintet .venv/bin/python -m pytest"
        )
    _give_this_process_its_own_broker()
    # The tests kill programs, never the database or the machine: nothing waits for the disk.
    connection.settings_dict["OPTIONS"]["options"] += " -c synchronous_commit=off"


def _give_this_process_its_own_broker() -> None:
    """Tests run in several processes (pytest-xdist): one's jobs must not reach another's workers.

    pytest-django gives each process a database of its own; this gives each a numbered database of Redis.
    """
    process = os.environ.get("PYTEST_XDIST_WORKER", "").removeprefix("gw")
    broker = urlsplit(django_settings.CELERY_BROKER_URL)
    if process and broker.scheme in ("redis", "rediss"):
        # Downwards: the tests have the last one, and a developer's own data lie in the first.
        number = (int(broker.path.strip("/") or 0) - int(process)) % 16
        url = urlunsplit(broker._replace(path=f"/{number}"))
        django_settings.CELERY_BROKER_URL = os.environ["CELERY_BROKER_URL"] = url


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return host == "localhost"


@pytest.fixture(autouse=True, scope="session")
def no_network() -> Iterator[None]:
    """Tests talk to this machine only, and to the broker that they were given."""
    named = {urlsplit(django_settings.CELERY_BROKER_URL).hostname}
    connect, connect_ex = socket.socket.connect, socket.socket.connect_ex

    def refuse_strangers(address: Any) -> None:
        if isinstance(address, tuple) and not _is_here(address[0]) and address[0] not in named:
            raise RuntimeError(f"A test wanted to reach {address[0]}: tests stay on this machine.")

    def guarded_connect(self: socket.socket, address: Any) -> None:
        refuse_strangers(address)
        connect(self, address)

    def guarded_connect_ex(self: socket.socket, address: Any) -> int:
        refuse_strangers(address)
        return connect_ex(self, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded_connect)
        patch.setattr(socket.socket, "connect_ex", guarded_connect_ex)
        yield


@pytest.fixture(autouse=True, scope="session")
def no_waiting_for_the_disk() -> Iterator[None]:
    """Files of a killed program are as safe without `fsync`: only a crash of the machine would lose them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture(autouse=True, scope="session")
def static_files_are_looked_up_once() -> Iterator[None]:
    """Each test client starts the site anew, and WhiteNoise would read the headers of every static file each time."""
    look_up = WhiteNoiseMiddleware.add_files_from_finders
    found: dict[str, Any] = {}

    def add_files_from_finders(self: WhiteNoiseMiddleware) -> None:
        if not found:
            look_up(self)
            found.update(self.files)
        self.files.update(found)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WhiteNoiseMiddleware, "add_files_from_finders", add_files_from_finders)
        yield


@pytest.fixture(autouse=True, scope="session")
def quick_cleaning() -> Iterator[None]:
    """After a test with real transactions, all tables are emptied: by DELETE, in hundredths of a second.

    TRUNCATE makes a new file for every table and index; for the few rows of a test that takes a second.
    The tables are locked first: a request that the browser sent as its last may still be writing, and a row
    that it adds between two DELETEs would point at one that is gone. Where the two wait for each other,
    PostgreSQL stops one; if it is this one, it tries again.
    """
    execute_once = type(connection.ops).execute_sql_flush

    def sql_flush(self: Any, style: Any, tables: list[str], **options: Any) -> list[str]:
        names = [self.quote_name(table) for table in tables]
        lock = f"LOCK TABLE {', '.join(names)} IN SHARE ROW EXCLUSIVE MODE"
        return [lock, *(f"DELETE FROM {name}" for name in names)] if names else []

    def execute_sql_flush(self: Any, sql_list: list[str]) -> None:
        for _ in range(FLUSH_TRIES - 1):
            with suppress(OperationalError):
                return execute_once(self, sql_list)
        return execute_once(self, sql_list)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(connection.ops), "sql_flush", sql_flush)
        patch.setattr(type(connection.ops), "execute_sql_flush", execute_sql_flush)
        yield


@pytest.fixture(autouse=True)
def own_folders(settings: Any, tmp_path: Path) -> Path:
    """Snapshots, runs and caches of a test lie in a folder that goes away with it."""
    settings.VAR = tmp_path / "var"
    for name in ("snapshots", "runs", "cache"):
        (settings.VAR / name).mkdir(parents=True)
    settings.SNAPSHOT_ROOT = settings.VAR / "snapshots"
    settings.EXPORT_ROOT = settings.VAR / "exports"
    settings.RUN_ROOT = settings.VAR / "runs"
    settings.INCOMING_ROOT = settings.VAR / "incoming"
    settings.CACHE_ROOT = settings.VAR / "cache"
    return settings.VAR


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The keys of the jobs whose messages were sent to workers, which nobody reads here."""
    keys: list[int] = []
    monkeypatch.setattr(jobs_tasks, "after_commit", lambda send: send())
    monkeypatch.setattr(jobs_tasks, "send", lambda kind, pk: keys.append(pk))
    return keys


@pytest.fixture
def ana(db: None) -> User:
    return cast.ana()


@pytest.fixture
def vera(db: None) -> User:
    return cast.vera()


@pytest.fixture
def rosa(db: None) -> User:
    return cast.rosa()


@pytest.fixture
def stan(db: None) -> User:
    return cast.stan()


@pytest.fixture
def browser_of(db: None) -> Callable[[User], Client]:
    """`browser_of(ana)`: a test client in which Ana is signed in."""

    def sign_in(user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return sign_in


@pytest.fixture
def api_of(db: None) -> Callable[[User], APIClient]:
    """`api_of(ana)`: a REST client that speaks JSON as Ana."""

    def sign_in(user: User) -> APIClient:
        client = APIClient()
        client.force_authenticate(user)
        return client

    return sign_in


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Published corpora beside the repository, which are not ours to copy into it."""
    folder = REPOSITORY.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the published corpora are not beside this repository (../shared/data)")
    return folder
