"""Exclusions: what they withdraw, what they leave, and how they are undone."""

from functools import partial

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import Grant, Qualification, User
from accounts.people.erasure import ERASED
from accounts.people.qualifications import grant
from annotation_site.personal_data.records import erase
from collection.errors import WritingEnded
from collection.joining.exams import ExamRefused, send_exam
from collection.models import Corpus, Exam, Exclusion, Pair, Premise
from collection.models.withdrawal import REASONS
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing, why_no_work
from tests.addresses import writes
from tests.cast import ana, person, rosa, stan, vera
from tests.corpora import ask, make_pair
from tests.made_once import made_once
from tests.open_pairs import label_all, open_pairs, send_all
from validation.annotators.exclusion import exclude, preview_exclusion, preview_undoing, undo_exclusion
from validation.errors import AlreadyDecided, NotInPool, ReasonMissing
from validation.gold.queries import with_gold_label
from validation.labelling.claiming import claim_batch
from validation.models import Label, Membership, Question
from validation.pairs.adjudication import adjudicate
from validation.pairs.opening import open_for_validation
from validation.start_page.offers import offers_for

pytestmark = pytest.mark.django_db


corpus = made_once(partial(open_pairs, 5))


def golds(corpus: Corpus) -> list[str | None]:
    rows = with_gold_label(Pair.objects.all(), corpus.questions.get())
    return [row.gold_label for row in rows.order_by("pk")]


def two_label(corpus: Corpus) -> None:
    """Lets Vera, Stan and Otto label all pairs as entailment; the author's label is neutral."""
    label_all(corpus, vera(), "entailment")
    label_all(corpus, stan(), "entailment")
    label_all(corpus, person("otto"), "entailment")


def test_excluding_withdraws_labels_reopens_seats_and_keeps_pay(corpus):
    two_label(corpus)
    assert golds(corpus) == ["entailment"] * 5
    done = exclude(corpus=corpus, annotator=vera(), by=rosa(), reason="Guessed.")
    assert (done.labels, done.seats, done.pairs) == (5, 5, 0)
    assert golds(corpus) == ["neutral"] * 5  # the author's, until the seats are filled again
    assert len(done.gold) == 5
    assert set(done.gold.values()) == {("entailment", "neutral")}
    assert vera().ledger.total_cents() == 25
    kept = Label.objects.filter(annotator=vera())
    assert set(kept.values_list("withdrawn_because", "label")) == {
        ("its annotator was excluded", "entailment")
    }
    with pytest.raises(NotInPool):
        claim_batch(question=corpus.questions.get(), annotator=vera())
    assert Label.objects.open().count() == 10


def test_the_reopened_seats_are_filled_by_others_and_never_by_the_same_person(corpus):
    two_label(corpus)
    exclude(corpus=corpus, annotator=vera(), by=rosa(), reason="Guessed.")
    for name in ("new", "newer"):
        label_all(corpus, person(name), "contradiction")
    for pair in Pair.objects.all():
        standing = Label.objects.seats().filter(pair=pair)
        assert sorted(standing.values_list("position", flat=True)) == [1, 2, 3, 4, 5]
        assert standing.exclude(label=None).count() == 5


def test_a_preview_says_what_happens_and_does_nothing(corpus):
    two_label(corpus)
    before = list(Label.objects.order_by("pk").values())
    seen = preview_exclusion(corpus=corpus, annotator=vera())
    assert list(Label.objects.order_by("pk").values()) == before
    assert not Exclusion.objects.exists()
    assert seen == exclude(corpus=corpus, annotator=vera(), by=rosa(), reason="Guessed.")


def test_a_decision_stands_whoever_is_excluded_and_the_preview_says_so(corpus):
    Question.objects.update(gold_rule="adjudicated")
    for name, label in (("one", "entailment"), ("two", "entailment"), ("three", "contradiction")):
        label_all(corpus, person(name), label)
    label_all(corpus, vera(), "neutral")
    pair = Pair.objects.order_by("pk").first()
    question = corpus.questions.get()
    adjudicate(question=question, pair=pair, label="contradiction", reason="Read it.", by=rosa())
    seen = preview_exclusion(corpus=corpus, annotator=vera())
    assert (seen.decided, seen.labels) == (1, 5)
    assert pair.public_id not in seen.gold
    exclude(corpus=corpus, annotator=vera(), by=rosa(), reason="Guessed.")
    assert golds(corpus)[0] == "contradiction"


def test_undoing_puts_labels_back_into_seats_that_are_still_open(corpus):
    two_label(corpus)
    before = list(Label.objects.seats().order_by("pk").values_list("pk", "label", "position"))
    exclude(corpus=corpus, annotator=vera(), by=rosa(), reason="Guessed.")
    exclusion = Exclusion.objects.get()
    seen = preview_undoing(exclusion=exclusion)
    back = undo_exclusion(exclusion=exclusion, by=rosa())
    assert seen == back
    assert (back.labels, back.surplus) == (5, 0)
    assert list(Label.objects.seats().order_by("pk").values_list("pk", "label", "position")) == before
    assert golds(corpus) == ["entailment"] * 5
    assert Membership.objects.get(annotator=vera()).status == "active"
    with pytest.raises(AlreadyDecided):
        undo_exclusion(exclusion=exclusion, by=rosa())


