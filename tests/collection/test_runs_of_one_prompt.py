"""Tasks come in runs of one prompt, and prompts that were read come first, so that people read few instructions."""

from collections import Counter
from itertools import groupby

import pytest

from accounts.models import User
from collection.models import (
    Corpus,
    Genre,
    Premise,
    Prompt,
    PromptField,
    PromptReading,
    PromptVersion,
    Visit,
    WritingAssignment,
    WritingSeat,
)
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import RUN, claim_writing, prompts_with_work
from collection.writing.prompts import read_prompt
from collection.writing.submitting import skip_writing, submit_writing
from shared.bidi import isolated
from tests.cast import person
from tests.corpora import make_arm, make_corpus, make_link, make_premise
from tests.made_once import made_once

pytestmark = pytest.mark.django_db

TEXTS = {"entailment": "Something is there.", "neutral": "It is red.", "contradiction": "Nothing is there."}
PROMPTS = ("letters", "speech", "stories")


@made_once
def corpus() -> Corpus:
    """Makes three prompts with two genres each, and thirty premises for each genre."""
    corpus = make_corpus()
    for slug in PROMPTS:
        prompt = Prompt.objects.create(corpus=corpus, slug=slug, name=slug.capitalize())
        version = PromptVersion.objects.create(prompt=prompt, number=1, instructions="Write.", digest=slug)
        for order, label in enumerate(TEXTS):
            PromptField.objects.create(version=version, order=order, label=label, wording=f"For {label}.")
        for number in (1, 2):
            genre = f"{slug}-{number}"
            Genre.objects.create(corpus=corpus, slug=genre, name=genre, prompt=prompt)
            make_seats(premises=[make_premise(corpus, f"{genre}, {n}.", genre=genre) for n in range(30)])
    return corpus


def write(corpus: Corpus, writer: User, **chosen: str) -> str:
    """Writes one task, after its instructions. Returns the prompt."""
    task = claim_writing(corpus=corpus, annotator=writer, **chosen)
    read_prompt(annotator=writer, version=task.prompt_version, answers={})
    submit_writing(annotator=writer, token=task.token, texts=TEXTS, key=task.token)
    return task.prompt_version.prompt.slug


def test_tasks_come_in_runs_of_one_prompt(corpus, ana):
    written = [write(corpus, ana) for _ in range(3 * RUN)]
    runs = [len(list(run)) for _, run in groupby(written)]
    assert all(length % RUN == 0 for length in runs), written


@pytest.mark.thorough
def test_a_writer_stays_with_the_prompts_that_they_have_read_unless_these_are_far_ahead(corpus, ana):
    first = [write(corpus, ana) for _ in range(RUN)]
    # Ten of sixty are a sixth: more than a tenth ahead of what nobody has begun.
    assert write(corpus, ana) != first[0]
    for _ in range(2 * RUN - 1):
        write(corpus, ana)
    read = PromptReading.objects.filter(annotator=ana).count()
    assert read == len(PROMPTS)
    # All have been read, and all are about as full: the next run is of the least written one.
    left = {
        slug: 60 - WritingAssignment.objects.filter(prompt_version__prompt__slug=slug).count()
        for slug in PROMPTS
    }
    assert left[write(corpus, ana)] == max(left.values())


@pytest.mark.thorough
def test_a_newcomer_begins_with_what_is_least_written_so_that_genres_fill_evenly(corpus):
    for number in range(9):
        writer = person(f"writer-{number}")
        for _ in range(5):
            write(corpus, writer)
    per_prompt = Counter(WritingAssignment.objects.values_list("prompt_version__prompt__slug", flat=True))
    assert set(per_prompt.values()) == {15}
    per_genre = Counter(WritingAssignment.objects.values_list("seat__genre__slug", flat=True))
    assert max(per_genre.values()) - min(per_genre.values()) <= 4  # of thirty


def test_nobody_begins_with_a_text_that_may_upset_unless_they_chose_its_kind(corpus, ana, vera):
    least = write(corpus, person("first"))
    WritingSeat.objects.update(submitted_at=None, annotator=None, leased_until=None)
    PromptVersion.objects.filter(prompt__slug=least).update(care="People die in these texts.")
    assert write(corpus, ana) != least
    assert write(corpus, vera, prompt=least) == least
    assert write(corpus, vera) == least  # the run goes on
    link = make_link(corpus)
    Visit.objects.create(link=link, user=vera, session="x")
    assert write(corpus, vera) != least  # a visit begins anew
    Premise.objects.exclude(genre__prompt__slug=least).update(status="paused")
    assert write(corpus, person("last")) == least


def test_the_warning_of_another_arm_counts_too(corpus, ana):
    least = write(corpus, person("first"))
    WritingSeat.objects.update(submitted_at=None, annotator=None, leased_until=None)
    arm = make_arm(corpus, "softer", root=least)
    PromptVersion.objects.filter(prompt=arm).update(care="People die in these texts.")
    assert corpus.genres.upsetting().exists()
    assert write(corpus, ana) not in (least, "softer")
    Prompt.objects.filter(pk=arm.pk).update(status="closed")
    assert not corpus.genres.upsetting().exists(), "nobody gets its texts"


