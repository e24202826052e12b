"""How much each writer gets, in which order, and the reason for no work."""

import random
from collections import Counter
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.models import Grant, Qualification
from collection.errors import NotQualified, NoWork
from collection.models import Corpus, Genre, Premise, Prompt, WritingAssignment, WritingSeat
from collection.premises.writing_seats import make_seats, turn_of
from collection.writing.claiming import claim_writing, left_today, why_no_work
from collection.writing.prompts import read_prompt
from collection.writing.submitting import skip_writing, submit_writing
from tests.cast import person
from tests.corpora import make_corpus, make_premise

pytestmark = pytest.mark.django_db

TEXTS = {"entailment": "Something is there.", "neutral": "It is red.", "contradiction": "Nothing is there."}


def grow(corpus: Corpus, slug: str, count: int) -> None:
    """Adds a genre with this number of premises by one import."""
    genre, _ = Genre.objects.get_or_create(corpus=corpus, slug=slug, prompt=Prompt.objects.get())
    premises = [make_premise(corpus, f"Premise {slug} {number}.", genre=slug) for number in range(count)]
    assert {premise.genre for premise in premises} == {genre}
    make_seats(premises=premises)


def write(corpus: Corpus, annotator) -> WritingSeat:
    assignment = claim_writing(corpus=corpus, annotator=annotator)
    submit_writing(annotator=annotator, token=assignment.token, texts=TEXTS, key=assignment.token)
    return assignment.seat


@pytest.mark.thorough
def test_genres_of_different_size_fill_evenly(ana):
    corpus = make_corpus()
    sizes = {"large": 60, "middle": 30, "small": 10}
    for slug, count in sizes.items():
        grow(corpus, slug, count)
    written: Counter[str] = Counter()
    for number in range(1, 101):
        written[write(corpus, ana).genre.slug] += 1
        if number % 10 == 0:
            shares = [written[slug] / count for slug, count in sizes.items()]
            assert max(shares) - min(shares) <= 0.21, (number, written)
    assert written == sizes


def test_a_genre_that_comes_later_catches_up(ana):
    corpus = make_corpus()
    grow(corpus, "early", 20)
    for _ in range(10):
        write(corpus, ana)
    grow(corpus, "late", 20)
    assert Counter(write(corpus, ana).genre.slug for _ in range(10))["late"] >= 9


def test_turns_of_an_import_are_spread_evenly_wherever_its_ids_begin():
    for begin in random.Random(0).sample(range(10**9), 50):
        turns = sorted(turn_of(begin + number, 1) - 2**24 for number in range(1000))
        for share in (0.1, 0.37, 0.5, 0.9):
            below = sum(turn < share * 2**24 for turn in turns)
            assert abs(below - 1000 * share) <= 5


def test_all_first_seats_come_before_the_second_ones():
    assert max(turn_of(number, 1) for number in range(5000)) < min(
        turn_of(number, 2) for number in range(5000)
    )


def test_the_days_tasks_are_counted_and_tomorrow_there_are_more(ana):
    corpus = make_corpus(max_tasks_per_day=2)
    grow(corpus, "fiction", 5)
    write(corpus, ana)
    skip_writing(annotator=ana, token=claim_writing(corpus=corpus, annotator=ana).token)
    with pytest.raises(NoWork, match="limit of 2 texts") as refusal:
        claim_writing(corpus=corpus, annotator=ana)
    assert refusal.value.look_again == "Please check again tomorrow."
    assert 0 < refusal.value.retry_after <= 86_401
    assert why_no_work(corpus=corpus, annotator=ana).look_again == "Please check again tomorrow."
    assert claim_writing(corpus=corpus, annotator=person("ben"))
    WritingAssignment.objects.update(created_at=timezone.now() - timedelta(days=1))
    assert claim_writing(corpus=corpus, annotator=ana)


def test_the_last_task_of_the_day_can_be_finished(ana):
    corpus = make_corpus(max_tasks_per_day=1)
    grow(corpus, "fiction", 2)
    token = claim_writing(corpus=corpus, annotator=ana).token
    assert claim_writing(corpus=corpus, annotator=ana).token == token