def test_a_label_whose_seat_was_filled_meanwhile_comes_back_as_surplus(corpus):
    two_label(corpus)
    exclude(corpus=corpus, annotator=vera(), by=rosa(), reason="Guessed.")
    label_all(corpus, person("new"), "contradiction")
    label_all(corpus, person("newer"), "contradiction")
    back = undo_exclusion(exclusion=Exclusion.objects.get(), by=rosa())
    assert (back.labels, back.surplus) == (0, 5)
    mine = Label.objects.filter(annotator=vera())
    assert set(mine.values_list("position", "withdrawn_at", "label")) == {(None, None, "entailment")}


def test_a_batch_in_hand_can_still_be_sent_and_is_paid_but_does_not_count(corpus):
    question = corpus.questions.get()
    batch = claim_batch(question=question, annotator=vera())
    exclude(corpus=corpus, annotator=vera(), by=rosa(), reason="Guessed.")
    result = send_all(batch, vera(), "entailment", key="late")
    assert (result.saved, result.surplus, result.cents) == (0, 5, 25)
    assert not Label.objects.seats().filter(annotator=vera()).exists()


def test_the_pairs_they_wrote_are_a_choice_of_its_own(corpus):
    two_label(corpus)
    kept = preview_exclusion(corpus=corpus, annotator=ana())
    assert (kept.labels, kept.pairs) == (0, 0)
    done = exclude(corpus=corpus, annotator=ana(), by=rosa(), reason="Copied.", retract_pairs=True)
    assert done.pairs == 5
    assert not Pair.objects.standing().exists()
    assert not Label.objects.open().exists()
    undo_exclusion(exclusion=Exclusion.objects.get(), by=rosa())
    assert Pair.objects.standing().count() == 5
    assert Label.objects.open().count() == 5


def may_write(corpus: Corpus, who: User) -> bool:
    return why_no_work(corpus=corpus, annotator=who) is None


def test_excluding_ends_writing_where_everybody_may_write_and_undoing_gives_it_back(corpus):
    make_seats(premises=Premise.objects.all())
    assert preview_exclusion(corpus=corpus, annotator=vera()).writing
    assert may_write(corpus, vera())
    assert exclude(corpus=corpus, annotator=vera(), by=rosa(), reason="Guessed.").writing
    with pytest.raises(WritingEnded):
        claim_writing(corpus=corpus, annotator=vera())
    assert not any(offer.writes for offer in offers_for(vera()))
    assert any(offer.writes for offer in offers_for(stan()))
    exclusion = Exclusion.objects.get()
    assert preview_undoing(exclusion=exclusion).writing
    assert not may_write(corpus, vera())
    assert undo_exclusion(exclusion=exclusion, by=rosa()).writing
    assert claim_writing(corpus=corpus, annotator=vera()).annotator == vera()


def test_excluding_leaves_qualifications_alone_and_ends_writing_all_the_same(corpus):
    make_seats(premises=Premise.objects.all())
    corpus.writing_qualification = Qualification.objects.create(slug="write-small", name="Write")
    corpus.save()
    grant(user=vera(), qualification=corpus.writing_qualification, how="exam")
    before = list(Grant.objects.values())
    exclude(corpus=corpus, annotator=vera(), by=rosa(), reason="Guessed.")
    assert not may_write(corpus, vera())
    assert undo_exclusion(exclusion=Exclusion.objects.get(), by=rosa()).writing
    assert may_write(corpus, vera())
    assert list(Grant.objects.values()) == before


def test_who_could_not_write_gains_nothing_by_being_excluded_and_let_in_again(corpus):
    corpus.writing_qualification = Qualification.objects.create(slug="write-small", name="Write")
    corpus.save()
    exam = Exam.objects.create(corpus=corpus, qualification=corpus.writing_qualification)
    assert not exclude(corpus=corpus, annotator=vera(), by=rosa(), reason="Guessed.").writing
    with pytest.raises(ExamRefused, match="ended your part"):
        send_exam(exam=exam, annotator=vera(), answers={})
    assert not undo_exclusion(exclusion=Exclusion.objects.get(), by=rosa()).writing
    assert not may_write(corpus, vera())


STANDINGS = {
    "active": {},
    "paused": {},
    "never there, the pool is closed": {"pool_is_open": False},
    "never there, an exam is asked for": {"needs_exam": True},
    "never there, the pool is open": {},
}


