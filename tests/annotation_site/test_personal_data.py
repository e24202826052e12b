"""People download their data and erase their account; some records stay."""

import json
from typing import Any

import pytest
from django.apps import apps
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import PlatformIdentity, Qualification, User
from accounts.people.consents import give_consent
from accounts.people.registration import person_from_platform
from accounts.sign_in.tokens import create_api_token
from annotation_site.personal_data.records import _records, erase, everything_about
from annotation_site.researchers.payments import approve, export, mark_paid
from collection.joining.entry_links import Arrival, EntryRefused, enter
from collection.models import (
    AdviceGiven,
    Corpus,
    DraftText,
    Exam,
    ExamAttempt,
    Exclusion,
    Pair,
    ProblemReport,
    PromptVersion,
    ReturnedText,
    Visit,
    WritingAssignment,
    WritingSignals,
)
from collection.premises import writing_seats
from collection.writing import claiming, prompts, submitting
from tests.cast import PASSWORD, person, signed_in
from tests.corpora import add_label, make_corpus, make_link, make_pair, make_premise, pay
from tests.made_once import made_once
from validation.annotators.membership import invite
from validation.models import Question

pytestmark = pytest.mark.django_db
TEXTS = {
    "entailment": "Somebody is near a river.",
    "neutral": "Somebody waits for a friend.",
    "contradiction": "Nobody is outdoors.",
}


@made_once
def corpus():
    corpus = make_corpus(with_consent=True)
    texts = ("A woman stands by the river.", "Two dogs run over a field.")
    writing_seats.make_seats(premises=[make_premise(corpus, text) for text in texts])
    return corpus


@pytest.fixture
def writer(corpus, ana):
    """Returns Ana, who sent one task, began another, earned, and made a token."""
    give_consent(user=ana, form=corpus.consent_form)
    prompts.read_prompt(annotator=ana, version=PromptVersion.objects.get(), answers={})
    task = claiming.claim_writing(corpus=corpus, annotator=ana)
    submitting.submit_writing(annotator=ana, token=task.token, texts=TEXTS, key="one")
    begun = claiming.claim_writing(corpus=corpus, annotator=ana)
    submitting.save_draft(annotator=ana, token=begun.token, texts={"neutral": "Half a sentence"})
    pay(ana, cents=5, reason="a bonus", key="bonus", corpus=corpus)
    create_api_token(user=ana, name="a script")
    return ana


def test_the_file_holds_what_the_person_did_a_record_a_line(client, writer):
    client.force_login(writer)
    answer = client.get(reverse("my-data"))
    rows = [json.loads(line) for line in b"".join(answer.streaming_content).decode().splitlines()]
    assert rows[0]["user_name"] == "ana"
    assert {row["text"] for row in rows if row["record"] == "text"} == set(TEXTS.values())
    assert [row["text"] for row in rows if row["record"] == "draft"] == ["Half a sentence"]
    assert sum(row["cents"] for row in rows if row["record"] == "earned") == writer.ledger.total_cents()
    assert {row["record"] for row in rows} >= {"consent", "token"}


def test_the_file_holds_nobody_elses_work(writer, vera):
    assert {row["record"] for row in everything_about(vera)} == {"account"}


def erase_through_the_page(client, user):
    return client.post(reverse("erase-me"), {"code": user.code, "password": PASSWORD}, follow=True)


def test_erasing_blanks_the_person_and_keeps_the_evidence(client, writer):
    earned, code = writer.ledger.total_cents(), writer.code
    client.force_login(writer)
    elsewhere = signed_in(writer)
    assert "Your account has been deleted" in erase_through_the_page(client, writer).content.decode()
    left = User.objects.get(pk=writer.pk)
    assert (left.username, left.email, left.code) == (f"erased-{code}", "", code)
    assert not left.is_active
    assert not left.has_usable_password()
    assert elsewhere.get(reverse("mine")).status_code == 302
    assert not Client().login(username="ana", password=PASSWORD)
    assert not left.api_tokens.exists()
    assert not left.consents.filter(withdrawn_at=None).exists()
    assert not DraftText.objects.exists()
    assert Pair.objects.filter(author=left).count() == 3
    assert left.ledger.total_cents() == earned


