"""Arms of a prompt: who writes under which, and that their tasks stay equal."""

import random
import tomllib
from collections import Counter
from datetime import timedelta
from heapq import heappop, heappush

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation_site.intake.corpus_files import load
from annotation_site.intake.corpus_text import text_of
from collection.corpora.corpus_file import BadCorpusFile, corpus_file_in
from collection.corpora.loading import LoadRefused
from collection.errors import NotPossible, NoWork
from collection.models import (
    ArmDraw,
    Corpus,
    Genre,
    Pair,
    PilotWriter,
    Prompt,
    PromptVersion,
    WritingAssignment,
    WritingSeat,
)
from collection.premises.writing_seats import make_seats
from collection.writing.arms import arms_of, draw, mean_pay
from collection.writing.claiming import claim_writing, prompts_with_work, why_no_work
from collection.writing.prompts import make_pilot_seats, set_prompt_status
from collection.writing.submitting import skip_writing, submit_writing
from schemas.toml_text import toml_of
from tests.cast import person, rosa, signed_in
from tests.conftest import REPOSITORY
from tests.corpora import make_arm, make_corpus, make_premise, make_premises
from validation.annotators.exclusion import exclude

pytestmark = pytest.mark.django_db

TEXTS = {"entailment": "Something is there.", "neutral": "It is red.", "contradiction": "Nothing is there."}
PAGE = "/work/writing/small/"


@pytest.fixture
def corpus() -> Corpus:
    corpus = make_corpus()
    make_seats(premises=make_premises(corpus, [f"Premise number {number}." for number in range(40)]))
    make_arm(corpus, "edit")
    return corpus


def write(corpus: Corpus, name: str, tasks: int = 1) -> list[str]:
    """Lets somebody write; returns the arm of each task."""
    arms = []
    for _ in range(tasks):
        task = claim_writing(corpus=corpus, annotator=person(name))
        submit_writing(annotator=person(name), token=task.token, texts=TEXTS, key=task.token)
        arms.append(task.prompt_version.prompt.slug)
    return arms


def test_everybody_stays_in_the_arm_that_was_drawn_for_them(corpus):
    arms = [write(corpus, name, 3) for name in ("ana", "ben", "cem", "dora")]
    assert all(len(set(each)) == 1 for each in arms)
    assert Counter(each[0] for each in arms) == {"fiction": 2, "edit": 2}
    assert Pair.objects.filter(prompt_version__prompt__slug="edit").count() == 18
    assert ArmDraw.objects.count() == 4


def test_tasks_are_counted_and_not_people(corpus):
    (first,) = write(corpus, "ana", 1)
    write(corpus, "ana", 5)
    other = {"fiction": "edit", "edit": "fiction"}[first]
    assert [write(corpus, name)[0] for name in ("ben", "cem", "dora")] == [other] * 3


def test_a_task_in_hand_counts_until_its_lease_ends(corpus):
    first = claim_writing(corpus=corpus, annotator=person("ana")).prompt_version.prompt.slug
    second = claim_writing(corpus=corpus, annotator=person("ben")).prompt_version.prompt.slug
    assert {first, second} == {"fiction", "edit"}
    WritingSeat.objects.filter(annotator=person("ana")).update(
        leased_until=timezone.now() - timedelta(minutes=1)
    )
    third = claim_writing(corpus=corpus, annotator=person("cem")).prompt_version.prompt.slug
    assert third == first


def test_a_skipped_task_does_not_count(corpus):
    task = claim_writing(corpus=corpus, annotator=person("ana"))
    skip_writing(annotator=person("ana"), token=task.token)
    ben = claim_writing(corpus=corpus, annotator=person("ben"))
    cem = claim_writing(corpus=corpus, annotator=person("cem"))
    assert {each.prompt_version.prompt.slug for each in (ben, cem)} == {"fiction", "edit"}


