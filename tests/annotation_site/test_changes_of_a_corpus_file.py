"""Each kind of change is printed and made; one that would change the meaning of finished work is an error."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import ConsentForm, Grant, Qualification, User
from collection.models import Corpus, Exam, ExamAttempt, Pair, PremiseImport, PromptReading, Source
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing
from collection.writing.submitting import submit_writing
from snapshots.models import Placement, Snapshot
from tests.commands import run
from tests.conftest import REPOSITORY
from tests.corpora import add_label, agreed, make_pair, make_premise
from tests.made_once import made_once

pytestmark = pytest.mark.django_db

FILE = REPOSITORY / "examples" / "multinli-like" / "corpus.toml"
WRITING_OPEN = {'writing = "exam"': 'writing = "open"'}
Edit = Callable[..., Path]


@pytest.fixture
def edited(tmp_path: Path) -> Edit:
    """`edited({old: new}, cut="[exam]")`: the file with words changed and a table (to the next rule) left out."""

    def edit(changes: dict[str, str], cut: str = "") -> Path:
        text = FILE.read_text()
        if cut:
            start = text.index(f"\n{cut}\n")
            text = text[:start] + text[text.index("\n# ------", start) :]
        for old, new in changes.items():
            assert old in text
            text = text.replace(old, new, 1)
        path = tmp_path / "corpus.toml"
        path.write_text(text)
        return path

    return edit


@made_once
def corpus() -> Corpus:
    assert not run("load_corpus", FILE).failure
    return Corpus.objects.get(slug="multinli-like")


def written_pair(corpus: Corpus, annotator: User) -> Pair:
    """A premise of fiction with its three pairs, written through the real actions; answers the first pair."""
    qualification = corpus.writing_qualification
    if qualification is not None:
        Grant.objects.create(user=annotator, qualification=qualification, how="invitation")
    make_seats(premises=[make_premise(corpus, "The clock in the hall struck thirteen.")])
    task = claim_writing(corpus=corpus, annotator=agreed(annotator, corpus))
    texts = {
        "entailment": "There was a clock in the building.",
        "neutral": "Somebody had played a trick with the clock.",
        "contradiction": "Only the kitchen had a clock.",
    }
    submit_writing(annotator=annotator, token=task.token, texts=texts, key=task.token)
    return Pair.objects.filter(corpus=corpus).order_by("pk")[0]


def cast_label(pair: Pair, annotator: User) -> None:
    add_label(
        pair.corpus.questions.get(),
        pair,
        "neutral",
        position=2,
        annotator=annotator,
        leased_until=timezone.now() + timedelta(minutes=1),
    )


FIELD = 'reminder = "It is about the same thing, but the text does not say."'
CHECK = 'explanation = "A van is a vehicle."'
FAQ = """[[prompts.faq]]
question = "Is the letter real? May I answer it?"
answer = "This one is made up. Please do not write to any group that a letter names."
"""
ITEM = """[[exam.items]]
premise = "Nobody laughed at the toast except the waiter."
hypothesis = "The waiter found the toast funny."
label = "neutral"
"""
EXAMPLE = """[[question.examples]]
premise = "Only one of the three tunnels was ever finished, and it carries water instead of trains."
hypothesis = "The money for the tunnels ran out."
label = "neutral"
comment = "A likely reason, but only one of several."
"""


CHANGES: list[tuple[dict[str, str], str]] = [
    ({'name = "Ten genres"': 'name = "Ten"'}, '~ corpus: name: "Ten genres" -> "Ten"'),
    ({"max_tasks_per_day = 120\n": ""}, "~ corpus: max_tasks_per_day: 120 -> none"),
    ({"max_genre_share = 50": "max_genre_share = 5"}, "~ corpus: max_genre_share: 50 -> 5"),
    ({"pause_after_reports = 2": "pause_after_reports = 0"}, "~ corpus: pause_after_reports: 2 -> 0"),
    ({'language_models = "forbidden"': 'language_models = "declared"'}, "~ corpus: language_models: "),
    ({'language_models = "forbidden"': 'language_models = "allowed"'}, "~ consent form: text: "),
    ({"do and when you stop": "do, and when you stop"}, "which everybody is asked to agree to"),
    ({'used_before = "warn"': 'used_before = "off"'}, '~ advice used_before: level: "warn" -> "off"'),
    ({'used_before = "warn"\n': ""}, "- advice used_before: warn"),
    ({'used_before = "warn"': 'used_before = "warn"\ntoo_long = "warn"'}, "+ advice too_long: warn"),
    ({"pass_mark = 75": "pass_mark = 60"}, "~ exam: pass_mark: 75 -> 60"),
    ({ITEM: ""}, '- exam: item 7: "Nobody laughed at the toast except the waiter. / neutral'),
    ({'hypothesis = "It was a rented car."': 'hypothesis = "A van."'}, "~ exam: item 6: hypothesis: "),
    ({"seats = 5": "gold_rule = \"unanimous\"\nseats = 5"}, '~ question: gold_rule: "majority" -> "unanimous"'),
    ({"pay_cents = 6": "pay_cents = 7\ncontrol_bonus_cents = 50"}, "~ question: control_bonus_cents: 100 -> 50"),
    ({"batch_size = 5": "batch_size = 4"}, "~ question: batch_size: 5 -> 4"),
    ({"It must be false\"\n": "It cannot be\"\n"}, '~ question: label 3: wording: "It must be false" ->'),
    ({EXAMPLE: ""}, "- question: example 2: "),
    ({"Will my answers be": "Are my answers"}, "~ question: faq 5: question: "),
    ({'name = "Speech"': 'name = "Talk"'}, '~ prompt spoken: name: "Speech" -> "Talk"'),
    ({'name = "Speech"': 'name = "Speech"\nstatus = "pilot"'}, '~ prompt spoken: status: "open" -> "pilot"'),
    ({"skip_pay_cents = 40": "skip_pay_cents = 20"}, "~ prompt disaster: skip_pay_cents: 40 -> 20"),
    ({"paid_skips_per_day = 10": "paid_skips_per_day = 3"}, "~ prompt disaster: paid_skips_per_day: 10 -> 3"),
    ({'care = """': 'care = """Leave them. '}, "~ prompt disaster: care: "),
    ({FIELD: 'reminder = ""'}, "~ prompt nonfiction: field 2: reminder: "),
    ({CHECK: 'explanation = "Vans drive."'}, "~ prompt letters: check 1: explanation: "),
    ({FAQ: ""}, '- prompt letters: faq 6: "Is the letter real? May I answer it? / This one is'),
    ({FAQ: FAQ + FAQ.replace("Is the letter real? ", "")}, "+ prompt letters: faq 7: "),
    ({FAQ: ""}, "~ prompt letters: version 1 replaced, as nobody worked under it"),
    ({'register = "spoken"': 'register = "written"'}, '~ genre telephone: register: "spoken" -> "written"'),
    ({"in_training = false": "in_training = true"}, "~ genre facetoface: in_training: false -> true"),
]  # fmt: skip


def first_of_each_kind() -> list[Any]:
    """Returns all changes as parameters: of each kind and table one in the first grade, the others in the second."""
    met: set[tuple[str, ...]] = set()
    cases = []
    for change, line in CHANGES:
        kind = tuple(line.rstrip(":").split()[:2])
        cases.append(pytest.param(change, line, marks=pytest.mark.thorough if kind in met else ()))
        met.add(kind)
    return cases


@pytest.mark.parametrize(("changes", "line"), first_of_each_kind())
def test_each_kind_of_change_prints_its_line_and_is_made(
    corpus: Corpus, edited: Edit, changes: dict[str, str], line: str
) -> None:
    path = edited(changes)
    changed = run("load_corpus", path)
    assert not changed.failure
    assert line in changed.out
    assert "nothing to change" in run("load_corpus", path).out


def test_an_entry_put_in_front_is_one_new_line_and_not_a_change_of_all(corpus: Corpus, edited: Edit) -> None:
    first = '[[question.faq]]\nquestion = "The sentence is nearly certain.'
    new = '[[question.faq]]\nquestion = "New?"\nanswer = "Yes."\n\n'
    out = run("load_corpus", edited({first: new + first})).out
    assert out == '+ question: faq 1: "New? / Yes."\nmultinli-like: 1 changes made.\n'


def test_the_consent_text_ends_with_the_policy_on_language_models(corpus: Corpus, edited: Edit) -> None:
    form = corpus.consent_form
    assert form is not None
    fact, more = form.facts[-1]
    assert fact == "**Language models.** Please do all of this work by yourself."
    assert form.text.endswith(f"\n\n{fact}\n\n{more}")
    assert form.digest == ConsentForm.digest_of(form.title, form.text, form.facts)
    run("load_corpus", edited({'language_models = "forbidden"': 'language_models = "declared"'}))
    corpus.refresh_from_db()
    assert corpus.consent_form != form
    assert "name each task in which it helped you" in corpus.consent_form.text


def test_a_consent_text_may_say_the_policy_in_its_own_language(corpus: Corpus, edited: Edit) -> None:
    own = 'title = "Taking part in Ten genres"\nlanguage_models = "Ohne KI, bitte."'
    run("load_corpus", edited({'title = "Taking part in Ten genres"': own}))
    corpus.refresh_from_db()
    assert corpus.consent_form is not None
    assert corpus.consent_form.text.endswith("\n\nOhne KI, bitte.")
    assert corpus.consent_form.facts[-1] == ["Ohne KI, bitte.", ""]


def test_the_text_of_a_consent_form_is_all_of_its_facts(corpus: Corpus, edited: Edit) -> None:
    form = corpus.consent_form
    assert form is not None
    assert form.text == "\n\n".join(part for each in form.facts for part in each if part)
    run("load_corpus", edited({"paid in full, for up to ten": "paid in full, for up to nine"}))
    corpus.refresh_from_db()
    assert corpus.consent_form != form  # what is folded is agreed to, too


def test_an_exam_makes_the_qualification_that_it_gives(corpus: Corpus) -> None:
    assert corpus.writing_qualification == Qualification.objects.get(slug="write-multinli-like")
    exam = Exam.objects.get(corpus=corpus)
    assert (exam.pass_mark, exam.tries, exam.items.count(), exam.is_open) == (75, 2, 8, True)


def test_an_exam_that_nobody_took_goes_with_its_table(corpus: Corpus, edited: Edit) -> None:
    out = run("load_corpus", edited({'writing = "exam"': 'writing = "invitation"'}, cut="[exam]")).out
    assert out.startswith("- exam\n")
    assert "who may write" not in out
    assert not Exam.objects.exists()
    corpus.refresh_from_db()
    assert corpus.writing_qualification is not None


def test_an_exam_that_somebody_took_is_closed_and_can_be_opened_again(
    corpus: Corpus, edited: Edit, ana: User
) -> None:
    attempt = ExamAttempt.objects.create(exam=Exam.objects.get(), annotator=ana)
    out = run("load_corpus", edited(WRITING_OPEN, cut="[exam]")).out
    assert "~ corpus: who may write: Write for Ten genres -> everybody" in out
    assert "~ exam: is_open: true -> false" in out
    assert not Exam.objects.get().is_open
    assert ExamAttempt.objects.get() == attempt
    out = run("load_corpus", FILE).out
    assert "~ corpus: who may write: everybody -> Write for Ten genres" in out
    assert "~ exam: is_open: false -> true" in out


def test_of_an_exam_that_was_taken_the_answers_keep_their_items(
    corpus: Corpus, edited: Edit, ana: User
) -> None:
    ExamAttempt.objects.create(exam=Exam.objects.get(), annotator=ana)
    assert "Their answers keep the old items." in run("load_corpus", edited({ITEM: ""})).err


def test_closing_the_door_names_those_who_stand_outside(edited: Edit, ana: User) -> None:
    run("load_corpus", edited(WRITING_OPEN, cut="[exam]"))
    written_pair(Corpus.objects.get(), ana)
    warned = run("load_corpus", FILE).err
    assert '1 people who wrote for multinli-like do not hold "write-multinli-like"' in warned
    qualification = Qualification.objects.get()
    run("load_corpus", edited(WRITING_OPEN, cut="[exam]"))
    Grant.objects.create(user=ana, qualification=qualification, how="invitation")
    assert "do not hold" not in run("load_corpus", FILE).err


def test_a_prompt_that_somebody_read_gets_a_new_version(corpus: Corpus, edited: Edit, ana: User) -> None:
    version = corpus.prompts.get(slug="letters").versions.get()
    PromptReading.objects.create(annotator=ana, version=version, passed_at=timezone.now())
    out = run("load_corpus", edited({CHECK: 'explanation = "Vans drive."'})).out
    assert "+ prompt letters, version 2, because people worked under version 1" in out
    old, new = corpus.prompts.get(slug="letters").versions.order_by("number")
    assert old.check_questions.get(order=0).explanation == "A van is a vehicle."
    assert new.check_questions.get(order=0).explanation == "Vans drive."


def test_a_new_status_is_no_new_version(corpus: Corpus, edited: Edit, ana: User) -> None:
    written_pair(corpus, ana)
    run("load_corpus", edited({'name = "Fiction"': 'name = "Fiction"\nstatus = "closed"'}))
    prompt = corpus.prompts.get(slug="fiction")
    assert (prompt.status, prompt.versions.count()) == ("closed", 1)


def test_a_prompt_leaves_with_its_table_unless_somebody_worked_under_it(
    corpus: Corpus, edited: Edit, ana: User
) -> None:
    written_pair(corpus, ana)
    other = {'prompt = "fiction"': 'prompt = "nonfiction"', 'prompt = "letters"': 'prompt = "nonfiction"'}
    text = edited(other).read_text()
    for slug in ("fiction", "letters"):
        start = text.index(f'[[prompts]]\nslug = "{slug}"')
        text = text[:start] + text[text.index("\n# ------", start) :]
    path = edited({})
    path.write_text(text)
    loaded = run("load_corpus", path)
    assert "- prompt letters\n" in loaded.out
    assert "Prompt fiction is not in the file; it stays, because people worked under it." in loaded.err
    assert set(corpus.prompts.values_list("slug", flat=True)) == {
        "nonfiction",
        "spoken",
        "fiction",
        "disaster",
    }


@pytest.mark.parametrize(
    ("key", "old", "new"),
    [
        ("scheme", 'scheme = "nli3"', 'scheme = "nli3"'),
        ("protocol", 'protocol = "elicited"', 'protocol = "recast"'),
        ("language_models", 'language_models = "forbidden"', 'language_models = "allowed"'),
    ],
)
def test_what_pairs_were_made_under_stays(
    corpus: Corpus, edited: Edit, ana: User, key: str, old: str, new: str
) -> None:
    path = edited({old: new})
    written_pair(corpus, ana)
    if key == "scheme":  # a file of another scheme words other labels throughout: the corpus is what differs
        Corpus.objects.update(scheme="entailed2")
    failure = run("load_corpus", path).failure
    assert f'[corpus] {key}: "multinli-like" holds 3 pairs made under "' in failure
    assert "back into the file, or give the new corpus another slug." in failure
    assert "Nothing was loaded." in failure


def test_imported_pairs_have_no_policy_to_keep(corpus: Corpus, edited: Edit) -> None:
    make_pair(corpus, make_premise(corpus, "A dog runs in the park."), "A dog moves.")
    path = edited({'language_models = "forbidden"': 'language_models = "allowed"'})
    assert not run("load_corpus", path).failure


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("what can you say about the sentence?", "and the sentence?", '[question] wording: annotators gave 1 labels under'),
        ('wording = "It must be true"', 'wording = "Very probably"', 'label "entailment": annotators gave 1 labels'),
    ],
)  # fmt: skip
def test_the_words_that_labels_were_chosen_under_stay(
    corpus: Corpus, edited: Edit, ana: User, vera: User, old: str, new: str, told: str
) -> None:
    path = edited({old: new})
    assert not run("load_corpus", path, dry_run=True).failure
    cast_label(written_pair(corpus, ana), vera)
    failure = run("load_corpus", path).failure
    assert told in failure
    assert "make another corpus for the new wording." in failure


def test_the_order_and_help_of_labels_may_change_after_labelling(
    corpus: Corpus, edited: Edit, ana: User, vera: User
) -> None:
    cast_label(written_pair(corpus, ana), vera)
    path = edited({'help = "The text does not say."': 'help = "Nobody knows."'})
    assert not run("load_corpus", path).failure


def test_a_genre_cannot_leave_training_once_a_snapshot_placed_it_there(corpus: Corpus, edited: Edit) -> None:
    premise = make_premise(corpus, "The clock in the hall struck thirteen.")
    path = edited({"in_training = true": "in_training = false"})  # fiction is the first genre
    assert not run("load_corpus", path, dry_run=True).failure
    snapshot = Snapshot.objects.create(corpus=corpus, version=1)
    Placement.objects.create(premise=premise, partition="train", first_snapshot=snapshot)
    failure = run("load_corpus", path).failure
    assert (
        '[[genres]] "fiction" in_training: 1 premises of it stand in the train part of a snapshot' in failure
    )
    assert corpus.genres.get(slug="fiction").in_training


def test_a_genre_into_which_a_file_was_read_cannot_leave(corpus: Corpus, edited: Edit) -> None:
    source = Source.objects.create(corpus=corpus, name="letters.txt", sha256="0" * 64)
    PremiseImport.objects.create(source=source, genre=corpus.genres.get(slug="language"), settings_digest="")
    text = FILE.read_text()
    path = edited({})
    path.write_text(text[: text.index('[[genres]]\nslug = "language"')])
    failure = run("load_corpus", path).failure
    assert '[[genres]] "language" is not in the file, but files were read into it' in failure


def test_all_refusals_come_at_once(corpus: Corpus, edited: Edit, ana: User, vera: User) -> None:
    cast_label(written_pair(corpus, ana), vera)
    changes: dict[str, Any] = {
        'language_models = "forbidden"': 'language_models = "allowed"',
        "threshold = 3": "threshold = 4",
        'wording = "It must be true"': 'wording = "Yes"',
    }
    failure = run("load_corpus", edited(changes)).failure
    assert len(failure.splitlines()) == 4  # three reasons, and that nothing was loaded
