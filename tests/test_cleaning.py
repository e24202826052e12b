"""Tables are emptied between tests even while a request of the last test still writes."""

import threading
from contextlib import closing

import psycopg2
import pytest
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.core.management.color import no_style
from django.db import DatabaseError, IntegrityError, connection, transaction

from accounts.models import Consent, ConsentForm, User
from tests import cast

LONG = 60.0
A_MOMENT = 0.5


def _empty(statements: list[str], late_request: threading.Thread, patience: float) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
            if statement == 'DELETE FROM "accounts_consent"':
                late_request.start()
                late_request.join(patience)


@pytest.mark.django_db(transaction=True)
def test_a_request_that_still_writes_does_not_spoil_the_cleaning() -> None:
    def late_request(outcome: list[str]) -> threading.Thread:
        person = cast.ana()
        form = ConsentForm.objects.create(title="One", text="Text", digest=f"{person.pk:064}")

        def write() -> None:
            try:
                Consent.objects.create(user=person, form=form)
                outcome.append("written")
            except DatabaseError:
                outcome.append("refused")  # as expected: the person that it names is gone
            finally:
                connection.close()

        return threading.Thread(target=write)

    tables = ["accounts_consent", "accounts_consentform", "accounts_user"]
    lock, *deletes = connection.ops.sql_flush(no_style(), tables)
    bare: list[str] = []
    with pytest.raises(IntegrityError):  # the race is real
        _empty(deletes, late_request(bare), LONG)
    assert bare == ["written"]
    Consent.objects.all().delete()
    ConsentForm.objects.all().delete()
    User.objects.all().delete()

    locked: list[str] = []
    request = late_request(locked)
    _empty([lock, *deletes], request, A_MOMENT)  # it waits for the lock
    request.join()
    assert locked == ["refused"]
    assert not Consent.objects.exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("turn", ["first", "second"])
def test_nothing_is_left_but_what_migrations_made(turn: str) -> None:
    assert not User.objects.exists()
    assert ContentType.objects.filter(app_label="accounts", model="user").exists()
    assert Permission.objects.filter(codename="view_user").exists()
    cast.ana()


@pytest.mark.django_db
def test_a_test_database_is_dropped_although_somebody_is_connected() -> None:
    name = f"{connection.settings_dict['NAME']}_held"
    with connection.creation._nodb_cursor() as cursor:
        cursor.execute(f'CREATE DATABASE "{name}"')
    where = {key: connection.settings_dict[key.upper()] for key in ("host", "port", "user", "password")}
    with closing(psycopg2.connect(**where, dbname=name)) as held:
        connection.creation._destroy_test_db(name, 0)
        with pytest.raises(psycopg2.OperationalError), held.cursor() as cursor:
            cursor.execute("SELECT 1")