def test_the_head_of_the_page_says_how_many_texts_are_left_today(ana, browser_of):
    corpus = make_corpus()
    grow(corpus, "fiction", 3)
    browser, page = browser_of(ana), reverse("writing", args=[corpus.slug])
    task = claim_writing(corpus=corpus, annotator=ana)
    read_prompt(annotator=ana, version=task.prompt_version, answers={})
    assert "left today" not in browser.get(page).text
    Corpus.objects.update(max_tasks_per_day=2)
    assert "2 texts left today</span><span" in browser.get(page).text
    write(corpus, ana)
    assert "1 text left today</span><span" in browser.get(page).text


@pytest.mark.parametrize(("share", "writers"), [(100, 1), (100, 2), (50, 1), (25, 2), (30, 3), (5, 1)])
def test_no_more_texts_are_said_to_be_left_than_there_are(ana, share, writers):
    corpus = make_corpus(max_tasks_per_day=120, max_genre_share=share, writers_per_premise=writers)
    grow(corpus, "fiction", 6)
    grow(corpus, "tiny", 2)
    said, now = [], timezone.now()
    while why_no_work(corpus=corpus, annotator=ana) is None:
        claim_writing(corpus=corpus, annotator=ana)
        said.append(left_today(corpus, ana, now))
        write(corpus, ana)
    assert said == list(range(len(said), 0, -1)), "as many as could be written"
    assert said[0] == 8 or share < 100


def test_one_writer_fills_only_a_share_of_a_genre(ana):
    corpus = make_corpus(max_genre_share=25)
    grow(corpus, "fiction", 10)
    grow(corpus, "tiny", 1)
    written = Counter(write(corpus, ana).genre.slug for _ in range(3))
    with pytest.raises(NoWork, match="25% of the texts of a kind"):
        write(corpus, ana)
    assert written == {"fiction": 2, "tiny": 1}, "everybody may write for a genre once"
    assert write(corpus, person("ben"))


def test_who_lacks_the_qualification_is_told_what_to_do(ana, browser_of, api_of):
    qualification = Qualification.objects.create(
        slug="q", name="Careful writer", description="Take the **exam**."
    )
    corpus = make_corpus(writing_qualification=qualification)
    grow(corpus, "fiction", 2)
    with pytest.raises(NotQualified, match="Careful writer"):
        claim_writing(corpus=corpus, annotator=ana)
    assert "<strong>exam</strong>" in browser_of(ana).get("/work/writing/small/").content.decode()
    assert "Write sentences" not in browser_of(ana).get("/start/").content.decode()
    answer = api_of(ana).post("/api/v1/work/writing/next", {"corpus": "small"}).json()
    assert (answer["assignment"], "Careful writer" in answer["why"]) == (None, True)
    Grant.objects.create(user=ana, qualification=qualification, how="invitation")
    assert "Write sentences" in browser_of(ana).get("/start/").content.decode()
    token = claim_writing(corpus=corpus, annotator=ana).token
    Grant.objects.update(revoked_at=timezone.now(), revoked_because="Copies.")
    with pytest.raises(NotQualified):
        claim_writing(corpus=corpus, annotator=ana)
    assert submit_writing(annotator=ana, token=token, texts=TEXTS, key="k").cents == 30


def reason(corpus: Corpus, annotator) -> tuple[str, int]:
    with pytest.raises(NoWork) as refusal:
        claim_writing(corpus=corpus, annotator=annotator)
    found = why_no_work(corpus=corpus, annotator=annotator)
    assert found.why == refusal.value.why
    return found.why, found.retry_after


def test_each_reason_for_no_work_is_told(ana):
    corpus = make_corpus()
    assert reason(corpus, ana)[0] == "All texts are done. New ones may be added."
    Prompt.objects.update(status="closed")
    assert "closed here at the moment" in reason(corpus, ana)[0]
    Prompt.objects.update(status="pilot")
    assert "testing the instructions" in reason(corpus, ana)[0]
    Prompt.objects.update(status="open")
    grow(corpus, "fiction", 1)
    ben = person("ben")
    token = claim_writing(corpus=corpus, annotator=ben).token
    why, seconds = reason(corpus, ana)
    assert "Others are writing" in why
    assert 1700 < seconds <= 1800
    skip_writing(annotator=ben, token=token)
    assert "you have seen them all" in reason(corpus, ben)[0]
    assert why_no_work(corpus=corpus, annotator=ana) is None
    Premise.objects.update(status="paused")
    assert "All texts are done" in reason(corpus, ana)[0]


def test_a_corpus_without_genres_says_so(ana):
    corpus = Corpus.objects.create(slug="bare", name="Bare")
    assert "no texts to write for yet" in reason(corpus, ana)[0]
