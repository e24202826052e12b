"""Fixtures of every test: PostgreSQL, folders of its own, the cast, and no access to the network."""

import gc
import ipaddress
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import hypothesis
import pytest
from django.conf import settings as django_settings
from django.core.management.commands import flush
from django.db import OperationalError, connection
from django.db.backends.postgresql.creation import DatabaseCreation
from django.test import Client
from rest_framework.test import APIClient
from whitenoise.middleware import WhiteNoiseMiddleware

from accounts.models import User
from jobs import tasks as jobs_tasks
from tests import cast
from tests.commands import run
from tests.jobs import material as workers
from tests.made_once import folders, in_order, made_for_this_file, only_for_those_that_ask  # noqa: F401  (one is a fixture)

REPOSITORY = Path(__file__).resolve().parent.parent
FLUSH_TRIES = 5
DROP_TRIES = 12
SECONDS_OF_A_TEST = 15  # those that ask for today's rows take less
MADE_BY_MIGRATE = ("django_content_type", "auth_permission")


# No deadlines, since the machine may be busy; and the same examples in every run.
hypothesis.settings.register_profile(
    "quintet", deadline=None, derandomize=True, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)


@pytest.hookimpl(trylast=True)  # after pytest-django, which puts tests without a database last
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Orders long tests first: begun last, they would leave the other processes without work."""
    long_files = {item.path for item in items if item.get_closest_marker("thorough")}
    items[:] = in_order(sorted(items, key=lambda item: item.path not in long_files))


def pytest_collection_finish() -> None:
    """Takes what is loaded by now out of garbage collection: to look through it again and again took a fifth of the time.

    The rest is collected more rarely than by Python's own threshold of 700 objects, which took a twelfth.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Takes rows back that the test does not ask for, and waits out the last seconds of an hour.

    So no test writes on one day, here or in Tokyo, and asks for today on the next.
    """
    only_for_those_that_ask(item)
    left = 3600 - time.time() % 3600
    if left < SECONDS_OF_A_TEST:
        time.sleep(left)


LARGE_TABLES = ("validation_label", "validation_batchitem", "collection_pair", "collection_premise")


def pytest_configure(config: pytest.Config) -> None:
    gc.disable()  # until all tests are loaded
    hypothesis.settings.load_profile("quintet")
    if connection.vendor != "postgresql":
        raise pytest.UsageError(
            "The tests run on PostgreSQL, where locks mean something. `make test` finds or starts one; "
            "by hand: DATABASE_URL=postgres://postgres@localhost/quintet .venv/bin/python -m pytest"
        )
    _give_this_process_its_own_broker()
    # The tests kill programs, never the database or the machine, so nothing need wait for the disk.
    connection.settings_dict["OPTIONS"]["options"] += " -c synchronous_commit=off"
    DatabaseCreation._destroy_test_db = _drop_database  # of every connection: a test may open another one


def _drop_database(creation: DatabaseCreation, name: str, verbosity: int = 0) -> None:
    """Drops a test database, whoever is still connected: a browser's last request, a slow worker.

    PostgreSQL ends the connections, but waits for them for five seconds only, too few on a busy machine.
    """
    statement = f"DROP DATABASE {connection.ops.quote_name(name)} WITH (FORCE)"
    with creation._nodb_cursor() as cursor:
        for _ in range(DROP_TRIES - 1):
            with suppress(OperationalError):
                return cursor.execute(statement)
        return cursor.execute(statement)


@pytest.fixture(autouse=True, scope="module")
def no_dead_rows(django_db_blocker: Any) -> Iterator[None]:
    """Vacuums the large tables after each file, as autovacuum would, which many machines for tests have switched off.

    What tests roll back stays in the files of the tables. After some 100,000 rows, with the statistics of a test that
    analysed a nearly empty table, PostgreSQL chose a plan that took minutes.
    """
    yield
    if not str(connection.settings_dict["NAME"]).startswith("test_"):
        return  # no test has asked for the database so far
    with django_db_blocker.unblock():
        if not connection.in_atomic_block:
            with connection.cursor() as cursor:
                cursor.execute(f"VACUUM (SKIP_LOCKED) {', '.join(LARGE_TABLES)}")


def _give_this_process_its_own_broker() -> None:
    """Gives each process of pytest-xdist a broker of its own: its jobs must not reach the workers of another.

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
    """Allows connections to this machine only, and to the broker of the tests."""
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
    """Replaces `fsync` by nothing: without it only a crash of the machine would lose files."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture(autouse=True, scope="session")
def static_files_are_looked_up_once() -> Iterator[None]:
    """Caches WhiteNoise's list of static files, which it would read anew for each test client."""
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
    """Empties all tables after a test with real transactions, by DELETE, in hundredths of a second.

    TRUNCATE makes a new file for every table and index; for the few rows of a test that takes a second.
    Content types and permissions stay, since `migrate` made them; otherwise Django would make them all again.
    The tables are locked first: a request that the browser sent as its last may still be writing, and a row
    that it adds between two DELETEs would point at one that is gone. Where the two wait for each other,
    PostgreSQL stops one; if it is this one, it tries again.
    """
    execute_once = type(connection.ops).execute_sql_flush

    def sql_flush(self: Any, style: Any, tables: list[str], **options: Any) -> list[str]:
        names = [self.quote_name(table) for table in tables if table not in MADE_BY_MIGRATE]
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
        patch.setattr(flush, "emit_post_migrate_signal", lambda *arguments, **options: None)
        yield


@pytest.fixture(autouse=True)
def own_folders(settings: Any, tmp_path: Path) -> Path:
    """Puts snapshots, runs and caches of a test into a temporary folder."""
    for name, path in folders(tmp_path / "var").items():
        setattr(settings, name, path)
    return settings.VAR


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Records the keys of the jobs about which messages were sent to workers; no worker reads them."""
    keys: list[int] = []
    monkeypatch.setattr(jobs_tasks, "after_commit", lambda send: send())
    monkeypatch.setattr(workers, "really_send", lambda *rows: keys.extend(row.pk for row in rows))
    return keys


@pytest.fixture(autouse=True, scope="session")
def one_group() -> Iterator[None]:
    """Makes every researcher of the tests an owner of every corpus, as on the site of one group.

    A test about several groups makes its people and corpora in `several_groups()`.
    """
    with cast.one_group():
        yield


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
    return cast.signed_in


@pytest.fixture
def browser(browser_of: Callable[[User], Client], rosa: User) -> Client:
    """A test client in which a researcher is signed in."""
    return browser_of(rosa)


@pytest.fixture
def api_of(db: None) -> Callable[[User], APIClient]:
    """`api_of(ana)`: a REST client that speaks JSON as Ana."""

    def sign_in(user: User) -> APIClient:
        client = APIClient()
        client.force_authenticate(user)
        return client

    return sign_in


@pytest.fixture
def load(db: None, tmp_path: Path) -> Callable[[str], str]:
    """`load(text)`: loads this corpus file by the command, and returns all that it printed."""

    def load_text(text: str) -> str:
        path = tmp_path / "corpus.toml"
        path.write_text(text)
        done = run("load_corpus", path)
        return f"{done.failure}\n{done.out}\n{done.err}"

    return load_text


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Returns the folder of published corpora beside the repository, whose licences do not let us copy them into it."""
    folder = REPOSITORY.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the published corpora are not beside this repository (../shared/data)")
    return folder
