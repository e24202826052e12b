"""The demo's second corpus: three weeks of made-up work, so that every page has something to show."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import User
from annotation_site.made_up.weeks import BASELINES, GUESSER, SLUG, WEEK, WEEKS, work_for_three_weeks
from collection.models import Pair, Premise
from modeling.models import TrainingRun
from snapshots.models import Snapshot
from tests.cast import person
from validation.annotators.membership import may_join
from validation.models import Label
from validation.questions.lookup import main_question
from validation.statistics.agreement import report
from validation.statistics.annotator_quality import annotators

pytestmark = pytest.mark.django_db


def test_three_weeks_of_work_are_there_with_what_a_researcher_looks_for():
    told: list[str] = []
    real = timezone.now
    corpus = work_for_three_weeks(told.append)
    assert timezone.now is real, "the clock is ours for the time of the work only"
    question = main_question(corpus)
    pairs = Pair.objects.filter(corpus=corpus)
    assert (
        3 * Premise.objects.filter(corpus=corpus, pairs__isnull=False).distinct().count()
        == pairs.count()
        > 250
    )
    # Everybody is marked as simulated, and no visitor of the demo is led to this work.
    assert set(pairs.values_list("author__kind", flat=True)) == {"simulated"}
    assert not may_join(question, person("vera"))
    cast = Label.objects.filter(question=question, origin="cast", label__isnull=False)
    days = timezone.now() - cast.earliest("cast_at").cast_at, timezone.now() - cast.latest("cast_at").cast_at
    assert days[0] > timedelta(days=WEEKS * WEEK - 2)
    assert timedelta(0) < days[1] < timedelta(days=2)
    assert Label.objects.filter(question=question, label=None).exists(), "some pairs wait"
    # What stands out: one person is flagged, and agreement fell in the third week, which is a whole one.
    guesser = User.objects.get(username=f"{SLUG}-judge-{GUESSER}")
    assert guesser.code in {each.code for each in annotators(question) if each.flags}
    weeks = report(pairs, question, by="week").rows
    _, second, third = (weeks[week] for week in sorted(weeks)[:WEEKS])
    assert second["pairs"] > 30 < third["pairs"]
    assert third["individual_equals_gold"] < second["individual_equals_gold"] - 0.02
    old, new = Snapshot.objects.filter(corpus=corpus).order_by("version")
    assert 0 < old.pair_count < new.pair_count
    assert old.frozen_at < new.frozen_at - timedelta(days=5)
    assert [run.baseline for run in TrainingRun.objects.order_by("pk")] == list(BASELINES)
    assert told[-1].startswith(f"Made-up people have worked for {WEEKS * WEEK} of ")
