"""E-mail addresses are invited to a corpus; each link lets one person in, who may work at once."""

import csv
import io

import pytest
from django.core import mail
from django.db import IntegrityError, transaction

from accounts.models import Grant, Qualification, User
from accounts.pages import forgotten
from annotation_site.personal_data.records import erase, everything_about
from collection.corpora import states
from collection.joining.entry_links import EntryRefused
from collection.models import Corpus, Exclusion, Invitation, SignUp
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing
from tests.corpora import make_corpus, make_premise
from validation.annotators.invitations import MOST, accept, addresses_in, make_invitations, take_back
from validation.annotators.membership import may_join
from validation.models import Question

pytestmark = pytest.mark.django_db
PAGE = "/c/small/invitations/"
ACCOUNT = {"username": "nina", "new": "lantern-orbit-52", "again": "lantern-orbit-52"}


@pytest.fixture
def corpus() -> Corpus:
    writers = Qualification.objects.create(slug="write-small", name="Writers")
    corpus = make_corpus(writing_qualification=writers)
    make_seats(premises=[make_premise(corpus, "A dog runs.")])
    Question.objects.update(pool_is_open=False)
    return corpus


@pytest.fixture
def researcher(browser_of, rosa):
    return browser_of(rosa)


def invite_all(researcher, text: str):
    return researcher.post(PAGE, {"addresses": text}, follow=True)


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("ana@example.org\n\n  Vera@Example.org  \n", ["ana@example.org", "vera@example.org"]),
        (
            "Ana Example <ana@example.org>; vera@example.org, ANA@example.org",
            ["ana@example.org", "vera@example.org"],
        ),
        ("", []),
    ],
)
def test_a_list_is_read_as_people_paste_it(text, good):
    assert (addresses_in(text).good, addresses_in(text).faults) == (good, [])


def test_bad_addresses_are_named_by_line_and_nobody_is_invited(corpus, researcher):
    answer = invite_all(
        researcher, "ana@example.org\nno address\nvera@example.org, vera@\n" + "x" * 300 + "@example.org"
    )
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "Line 2: “no address” is no e-mail address" in page
    assert "Line 3: “vera@” is no e-mail address" in page
    assert "Line 4: “xxx" in page
    assert "ana@example.org\nno address" in page  # what was pasted stays
    assert not Invitation.objects.exists()
    assert "There is no address" in invite_all(researcher, " \n").content.decode()
    many = "\n".join(f"a{number}@example.org" for number in range(MOST + 1))
    assert "at most 500" in invite_all(researcher, many).content.decode()