def test_the_page_says_first_what_is_not_paid_yet(client, writer, rosa):
    client.force_login(writer)
    address, dollars = reverse("erase-me"), f"${writer.ledger.total_cents() / 100:.2f}"
    before, _ = client.get(address).text.split("What is deleted")
    assert "Wait for your pay first." in before
    assert f"<bdi>{dollars}</bdi> of what you earned is not paid yet." in before
    corpus = Corpus.objects.get()
    Corpus.objects.update(made_for_demo=True)
    assert "Wait for your pay first." not in client.get(address).text, "a trial pays nothing"
    Corpus.objects.update(made_for_demo=False)
    paid = approve(corpus=corpus, by=rosa, expected_cents=writer.ledger.total_cents())
    export(pay_list=paid, by=rosa)
    assert "Wait for your pay first." in client.get(address).text
    mark_paid(pay_list=paid, by=rosa)
    assert "nobody owes you money" in client.get(address).text


def test_a_wrong_code_erases_nothing(client, ana):
    client.force_login(ana)
    page = client.post(reverse("erase-me"), {"code": "something", "password": PASSWORD})
    assert page.status_code == 422
    assert "Nothing was deleted" in page.content.decode()
    assert Client().login(username="ana", password=PASSWORD)


def test_the_only_administrator_stays(client):
    boss = person("boss", role="administrator")
    client.force_login(boss)
    assert "the only administrator" in erase_through_the_page(client, boss).content.decode()
    person("second", role="administrator")
    assert "Your account has been deleted" in erase_through_the_page(client, boss).content.decode()


def test_somebody_erased_does_not_come_back_as_somebody_new(client, corpus):
    link = make_link(corpus, tasks_wanted=1)
    agreed = {"agree": corpus.consent_form.digest} if corpus.consent_form else {}
    address = f"{reverse('enter', args=[link.token])}?PROLIFIC_PID=p-1&STUDY_ID=s-1&SESSION_ID=x-1"
    client.post(address, agreed)
    visit = Visit.objects.get()
    erase_through_the_page(client, visit.user)
    kept = PlatformIdentity.objects.get(user=visit.user).participant
    assert kept.startswith("erased:")
    assert "p-1" not in kept
    visit.refresh_from_db()
    assert (visit.study, visit.session) == ("", f"erased-{visit.pk}")
    with pytest.raises(EntryRefused, match="was ended"):
        enter(link=link, arrival=Arrival("p-1"))
    assert person_from_platform(platform="prolific", participant="p-2") != visit.user


