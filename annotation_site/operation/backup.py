"""Backup, restore, and the move from one database to another.

A backup is a folder: the database as its own program or interface dumps it, the files of `QUINTET_VAR` that cannot be made
again, and a manifest with what must come back: the SHA-256 of each file and the rows of each table. PostgreSQL counts in the
snapshot that it dumps, so people may work meanwhile. docs/decisions/0036-own-backup.md says why no library does it.
"""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.management.color import no_style
from django.db import DatabaseError, connections, models, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.postgresql.client import DatabaseClient
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from shared.portions import portions
from snapshots.files.hashes import file_sha256
from snapshots.freezing.manifest import software_version

MANIFEST, FILES = "backup.json", "files"
DUMPS = {"postgresql": "database.dump", "sqlite": "database.sqlite3"}
# Folders of QUINTET_VAR that nothing makes again. Exports, caches, logs and the broker's folders are made again.
KEPT = ("snapshots", "runs", "incoming")
ENCRYPTED = "backup.tar.age"
ROWS_AT_ONCE = 2000

Tell = Callable[[str], None]


class BackupRefused(Exception):
    """A backup, restore or move that cannot be made. The message says why and what to do."""


def back_up(folder: Path, tell: Tell, recipient: str = "") -> dict[str, Any]:
    """Writes a backup into a new folder, which is readable by its owner alone. Returns its manifest.

    recipient: a public key of age; the folder then holds one encrypted archive. Raises BackupRefused.
    """
    if folder.exists() and any(folder.iterdir()):
        raise BackupRefused(f"{folder} is not empty: name a new folder for each backup.")
    if recipient and not shutil.which("age"):
        raise BackupRefused("The program age is not installed: install it, or leave --age out.")
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    connection = connections["default"]
    try:
        with dumped(connection, folder / DUMPS[connection.vendor]) as there:
            tables, migrations = rows_of(there), sorted(map("/".join, applied(there)))
        if not tables:
            raise BackupRefused("The database has no tables yet: there is nothing to back up.")
        tell(f"{sum(tables.values()):,} rows of {len(tables)} tables")
        # After the database: the backup then has the files of every snapshot that it names.
        names = [DUMPS[connection.vendor], *copy_files(settings.VAR, folder / FILES)]
        manifest = {
            "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "version": software_version(),
            "database": connection.vendor,
            "migrations": migrations,
            "settings": settings_without_secrets(),
            "rows": tables,
            "files": {name: file_sha256(folder / name) for name in names},
        }
        (folder / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n")
        tell(f"{len(names):,} files")
        if recipient:
            encrypt(folder, recipient)
            tell(f"encrypted: {folder / ENCRYPTED}")
    except BaseException:
        shutil.rmtree(folder)  # half a backup must not be taken for one
        raise
    return manifest


def restore(folder: Path, tell: Tell, *, identity: str = "", migrates: bool = False) -> dict[str, Any]:
    """Restores a backup into an empty installation. Returns its manifest.

    All files are read before anything is written. identity: the file with the secret key of age. migrates: a backup of an
    older version is migrated afterwards, by the caller. Raises BackupRefused.
    """
    connection = connections["default"]
    with opened(folder, identity) as plain:
        try:
            manifest: dict[str, Any] = json.loads((plain / MANIFEST).read_text())
        except (OSError, ValueError) as problem:
            raise BackupRefused(f"{folder} holds no backup: {MANIFEST} cannot be read ({problem}).") from None
        refuse_other_version(manifest, connection, migrates)
        refuse_filled(connection)
        for name, digest in manifest["files"].items():
            if ".." in Path(name).parts or Path(name).is_absolute():
                raise BackupRefused(f"{name} is no name of a file of a backup. Nothing was changed.")
            if not (plain / name).is_file() or file_sha256(plain / name) != digest:
                raise BackupRefused(
                    f"{folder / name} is missing or damaged: take another backup. Nothing was changed."
                )
        tell(f"{len(manifest['files']):,} files have the hashes that the backup names")
        load(connection, plain / DUMPS[connection.vendor])
        for name in manifest["files"]:
            if name.startswith(f"{FILES}/"):
                target = settings.VAR / Path(name).relative_to(FILES)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(plain / name, target)
    compare(manifest["rows"], rows_of(connection), "the backup", "the database")
    tell(f"{sum(manifest['rows'].values()):,} rows of {len(manifest['rows'])} tables are there")
    return manifest


def move_rows(url_of_target: dict[str, Any], migrate: Callable[[str], object], tell: Tell) -> dict[str, int]:
    """Copies all rows into another, empty database, in one transaction. Returns the number of rows by table.

    migrate: makes the tables of the database with this alias. Raises BackupRefused.
    """
    source = connections["default"]
    connections.databases["target"] = {**connections.databases["default"], **url_of_target}
    target = connections["target"]
    try:
        refuse_filled(target)
        migrate("target")
        with transaction.atomic(), transaction.atomic(using="target"):
            with target.cursor() as cursor:
                for model in kept_models():  # what the migrations themselves put there
                    cursor.execute(f"DELETE FROM {target.ops.quote_name(model._meta.db_table)}")
            for model in kept_models():
                copied = copy_rows(model, target)
                if copied:
                    tell(f"{model._meta.db_table}: {copied:,} rows")
            reset = target.ops.sequence_reset_sql(no_style(), list(kept_models()))
            with target.cursor() as cursor:
                for statement in reset:
                    cursor.execute(statement)
            rows = rows_of(source)
            compare(rows, rows_of(target), "the old database", "the new one")
        return rows
    except DatabaseError as problem:
        raise BackupRefused(f"The other database refused: {' '.join(str(problem).split())}") from problem
    finally:
        target.close()
        del connections["target"]
        del connections.databases["target"]


# The database


@contextmanager
def dumped(connection: BaseDatabaseWrapper, target: Path) -> Iterator[Any]:
    """Dumps the database into a file. Yields a connection that sees exactly the rows of the dump."""
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        with closing(sqlite3.connect(target)) as copy:
            connection.connection.backup(copy)
            yield copy
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        cursor.execute("SELECT pg_export_snapshot()")
        (snapshot,) = cursor.fetchone()
        run_tool(
            connection,
            "pg_dump",
            "--format=custom",
            "--no-owner",
            f"--snapshot={snapshot}",
            f"--file={target}",
        )
        yield connection


def load(connection: BaseDatabaseWrapper, source: Path) -> None:
    """Replaces the tables of the database by those of the dump."""
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        with closing(sqlite3.connect(source)) as copy:
            copy.backup(connection.connection)
        return
    with connection.cursor() as cursor:  # empty tables of the same names, and of later ones
        cursor.execute("DROP SCHEMA public CASCADE")
        cursor.execute("CREATE SCHEMA public")
    connection.close()
    run_tool(connection, "pg_restore", "--no-owner", "--exit-on-error", "--single-transaction", str(source))


def run_tool(connection: BaseDatabaseWrapper, program: str, *words: str) -> None:
    """Runs a program of PostgreSQL on this database. Raises BackupRefused with what it says."""
    (_, *options, name), env = DatabaseClient.settings_to_cmd_args_env(connection.settings_dict, [])
    try:
        done = subprocess.run(
            [program, *options, f"--dbname={name}", *words],
            env={**os.environ, **(env or {})},
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        raise BackupRefused(
            f"The program {program} is not installed: install PostgreSQL's client programs."
        ) from None
    if done.returncode:
        raise BackupRefused(f"{program} failed: {' '.join(done.stderr.split())}")


def kept_models() -> Iterator[type[models.Model]]:
    """Yields each model with a table, those of many-to-many fields among them."""
    for model in apps.get_models(include_auto_created=True):
        if model._meta.managed and not model._meta.proxy:
            yield model


def rows_of(connection: Any) -> dict[str, int]:
    """Counts the rows of each table of the models that the database has."""
    names = [model._meta.db_table for model in kept_models()]
    with closing(connection.cursor()) as cursor:
        there = tables_in(connection, cursor)
        found = {}
        for name in sorted(set(names) & there):
            cursor.execute(f'SELECT COUNT(*) FROM "{name}"')
            (found[name],) = cursor.fetchone()
    return found


def tables_in(connection: Any, cursor: Any) -> set[str]:
    if isinstance(connection, sqlite3.Connection):
        cursor.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        return {name for (name,) in cursor.fetchall()}
    return set(connection.introspection.table_names(cursor))


def applied(connection: Any) -> set[tuple[str, str]]:
    """Returns the migrations that the database has, as (app, name)."""
    with closing(connection.cursor()) as cursor:
        if MigrationRecorder.Migration._meta.db_table not in tables_in(connection, cursor):
            return set()
        cursor.execute("SELECT app, name FROM django_migrations")
        return set(cursor.fetchall())


def copy_rows(model: type[models.Model], target: BaseDatabaseWrapper) -> int:
    """Copies the rows of one table as they are: no field's time or default is set anew."""
    fields = [field for field in model._meta.concrete_fields if field.column]
    quote = target.ops.quote_name
    statement = (
        f"INSERT INTO {quote(model._meta.db_table)} ({', '.join(quote(str(field.column)) for field in fields)})"
        f" VALUES ({', '.join(['%s'] * len(fields))})"
    )
    rows = (
        model._base_manager.using("default").order_by("pk").values_list(*(field.attname for field in fields))
    )
    copied = 0
    with target.cursor() as cursor:
        for portion in portions(rows.iterator(chunk_size=ROWS_AT_ONCE), ROWS_AT_ONCE):
            values = [
                [field.get_db_prep_save(value, target) for field, value in zip(fields, row, strict=True)]
                for row in portion
            ]
            cursor.executemany(statement, values)
            copied += len(values)
    return copied


# What is refused


def refuse_filled(connection: BaseDatabaseWrapper) -> None:
    """Refuses a database that holds people or corpora, and, for a restore, folders with files."""
    filled = [name for name, rows in rows_of(connection).items() if rows and name.startswith(OWN_TABLES)]
    if filled:
        raise BackupRefused(
            f"The database is not empty: {', '.join(filled[:3])} has rows. Name an empty one in DATABASE_URL."
        )
    if connection.alias == "default":
        for name in KEPT:
            if any((settings.VAR / name).glob("*")):
                raise BackupRefused(
                    f"{settings.VAR / name} is not empty: name an empty folder in QUINTET_VAR."
                )


OWN_TABLES = ("accounts_user", "collection_corpus", "snapshots_", "modeling_", "validation_")


def refuse_other_version(manifest: dict[str, Any], connection: BaseDatabaseWrapper, migrates: bool) -> None:
    if manifest["database"] != connection.vendor:
        raise BackupRefused(
            f"The backup is of {manifest['database']}, and DATABASE_URL names {connection.vendor}. Restore it where it fits,"
            " and move_to takes the rows to another kind."
        )
    on_disk = MigrationLoader(None).disk_migrations
    known = set(map("/".join, on_disk))
    replaced = {"/".join(old) for each in on_disk.values() for old in each.replaces}
    theirs = set(manifest["migrations"])
    if newer := sorted(theirs - known - replaced):
        raise BackupRefused(
            f"The backup is of a later version ({manifest['version']}), with {newer[-1]}: install that version."
        )
    if (older := sorted(known - theirs)) and not migrates:
        raise BackupRefused(
            f"The backup is of an earlier version ({manifest['version']}), without {older[0]}: install that version, or"
            " give --migrate, which brings it to this one."
        )


def compare(expected: dict[str, int], found: dict[str, int], theirs: str, ours: str) -> None:
    different = [
        f"{name} has {expected.get(name, 0):,} rows in {theirs} and {found.get(name, 0):,} in {ours}"
        for name in sorted(expected.keys() | found.keys())
        if expected.get(name, 0) != found.get(name, 0)
    ]
    if different:
        raise BackupRefused(f"{'; '.join(different)}.")


# Files


def copy_files(source: Path, target: Path) -> Iterable[str]:
    """Copies what is kept of QUINTET_VAR. Returns the names of the files within the backup."""
    names = []
    for path in chain.from_iterable(sorted((source / kept).rglob("*")) for kept in KEPT):
        if not path.is_file() or path.is_symlink():
            continue
        there = target / path.relative_to(source)
        there.parent.mkdir(parents=True, exist_ok=True)
        try:
            shutil.copy2(path, there)
        except FileNotFoundError:
            continue  # a draft that was finished, or a checkpoint that was written anew, meanwhile
        names.append(there.relative_to(target.parent).as_posix())
    return names


def encrypt(folder: Path, recipient: str) -> None:
    """Puts all files of the backup into one archive that only the owner of the key can read."""
    names = sorted(path.name for path in folder.iterdir())
    pipe(
        ["tar", "--create", "--directory", str(folder), *names],
        ["age", "--recipient", recipient, "--output", str(folder / ENCRYPTED)],
    )
    for name in names:
        path = folder / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()


@contextmanager
def opened(folder: Path, identity: str) -> Iterator[Path]:
    """Yields the folder of the backup; of an encrypted one, a folder that is deleted afterwards."""
    archive = folder / ENCRYPTED
    if not archive.exists():
        yield folder
        return
    if not identity:
        raise BackupRefused(f"{archive} is encrypted: name the file with its key in --identity.")
    with tempfile.TemporaryDirectory(dir=settings.VAR) as plain:
        pipe(
            ["age", "--decrypt", "--identity", identity, str(archive)],
            ["tar", "--extract", "--directory", plain],
        )
        yield Path(plain)


def pipe(first: Sequence[str], second: Sequence[str]) -> None:
    """Runs two programs, the output of one into the other. Raises BackupRefused with what they say."""
    try:
        with subprocess.Popen(first, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as one:
            done = subprocess.run(second, stdin=one.stdout, capture_output=True, check=False)
            said = one.communicate()[1] + done.stderr
    except FileNotFoundError as missing:
        raise BackupRefused(f"The program {missing.filename} is not installed.") from None
    if one.returncode or done.returncode:
        raise BackupRefused(
            f"{first[0]} or {second[0]} failed: {' '.join(said.decode(errors='replace').split())}"
        )


def settings_without_secrets() -> dict[str, str]:
    """Returns the settings of the environment that docs/reference/settings.md names, but passwords, keys and addresses."""
    reference = (settings.BASE_DIR / "docs/reference/settings.md").read_text()
    names = re.findall(r"^\| `([A-Z_]+)` \|", reference, flags=re.MULTILINE)
    secret = re.compile("KEY|SECRET|PASSWORD|TOKEN|URL|PROVIDERS|DSN")
    return {
        name: os.environ[name] for name in sorted(names) if name in os.environ and not secret.search(name)
    }
