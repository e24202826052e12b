"""Who lost the cookie of a visit comes back by a researcher's one-time link, and sends the answers that are on the page."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from lxml import html

from annotation_site.workspace.waiting import waiting
from collection.joining.returning import come_back, make_return_link
from collection.joining.visits import tasks_done
from collection.models import EntryLink, Pair, Visit
from tests.cast import ana, rosa, signed_in
from tests.concurrency.threads import at_once
from tests.corpora import make_corpus, make_link, make_pair, make_premise
from tests.made_once import made_once
from validation.labelling.claiming import Batch
from validation.models import Label, Question
from validation.pairs.opening import open_for_validation

pytestmark = pytest.mark.django_db


@made_once
def link() -> EntryLink:
    corpus = make_corpus()
    for number in range(10):
        premise = make_premise(corpus, f"The ferry leaves at {number}.")
        make_pair(corpus, premise, f"It is early, {number}.", author=ana(), author_label="neutral")
    open_for_validation(question=Question.objects.get(corpus=corpus), pairs=Pair.objects.all())
    return make_link(corpus, work="labelling")


def address_of(link: EntryLink) -> str:
    return f"/enter/{link.token}/?PROLIFIC_PID=p1&STUDY_ID=s&SESSION_ID=x"


def begins(client: Client, link: EntryLink) -> Batch:
    """Comes in, reads the instructions, and returns the batch on the page."""
    client.post(address_of(link))
    client.post("/work/validation/small/instructions/", {"agree": "yes"})
    return client.get("/work/validation/small/").context["batch"]


def made_by_a_researcher(link: EntryLink) -> str:
    """Presses the button of the list of people, and returns the address on the page."""
    visit = Visit.objects.get()
    page = (
        signed_in(rosa())
        .post(f"/c/small/links/{link.pk}/", {"do": "return", "visit": visit.pk})
        .content.decode()
    )
    return "/come-back/" + page.split("/come-back/")[1].split("/")[0] + "/"


def test_answers_that_are_on_the_page_are_sent_after_the_return(client, link):
    batch = begins(client, link)
    sent = {f"label-{item.seat.token}": "neutral" for item in batch.items}
    sent |= {"assignment": batch.assignment.token, "key": "k"}
    client.cookies.clear()
    assert client.post("/work/validation/small/", sent).status_code == 302
    refused = client.get(address_of(link))
    assert refused.status_code == 403
    assert f"number of your visit: {Visit.objects.get().pk}." in refused.content.decode()
    assert Visit.objects.get().user.code not in refused.content.decode()
    way = made_by_a_researcher(link)
    shown = client.get(way).content.decode()
    assert "Back to your study" in shown
    assert client.get(way).status_code == 200, "looking uses nothing up"
    assert client.post(way).url == "/work/validation/small/"
    assert client.post("/work/validation/small/", sent).status_code == 302
    assert Label.objects.filter(annotator=Visit.objects.get().user, label="neutral").count() == 5
    assert tasks_done(Visit.objects.get()) == 1
    assert client.get(address_of(link)).status_code == 200, "the visit belongs to this browser now"


def test_who_waits_for_a_way_back_is_under_what_needs_attention(client, link):
    def said() -> list[tuple[str, str]]:
        return [(each.sentence, each.link) for each in waiting() if "way back" in each.action]

    client.post(address_of(link))
    tells = f"/enter/{link.token}/waits/?{address_of(link).partition('?')[2]}"
    client.post(tells)
    assert said() == [], "in the browser of the visit nobody waits"
    elsewhere = Client()
    shown = html.fromstring(elsewhere.get(address_of(link)).content)
    assert shown.xpath("//@data-opened") == [tells]
    assert said() == [], "looking writes nothing"
    assert elsewhere.post(tells).status_code == elsewhere.post(tells).status_code == 204
    ((sentence, where),) = said()
    assert sentence == "1 person lost the browser of their visit to The small corpus, and cannot go on"
    assert "waits for a way back" in signed_in(rosa()).get(where).content.decode()
    made_by_a_researcher(link)
    assert said() == []
    elsewhere.post(tells)
    client.post(address_of(link))
    assert said() == [], "they found their browser again"
    strange = f"/enter/{link.token}/waits/?PROLIFIC_PID=nobody&STUDY_ID=s&SESSION_ID=x"
    assert (
        Client().post(strange).status_code == Client().post(f"/enter/{link.token}/waits/").status_code == 204
    )
    assert said() == []


def test_a_link_works_once_for_some_days_and_only_the_newest(client, link):
    client.post(address_of(link))
    first, second = made_by_a_researcher(link), made_by_a_researcher(link)
    elsewhere = Client()
    assert elsewhere.get(first).status_code == 403
    assert "used already, or it is too old" in elsewhere.post(first).content.decode()
    assert elsewhere.post(second).status_code == 302
    assert Client().post(second).status_code == 403
    assert client.get("/work/visit/").status_code == 302, "the old browser is signed out"
    third = made_by_a_researcher(link)
    Visit.objects.update(return_until=timezone.now() - timedelta(seconds=1))
    assert Client().post(third).status_code == 403


def test_no_link_leads_into_an_account_with_a_password_or_one_that_was_ended(client, link):
    client.post(address_of(link))
    way, user = made_by_a_researcher(link), Visit.objects.get().user
    user.set_password("correct horse battery staple")
    user.save()
    assert Client().post(way).status_code == 403
    user.set_unusable_password()
    user.is_active = False
    user.save()
    assert Client().post(way).status_code == 403


def test_only_researchers_make_one(client, link):
    client.post(address_of(link))
    sent = {"do": "return", "visit": Visit.objects.get().pk}
    assert client.post(f"/c/small/links/{link.pk}/", sent).status_code == 403
    assert signed_in(rosa()).post(f"/c/small/links/{link.pk}/", {**sent, "visit": "x"}).status_code == 404


@pytest.mark.django_db(transaction=True)
def test_of_two_browsers_at_once_one_comes_back():
    made = link.make()
    Client().post(address_of(made))
    visit = Visit.objects.select_related("user").get()
    token = make_return_link(visit=visit, by=rosa())
    found = at_once([lambda name=name: come_back(token=token, browser=name) for name in ("one", "two")])
    assert sorted(type(each).__name__ for each in found) == ["EntryRefused", "Visit"]


def test_the_way_back_from_the_finish_page_takes_no_seats(client, link):
    """Until "Continue working" is pressed, pages that hand out work lead to the page of the visit."""
    batch = begins(client, link)
    sent = {f"label-{item.seat.token}": "neutral" for item in batch.items}
    client.post("/work/validation/small/", sent | {"assignment": batch.assignment.token, "key": "k"})
    assert Visit.objects.get().finished_at is not None
    for address in ("/work/validation/small/", "/work/writing/small/"):
        assert client.get(address).url == "/work/visit/"
    user = Visit.objects.get().user
    assert not Label.objects.open().filter(annotator=user).exists()
    assert "Continue working" in client.get("/work/visit/").content.decode()
    assert client.post("/work/visit/more/").url == "/start/"
    assert client.get("/work/validation/small/").status_code == 200
    assert Label.objects.open().filter(annotator=user).count() == 5
    client.post(address_of(link))
    assert client.get("/work/validation/small/").url == "/work/visit/", "who comes in again chooses anew"
