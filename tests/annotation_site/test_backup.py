"""Backup, restore and move: everything comes back, while people work, and what cannot be taken is refused untouched."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg2
import pytest
from django.conf import settings
from django.db import connection

from annotation_site.operation import backup, server
from collection.models import Corpus
from tests.commands import run
from tests.corpora import make_corpus, make_pair, make_premise
from tests.snapshots.material import folder, freeze
from tests.validation.votes import vote
from validation.models import Label, Question


@pytest.fixture
def empty() -> Iterator[list[str]]:
    """The addresses of two empty databases on the same server."""
    names = [f"{connection.settings_dict['NAME']}_{place}" for place in ("restored", "moved")]
    with connection.creation._nodb_cursor() as cursor:
        for name in names:
            cursor.execute(f'CREATE DATABASE "{name}"')
    ours = str(connection.settings_dict["NAME"])
    yield [server.database_url().removesuffix(ours) + name for name in names]
    for name in names:
        connection.creation._destroy_test_db(name, 0)


def manage(*words: object, database: str, var: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *map(str, words)],
        env={**os.environ, "DATABASE_URL": database, "QUINTET_VAR": str(var)},
        cwd=settings.BASE_DIR,
        capture_output=True,
        text=True,
        check=False,
    )


def filled() -> Corpus:
    corpus = make_corpus()
    for number in range(4):
        pair = make_pair(
            corpus, make_premise(corpus, f"Dog {number} waits – “dort”."), "So.", author_label="neutral"
        )
        vote(pair, Question.objects.get(), "nnnec"[: number + 1])
    return corpus


def content(url: str, var: Path) -> Any:
    """Returns all rows of an installation, by table and key."""
    done = manage("dumpdata", "-e", "validation.gold", "-e", "sessions", database=url, var=var)
    assert not done.returncode, done.stderr
    return sorted(json.loads(done.stdout), key=lambda row: (row["model"], str(row["pk"])))


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_what_was_there_when_the_backup_began_comes_back_and_moves_to_another_kind_of_database(
    tmp_path: Path, empty: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere, moved = empty
    snapshot = freeze(filled())
    manifest = (folder(snapshot) / "manifest.json").read_bytes()
    before = content(server.database_url(), settings.VAR)
    dump = backup.run_tool

    def while_people_work(there: Any, program: str, *words: str) -> None:
        with (
            closing(psycopg2.connect(**connection.get_connection_params())) as other,
            other,
            other.cursor() as cursor,
        ):
            cursor.execute("UPDATE collection_corpus SET name = 'Renamed meanwhile'")
            cursor.execute("DELETE FROM validation_label")
        dump(there, program, *words)

    monkeypatch.setattr(backup, "run_tool", while_people_work)
    assert "The backup is in" in run("backup", tmp_path / "made").out
    assert not Label.objects.exists(), "somebody worked meanwhile"
    told = json.loads((tmp_path / "made/backup.json").read_text())
    assert told["rows"]["validation_label"] == sum(row["model"] == "validation.label" for row in before) > 0

    done = manage("restore", tmp_path / "made", database=elsewhere, var=tmp_path / "restored")
    assert not done.returncode, done.stderr + done.stdout
    assert "files of frozen snapshots have the hashes" in done.stdout
    assert content(elsewhere, tmp_path / "restored") == before
    assert (
        tmp_path / "restored" / folder(snapshot).relative_to(settings.VAR) / "manifest.json"
    ).read_bytes() == manifest
    again = manage("restore", tmp_path / "made", database=elsewhere, var=tmp_path / "other")
    assert "The database is not empty: collection_corpus" in again.stderr

    lite = f"sqlite:///{tmp_path}/moved.sqlite3"
    done = manage("move_to", lite, database=elsewhere, var=tmp_path / "restored")
    assert "and equal in number" in done.stdout, done.stderr
    assert content(lite, tmp_path / "restored") == before
    done = manage("backup", tmp_path / "of-sqlite", database=lite, var=tmp_path / "restored")
    assert not done.returncode, done.stderr
    back = f"sqlite:///{tmp_path}/back.sqlite3"
    done = manage("restore", tmp_path / "of-sqlite", database=back, var=tmp_path / "back")
    assert not done.returncode, done.stderr + done.stdout
    done = manage("move_to", moved, database=back, var=tmp_path / "back")
    assert "and equal in number" in done.stdout, done.stderr
    assert content(moved, tmp_path / "back") == before


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A backup of an empty database, as PostgreSQL and this version make it."""
    where = tmp_path / "made"
    (where / "files").mkdir(parents=True)
    (where / "database.dump").write_text("rows")
    digest = backup.file_sha256(where / "database.dump")
    facts = {
        "version": "0.1",
        "database": connection.vendor,
        "migrations": ["/".join(each) for each in backup.applied(connection)],
        "rows": {},
        "files": {"database.dump": digest},
    }
    (where / "backup.json").write_text(json.dumps(facts))
    return where