def test_without_a_mail_server_nothing_is_sent_and_links_are_downloaded(corpus, researcher, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    page = invite_all(researcher, "ana@example.org\nvera@example.org").content.decode()
    assert "2 invitations made. No mail was sent" in page
    links = [f"http://testserver/invited/{each.token}/" for each in Invitation.objects.order_by("-pk")]
    assert all(link in page for link in links)
    rows = list(csv.DictReader(io.StringIO(b"".join(researcher.get(f"{PAGE}?as=csv")).decode("utf-8-sig"))))
    assert [row["link"] for row in rows] == links
    assert (
        "1 invitation made. 1 had one before."
        in invite_all(researcher, "ana@example.org\neve@example.org").content.decode()
    )
    assert set(Invitation.objects.values_list("mailed_at", flat=True)) == {None}


def test_with_a_mail_server_each_address_gets_its_own_link(corpus, researcher, monkeypatch):
    monkeypatch.setattr("threading.Thread.start", lambda thread: thread.run())
    page = invite_all(researcher, "ana@example.org\nvera@example.org").content.decode()
    assert "The mails are on their way." in page
    assert [message.to for message in mail.outbox] == [["ana@example.org"], ["vera@example.org"]]
    for message, each in zip(mail.outbox, Invitation.objects.order_by("pk"), strict=True):
        assert message.subject == "You are invited: The small corpus"
        assert f"http://testserver/invited/{each.token}/" in message.body
        assert each.mailed_at
    Corpus.objects.update(language="de")
    invite_all(researcher, "udo@example.org")
    assert mail.outbox[-1].subject.startswith("Sie sind eingeladen")


def test_a_mail_that_fails_keeps_the_others(corpus, monkeypatch, caplog):
    sent = []

    def send(message):
        if "bad" in message.to[0]:
            raise OSError
        sent.append(message.to)

    monkeypatch.setattr("django.core.mail.EmailMessage.send", send)
    forgotten._send(*(mail.EmailMessage("a", "b", to=[to]) for to in ("bad@example.org", "ana@example.org")))
    assert sent == [["ana@example.org"]]
    assert "bad@" not in caplog.text


def link_for(corpus, rosa, address="nina@example.org") -> str:
    (invitation,) = make_invitations(corpus=corpus, addresses=[address], by=rosa)
    return f"/invited/{invitation.token}/"


def test_a_link_makes_one_account_that_may_write_and_label(corpus, rosa, client):
    link = link_for(corpus, rosa)
    assert "You are invited." in client.get(link).content.decode()
    assert client.post(link, {**ACCOUNT, "again": "other"}).status_code == 422
    assert client.post(link, ACCOUNT)["Location"] == "/start/"
    nina = User.objects.get(username="nina")
    assert (nina.invitations.get().email, nina.email) == ("nina@example.org", "")
    assert claim_writing(corpus=corpus, annotator=nina)
    assert may_join(Question.objects.get(), nina)
    assert Grant.objects.get(user=nina).granted_by == rosa
    assert SignUp.objects.get().corpus == corpus
    client.logout()
    for used in (client.get(link), client.post(link, {**ACCOUNT, "username": "nobody"})):
        assert used.status_code == 403
        assert "This invitation was used, or taken back." in used.content.decode()
    assert not User.objects.filter(username="nobody").exists()


def test_who_has_an_account_joins_with_it(corpus, rosa, ana, browser_of):
    link = link_for(corpus, rosa)
    assert browser_of(ana).post(link)["Location"] == "/start/"
    assert claim_writing(corpus=corpus, annotator=ana)
    assert Invitation.objects.get().user == ana


def test_an_open_corpus_takes_the_invited_too(rosa, client):
    corpus = make_corpus()
    make_seats(premises=[make_premise(corpus, "A dog runs.")])
    client.post(link_for(corpus, rosa), ACCOUNT)
    nina = User.objects.get(username="nina")
    assert claim_writing(corpus=corpus, annotator=nina)
    assert may_join(Question.objects.get(), nina)
    assert not may_join(Question.objects.get(corpus=make_corpus(slug="other")), nina)


def test_who_was_excluded_does_not_come_back_by_a_link(corpus, rosa, ana):
    (invitation,) = make_invitations(corpus=corpus, addresses=["ana@example.org"], by=rosa)
    Exclusion.objects.create(
        corpus=corpus, annotator=ana, reason="Guesses.", by=rosa, created_at=invitation.created_at
    )
    with pytest.raises(EntryRefused, match="cannot judge sentences"):
        accept(token=invitation.token, annotator=ana)
    assert Invitation.objects.get().user is None


def test_an_invitation_is_taken_back_until_it_is_accepted(corpus, rosa, ana, researcher, client):
    link = link_for(corpus, rosa)
    page = researcher.post(PAGE, {"take_back": Invitation.objects.get().pk}, follow=True).content.decode()
    assert "Its link lets nobody in." in page
    assert client.get(link).status_code == 403
    (again,) = make_invitations(corpus=corpus, addresses=["nina@example.org"], by=rosa)
    accept(token=again.token, annotator=ana)
    assert not take_back(corpus=corpus, number=again.pk)
    assert ana.code in researcher.get(PAGE).content.decode()


def test_an_archived_corpus_lets_nobody_in(corpus, rosa, client):
    link = link_for(corpus, rosa)
    states.archive(corpus=corpus)
    assert client.get(link).status_code == 403


def test_the_database_keeps_an_address_once_and_an_acceptance_whole(corpus, rosa, ana):
    make_invitations(corpus=corpus, addresses=["nina@example.org"], by=rosa)
    with pytest.raises(IntegrityError), transaction.atomic():
        Invitation.objects.create(corpus=corpus, email="nina@example.org", by=rosa)
    with pytest.raises(IntegrityError), transaction.atomic():
        Invitation.objects.update(user=ana)


def test_the_address_is_the_persons_and_goes_with_them(corpus, rosa, ana):
    (invitation,) = make_invitations(corpus=corpus, addresses=["ana@example.org"], by=rosa)
    accept(token=invitation.token, annotator=ana)
    assert "ana@example.org" in {
        row.get("email") for row in everything_about(ana) if row["record"] == "invitation"
    }
    erase(ana)
    assert not Invitation.objects.exists()
