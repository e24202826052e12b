"""A corpus with enough data for all charts: three genres, nine validators (two guess), six weeks, extra labels, pay."""

import json
import random
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone
from lxml import html

from collection.models import Corpus, Genre, LedgerEntry, Pair
from shared.numbers import written
from tests.cast import ana, people, rosa
from tests.corpora import LABELS, make_corpus, make_premises
from validation.models import Assignment, BatchItem, Label, Question

VALIDATORS = [f"validator{n}" for n in range(7)] + ["guesser", "hasty"]
# genre -> premises; the third genre is too small for precise statistics
GENRES = {"fiction": 30, "telephone": 24, "letters": 5}
WEEKS = 6
EXTRA = 20  # labels beyond the five, of every sixth pair
WORDS = (
    "nobody",
    "outside",
    "some",
    "people",
    "sleeping",
    "tall",
    "sad",
    "the",
    "a",
    "dog",
    "house",
    "never",
)


def charted_corpus(*, extra: bool = True) -> Corpus:
    """Makes the corpus. The same each time, except for the dates, which end now."""
    corpus = make_corpus(slug="charted")
    question = corpus.questions.get()
    dice, now = random.Random(7), timezone.now()
    crowd, author, expert = people(VALIDATORS), ana(), rosa()
    batches = {
        name: Assignment.objects.create(question=question, annotator=user, leased_until=now, closed_at=now)
        for name, user in crowd.items()
    }
    labels: list[Label] = []
    seconds: list[int] = []
    for slug, number in GENRES.items():
        if slug != "fiction":
            Genre.objects.create(corpus=corpus, slug=slug, name=slug.title(), in_training=slug != "letters")
        for n, premise in enumerate(
            make_premises(
                corpus, [f"In {slug}, the story number {n} begins." for n in range(number)], genre=slug
            )
        ):
            for truth in LABELS:
                words = ["nobody"] * (truth == "contradiction") + ["outside"] * (truth == "entailment")
                text = " ".join([*words, *dice.sample(WORDS, dice.randint(3, 8))])
                pair = Pair.objects.create(
                    corpus=corpus, premise=premise, hypothesis=f"{text} {n}.", scheme="nli3",
                    author=author, author_label=truth, public_id=f"{slug}-{n}-{truth[0]}",
                )  # fmt: skip
                when = now - timedelta(weeks=dice.randrange(WEEKS), hours=1)
                seated = dice.sample(VALIDATORS, 4)
                given = [_given(name, truth, slug, dice) for name in seated]
                labels.append(_label(question, pair, 1, truth, author, when, origin=Label.Origin.AUTHOR))
                seconds.append(0)
                for position, (name, label) in enumerate(zip(seated, given, strict=True), start=2):
                    labels.append(_label(question, pair, position, label, crowd[name], when))
                    seconds.append(900 if name == "hasty" else dice.randint(4000, 14000))
                if extra and len(labels) % 6 == 0:
                    votes = [_given("validator0", truth, slug, dice, 0.6) for _ in range(EXTRA)]
                    labels += [
                        _label(question, pair, 6 + k, label, None, when) for k, label in enumerate(votes)
                    ]
                    seconds += [0] * EXTRA
                if n % 3 == 0:
                    labels.append(
                        _label(question, pair, None, truth, expert, when, origin=Label.Origin.EXPERT)
                    )
                    seconds.append(0)
    stored = Label.objects.bulk_create(labels)
    names = {user.pk: name for name, user in crowd.items()}
    BatchItem.objects.bulk_create(
        BatchItem(
            assignment=batches[names[label.annotator_id]],
            seat=label,
            order=n,
            answer=label.label,
            active_ms=ms,
        )
        for n, (label, ms) in enumerate(zip(stored, seconds, strict=True))
        if ms
    )
    _pay(corpus, crowd.values(), dice, now)
    return corpus


