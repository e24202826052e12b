"""The alarm of a corpus: counted in the night after somebody wrote, on the page, over REST, and among what waits."""

from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from django.utils import timezone

from annotation_site.workspace.waiting import waiting
from collection.models import Corpus, Pair, PromptVersion
from tests.cast import person, rosa, signed_in
from tests.commands import run
from tests.corpora import make_corpus, make_premises
from tests.snapshots.test_alarm import corpus as made_up
from validation.models import CachedStatistics
from validation.statistics.cached import carry_out
from validation.tasks import refresh_statistics

pytestmark = pytest.mark.django_db

BIAS = "/corpora/small/bias/"


def write(bad: int | None = None) -> Corpus:
    corpus = make_corpus()
    sentences = [each for each in made_up(np.random.default_rng(33), bad) if int(each.writer.split()[1]) < 8]
    premises = make_premises(corpus, [f"Premise {n}." for n in range(len(sentences) // 3)])
    version = PromptVersion.objects.get()
    Pair.objects.bulk_create(
        Pair(
            corpus=corpus,
            premise=premises[n // 3],
            hypothesis=each.text,
            scheme="nli3",
            author=person(each.writer),
            author_label=each.label,
            prompt_version=version,
            public_id=f"p{n}",
        )
        for n, each in enumerate(sentences)
    )
    return corpus


def count() -> CachedStatistics:
    """Lets the clock ask and a worker count."""
    refresh_statistics()
    row = CachedStatistics.objects.get(kind="alarm")
    carry_out(statistics_id=row.pk)
    row.refresh_from_db()
    return row


def waits() -> bool:
    """Returns whether a count of the alarm waits for a worker."""
    return CachedStatistics.objects.under_way().filter(kind="alarm").exists()


def alarms_waiting() -> list[Any]:
    return [each for each in waiting() if "alarm" in each.sentence]


def test_the_writer_is_named_where_a_researcher_looks_every_morning():
    write(bad=7)
    count()
    browser = signed_in(rosa())
    page = browser.get(BIAS)
    (chart,) = page.context["alarm_charts"]
    (row,) = chart.table.rows
    code = person("writer 7").code
    assert (row["of"], row["name"], row["word"], row["label"]) == (
        "writer",
        code,
        "seldom",
        "Definitely incorrect",
    )
    assert f"“seldom” in writer {code}" in chart.table.title
    assert "at most 5% ever ring" in page.text
    assert browser.get(row["href"]).context["numbers"].total == (120, False)
    (said,) = alarms_waiting()
    assert said.sentence == "1 alarm rang in the last week: a word tells the label in The small corpus"
    assert browser.get(said.link).status_code == 200
    assert browser.get("/api/v1/corpora/small/figures/bias-alarm").json()["rows"][0]["word"] == "seldom"
    assert "seldom" in run("figure", "bias-alarm", "small", format="csv").out


def test_a_silent_alarm_says_what_it_watches_and_how_often_it_is_wrong():
    write()
    count()
    page = signed_in(rosa()).get(BIAS).text
    assert "It is silent over 8 writers, 1 prompt, 1 week, and all sentences together" in page
    assert "at most one ever rings falsely" in page
    assert not alarms_waiting()


def test_what_rang_long_ago_waits_no_more():
    write(bad=7)
    Pair.objects.update(created_at=timezone.now() - timedelta(days=8))
    count()
    assert not alarms_waiting()
    assert signed_in(rosa()).get(BIAS).context["alarm_charts"], "and stays on the page"


def test_it_is_counted_once_a_night_after_somebody_wrote():
    corpus = write()
    count()
    refresh_statistics()
    assert not waits(), "once a day"
    yesterday = timezone.now() - timedelta(days=1)
    CachedStatistics.objects.filter(kind="alarm").update(requested_at=yesterday, made_at=yesterday)
    Pair.objects.update(created_at=yesterday - timedelta(hours=1))
    refresh_statistics()
    assert not waits(), "nobody wrote"
    Pair.objects.filter(pk=Pair.objects.latest("pk").pk).update(created_at=timezone.now())
    refresh_statistics()
    assert waits()
    CachedStatistics.objects.all().delete()
    source = corpus.sources.create(name="pairs.jsonl", sha256="0" * 64)
    Pair.objects.update(source=source)
    refresh_statistics()
    assert not CachedStatistics.objects.filter(kind="alarm").exists(), "of a file, only on demand"


def test_a_researcher_counts_it_on_demand_and_stops_it():
    write()
    browser = signed_in(rosa())
    browser.post(BIAS, {"what": "alarm"})
    (row,) = CachedStatistics.objects.all()
    assert (row.kind, row.is_under_way) == ("alarm", True)
    assert "Alarm: waiting for a worker" in browser.get(f"{BIAS}?part=alarm").text
    browser.post(BIAS, {"what": "alarm", "do": "stop"})
    assert not waits()
