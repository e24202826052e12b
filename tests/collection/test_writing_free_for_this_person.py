"""One rule decides which premises are free for a writer: offers, claim and the reason for no work never disagree.

Random histories compare them with the rule in plain Python, written here over the rows.
"""

from contextlib import suppress
from datetime import timedelta

import pytest
from django.utils import timezone
from hypothesis import example, given, settings
from hypothesis import strategies as st

from accounts.models import User
from accounts.people.consents import ConsentMissing
from collection.errors import NotByThisLink, WritingEnded
from collection.errors import NoWork as NothingToWrite
from collection.models import (
    Corpus,
    Exclusion,
    Genre,
    Pair,
    PilotWriter,
    Premise,
    Prompt,
    ReturnedText,
    WritingSeat,
)
from collection.premises.writing_seats import make_seats, new_seat
from collection.writing.claiming import claim_writing, why_no_work
from collection.writing.submitting import skip_writing, submit_writing
from collection.writing.who_may_write import texts_to_mend
from tests import joining_steps
from tests.cast import person, rosa
from tests.corpora import agreed, make_corpus, make_premise
from tests.joining_steps import Joining, has_agreed, is_open_to, make_links
from tests.validation.test_free_for_this_person import Labelling, taken_back
from validation.errors import AlreadyDecided
from validation.pairs.returning import decline_text, mend_text, return_text, take_back_return
from validation.start_page.offers import offers_for

pytestmark = pytest.mark.django_db
NAMES = ("ana", "vera", "stan")
TEXTS = {"entailment": "Something is there.", "neutral": "It is red.", "contradiction": "Nothing is there."}


@pytest.fixture
def texts() -> Corpus:
    """Makes two genres, one of them piloted by Ana; a person may write a quarter of a genre and three texts a day."""
    caps = {"writers_per_premise": 2, "max_genre_share": 25, "max_tasks_per_day": 3}
    corpus = make_corpus(slug="texts", with_consent=True, **caps)
    tried = Prompt.objects.create(corpus=corpus, slug="news", name="News")
    Genre.objects.create(corpus=corpus, slug="news", name="News", prompt=tried)
    for genre in ("fiction", "news"):
        make_seats(premises=[make_premise(corpus, f"{genre} {number}.", genre=genre) for number in range(2)])
    make_links(corpus)
    for name in NAMES:
        agreed(person(name), corpus)
    WritingSeat.objects.bulk_create(
        new_seat(premise, 1, is_pilot=True) for premise in Premise.objects.filter(genre__slug="fiction")
    )
    PilotWriter.objects.create(prompt=Prompt.objects.get(slug="fiction"), annotator=person("ana"))
    rosa()
    return corpus


class Writing:
    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus

    def do(self, what: str, who: User, n: int) -> None:
        if what in joining_steps.STEPS:
            Joining(self.corpus).do(what, who, n)
        elif what == "lose":
            WritingSeat.objects.filter(submitted_at=None, annotator=who).update(
                leased_until=timezone.now() - timedelta(hours=1)
            )
        elif what == "pause":
            premise = Premise.objects.order_by("pk")[n % 4]
            premise.status = "open" if premise.status != "open" else "paused"
            premise.save()
        elif what == "prompt":
            Prompt.objects.filter(slug="fiction").update(status=("open", "pilot", "closed")[n % 3])
        elif what == "exclude":
            Labelling(self.corpus).exclude(self.corpus.questions.get(), who, n)
        elif what == "return":
            written = Pair.objects.filter(author=who).order_by("pk")
            for pair in written[n % 3 :][:1]:
                with suppress(AlreadyDecided):
                    return_text(pair=pair, remark="Mend it.", by=rosa())
        elif what == "mend":
            for returned in ReturnedText.objects.of(who).order_by("pk")[n % 3 :][:1]:
                with suppress(AlreadyDecided, ConsentMissing):
                    self.mend(returned, who, n)
        elif what == "cap":
            Corpus.objects.filter(pk=self.corpus.pk).update(max_tasks_per_day=(None, 1, 3)[n % 3])
        else:
            self.work(what, who)

    def mend(self, returned: ReturnedText, who: User, n: int) -> None:
        """Mends, declines, or takes the return back."""
        if n == 3:
            take_back_return(pair=returned.pair)
        elif n == 4:
            decline_text(returned=returned, writer=who)
        else:
            mend_text(returned=returned, writer=who, text=f"Something is there, number {returned.pk}.")

    def work(self, what: str, who: User) -> None:
        try:
            task = claim_writing(corpus=Corpus.objects.get(pk=self.corpus.pk), annotator=who)
        except (NothingToWrite, ConsentMissing):
            return
        if what == "write":
            submit_writing(annotator=who, token=task.token, texts=TEXTS, key=task.token)
        elif what == "skip":
            skip_writing(annotator=who, token=task.token)


