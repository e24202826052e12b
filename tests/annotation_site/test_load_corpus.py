"""`load_corpus` prints the changes before it makes them, and finished work keeps its meaning."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import ConsentForm
from collection.models import Corpus, Premise, PromptVersion
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing
from tests.commands import run
from tests.conftest import REPOSITORY
from tests.corpora import add_label, agreed, make_pair, make_premise
from tests.made_once import made_once

pytestmark = pytest.mark.django_db

DEMO = REPOSITORY / "examples" / "demo" / "corpus.toml"


@pytest.fixture
def edited(tmp_path):
    """`edited({old: new})`: the demo corpus's file with some of its words changed."""

    def edit(changes: dict[str, str]) -> Path:
        text = DEMO.read_text()
        for old, new in changes.items():
            assert old in text
            text = text.replace(old, new)
        path = tmp_path / "corpus.toml"
        path.write_text(text)
        return path

    return edit


@made_once
def demo() -> Corpus:
    assert not run("load_corpus", DEMO).failure
    return Corpus.objects.get(slug="demo")


def everything(corpus: Corpus) -> list[object]:
    """Returns all that a file sets, to compare before and after."""
    question = corpus.questions.get()
    parts: list[Any] = [
        corpus.prompts,
        corpus.genres,
        question.label_wordings,
        question.examples,
        question.faq,
    ]
    versions = PromptVersion.objects.filter(prompt__corpus=corpus).order_by("pk")
    rows = [list(part.order_by("pk").values()) for part in parts]
    inner = [
        [list(each.fields.values()), list(each.examples.values()), list(each.faq.values())]
        for each in versions
    ]
    return [Corpus.objects.values().get(pk=corpus.pk), list(versions.values()), *rows, *inner]


def test_the_demo_corpus_loads_and_is_complete(demo):
    assert demo.made_for_demo
    assert (demo.genres.count(), demo.prompts.count()) == (11, 6)
    assert demo.consent_form.title == "Consent to take part"
    question = demo.questions.get()
    assert question.is_main
    assert [wording.label for wording in question.label_wordings.all()] == [
        "entailment",
        "neutral",
        "contradiction",
    ]
    version = demo.prompts.get(slug="fiction").versions.get()
    assert version.number == 1
    assert version.fields.count() == 3
    assert version.examples.filter(label="neutral").exists()
    assert demo.genres.get(slug="nineeleven").prompt.slug == "nineeleven"


def test_loading_the_same_file_again_changes_nothing_and_says_so(demo):
    before = everything(demo)
    again = run("load_corpus", DEMO)
    assert again.out.strip() == "demo is as the file says; nothing to change."
    assert everything(demo) == before
    assert run("load_corpus", DEMO, json=True).json["changes"] == []


def test_the_difference_is_printed_line_by_line(demo, edited):
    path = edited({'name = "Magazine articles"': 'name = "Magazines"', "batch_size = 5": "batch_size = 4"})
    out = run("load_corpus", path).out
    assert '~ genre magazine: name: "Magazine articles" -> "Magazines"' in out
    assert "~ question: batch_size: 5 -> 4" in out
    assert demo.questions.get().batch_size == 4


def test_of_a_long_text_the_place_where_it_changed_is_shown(demo, edited):
    out = run("load_corpus", edited({"how well they understand": "how soon they understand"})).out
    assert '~ consent form: text: "...' in out
    assert "how soon they" in out


def test_a_trial_run_says_what_would_change_and_changes_nothing(demo, edited):
    before = everything(demo)
    out = run("load_corpus", edited({"batch_size = 5": "batch_size = 4"}), dry_run=True).out
    assert "~ question: batch_size: 5 -> 4" in out
    assert "nothing was changed" in out
    assert everything(demo) == before


def test_a_trial_run_makes_no_corpus():
    run("load_corpus", DEMO, dry_run=True)
    assert not Corpus.objects.exists()
    assert not ConsentForm.objects.exists()


def test_a_prompt_under_which_nobody_wrote_is_replaced(demo, edited):
    run("load_corpus", edited({"Imagine that the letter lies": "Think that the letter lies"}))
    version = demo.prompts.get(slug="letters").versions.get()
    assert version.number == 1
    assert "Think that the letter lies" in version.instructions
    assert version.fields.count() == 3


