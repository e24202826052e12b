"""Annotators' backgrounds: voluntary, published as counts that identify nobody, erased with the person."""

import pytest
from django.db import IntegrityError, transaction

from accounts.background_questions import FLOOR, QUESTIONS, published_count
from accounts.models import Background, User
from accounts.people.erasure import erase_person
from accounts.people.registration import save_background
from annotation_site.personal_data.records import everything_about
from snapshots.exports.croissant import croissant
from snapshots.files.datasheet import datasheet
from snapshots.verify import verify
from tests.cast import person
from tests.made_once import made_once
from tests.snapshots.material import add_pair, add_premise, corpus_of, folder, freeze, manifest

pytestmark = pytest.mark.django_db
NOTHING = dict.fromkeys(QUESTIONS, "")


@made_once
def corpus():
    return corpus_of(3)


def writers(corpus, number: int, **answers: str) -> list[User]:
    """Makes this number of people, each with a pair of their own and the same answers."""
    premise = add_premise(corpus, f"Many write about it, {answers}.")
    found = [person(f"{'-'.join(answers.values())}-{index}") for index in range(number)]
    for index, user in enumerate(found):
        pair = add_pair(premise, "e", f"Sentence {index} of {answers}.")
        type(pair).objects.filter(pk=pair.pk).update(author=user)
        save_background(user=user, answers={**NOTHING, **answers})
    return found


def test_counts_are_told_rounded_down_and_small_ones_not_at_all(corpus):
    writers(corpus, 13, age="25-34", first_language="en")
    writers(corpus, FLOOR - 1, age="65+", gender="woman")
    frozen = freeze(corpus)
    told = manifest(frozen)["annotators"]
    assert told["people"] == 13 + FLOOR - 1 + 5  # Ana, who wrote the rest, and the four who labelled it
    assert told["background"] == [
        {"question": "How old are you?", "at_least": {"25 to 34": 10}},
        {"question": "Which language did you learn first?", "at_least": {"English": 10}},
    ]
    assert verify(folder(frozen)).ok


@pytest.mark.parametrize("number", range(3 * FLOOR))
def test_one_person_more_changes_a_count_by_a_whole_floor_or_not_at_all(number):
    assert published_count(number) % FLOOR == 0
    assert number - FLOOR < published_count(number) <= number
    assert published_count(number + 1) - published_count(number) in (0, FLOOR)


def test_only_people_of_the_snapshot_are_counted(corpus, ana):
    for index in range(2 * FLOOR):
        save_background(user=person(f"other-{index}"), answers={**NOTHING, "age": "25-34"})
    assert manifest(freeze(corpus))["annotators"]["background"] == []


def test_simulated_and_imported_annotators_are_no_people(corpus):
    crowd = writers(corpus, 2 * FLOOR, region="europe")
    User.objects.filter(pk__in=[user.pk for user in crowd]).update(kind=User.Kind.SIMULATED)
    assert manifest(freeze(corpus))["annotators"] == {"people": 5, "background": []}


def test_datasheet_and_croissant_tell_the_counts_and_then_the_researchers_words(corpus, tmp_path):
    writers(corpus, 6, education="school")
    told = manifest(freeze(corpus))
    counted = "- What is your highest level of education? school: 5."
    answered = {"background": "We asked nobody else."}
    text = datasheet(told, answered)
    assert counted in text
    assert text.index(counted) < text.index("We asked nobody else.")
    assert counted in croissant({**told, "datasheet_answers": answered}, tmp_path, [])
    assert counted not in datasheet({**told, "annotators": {"people": 11, "background": []}})
    older = {key: value for key, value in told.items() if key != "annotators"}
    assert "of their own will" not in datasheet(older)


def test_it_is_taken_back_and_goes_with_the_person(ana, vera):
    for user in (ana, vera):
        save_background(user=user, answers={**NOTHING, "gender": "woman"})
    save_background(user=ana, answers=NOTHING)
    assert not Background.objects.filter(user=ana).exists()
    (row,) = (row for row in everything_about(vera) if row["record"] == "background")
    assert row["gender"] == "woman"
    erase_person(user=vera)
    assert not Background.objects.exists()


def test_the_database_takes_no_other_answer(ana):
    for field in QUESTIONS:
        with pytest.raises(IntegrityError), transaction.atomic():
            Background.objects.create(user=ana, **{field: "something"})


def test_the_page_asks_keeps_changes_and_takes_back(ana, browser_of):
    client = browser_of(ana)
    assert "/mine/background/" in client.get("/mine/").content.decode()
    page = client.get("/mine/background/").content.decode()
    assert all(question in page for question, _ in QUESTIONS.values())
    assert f"groups of {FLOOR} people" in page
    assert "Delete my answers" not in page
    client.post("/mine/background/", {"age": "35-44"})
    assert Background.objects.get().age == "35-44"
    assert "Delete my answers" in client.get("/mine/background/").content.decode()
    wrong = client.post("/mine/background/", {"age": "200"})
    assert wrong.status_code == 422
    assert Background.objects.get().age == "35-44"
    assert (
        "Your answers are deleted" in client.post("/mine/background/", NOTHING, follow=True).content.decode()
    )
    assert not Background.objects.exists()


def test_nobody_else_sees_what_one_person_told(ana, rosa, browser_of):
    save_background(user=ana, answers={**NOTHING, "region": "oceania"})
    client = browser_of(rosa)
    for path in (f"/admin/accounts/user/{ana.pk}/change/", "/admin/accounts/user/"):
        assert "ceania" not in client.get(path).content.decode()
    assert client.get("/admin/accounts/background/").status_code == 404
