"""Rows and files that all tests of a file begin with, made once."""

import copy
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.test import override_settings


def folders(var: Path) -> dict[str, Path]:
    """Returns the settings of all folders for files, under `var`; makes those that the site expects."""
    for name in ("snapshots", "runs", "cache"):
        (var / name).mkdir(parents=True, exist_ok=True)
    return {
        "VAR": var,
        "SNAPSHOT_ROOT": var / "snapshots",
        "EXPORT_ROOT": var / "exports",
        "RUN_ROOT": var / "runs",
        "INCOMING_ROOT": var / "incoming",
        "CACHE_ROOT": var / "cache",
    }


class _Made:
    """The rows that a function made for one file of tests, with their files; each test gets a copy of both."""

    def __init__(self, make: Callable[[], Any], var: Path) -> None:
        self.var = var
        with override_settings(**folders(var)):
            self.value = make()

    def copied(self) -> Any:
        shutil.copytree(self.var, settings.VAR, dirs_exist_ok=True)
        return copy.deepcopy(self.value)


def made_once(make: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Returns a fixture: a row, or several, that `make` makes once for the tests of a file that ask for it.

    `snapshot = made_once(small_snapshot, 3)` in a file of tests is like a fixture `snapshot` that returns
    `small_snapshot(3)`. The row is made in a transaction around those of the tests, so each test finds it as it was
    made, whatever the others did, with files of its own. A test with real transactions
    cannot ask for it, and makes its own by `snapshot.make()`; tests that do not ask do not see it.
    All that a file names so is made together: two corpora of one name cannot be.
    """

    @pytest.fixture
    def made(made_for_this_file: Rows, request: Any, db: None, own_folders: Path) -> Any:
        if {"transactional_db", "live_server"}.intersection(request.fixturenames) or _is_transactional(
            request
        ):
            pytest.fail("made_once is of no use here: a test with real transactions cannot see its rows.")
        return made_for_this_file.made[made].copied()

    made.make = lambda: make(*args, **options)
    return made


class Rows:
    """The rows of all `made_once` of one file. They are there while its tests ask for them."""

    of_this_file: "Rows | None" = None

    def __init__(self, wanted: list[Any], folder: Callable[[], Path], blocker: Any) -> None:
        self.wanted, self.folder, self.blocker = wanted, folder, blocker
        self.made: dict[Any, _Made] = {}

    def make(self) -> None:
        """Makes the rows, in their order in the file, in a transaction around those of the tests."""
        var = self.folder()
        around = transaction.atomic()
        around._from_testcase = True  # so that transactions inside may be durable
        with self.blocker.unblock(), ExitStack() as undone:
            around.__enter__()
            undone.callback(around.__exit__, None, None, None)
            undone.callback(transaction.set_rollback, True)
            self.made = {each: _Made(each.make, var / str(k)) for k, each in enumerate(self.wanted)}
            connection.check_constraints()  # now, and not again at the end of each test
            self.later = undone.pop_all()

    def undo(self) -> None:
        if self.made:
            self.made = {}
            with self.blocker.unblock():
                self.later.close()


@pytest.fixture(scope="module")
def made_for_this_file(
    request: pytest.FixtureRequest,
    django_db_setup: None,
    django_db_blocker: Any,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Rows]:
    """Makes the rows of all `made_once` of a file."""
    wanted = [
        each for each in vars(request.module).values() if hasattr(each, "make") and hasattr(each, "name")
    ]
    rows = Rows.of_this_file = Rows(wanted, partial(tmp_path_factory.mktemp, "made-once"), django_db_blocker)
    rows.make()
    yield rows
    Rows.of_this_file = None
    rows.undo()


def asks_for_rows(item: Any) -> bool:
    return made_for_this_file.__name__ in getattr(item, "fixturenames", ())


def only_for_those_that_ask(item: Any) -> None:
    """Makes the rows, or takes them back, before a test that asks for them, or does not: tests may run in any order."""
    rows = Rows.of_this_file
    if rows is not None and bool(rows.made) != asks_for_rows(item):
        rows.undo() if rows.made else rows.make()


def in_order(items: list[pytest.Item]) -> list[pytest.Item]:
    """Returns the tests file by file, and in each first those that use no `made_once`: then nothing is made twice."""
    places: dict[Path, int] = {}
    for item in items:
        places.setdefault(item.path, len(places))
    return sorted(items, key=lambda item: (places[item.path], asks_for_rows(item)))


def _is_transactional(request: pytest.FixtureRequest) -> bool:
    mark = request.node.get_closest_marker("django_db")
    return bool(mark and mark.kwargs.get("transaction"))