def test_a_prompt_under_which_somebody_is_writing_gets_a_new_version(demo, edited, ana):
    premise = make_premise(demo, "A dog runs in the park.", genre="letters")
    make_seats(premises=[premise])
    assignment = claim_writing(corpus=demo, annotator=agreed(ana, demo))
    out = run("load_corpus", edited({"definitely correct if the letter": "surely correct if the letter"})).out
    assert '~ prompt letters: field 1: wording: "...' in out
    assert "+ prompt letters, version 2, because people worked under version 1" in out
    versions = demo.prompts.get(slug="letters").versions
    assert [version.number for version in versions.order_by("number")] == [1, 2]
    assert assignment.prompt_version.number == 1
    assert assignment.prompt_version.fields.filter(wording__contains="definitely correct").exists()


def test_a_prompt_with_pairs_gets_a_new_version(demo, edited):
    version = demo.prompts.get(slug="letters").versions.get()
    premise = make_premise(demo, "A dog runs in the park.", genre="letters")
    make_pair(demo, premise, "A dog moves.", prompt_version=version)
    run("load_corpus", edited({"Imagine that the letter lies": "Think that the letter lies"}))
    assert demo.prompts.get(slug="letters").versions.count() == 2


def test_a_new_consent_text_is_a_new_form(demo, edited):
    run("load_corpus", edited({"see the amount before": "read the amount before"}))
    assert ConsentForm.objects.count() == 2
    demo.refresh_from_db()
    assert "read the amount before" in demo.consent_form.text


def test_an_old_consent_text_is_the_old_form_again(demo, edited):
    first = demo.consent_form
    run("load_corpus", edited({"see the amount before": "read the amount before"}))
    run("load_corpus", DEMO)
    demo.refresh_from_db()
    assert demo.consent_form == first


def test_the_protocol_stays_once_there_are_pairs(demo, edited):
    path = edited({'protocol = "elicited"': 'protocol = "judged"'})
    premise = make_premise(demo, "A dog runs in the park.")
    make_pair(demo, premise, "A dog moves.")
    before = everything(demo)
    failure = run("load_corpus", path).failure
    assert '"demo" holds 1 pairs made under "elicited", so it cannot become "judged"' in failure
    assert "Nothing was loaded." in failure
    assert everything(demo) == before


def test_without_pairs_the_protocol_may_change(demo, edited):
    assert not run("load_corpus", edited({'protocol = "elicited"': 'protocol = "judged"'})).failure
    demo.refresh_from_db()
    assert demo.protocol == "judged"


def test_seats_and_threshold_stay_once_there_are_labels(demo, edited, vera):
    pair = make_pair(demo, make_premise(demo, "A dog runs in the park."), "A dog moves.")
    add_label(
        demo.questions.get(),
        pair,
        "neutral",
        position=2,
        annotator=vera,
        leased_until=timezone.now() + timedelta(minutes=1),
    )
    failure = run("load_corpus", edited({"seats = 5": "seats = 7", "threshold = 3": "threshold = 4"})).failure
    assert "[question] seats: 1 labels and open seats exist under 5" in failure
    assert "[question] threshold:" in failure
    assert demo.questions.get().seats == 5


def test_a_genre_with_premises_cannot_leave_the_file(demo, edited):
    make_premise(demo, "A dog runs in the park.", genre="letters")
    text = DEMO.read_text()
    start = text.index('[[genres]]\nslug = "letters"')
    end = text.index("[[genres]]", start + 5)
    path = edited({text[start:end]: ""})
    failure = run("load_corpus", path).failure
    assert '[[genres]] "letters" is not in the file, but holds 1 premises.' in failure
    Premise.objects.all().delete()
    out = run("load_corpus", path).out
    assert "- genre letters" in out
    assert not demo.genres.filter(slug="letters").exists()


def test_the_longest_name_of_a_corpus_fits_where_only_some_may_write(edited):
    name = "x" * 200
    path = edited({"Quintet demo corpus": name, 'writing = "open"': 'writing = "invitation"'})
    assert not run("load_corpus", path).failure
    assert Corpus.objects.get().writing_qualification.name == f"Write for {name}"[:200]


def test_a_faulty_file_changes_nothing_and_names_every_fault(edited):
    path = edited({'prompt = "spoken"': 'prompt = "spokken"', "batch_size = 5": 'batch_size = "5"'})
    failure = run("load_corpus", path).failure
    assert '[[genres]] "telephone": prompt: no prompt has the slug "spokken"' in failure
    assert '[question]: batch_size: must be a whole number, not a text ("5").' in failure
    assert "Nothing was loaded." in failure
    assert not Corpus.objects.exists()


def test_a_file_that_cannot_be_read_is_said_to_be_missing(tmp_path):
    assert "does not exist" in run("load_corpus", tmp_path / "none.toml").failure
    assert "is a folder" in run("load_corpus", tmp_path).failure