def change(made: Path, **facts: Any) -> None:
    file = made / "backup.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **facts}))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("what", "words"),
    [
        (lambda made: (made / "backup.json").unlink(), "holds no backup: backup.json cannot be read ([Errno 2] No"),
        (lambda made: (made / "backup.json").write_text("{"), "holds no backup: backup.json cannot be read"),
        (lambda made: (made / "database.dump").write_text("rowz"), "database.dump is missing or damaged"),
        (lambda made: change(made, files={"files/snapshots/a": "0"}), "files/snapshots/a is missing or damaged"),
        (lambda made: change(made, files={"files/../../a": "0"}), "files/../../a is no name of a file of a backup"),
        (lambda made: change(made, database="oracle"), "The backup is of oracle, and DATABASE_URL names"),
        (lambda made: change(made, migrations=["collection/9999_later"]), "later version (0.1), with collection/9999"),
        (lambda made: change(made, migrations=[]), "or give --migrate"),
        (lambda made: make_corpus(), "The database is not empty: collection_corpus"),
        (lambda made: (made / backup.ENCRYPTED).touch(), "is encrypted: name the file with its key in --identity"),
    ],
)  # fmt: skip
def test_a_backup_that_does_not_fit_is_refused_before_anything_is_written(
    made: Path, what: Any, words: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(settings, "VAR", tmp_path / "site")
    monkeypatch.setattr(backup, "load", lambda *_: pytest.fail("the database was touched"))
    what(made)
    assert words in run("restore", made).failure
    assert not (tmp_path / "site").exists()


@pytest.mark.django_db
def test_a_backup_goes_into_a_new_folder_and_half_of_one_is_not_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    assert "is not empty: name a new folder" in run("backup", tmp_path).failure
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "age is not installed" in run("backup", tmp_path / "new", age="age1").failure
    with pytest.raises(backup.BackupRefused, match="The program pg_dump is not installed"):
        backup.run_tool(connection, "pg_dump")

    @contextmanager
    def stopped(there: Any, target: Path) -> Iterator[Any]:
        target.write_text("half")
        yield from ()
        raise KeyboardInterrupt

    monkeypatch.setattr(backup, "dumped", stopped)
    with pytest.raises(KeyboardInterrupt):
        run("backup", tmp_path / "new")
    assert not (tmp_path / "new").exists()


# Stands for the program age, which no machine has by itself: the same words, and a key that opens what was made for it.
AGE = f"""#!{sys.executable}
import base64, sys
if sys.argv[1] == "--decrypt":
    made_for, _, text = open(sys.argv[4]).read().partition("\\n")
    if open(sys.argv[3]).read() != made_for:
        sys.exit("no identity matched any of the recipients")
    sys.stdout.buffer.write(base64.b64decode(text))
else:
    open(sys.argv[4], "w").write(sys.argv[2] + "\\n" + base64.b64encode(sys.stdin.buffer.read()).decode())
"""


def test_an_encrypted_backup_opens_with_its_key_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "VAR", tmp_path)
    (tmp_path / "age").write_text(AGE)
    (tmp_path / "age").chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    (tmp_path / "key").write_text("age1ours")
    (tmp_path / "other").write_text("age1theirs")
    where = tmp_path / "made"
    (where / "files").mkdir(parents=True)
    (where / "files/a").write_text("secret")
    backup.encrypt(where, "age1ours")
    assert [path.name for path in where.iterdir()] == [backup.ENCRYPTED]
    assert b"secret" not in (where / backup.ENCRYPTED).read_bytes()
    with backup.opened(where, str(tmp_path / "key")) as plain:
        assert (plain / "files/a").read_text() == "secret"
    assert not plain.exists()
    with (
        pytest.raises(backup.BackupRefused, match="age or tar failed: no identity matched"),
        backup.opened(where, str(tmp_path / "other")),
    ):
        pytest.fail("another key opened it")


def test_settings_are_listed_without_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SECRET_KEY", "DATABASE_URL", "OPENID_PROVIDERS", "EMAIL_URL"):
        monkeypatch.setenv(name, "hidden")
    monkeypatch.setenv("ALLOWED_HOSTS", "quintet.example")
    listed = backup.settings_without_secrets()
    assert listed["ALLOWED_HOSTS"] == "quintet.example"
    assert "hidden" not in listed.values()