def what_to_write(corpus: Corpus, who: User) -> tuple[str, set[int]]:
    """Applies the plain rule to the rows: returns work and the next seat, or why there is none."""
    now = timezone.now()
    if Exclusion.objects.filter(corpus=corpus, annotator=who, undone_at=None).exists():
        return "excluded", set()
    if not is_open_to(corpus, who):
        return "elsewhere", set()
    rows = list(WritingSeat.objects.filter(genre__corpus=corpus).select_related("premise", "genre__prompt"))
    tasks = list(who.writingassignment_set.filter(corpus=corpus).select_related("seat"))
    for task in tasks:
        seat = task.seat
        free = seat.annotator_id in (None, who.pk) or seat.leased_until <= now
        if task.closed_at is None and seat.submitted_at is None and free:
            return "work", {seat.pk}
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    given = sum(task.created_at >= today for task in tasks)
    if corpus.max_tasks_per_day is not None and given >= corpus.max_tasks_per_day:
        return "today", set()
    pilots = set(PilotWriter.objects.filter(annotator=who).values_list("prompt", flat=True))
    writable = [
        genre
        for genre in Genre.objects.filter(corpus=corpus).select_related("prompt")
        if genre.prompt.versions.exists()
        and (genre.prompt.status == "open" or (genre.prompt.status == "pilot" and genre.prompt_id in pilots))
    ]
    if not writable:
        return "closed", set()
    full = set()
    for genre in writable:
        real = [row for row in rows if row.genre_id == genre.pk and not row.is_pilot]
        mine = sum(row.annotator_id == who.pk and row.submitted_at is not None for row in real)
        if mine > 0 and (mine + 1) * 100 > corpus.max_genre_share * len(real):
            full.add(genre.pk)
    rest = {genre.pk: genre.prompt.status == "pilot" for genre in writable if genre.pk not in full}
    if not rest:
        return "share", set()
    waiting = [
        row
        for row in rows
        if row.submitted_at is None
        and row.premise.status == "open"
        and row.genre_id in rest
        and row.is_pilot == rest[row.genre_id]
    ]
    touched = {task.seat.premise_id for task in tasks}
    theirs = [row for row in waiting if row.premise_id not in touched]
    claimable = [row for row in theirs if row.leased_until is None or row.leased_until <= now]
    if claimable:  # one genre alone has words
        return "work", {min(claimable, key=lambda row: row.turn).pk}
    if theirs:
        return "held", set()
    if waiting:
        return "known", set()
    return ("others" if full else "none"), set()


def what_to_mend(corpus: Corpus, who: User) -> set[int]:
    """Applies the plain rule to the rows: texts that wait for a person who may write here and is not excluded."""
    is_excluded = Exclusion.objects.filter(corpus=corpus, annotator=who, undone_at=None).exists()
    if is_excluded or not is_open_to(corpus, who):
        return set()
    rows = ReturnedText.objects.filter(pair__author=who, pair__corpus=corpus)
    return {row.pk for row in rows if row.outcome == "" and row.until > timezone.now()}


def what_is_mended(who: User) -> set[int]:
    """Returns the texts that the pages show, after trying that exactly these can be mended."""
    shown = set(texts_to_mend(who, timezone.now()).values_list("pk", flat=True))
    for returned in ReturnedText.objects.filter(pair__author=who):
        with taken_back():
            try:
                mend_text(
                    returned=returned, writer=who, text=f"Something else is there, number {returned.pk}."
                )
                assert returned.pk in shown
            except ConsentMissing:
                assert not has_agreed(returned.pair.corpus, who)
            except AlreadyDecided:
                assert returned.pk not in shown
    return shown


