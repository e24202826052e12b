"""Pay lists: what was earned is approved, exported and paid, once, and people see which part is where."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.utils import timezone

from accounts.models import PlatformIdentity, User
from annotation_site.personal_data.records import everything_about
from annotation_site.researchers import payments
from annotation_site.researchers.payments import WrongState, approve, export, mark_paid, pay_lists, unapproved
from annotation_site.researchers.wages import SumChanged
from annotation_site.workspace.waiting import waiting
from collection.models import Corpus, LedgerEntry, PayList, Visit
from tests.cast import ana, person, rosa, signed_in, vera
from tests.concurrency.threads import Beside
from tests.corpora import make_corpus, make_link, pay

pytestmark = pytest.mark.django_db
PAGE = "/corpora/small/pay/"


@pytest.fixture
def corpus() -> Corpus:
    """Makes a corpus in which Ana earned 30 and 5 cents, and Vera 5; elsewhere Vera earned 7."""
    corpus = make_corpus()
    pay(ana(), cents=30, key="a", corpus=corpus)
    pay(ana(), cents=5, key="b", corpus=corpus)
    pay(vera(), cents=5, key="c", corpus=corpus)
    pay(vera(), cents=7, key="d", corpus=make_corpus(slug="other"))
    return corpus


def states(who) -> list[dict]:
    return who.ledger.by_corpus(timezone.now())


def test_from_earned_to_paid(corpus):
    made = approve(corpus=corpus, by=rosa(), expected_cents=40)
    assert [(each.cents, each.people) for each in pay_lists(corpus)] == [(40, 2)]
    assert [row["approved"] for row in states(vera())] == [0, 5]
    pay(ana(), cents=2, key="later", corpus=corpus)
    got = export(pay_list=made, by=rosa())
    assert sorted((each.annotator, each.cents) for each in got) == sorted(
        [(ana().code, 35), (vera().code, 5)]
    )
    mark_paid(pay_list=made, by=rosa())
    (row,) = states(ana())
    assert {state: row[state] for state in ("total", "unapproved", "approved", "exported", "paid")} == {
        **{"total": 37, "unapproved": 2, "approved": 0, "exported": 0, "paid": 35}
    }
    again = approve(corpus=corpus, by=rosa(), expected_cents=2)
    assert [each.cents for each in export(pay_list=again, by=rosa())] == [2]


def test_an_export_is_noted_once_and_is_the_same_again(corpus):
    made = approve(corpus=corpus, by=rosa(), expected_cents=40)
    first = export(pay_list=made, by=rosa())
    at = PayList.objects.get().exported_at
    assert export(pay_list=made, by=rosa()) == first
    assert PayList.objects.get().exported_at == at


def test_another_sum_than_the_one_that_was_shown_is_not_approved(corpus):
    with pytest.raises(SumChanged) as changed:
        approve(corpus=corpus, by=rosa(), expected_cents=35)
    assert changed.value.cents == 40
    assert not PayList.objects.exists()
    assert unapproved(corpus).total_cents() == 40


def test_nothing_is_no_list_and_simulated_people_are_not_paid(corpus):
    User.objects.filter(pk__in=[ana().pk, vera().pk]).update(kind="simulated")
    with pytest.raises(SumChanged):
        approve(corpus=corpus, by=rosa(), expected_cents=0)
    assert unapproved(corpus).total_cents() == 0
    assert [row["unapproved"] for row in states(ana())] == [0]


def test_only_what_people_earned_and_did_not_get_is_owed(corpus, browser_of):
    def shown() -> int:
        return browser_of(rosa()).get(PAGE).context["owed_cents"]

    User.objects.filter(pk=vera().pk).update(kind="simulated")
    assert shown() == 35, "what simulated annotators earned is owed to nobody"
    made = approve(corpus=corpus, by=rosa(), expected_cents=35)
    pay(ana(), cents=2, key="later", corpus=corpus)
    assert shown() == 37
    export(pay_list=made, by=rosa())
    assert shown() == 37
    mark_paid(pay_list=made, by=rosa())
    assert shown() == 2


def test_paid_comes_after_the_export_and_once(corpus):
    made = approve(corpus=corpus, by=rosa(), expected_cents=40)
    with pytest.raises(WrongState):
        mark_paid(pay_list=made, by=rosa())
    export(pay_list=made, by=rosa())
    mark_paid(pay_list=made, by=rosa())
    with pytest.raises(WrongState):
        mark_paid(pay_list=made, by=rosa())


def test_who_came_from_a_platform_is_paid_by_its_id_without_the_code(corpus):
    link = make_link(corpus)
    Visit.objects.create(link=link, user=vera(), session="s")
    PlatformIdentity.objects.create(user=vera(), platform="prolific", participant="5f0")
    made = approve(corpus=corpus, by=rosa(), expected_cents=40)
    got = {(each.annotator, each.platform, each.participant) for each in export(pay_list=made, by=rosa())}
    assert got == {("", "prolific", "5f0"), (ana().code, "", "")}


def test_people_read_who_pays_them_and_when(corpus, browser_of):
    Corpus.objects.filter(slug="small").update(payment="We pay on **Fridays**.", sign_up=True)
    page = browser_of(ana()).get("/mine/").text
    assert "The researchers pay you." in page
    assert "We pay on <strong>Fridays</strong>." in page
    assert "<strong>Fridays</strong>" in Client().get("/join/small/").text
    link = make_link(corpus)
    Visit.objects.create(link=link, user=ana(), session="s")
    page = browser_of(ana()).get("/mine/").text
    assert "<bdi>Prolific</bdi> pays you" in page
    assert "The researchers pay you." not in page
    assert "<strong>Fridays</strong>" in page
    arriving = f"/enter/{link.token}/?PROLIFIC_PID=p1&STUDY_ID=s&SESSION_ID=x"
    assert "<strong>Fridays</strong>" in Client().get(arriving).text


def test_who_worked_for_two_studies_reads_it_for_each(corpus, browser_of):
    Corpus.objects.filter(slug="other").update(payment="By bank transfer.")
    page = browser_of(vera()).get("/mine/").text
    assert page.count("The researchers pay you.") == 2
    assert page.count("By bank transfer.") == 1


def test_the_database_refuses_other_orders_and_entries_of_another_corpus(corpus):
    made = approve(corpus=corpus, by=rosa(), expected_cents=40)
    now = timezone.now()
    for values, name in (
        ({"paid_at": now, "paid_by": rosa()}, "pay_list_paid_after_its_export"),
        ({"exported_at": now}, "pay_list_exported_by_somebody"),
    ):
        with pytest.raises(IntegrityError, match=name), transaction.atomic():
            PayList.objects.filter(pk=made.pk).update(**values)
    LedgerEntry.objects.filter(corpus__slug="other").update(pay_list=made)
    with pytest.raises(IntegrityError, match="entry_is_of_the_corpus"):
        connection.check_constraints()


def post(client: Client, **sent):
    return client.post(PAGE, sent)


def test_the_page_goes_through_the_states(corpus):
    client = signed_in(rosa())
    assert "Approve $0.40" in client.get(PAGE).content.decode()
    assert post(client, do="approve", cents="39").status_code == 422
    assert post(client, do="approve", cents="40").status_code == 302
    number = PayList.objects.get().pk
    assert post(client, do="paid", list=number).status_code == 422
    assert post(client, do="export", list=number).status_code == 403  # it holds the ids of platforms
    client.force_login(person("adam", role="administrator"))
    table = post(client, do="export", list=number)
    assert table["Content-Disposition"].endswith(f'small-payments-{number}.csv"')
    assert f"{vera().code},,,5,0.05" in table.content.decode()
    assert post(client, do="paid", list=number).status_code == 302
    assert post(client, do="paid", list="x").status_code == 404
    assert PayList.objects.get().paid_by == person("adam")


def test_people_see_which_part_is_where_and_have_it_in_their_data(corpus):
    client = signed_in(vera())
    assert "Not yet on a payment list" not in client.get("/mine/").content.decode()
    made = approve(corpus=corpus, by=rosa(), expected_cents=40)
    page = client.get("/mine/").content.decode()
    assert "Not yet on a payment list" in page
    assert "Earnings by study" in page
    assert client.get("/mine/").context["states"] == {
        **{"unapproved": 7, "approved": 5, "exported": 0, "paid": 0}
    }
    export(pay_list=made, by=rosa())
    rows = [row for row in everything_about(vera()) if row["record"] == "earned"]
    assert [bool(row["exported_at"]) for row in rows] == [True, False]


def approve_from_a_list(*, corpus, by, expected_cents):
    """Reads first and writes then, as one would write it at first."""
    with transaction.atomic():
        found = list(unapproved(corpus).values_list("pk", flat=True))
        made = PayList.objects.create(corpus=corpus, approved_by=by)
        LedgerEntry.objects.filter(pk__in=found).update(pay_list=made)
        return made


def approved_twice(corpus, action):
    """Begins a second approval before the first commits; returns what it came to."""
    asked = {"corpus": corpus, "by": rosa(), "expected_cents": 40}
    with transaction.atomic():
        action(**asked)
        other = Beside(lambda: action(**asked))
        assert other.goes_as_far_as_it_can()
    return other.result()


@pytest.mark.django_db(transaction=True)
def test_without_the_condition_two_approvals_take_the_same_entries(corpus):
    """If this race disappears, the test below proves nothing."""
    second = approved_twice(corpus, approve_from_a_list)
    assert PayList.objects.count() == 2
    assert second.entries.count() == 3


@pytest.mark.django_db(transaction=True)
def test_of_two_approvals_at_once_one_has_the_entries(corpus):
    assert isinstance(approved_twice(corpus, payments.approve), SumChanged)
    assert [each.cents for each in pay_lists(corpus)] == [40]


def test_unpaid_work_waits_until_it_is_approved_and_paid(corpus, browser_of):
    def said() -> list[tuple[str, str]]:
        return [(each.slug, each.action) for each in waiting() if each.link.endswith("/pay/")]

    assert said() == []  # nothing is older than a week
    week_ago = timezone.now() - timedelta(days=8)
    LedgerEntry.objects.filter(key__in=["a", "d"]).update(created_at=week_ago)
    User.objects.filter(pk=vera().pk).update(kind=User.Kind.SIMULATED)
    assert said() == [("small", "Approve")]
    made = approve(corpus=corpus, by=rosa(), expected_cents=35)
    assert said() == [("small", "Pay")]
    page = browser_of(rosa()).get("/c/small/").content.decode()
    assert "is approved and not paid yet" in page
    export(pay_list=made, by=rosa())
    mark_paid(pay_list=made, by=rosa())
    assert said() == []
