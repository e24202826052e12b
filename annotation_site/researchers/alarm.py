"""The alarm of a corpus: counted every night while it is written, shown beside what hypotheses give away."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db.models import CharField, F, Value
from django.db.models.functions import Coalesce

from collection.models import Pair
from shared.figures import Figure
from shared.findings import LISTED, in_place
from shared.tables import Column, Row, Table
from snapshots.statistics.alarm import DEFINITIONS, KINDS, Sentence, alarms
from validation.models import CachedStatistics, Question
from validation.pairs.door import address_of_group, group_name
from validation.questions.lookup import answer_words
from validation.statistics import cached
from validation.statistics.cached import Kind
from validation.statistics.progress import Progress, ignore_progress
from validation.statistics.scope import QUESTION, Counted
from validation.statistics.vote_patterns import PAIR_KEYS

NEW_FOR = timedelta(days=7)  # as long it stands among what waits
WATCHED = dict(zip(KINDS, ("all sentences", "writer", "prompt version", "week"), strict=True))
BY = {"writer": "author", "prompt": "version", "week": "written"}  # kind -> what pages group pairs by


def alarms_of(question: Question, by: str = "", progress: Progress = ignore_progress) -> dict[str, Any]:
    """Returns the result of `alarms` over the sentences of a corpus, by the labels that they were written for."""
    pairs = Pair.objects.standing().filter(corpus=question.corpus_id).order_by("pk")
    groups = {kind: PAIR_KEYS[key]("") for kind, key in BY.items()}
    asked_for = Coalesce(F("author_label"), F("published_label"), Value(""), output_field=CharField())
    rows = pairs.annotate(asked_for=asked_for, **groups).values_list(
        "hypothesis", "asked_for", "premise", "created_at", *groups
    )
    reads = question.rule.reads
    sentences = (
        Sentence(text, reads.get(label, label), premise, when.isoformat(), *(each or "" for each in of))
        for text, label, premise, when, *of in rows.iterator()
    )
    return alarms(
        sentences,
        labels=question.rule.gold_labels,
        language=question.corpus.language,
        progress=progress,
    )


def new_alarms(now: datetime) -> Iterator[tuple[Question, list[Row]]]:
    """Yields (question, what rang in the last week), by what workers counted last."""
    since = (now - NEW_FOR).isoformat()
    rows = CachedStatistics.objects.filter(kind=Kind.ALARM, made_at__isnull=False)
    for row in rows.select_related("question__corpus").order_by("question__corpus__slug"):
        found = cached.content_of(row)
        if new := [each for each in (found or {"rang": ()})["rang"] if each["when"] >= since]:
            yield row.question, new


def _rows(data: Counted) -> Iterator[Row]:
    answers = answer_words(data.question)
    for each in data.found["rang"]:
        by = BY.get(each["kind"], "")
        address = partial(address_of_group, data.question, by, each["name"] if by else None)
        yield {
            **{key: each[key] for key in ("rang", "sentences", "word", "with_word", "share", "when")},
            "of": WATCHED[each["kind"]],
            "name": group_name(by, each["name"], data.names) if by else "",
            "label": answers.get(each["label"], each["label"]),
            "href": address(),
        }


def _found(table: Table) -> str:
    said = "; ".join(f"“{row['word']}” in {row['of']} {row['name']}".strip() for row in table.rows[:LISTED])
    more = f", and {len(table.rows) - LISTED} more" if len(table.rows) > LISTED else ""
    return in_place(f"A single word tells the label: {said}{more}")


ALARM = Figure(
    "bias-alarm",
    "Alarm: where a single word tells the label",
    QUESTION,
    _rows,
    (
        Column("of", "rings for"),
        Column("name"),
        Column("word", "word", definition=DEFINITIONS["word"]),
        Column("label", "goes with"),
        Column("share", "of these, with the label", "share", DEFINITIONS["share"]),
        Column("with_word", "sentences with it", "count"),
        Column("rang", "rang after sentences", "count", DEFINITIONS["rang"]),
        Column("sentences", "of now", "count"),
        Column("when", "on", "day"),
    ),
    finding=_found,
    source=Kind.ALARM,
    only_with_rows=True,
    notes=(DEFINITIONS["alarm"],),
)