def _given(name: str, truth: str, genre: str, dice: random.Random, sure: float = 0.9) -> str:
    """Draws a label: guessers at random; others err more in the telephone genre, most often towards neutral."""
    if name in ("guesser", "hasty") or dice.random() > sure - 0.15 * (genre == "telephone"):
        return dice.choice((*LABELS, "neutral"))
    return truth


def _label(
    question: Question,
    pair: Pair,
    position: int | None,
    label: str,
    who,
    when: datetime,
    origin: str = "cast",
):
    return Label(
        question=question, pair=pair, premise_id=pair.premise_id, scheme="nli3", position=position, label=label,
        author=pair.author, annotator=who, origin=origin if who else Label.Origin.IMPORTED, cast_at=when,
    )  # fmt: skip


def _pay(corpus: Corpus, crowd, dice: random.Random, now: datetime) -> None:
    LedgerEntry.objects.bulk_create(
        LedgerEntry(
            user=user,
            corpus=corpus,
            kind=kind,
            cents=dice.randint(2, 9) * 10,
            reason="work",
            key=f"{kind} {n}",
        )
        for user in crowd
        for n in range(12)
        for kind in ("labels", "writing")
    )
    entries = list(LedgerEntry.objects.filter(corpus=corpus).order_by("pk"))
    for entry in entries:
        entry.created_at = now - timedelta(days=dice.randrange(40))
    LedgerEntry.objects.bulk_update(entries, ["created_at"])
    # Handed out long ago, so that the time for the labels is plausible.
    Assignment.objects.filter(question__corpus=corpus).update(created_at=now - timedelta(days=2))


def charts_in(content: bytes | str) -> dict[str, dict]:
    """Returns key -> the JSON of each chart of a page, and checks that the table below it says the same."""
    found: dict[str, dict] = {}
    for figure in html.fromstring(content).xpath("//figure[@data-chart]"):
        scripts: Any = figure.xpath(".//script[@type='application/json']/text()")
        chart = json.loads(scripts[0])
        assert chart["key"] == figure.get("data-chart") not in found
        assert chart["title"] == figure.xpath("./figcaption")[0].text_content()
        heads = [head.text_content() for head in figure.xpath(".//thead//th")]
        assert heads == [column["name"] for column in chart["columns"]]
        cells = [
            [cell.text_content() for cell in row.xpath("./th | ./td")] for row in figure.xpath(".//tbody/tr")
        ]
        assert cells == [
            [
                written(row.get(column["key"]), column["kind"]) or "none" * _is_empty_link(row, column, chart)
                for column in chart["columns"]
            ]
            for row in chart["rows"]
        ]
        drawn = set(_names(chart["draw"])) - {column["key"] for column in chart["columns"]}
        assert not drawn, f"{chart['key']} draws {drawn}, of which its table has no column"
        found[chart["key"]] = chart
    return found


def _is_empty_link(row: dict, column: dict, chart: dict) -> bool:
    return column == chart["columns"][0] and bool(row.get("href"))


def _names(draw: dict) -> list[str]:
    """Returns the columns that a chart draws."""
    one = ("x", "y", "low", "high", "n", "size", "text", "ticks", "beside")
    several = ("series", "others", "band", "corners")
    found = [draw[name] for name in one if draw.get(name)]
    for name in several:
        value = draw.get(name) or []
        found += [value] if isinstance(value, str) else value
    return found


def figures_of(client: Any, room: str, of: str = "corpora/charted", **query: Any) -> list[dict]:
    """Returns what REST has of the figures of a page: those that begin with its name and have something to show."""
    listed = client.get(f"/api/v1/{of}/figures/").json()
    answers = [client.get(each["url"], query) for each in listed if each["name"].startswith(f"{room}-")]
    assert {answer.status_code for answer in answers} <= {200, 404}, [answer.content for answer in answers]
    shown = [answer.json() for answer in answers if answer.status_code == 200]
    return [{key: value for key, value in each.items() if key != "made_at"} for each in shown]