def test_undoing_restores_each_pool_as_it_was(corpus):
    """Somebody is active under one question, paused under another, and no member under the others."""
    needed = Qualification.objects.create(slug="label", name="Labellers")
    for number, (name, asks) in enumerate(STANDINGS.items()):
        question = ask(
            corpus,
            f"q{number}",
            pool_is_open=asks.get("pool_is_open", True),
            qualification=needed if asks.get("needs_exam") else None,
        )
        open_for_validation(question=question, pairs=Pair.objects.all())
        if name in ("active", "paused"):
            Membership.objects.create(question=question, annotator=vera(), status=name, cursor=number)
    before = list(Membership.objects.order_by("pk").values())
    labelled = list(Label.objects.seats().order_by("pk").values())
    refused = pools_that_refuse(corpus)
    exclude(corpus=corpus, annotator=vera(), by=rosa(), reason="Guessed.")
    assert pools_that_refuse(corpus) == {question.slug for question in corpus.questions.all()}
    undo_exclusion(exclusion=Exclusion.objects.get(), by=rosa())
    assert list(Membership.objects.order_by("pk").values()) == before
    assert list(Label.objects.seats().order_by("pk").values()) == labelled
    assert pools_that_refuse(corpus) == refused == {"q1", "q2", "q3"}


def pools_that_refuse(corpus: Corpus) -> set[str]:
    """Returns the questions under which Vera gets no batch. Rolls back the batches that she gets."""
    refused = set()
    for question in corpus.questions.all():
        try:
            with transaction.atomic():
                claim_batch(question=question, annotator=vera())
                transaction.set_rollback(True)
        except NotInPool:
            refused.add(question.slug)
    return refused


def test_previews_write_nothing_and_say_what_then_happens(corpus):
    """Tries an annotator with own pairs, a withdrawn pair, a surplus label, and gold labels of which some change."""
    two_label(corpus)
    make_pair(corpus, Premise.objects.first(), "Vera wrote this.", author=vera(), author_label="neutral")
    open_for_validation(question=corpus.questions.get(), pairs=Pair.objects.filter(author=vera()))
    gone, *others = Pair.objects.filter(author=ana()).order_by("pk")
    Pair.objects.filter(pk=gone.pk).update(
        withdrawn_at=timezone.now(), withdrawn_because="surplus: somebody else finished the premise first"
    )
    Label.objects.filter(annotator=vera(), pair=others[0]).update(position=None)
    for retract in (False, True):
        with CaptureQueriesContext(connection) as asked:
            seen = preview_exclusion(corpus=corpus, annotator=vera(), retract_pairs=retract)
        assert writes(asked) == []
        before, standing = golds_by_name(corpus), Label.objects.standing().count()
        done = exclude(corpus=corpus, annotator=vera(), by=rosa(), reason="Guessed.", retract_pairs=retract)
        after = golds_by_name(corpus)
        changed = {name: (gold, after.get(name)) for name, gold in before.items() if name in after}
        assert done == seen
        assert seen.gold == {name: change for name, change in changed.items() if change[0] != change[1]}
        assert len(seen.gold) == 3
        assert seen.labels == Label.objects.filter(exclusion__undone_at=None, exclusion__isnull=False).count()
        assert (seen.labels, seen.seats, seen.pairs) == (5, 3, int(retract))
        closed = 4 if retract else 0
        assert Label.objects.standing().count() == standing - seen.labels + seen.seats - closed
        exclusion = Exclusion.objects.get(undone_at=None)
        with CaptureQueriesContext(connection) as asked:
            back = preview_undoing(exclusion=exclusion)
        assert writes(asked) == []
        assert undo_exclusion(exclusion=exclusion, by=rosa()) == back
        assert (back.labels, back.surplus, back.pairs) == (5, 0, int(retract))
        assert golds_by_name(corpus) == before
        assert Label.objects.standing().count() == standing


def golds_by_name(corpus: Corpus) -> dict[str, str | None]:
    rows = with_gold_label(Pair.objects.standing(), corpus.questions.get())
    return dict(rows.values_list("public_id", "gold_label"))


def test_the_reason_is_kept_apart_from_what_is_published(corpus):
    two_label(corpus)
    secret = "Maria Mustermann guesses."
    exclude(corpus=corpus, annotator=vera(), by=rosa(), reason=secret)
    exclude(corpus=corpus, annotator=ana(), by=rosa(), reason=secret, retract_pairs=True)
    kept = {*Label.objects.values_list("withdrawn_because", flat=True)}
    kept |= {*Pair.objects.values_list("withdrawn_because", flat=True)}
    assert kept <= {"", *REASONS}
    assert set(Exclusion.objects.values_list("reason", flat=True)) == {secret}
    erased = vera()
    erase(erased)
    assert Exclusion.objects.get(annotator=erased).reason == ERASED
    assert Exclusion.objects.get(annotator=ana()).reason == secret


def test_excluding_wants_a_reason_and_happens_once(corpus):
    with pytest.raises(ReasonMissing):
        exclude(corpus=corpus, annotator=vera(), by=rosa(), reason=" ")
    exclude(corpus=corpus, annotator=vera(), by=rosa(), reason="Guessed.")
    with pytest.raises(AlreadyDecided):
        exclude(corpus=corpus, annotator=vera(), by=rosa(), reason="Again.")
