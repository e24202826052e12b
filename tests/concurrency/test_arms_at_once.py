"""Arms are drawn one at a time, so that many who begin at once are spread over them. First the race without the lock."""

from collections import Counter
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.db import connection, transaction
from django.utils import timezone

from collection.models import ArmDraw, Corpus, Prompt, WritingAssignment, WritingSeat
from collection.premises.writing_seats import make_seats
from collection.writing import arms
from collection.writing.claiming import claim_writing
from tests.cast import person
from tests.concurrency.processes import in_processes
from tests.concurrency.threads import at_once
from tests.corpora import make_arm, make_corpus, make_premises

pytestmark = pytest.mark.django_db(transaction=True)

WRITERS = 8
FIRST = SimpleNamespace(choice=lambda of: of[0])  # so that equals do not hide the race


def make() -> Corpus:
    corpus = make_corpus()
    make_seats(premises=make_premises(corpus, [f"Premise number {number}." for number in range(WRITERS)]))
    make_arm(corpus, "edit")
    for number in range(WRITERS):
        person(f"w{number}")
    return corpus


def in_arms() -> Counter[str]:
    return Counter(WritingAssignment.objects.values_list("prompt_version__prompt__slug", flat=True))


@pytest.mark.thorough
def test_without_the_lock_all_who_begin_at_once_get_one_arm():
    corpus = make()
    root = Prompt.objects.get(slug="fiction")
    seats = list(WritingSeat.objects.order_by("pk"))

    def careless(number: int) -> None:
        with transaction.atomic():
            found = {each.pk: each for each in Prompt.objects.arms_of(root.pk)}
            arm = arms.draw(arms.tasks_by_arm(root, timezone.now()), dict.fromkeys(found, 1), FIRST)
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_sleep(0.1)")
            writer, later = person(f"w{number}"), timezone.now() + timedelta(minutes=5)
            WritingSeat.objects.filter(pk=seats[number].pk).update(annotator=writer, leased_until=later)
            version = found[arm].versions.get()
            WritingAssignment.objects.create(
                corpus=corpus, annotator=writer, seat=seats[number], prompt_version=version
            )

    at_once([lambda number=number: careless(number) for number in range(WRITERS)])
    assert abs(in_arms()["fiction"] - in_arms()["edit"]) > 2, in_arms()


def test_writers_who_begin_at_once_are_spread_over_the_arms(monkeypatch):
    corpus = make()
    monkeypatch.setattr(arms, "CHANCE", FIRST)
    at_once(
        [
            lambda number=number: claim_writing(corpus=corpus, annotator=person(f"w{number}"))
            for number in range(WRITERS)
        ]
    )
    assert in_arms() == {"fiction": WRITERS // 2, "edit": WRITERS // 2}


@pytest.mark.thorough
def test_writers_in_processes_are_spread_over_the_arms():
    make()
    in_processes([lambda name=f"w{number}": _claim(name) for number in range(WRITERS)])
    assert in_arms() == {"fiction": WRITERS // 2, "edit": WRITERS // 2}


def test_two_writers_of_one_premise_draw_its_arm_once():
    corpus = make_corpus(writers_per_premise=2)
    make_seats(premises=make_premises(corpus, ["One premise."]))
    make_arm(corpus, "edit")
    Prompt.objects.filter(slug="fiction").update(drawn_by="premise")
    names = [person(name).username for name in ("ana", "ben")]
    at_once([lambda name=name: claim_writing(corpus=corpus, annotator=person(name)) for name in names])
    assert ArmDraw.objects.count() == 1
    assert len(in_arms()) == 1


def _claim(name: str) -> None:
    claim_writing(corpus=Corpus.objects.get(), annotator=person(name))