def test_a_run_that_has_no_text_left_ends(corpus, ana):
    first = write(corpus, ana)
    Premise.objects.filter(genre__prompt__slug=first).update(status="paused")
    assert write(corpus, ana) != first


def test_a_writer_may_choose_and_the_run_goes_on_with_the_choice(corpus, ana):
    first = write(corpus, ana)
    chosen = next(slug for slug in PROMPTS if slug != first)
    assert write(corpus, ana, prompt=chosen) == chosen
    assert [write(corpus, ana) for _ in range(RUN - 1)] == [chosen] * (RUN - 1)
    assert write(corpus, ana, prompt="no such prompt") in PROMPTS


def test_a_skipped_text_counts_for_the_run_and_ends_no_run(corpus, ana):
    first = write(corpus, ana)
    skip_writing(annotator=ana, token=claim_writing(corpus=corpus, annotator=ana).token)
    assert write(corpus, ana) == first


def test_the_start_page_offers_the_kinds_of_text_that_have_work(corpus, ana, browser_of):
    Prompt.objects.filter(slug="speech").update(status="closed")
    assert [prompt.slug for prompt in prompts_with_work(ana, [corpus])[corpus.pk]] == ["letters", "stories"]
    page = browser_of(ana).get("/start/").content.decode()
    assert "/work/writing/small/?prompt=stories" in page
    assert "prompt=speech" not in page


def test_who_has_another_text_in_hand_is_told_so(corpus, ana, browser_of):
    task = claim_writing(corpus=corpus, annotator=ana)
    read_prompt(annotator=ana, version=task.prompt_version, answers={})
    mine = task.prompt_version.prompt
    other = next(slug for slug in PROMPTS if slug != mine.slug)
    page = browser_of(ana).get(f"/work/writing/small/?prompt={other}").text
    assert f"Send it or skip it; then you get a text of the kind “{isolated(other.capitalize())}”." in page
    assert task.token in page


@pytest.mark.parametrize("way", ["send", "skip"])
def test_who_chose_another_kind_while_a_text_is_open_gets_it_next(corpus, ana, browser_of, way):
    task = claim_writing(corpus=corpus, annotator=ana)
    read_prompt(annotator=ana, version=task.prompt_version, answers={})
    other = next(slug for slug in PROMPTS if slug != task.prompt_version.prompt.slug)
    browser, address = browser_of(ana), "/work/writing/small/"
    chosen = f'name="next_kind" value="{other}"'
    assert chosen in browser.get(f"{address}?prompt={other}").text
    sent = {"token": task.token, "key": task.token, "next_kind": other}
    assert (
        chosen in browser.post(address, sent).text
    )  # nothing was written: the same page, with what was chosen
    if way == "send":
        browser.post(address, sent | {f"text-{label}": text for label, text in TEXTS.items()}, follow=True)
    else:
        browser.post(f"{address}skip/", sent, follow=True)
    assert WritingAssignment.objects.get(closed_at=None).prompt_version.prompt.slug == other


def test_who_has_not_opened_their_text_yet_gets_the_kind_they_choose(corpus, ana, browser_of):
    task = claim_writing(corpus=corpus, annotator=ana)
    other = next(slug for slug in PROMPTS if slug != task.prompt_version.prompt.slug)
    page = browser_of(ana).get(f"/work/writing/small/?prompt={other}", follow=True).content.decode()
    assert other.capitalize() in page
    assert "Send it or skip it" not in page
    seat = WritingAssignment.objects.get().seat  # still one task: no skip, and one of the day
    assert (seat.genre.prompt.slug, seat.annotator) == (other, ana)
    task.seat.refresh_from_db()
    assert (task.seat.annotator, task.seat.leased_until) == (None, None)
    again = claim_writing(corpus=corpus, annotator=ana, prompt="no such prompt")
    assert again.prompt_version.prompt.slug == other


def test_who_chose_a_kind_that_has_run_out_is_told_so(corpus, ana, browser_of):
    gone = next(iter(PROMPTS))
    Premise.objects.filter(genre__prompt__slug=gone).update(status="paused")
    page = browser_of(ana).get(f"/work/writing/small/?prompt={gone}", follow=True).content.decode()
    assert "There are no texts left of the kind you chose." in page
    assert "Send it or skip it" not in page


def test_who_chose_a_kind_without_texts_while_another_is_in_hand_is_told_so(corpus, ana, browser_of):
    task = claim_writing(corpus=corpus, annotator=ana)
    read_prompt(annotator=ana, version=task.prompt_version, answers={})
    gone = next(slug for slug in PROMPTS if slug != task.prompt_version.prompt.slug)
    Premise.objects.filter(genre__prompt__slug=gone).update(status="paused")
    page = browser_of(ana).get(f"/work/writing/small/?prompt={gone}").content.decode()
    assert "There are no texts left of the kind you chose." in page
    assert "Send it or skip it" not in page  # afterwards they could not choose it either
    assert task.token in page