NOT_TOLD = {
    "EmailAddress": "django-allauth's, always empty here: the account has the address",
    "EmailConfirmation": "django-allauth's, always empty here",
    "SocialToken": "django-allauth's, always empty here: tokens of a provider are not stored",
    # Models about the work and not about the person.
    "PayList": "who approved, exported and paid it; the dates stand beside what the person earned",
    "Snapshot": "who asked for it; a researcher's act about the corpus",
    "SnapshotPair": "a frozen copy of a pair, known by its public id",
    "SnapshotLabel": "a frozen copy of a judgement",
    "SnapshotSentenceLabel": "a frozen copy of a judgement",
    "SnapshotSet": "a named set in which a frozen pair was",
    "SnapshotAnswer": "a frozen copy of a judgement or a skip",
    "SnapshotFile": "a file of a snapshot",
    "SnapshotExport": "a snapshot in another format",
    "ExportedFile": "a file of an export",
    "SnapshotStatistics": "counts over a snapshot",
    "Placement": "which partition a premise is in",
    "DatasheetAnswer": "a researcher's words about the corpus",
    "TrainingRun": "who asked for it; a researcher's act about a snapshot",
    "RunProgress": "how a run went",
    "Evaluation": "how a run did",
    "Breakdown": "how a run did, by group",
    "LeakAudit": "counts over two parts of snapshots",
    "Marking": "a sample that a researcher drew",
    "MarkedPair": "a pair of the sample",
    "Mark": "a researcher's analysis of a pair",
    "Adjudication": "a researcher's decision about a pair",
    "Vetting": "a researcher's withdrawal of pairs",
    "CorpusText": "who loaded a corpus file; a researcher's act about the corpus",
    "Preregistration": "a researcher's words about the corpus",
    "Look": "what a look at arms told; a researcher's act about the corpus",
    "PairImportJob": "who asked for an import; a researcher's act about the corpus",
    "Withholding": "who withheld the labels of a partition; a researcher's act about the corpus",
    "HandIn": "what a researcher handed in for a team, which stays on the leaderboard",
    "DroppedLine": "who restored a line of the source",
    "WritingSeat": "a place for a writer; the task tells of it",
    "Gold": "counts over the judgements of a pair",
    "Parse": "trees of a pair",
    "PairEdit": "the sentence that the site gave to be changed; what was written is told",
    "PairInSet": "that a researcher put a pair into a named set",
    "Assignment": "a batch; each of its places is told",
    "LogEntry": "what a researcher changed in the admin; the record of the project",
}


def reach_a_person():
    """Returns every model from which a chain of foreign keys leads to a person."""
    found, grew = {User}, True
    while grew:
        more = {
            model
            for model in apps.get_models()
            if any(field.concrete and field.related_model in found for field in model._meta.get_fields())
        }
        grew = not more <= found
        found |= more
    return found - {User}


def test_every_table_about_a_person_is_in_the_file_or_has_a_reason(ana):
    told = {rows.model for rows in _records(ana).values()}
    left_out = {model for model in reach_a_person() - told if not model._meta.auto_created}
    unexplained = {model.__name__ for model in left_out} - NOT_TOLD.keys()
    assert not unexplained, (
        f"put {unexplained} into annotation_site/personal_data/records.py, or say here why not"
    )
    assert not {model.__name__ for model in told} & NOT_TOLD.keys()
    assert {model.__name__ for model in reach_a_person()} >= NOT_TOLD.keys()


# Columns of told tables that say nothing about the person, or what they may not see.
COLUMNS_NOT_TOLD = {
    "public_id": "another column says which pair",
    "hypothesis": "the text is told under another name",
    **dict.fromkeys(("order", "position", "turn", "cursor", "before", "slot"), "how the site deals out work"),
    **dict.fromkeys(
        ("token", "key", "digest", "session_key", "browser", "data"), "secrets, and digests of them"
    ),
    **dict.fromkeys(("scheme", "kind", "origin", "model"), "of the question, or plain from the record"),
    **dict.fromkeys(
        ("published_label", "published_partition", "answers_left_out"),
        "of imported pairs, which nobody wrote here",
    ),
    **dict.fromkeys(("construction", "metadata"), "of pairs that a program made"),
    "extra_data": "always empty: nothing of a provider's is stored beside the id",
    "arm": "the draws are told",
    "family": "another column says which text",
    "wanted_label": "the answer of an exam",
    "lost": "whether somebody else was faster",
    "leased_until": "of a label that is cast, none",
    "held_until": "of a sentence, while a researcher reads it",
    "password": "a hash",
    "return_digest": "a hash, of a link back to the visit",
    "return_until": "the end of that link, three days at most",
    "waits_since": "empty once the researchers have made that link",
    "is_superuser": "the role says it",
    "is_active": "an account that ended downloads nothing",
}