def test_tasks_of_people_who_were_excluded_with_their_texts_do_not_count(corpus):
    gone = write(corpus, "ana", 6)[0]
    other = {"fiction": "edit", "edit": "fiction"}[gone]
    exclude(corpus=corpus, annotator=person("ana"), by=rosa(), reason="pasted", retract_pairs=True)
    arms = Counter(write(corpus, name)[0] for name in ("ben", "cem", "dora", "ed"))
    assert arms == {gone: 2, other: 2}
    assert {each.arm.slug: each.recent for each in arms_of(corpus, timezone.now())} == {gone: 2, other: 2}


def test_shares_weigh(corpus):
    Prompt.objects.filter(slug="edit").update(share=3)
    arms = Counter(write(corpus, f"w{number}")[0] for number in range(12))
    assert arms == {"edit": 9, "fiction": 3}


def test_who_wrote_before_there_were_arms_stays(corpus):
    Prompt.objects.filter(slug="edit").update(status="closed")
    arm = Prompt.objects.get(slug="edit")
    WritingAssignment.objects.all().delete()
    assert write(corpus, "ana", 2) == ["fiction", "fiction"]
    ArmDraw.objects.all().delete()  # as if `edit` had come only now
    set_prompt_status(prompt=arm, status="open")
    assert write(corpus, "ana") == ["fiction"]
    assert write(corpus, "ben") == ["edit"]


def test_who_wrote_under_an_arm_that_is_closed_is_not_drawn_into_another(corpus):
    Prompt.objects.filter(slug="edit").update(status="closed")
    assert write(corpus, "ana") == ["fiction"]
    ArmDraw.objects.all().delete()  # as if `edit` had come only now
    set_prompt_status(prompt=Prompt.objects.get(slug="edit"), status="open")
    set_prompt_status(prompt=Prompt.objects.get(slug="fiction"), status="closed")
    with pytest.raises(NoWork, match="closed here"):
        claim_writing(corpus=corpus, annotator=person("ana"))
    assert "closed here" in why_no_work(corpus=corpus, annotator=person("ana")).why
    assert write(corpus, "ben") == ["edit"]
    Prompt.objects.filter(slug="fiction").update(drawn_by="premise")
    assert write(corpus, "ana") == ["edit"]


def test_an_arm_that_closes_during_a_draw_gets_nobody(corpus, monkeypatch):
    """Closes an arm between the look at the arms and the lock under which one is drawn."""
    manager = type(Prompt.objects.all())
    lock = manager.select_for_update

    def close_first(self, *args: object, **options: object):
        Prompt.objects.filter(slug="edit").update(status="closed")
        return lock(self, *args, **options)

    monkeypatch.setattr(manager, "select_for_update", close_first)
    monkeypatch.setattr("collection.writing.arms.CHANCE", LastOf())
    assert write(corpus, "ana") == ["fiction"]


class LastOf(random.Random):
    def choice(self, seq):
        return seq[-1]


def test_a_closed_arm_gives_its_people_no_more_and_newcomers_the_others(corpus):
    of = {name: write(corpus, name)[0] for name in ("ana", "ben")}
    closed, open_ = of["ana"], of["ben"]
    set_prompt_status(prompt=Prompt.objects.get(slug=closed), status="closed")
    with pytest.raises(NoWork, match="closed here at the moment"):
        claim_writing(corpus=corpus, annotator=person("ana"))
    assert "closed here" in why_no_work(corpus=corpus, annotator=person("ana")).why
    assert prompts_with_work(person("ana"), [corpus]) == {}
    assert [write(corpus, name)[0] for name in ("cem", "dora")] == [open_] * 2
    set_prompt_status(prompt=Prompt.objects.get(slug=closed), status="open")
    assert write(corpus, "ana") == [closed]
    set_prompt_status(prompt=Prompt.objects.get(slug="edit"), status="closed")
    set_prompt_status(prompt=Prompt.objects.get(slug="fiction"), status="closed")
    with pytest.raises(NoWork, match="closed here"):
        claim_writing(corpus=corpus, annotator=person("ed"))


