"""The demo's second corpus: three weeks of made-up work, so that every page has something to show."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import User
from annotation_site.made_up.weeks import BASELINES, DAYS, GUESSER, SLUG, work_for_three_weeks
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
        > 300
    )
    # Everybody is marked as simulated, and no visitor of the demo is led to this work.
    assert set(pairs.values_list("author__kind", flat=True)) == {"simulated"}
    assert not may_join(question, person("vera"))
    cast = Label.objects.filter(question=question, origin="cast", label__isnull=False)
    days = timezone.now() - cast.earliest("cast_at").cast_at, timezone.now() - cast.latest("cast_at").cast_at
    assert days[0] > timedelta(days=DAYS - 2)
    assert timedelta(0) < days[1] < timedelta(days=2)
    assert Label.objects.filter(question=question, label=None).exists(), "some pairs wait"
    # What stands out: one person is flagged, and agreement fell in the last week.
    guesser = User.objects.get(username=f"{SLUG}-judge-{GUESSER}")
    assert guesser.code in {each.code for each in annotators(question) if each.flags}
    weeks = report(pairs, question, by="week").rows
    shares = [weeks[week]["individual_equals_gold"] for week in sorted(weeks) if weeks[week]["pairs"] >= 30]
    assert len(shares) >= 3
    assert shares[-1] < shares[0] - 0.02
    first, second = Snapshot.objects.filter(corpus=corpus).order_by("version")
    assert 0 < first.pair_count < second.pair_count
    assert first.frozen_at < second.frozen_at - timedelta(days=5)
    assert [run.baseline for run in TrainingRun.objects.order_by("pk")] == list(BASELINES)
    assert told[-1].startswith(f"Made-up people have worked for {DAYS} of {DAYS} days")