def test_every_column_about_a_person_is_told_or_has_a_reason(ana):
    account, *_ = everything_about(ana)
    words = {"last_login": "last_signed_in_at", "date_joined": "joined_at", "username": "user_name"}
    unexplained = [
        f"User.{field.name}"
        for field in User._meta.concrete_fields
        if words.get(field.name, field.name) not in account.keys() | COLUMNS_NOT_TOLD.keys() | {"id"}
    ]
    told: dict[Any, set[str]] = {}
    for rows in _records(ana).values():
        found = told.setdefault(rows.model, set())
        found |= {
            *rows.query.values_select,
            *(str(getattr(each, "name", "")) for each in rows.query.annotations.values()),
        }
    for model, names in told.items():
        unexplained += [
            f"{model.__name__}.{field.name}"
            for field in model._meta.concrete_fields
            if not (field.primary_key or field.is_relation or field.name in names | COLUMNS_NOT_TOLD.keys())
        ]
    assert unexplained == []


def test_the_file_holds_reasons_keystrokes_exclusions_and_failed_sign_ins(client, writer, rosa, corpus):
    task = WritingAssignment.objects.filter(annotator=writer).first()
    WritingSignals.objects.update_or_create(assignment=task, defaults={"keystrokes": 321})
    AdviceGiven.objects.create(assignment=task, label="neutral", advice="short", refused=True)
    pair = make_pair(corpus, task.seat.premise, "Somebody else's sentence.")
    question = Question.objects.get(corpus=corpus)
    invite(question=question, annotator=writer)
    add_label(question, pair, "neutral", annotator=writer, reason="Because I think so.")
    Exclusion.objects.create(
        corpus=corpus, annotator=writer, reason="Guesses.", by=rosa, created_at=timezone.now()
    )
    client.post(reverse("sign-in"), {"username": "ana", "password": "wrong"}, REMOTE_ADDR="192.0.2.77")
    text = "\n".join(json.dumps(row, default=str) for row in everything_about(writer))
    for wanted in ("Because I think so.", '"keystrokes": 321', '"advice": "short"', "Guesses.", "192.0.2.77"):
        assert wanted in text
    assert rosa.code not in text


def test_erasing_blanks_what_was_written_about_the_person(client, writer, rosa, corpus):
    task = WritingAssignment.objects.filter(annotator=writer).first()
    ProblemReport.objects.create(assignment=task, text="Call me 0170.", answer="Thank you, Ana.")
    Exclusion.objects.create(
        corpus=corpus, annotator=writer, reason="Ana guesses.", by=rosa, created_at=timezone.now()
    )
    ReturnedText.objects.create(pair=writer.pairs.first(), remark="Ana, too long.", by=rosa)
    write = Qualification.objects.create(slug="write", name="Write")
    exam = Exam.objects.create(corpus=corpus, qualification=write, tries=2)
    judged = {"passed": False, "judged_at": timezone.now(), "judged_by": rosa}
    for number, judgement in enumerate(("Ana copies.", ""), start=1):
        ExamAttempt.objects.create(exam=exam, annotator=writer, number=number, judgement=judgement, **judged)
    client.force_login(writer)
    erase_through_the_page(client, writer)
    assert ProblemReport.objects.values_list("text", "answer").get() == ("(erased)", "")
    assert Exclusion.objects.get().reason == "(erased)"
    assert ReturnedText.objects.get().remark == "(erased)"
    assert list(ExamAttempt.objects.order_by("number").values_list("judgement", flat=True)) == [
        "(erased)",
        "",
    ]
    assert not writer.browsers.exists()


def test_somebody_erased_is_known_under_another_secret_key(settings):
    somebody = person_from_platform(platform="prolific", participant="p-1")
    erase(somebody)
    settings.SECRET_KEY = "another key altogether"
    assert person_from_platform(platform="prolific", participant="p-1") == somebody
    assert person_from_platform(platform="prolific", participant="p-2") != somebody