def test_an_arm_that_is_opened_again_does_not_get_everybody(corpus):
    edit = Prompt.objects.get(slug="edit")
    set_prompt_status(prompt=edit, status="closed")
    assert {write(corpus, f"w{number}")[0] for number in range(6)} == {"fiction"}
    set_prompt_status(prompt=edit, status="open")
    assert Counter(write(corpus, f"x{number}")[0] for number in range(6)) == {"fiction": 3, "edit": 3}
    assert list(edit.history.order_by("pk").values_list("status", "share")) == [("closed", 1), ("open", 1)]


def test_arms_are_drawn_by_premise_where_the_prompt_says_so(corpus):
    Prompt.objects.filter(slug="fiction").update(drawn_by="premise")
    arms = Counter(write(corpus, "ana", 8))
    assert arms == {"fiction": 4, "edit": 4}
    assert not ArmDraw.objects.filter(annotator__isnull=False).exists()


def test_all_writers_of_a_premise_write_under_its_arm():
    corpus = make_corpus(writers_per_premise=3)
    make_seats(premises=make_premises(corpus, ["One premise.", "Another one."]))
    make_arm(corpus, "edit")
    Prompt.objects.filter(slug="fiction").update(drawn_by="premise")
    for name in ("ana", "ben", "cem"):
        write(corpus, name, 2)
    pairs = Pair.objects.values_list("premise", "prompt_version__prompt__slug").distinct()
    assert sorted(arm for _, arm in pairs) == ["edit", "fiction"]


def test_a_premise_of_a_closed_arm_is_drawn_anew():
    corpus = make_corpus(writers_per_premise=2)
    make_seats(premises=[make_premise(corpus, "One premise.")])
    make_arm(corpus, "edit")
    Prompt.objects.filter(slug="fiction").update(drawn_by="premise")
    (first,) = write(corpus, "ana")
    set_prompt_status(prompt=Prompt.objects.get(slug=first), status="closed")
    assert write(corpus, "ben") == [{"fiction": "edit", "edit": "fiction"}[first]]


def test_arms_are_balanced_within_each_genre_where_the_prompt_says_so(corpus):
    prompt = Prompt.objects.get(slug="fiction")
    Genre.objects.create(corpus=corpus, slug="letters", name="Letters", prompt=prompt)
    Prompt.objects.filter(slug="fiction").update(drawn_by_genre=True)
    (busy,) = write(corpus, "ana")
    write(corpus, "ana", 9)  # ten tasks of one arm in the first genre
    Genre.objects.filter(slug="fiction").update(prompt=None)
    letters = make_premises(corpus, [f"Letter {number}." for number in range(8)], genre="letters")
    make_seats(premises=letters)
    arms = Counter(write(corpus, f"w{number}")[0] for number in range(8))
    assert arms == {"fiction": 4, "edit": 4}, busy


def test_pilots_are_drawn_too_and_count_apart(corpus):
    prompt = Prompt.objects.get(slug="fiction")
    make_pilot_seats(prompt=prompt, premises_per_genre=4)
    set_prompt_status(prompt=prompt, status="pilot")
    for name in ("ana", "ben"):
        PilotWriter.objects.create(prompt=prompt, annotator=person(name))
    assert {write(corpus, name)[0] for name in ("ana", "ben")} == {"fiction", "edit"}
    with pytest.raises(NoWork, match="still testing"):
        claim_writing(corpus=corpus, annotator=person("cem"))
    with pytest.raises(NotPossible, match="piloted with the prompt"):
        set_prompt_status(prompt=Prompt.objects.get(slug="edit"), status="pilot")


