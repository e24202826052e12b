"""Hand-written statements return what the ORM returns, and survive lost connections and failed transactions."""

import pytest
from django.db import DataError, connection, transaction
from django.utils import timezone

from accounts.models import ApiToken, User
from collection.models import LedgerEntry
from shared.prepared_statements import changed, columns, made, rows
from tests.cast import vera
from tests.corpora import paid_corpus

PERSON = "SELECT {person} FROM accounts_user AS person WHERE person.id = %s"
ENTRY = """
INSERT INTO collection_ledgerentry (user_id, corpus_id, kind, cents, reason, "key", created_at)
VALUES (%(user)s, %(corpus)s, 'labels', %(cents)s, %(reason)s, %(key)s, %(now)s) ON CONFLICT DO NOTHING
"""


def person_of(key: int) -> User:
    return made(User, rows((PERSON.format(person=columns(User, "person")), [key]))[0])[0]


def entry(key: str, reason: str = "for a test") -> tuple[str, dict[str, object]]:
    moment = connection.ops.adapt_datetimefield_value(timezone.now())
    values = {"user": vera().pk, "corpus": paid_corpus().pk, "cents": 5, "reason": reason, "key": key}
    return ENTRY, {**values, "now": moment}


@pytest.mark.django_db
def test_a_row_read_by_hand_is_the_object_that_the_orm_reads():
    read = person_of(vera().pk)
    known = User.objects.get(pk=vera().pk)
    for field in User._meta.concrete_fields:
        assert getattr(read, field.attname) == getattr(known, field.attname), field
    assert read == known
    assert not read._state.adding


@pytest.mark.django_db
def test_several_statements_go_in_one_query_and_the_last_one_answers(django_assert_num_queries):
    first, second = entry("one"), entry("two")
    with django_assert_num_queries(1):
        found = rows(first, second, ("SELECT count(*) FROM collection_ledgerentry", []))
    assert found == [(2,)]
    assert changed(first) == 0
    assert changed(entry("three")) == 1
    assert LedgerEntry.objects.filter(user=vera()).total_cents() == 15


@pytest.mark.django_db(transaction=True)
def test_a_statement_is_known_again_after_a_rollback_and_after_a_new_connection():
    connection.close()
    with pytest.raises(DataError), transaction.atomic():
        changed(entry("first on this connection", reason="long " * 100))
    assert changed(entry("after the rollback")) == 1
    connection.close()
    assert changed(entry("after the new connection")) == 1
    assert not ApiToken.objects.exists()