WHY_NOT = {
    "You have reached": "today",
    "A few people are still testing": "closed",
    "Writing is closed": "closed",
    "You have done your part": "share",
    "Others are writing": "held",
    "There are texts left, but you have seen": "known",
    "There are texts left, but only of kinds": "others",
    "All texts are done": "none",
}


def what_it_says(nothing: NothingToWrite | None) -> str:
    if nothing is None:
        return "work"
    if isinstance(nothing, WritingEnded | NotByThisLink):
        return "excluded" if isinstance(nothing, WritingEnded) else "elsewhere"
    return next(what for begin, what in WHY_NOT.items() if nothing.why.startswith(begin))


WRITING = (
    "claim",
    "claim",
    "write",
    "write",
    "skip",
    "lose",
    "pause",
    "prompt",
    "exclude",
    "cap",
    "return",
    "mend",
    *joining_steps.STEPS,
)


def test_offer_claim_and_reason_of_writing_agree_with_the_plain_rule_after_any_history(texts):
    met = set()

    @settings(max_examples=settings.default.max_examples // 5, database=None)
    @example([("cap", "ana", 1), ("write", "vera", 0), ("agree", "stan", 0)])  # done for today; no consent
    @example([("write", "vera", 0), ("return", "vera", 0), ("enter", "vera", 1), ("sign_up", "stan", 3)])
    @example([("pause", "ana", 1), ("claim", "vera", 0), ("claim", "stan", 0)])  # held by others
    @example([("prompt", "ana", 2)])  # nobody may write any more
    @example([("write", "vera", 0), ("return", "vera", 0), ("mend", "vera", 0), ("return", "vera", 1)])
    @example([("write", "vera", 0), ("return", "vera", 0), ("exclude", "vera", 1)])
    @example([("write", "vera", 0), ("return", "vera", 0), ("exclude", "vera", 1), ("mend", "vera", 3)])
    @given(
        st.lists(st.tuples(st.sampled_from(WRITING), st.sampled_from(NAMES), st.integers(0, 5)), max_size=14)
    )
    def check(history: list[tuple[str, str, int]]) -> None:
        with taken_back():
            for what, name, n in history:
                Writing(texts).do(what, person(name), n)
            corpus = Corpus.objects.get(pk=texts.pk)
            for name in NAMES:
                who = person(name)
                right, seats_ = what_to_write(corpus, who)
                met.add(right)
                assert any(offer.writes for offer in offers_for(who)) == (right == "work"), name
                assert what_it_says(why_no_work(corpus=corpus, annotator=who)) == right, name
                with taken_back():
                    try:
                        claimed, said = {claim_writing(corpus=corpus, annotator=who).seat_id}, "work"
                    except ConsentMissing:
                        claimed, said = set(), "no consent"
                    except NothingToWrite as nothing:
                        claimed, said = set(), what_it_says(nothing)
                # The offer stands before the consent form, which is asked of people who may write, and of no others.
                is_kept_out = right in ("excluded", "elsewhere")
                right_claim = (
                    (seats_, right) if is_kept_out or has_agreed(corpus, who) else (set(), "no consent")
                )
                assert (claimed, said) == right_claim, name
                met.add(said)
                met.update("mend" for _ in what_to_mend(corpus, who))
                assert what_is_mended(who) == what_to_mend(corpus, who), name
            retracting = Exclusion.objects.standing().filter(retracts_pairs=True)
            assert not Pair.objects.standing().filter(author__in=retracting.values("annotator")).exists()

    check()
    kinds = {"work", "excluded", "today", "closed", "share", "held", "mend", "elsewhere", "no consent"}
    assert met >= kinds, "the examples above meet each case, whatever is drawn"


def test_a_full_genre_is_not_offered(texts):
    """The start page used to ignore shares: it offered writing, and the page then said that the share was done."""
    Corpus.objects.update(max_genre_share=25, max_tasks_per_day=None)
    vera = person("vera")
    assert [offer.writes for offer in offers_for(vera)] == [True]
    texts.refresh_from_db()
    Writing(texts).work("write", vera)
    assert "one person may write about at most 25%" in why_no_work(corpus=texts, annotator=vera).why
    assert not any(offer.writes for offer in offers_for(vera))


# Exams