def test_writers_read_the_name_of_the_prompt_and_not_of_their_arm(corpus):
    for name in ("ana", "ben"):
        client = signed_in(person(name))
        page = client.get(PAGE, follow=True)
        assert "Fiction" in page.content.decode()
        assert "Edit" not in page.content.decode()
    texts = {
        PromptVersion.objects.get(pk=each).instructions
        for each in ArmDraw.objects.values_list("arm__versions", flat=True)
    }
    assert texts == {"Read the line and write.", "Write as edit says."}


def test_the_database_keeps_one_arm_a_writer_and_no_arm_of_itself(corpus):
    write(corpus, "ana")
    drawn = ArmDraw.objects.get()
    for broken in (
        lambda: ArmDraw.objects.create(root=drawn.root, arm=drawn.arm, annotator=drawn.annotator),
        lambda: ArmDraw.objects.create(root=drawn.root, arm=drawn.arm),
        lambda: Prompt.objects.filter(slug="edit").update(arm_of=Prompt.objects.get(slug="edit")),
        lambda: Prompt.objects.filter(slug="edit").update(share=0),
        lambda: Prompt.objects.filter(slug="edit").update(status="pilot"),
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            broken()


# How arms stay equal.


def study(seed: int, *, texts: int = 200, arms: int = 2, gives_up: float = 0.3) -> Counter[int]:
    """Simulates people who come one by one, each for one text; a third leaves it. Returns arm -> completed tasks.

    Minutes: somebody comes after 1 on average, writes for 5 on average, and a text that was left is free after 30.
    """
    chance = random.Random(seed)
    now, shares = 0.0, dict.fromkeys(range(arms), 1)
    tasks, done = Counter[int](), Counter[int]()
    in_hand: list[
        tuple[float, int, bool]
    ] = []  # (when it ends, arm, whether it is sent), the first end first
    while done.total() < texts:
        now += chance.expovariate(1.0)
        while in_hand and in_hand[0][0] <= now:
            _, arm, sends = heappop(in_hand)
            (done if sends else tasks)[arm] += 1 if sends else -1
        if tasks.total() < texts:  # a seat is free
            arm, sends = draw(tasks, shares, chance), chance.random() >= gives_up
            tasks[arm] += 1
            heappush(in_hand, (now + (chance.expovariate(0.2) if sends else 30), arm, sends))
    return done


@pytest.mark.parametrize("arms", [2, 3, 5])
def test_completed_arms_differ_by_two_at_most_though_a_third_gives_up(arms):
    done = [study(seed, arms=arms) for seed in range(1000)]
    assert max(max(each.values()) - min(each[arm] for arm in range(arms)) for each in done) <= 2


def test_a_draw_by_chance_alone_would_not_do():
    chance = random.Random(1)
    apart = [abs(2 * sum(chance.random() < 0.5 for _ in range(200)) - 200) for _ in range(1000)]
    assert sum(each > 2 for each in apart) > 800


# In the corpus file.

FILE = REPOSITORY / "examples" / "captions" / "corpus.toml"


def with_arm(**keys: object) -> dict:
    said = tomllib.loads(FILE.read_text())
    root = said["prompts"][0]
    said["prompts"].append({**root, "slug": "edited", "name": "Edited", "arm_of": root["slug"], **keys})
    return said


def loaded(said: dict) -> Corpus:
    load(corpus_file_in(toml_of(said), "file"))
    return Corpus.objects.get()


def test_an_arm_in_the_file_comes_into_the_database_and_back():
    corpus = loaded(with_arm(share=2))
    arm = corpus.prompts.get(slug="edited")
    assert (arm.arm_of.slug, arm.share, arm.history.count()) == ("captions", 2, 1)
    corpus.texts.all().delete()
    assert load(corpus_file_in(text_of(corpus).text, "file"), dry_run=True).lines == []
    said = tomllib.loads(text_of(corpus).text)
    assert [(each.get("arm_of"), each.get("share")) for each in said["prompts"]] == [
        (None, None),
        ("captions", 2),
    ]


def test_an_arm_without_its_table_is_closed_once_somebody_wrote_under_it():
    corpus = loaded(with_arm())
    arm = corpus.prompts.get(slug="edited")
    WritingAssignment.objects.bulk_create(
        WritingAssignment(
            corpus=corpus, annotator=person("ana"), seat=seat, prompt_version=arm.versions.get()
        )
        for seat in make_some_seats(corpus)
    )
    changes = load(corpus_file_in(FILE.read_text(), "file"))
    arm.refresh_from_db()
    assert arm.status == "closed", changes.lines
    assert list(arm.history.order_by("pk").values_list("status", flat=True)) == ["open", "closed"]


def test_a_prompt_that_becomes_an_arm_does_not_get_everybody():
    said = with_arm()
    del said["prompts"][1]["arm_of"]
    corpus = loaded(said)
    arm = corpus.prompts.get(slug="edited")
    loaded(with_arm())
    assert (corpus.prompts.get(slug="edited").arm_of.slug, arm.history.count()) == ("captions", 2)
    loaded(with_arm())
    assert arm.history.count() == 2


def test_an_arm_into_which_somebody_was_drawn_is_closed_without_its_table():
    corpus = loaded(with_arm())
    root, arm = (corpus.prompts.get(slug=slug) for slug in ("captions", "edited"))
    ArmDraw.objects.create(root=root, arm=arm, annotator=person("ana"))
    load(corpus_file_in(FILE.read_text(), "file"))
    arm.refresh_from_db()
    assert arm.status == "closed"


def make_some_seats(corpus: Corpus) -> list[WritingSeat]:
    make_seats(premises=[make_premise(corpus, "One.", genre=corpus.genres.first().slug)])
    return list(WritingSeat.objects.all())


@pytest.mark.parametrize(("key", "value"), [("arm_of", ""), ("drawn_by", "premise")])
def test_people_cannot_be_moved_between_arms_by_the_file(key, value):
    corpus = loaded(with_arm())
    root, arm = (corpus.prompts.get(slug=slug) for slug in ("captions", "edited"))
    ArmDraw.objects.create(root=root, arm=arm, annotator=person("ana"))
    said = with_arm()
    said["prompts"][0 if key == "drawn_by" else 1][key] = value
    with pytest.raises(LoadRefused, match="1 writers or premises belong to an arm"):
        loaded(said)


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ({"arm_of": "nobody"}, "none of the prompts that are no arms: captions"),
        ({"arm_of": "edited"}, "none of the prompts that are no arms: captions"),
        ({"status": "pilot"}, "piloted with the prompt whose arm it is"),
        ({"share": 0}, "share"),
    ],
)
def test_a_wrong_arm_is_named(keys, says):
    with pytest.raises(BadCorpusFile, match=says):
        loaded(with_arm(**keys))


def test_an_arm_asks_for_the_same_labels():
    said = with_arm()
    said["prompts"][1] = {**said["prompts"][1], "fields": said["prompts"][1]["fields"][:2]}
    with pytest.raises(BadCorpusFile, match="the same labels as those of"):
        loaded(said)


def test_a_genre_names_the_prompt_and_not_its_arm():
    said = with_arm()
    said["genres"][0]["prompt"] = "edited"
    with pytest.raises(BadCorpusFile, match='name "captions", whose arm it is'):
        loaded(said)


def test_unwritten_texts_cost_what_their_open_arms_pay(corpus):
    make_arm(corpus, "dear", share=2)
    PromptVersion.objects.filter(prompt__slug="dear").update(pay_cents=100)
    versions = list(PromptVersion.objects.newest().select_related("prompt__arm_of"))
    root = Prompt.objects.get(slug="fiction").pk
    assert mean_pay(versions) == {root: (30 + 40 + 2 * 100) / 4}
    for version in versions:
        version.prompt.status = "open" if version.prompt.slug == "edit" else "closed"
    assert mean_pay(versions) == {root: 40}
