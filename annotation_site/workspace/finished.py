"""How far each genre, or each prompt, is: from premises over texts and labels to gold, the least finished first."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import partial
from typing import Any, Literal

from django.db.models import Count, Q
from django.urls import reverse
from django.utils.http import urlencode

from collection.models import Genre, Premise, PromptVersion, WritingSeat
from nli.agreement import share
from nli.labels import NO_GOLD
from shared.figures import Figure, Parameters
from shared.findings import Part, compared, in_place
from shared.tables import Column, Row, Table
from validation.models import Question
from validation.questions.addresses import address_in
from validation.statistics.cached import Kind
from validation.statistics.pair_counts import pair_counts
from validation.statistics.progress import Progress, ignore_progress
from validation.statistics.scope import QUESTION, Counted

NUMBERS = ("premises", "asked", "texts", "pairs", "opened", "labelled", "gold", "to_come")
NO_PROMPT = "none"


class By(Parameters):
    by: Literal["genre", "prompt"] = "genre"

    @property
    def counted_by(self) -> str:
        return ""  # one count has both


def finished_of(
    question: Question, by: str = "", progress: Progress = ignore_progress
) -> dict[str, dict[str, int]]:
    """Counts, for each genre, what there is of NUMBERS: slug -> name -> number. It reads all premises, tasks and pairs once.

    asked, texts: writing tasks, and those that were sent. opened, labelled, gold: pairs with seats, those whose seats are
    all filled, and those of them with a gold label. to_come: pairs that the unwritten tasks will make.
    """
    found: dict[str, Counter[str]] = {
        slug: Counter() for slug in question.corpus.genres.values_list("slug", flat=True)
    }
    dropped = Q(status=Premise.Status.DROPPED)
    premises = (
        Premise.objects.filter(~dropped, corpus=question.corpus_id).order_by().values_list("genre__slug")
    )
    for slug, number in premises.annotate(number=Count("pk")):
        found[slug]["premises"] = number
    sent = Q(submitted_at__isnull=False)
    tasks = WritingSeat.objects.real().filter(premise__corpus=question.corpus_id)
    tasks = tasks.filter(sent | ~Q(premise__status=Premise.Status.DROPPED)).order_by()
    fields = _fields(question)
    for slug, number, texts in tasks.values_list("genre__slug").annotate(
        number=Count("pk"), texts=Count("pk", filter=sent)
    ):
        found[slug] |= {"asked": number, "texts": texts, "to_come": (number - texts) * fields.get(slug, 0)}
    progress(0.4)
    for group in pair_counts(question):
        of = found[group.genre]
        of["pairs"] += group.number
        of["opened"] += group.number * ("unopened" not in group.votes)
        of["labelled"] += group.number * ("complete" in group.votes)
        of["gold"] += group.number * ("complete" in group.votes and group.gold != NO_GOLD)
    return {slug: {name: counts[name] for name in NUMBERS} for slug, counts in found.items()}


def _fields(question: Question) -> dict[str, int]:
    """Returns slug of a genre -> how many pairs a task makes under the newest version of its prompt."""
    newest = PromptVersion.objects.newest().filter(prompt__corpus=question.corpus_id)
    pairs = dict(newest.annotate(pairs=Count("fields")).values_list("prompt", "pairs"))
    genres = Genre.objects.filter(corpus=question.corpus_id).values_list("slug", "prompt")
    return {slug: pairs.get(prompt, 0) for slug, prompt in genres}


def _rows(data: Counted, by: str) -> list[Row]:
    found: Mapping[str, Mapping[str, int]] = data.found
    if by == "prompt":
        prompts = dict(data.question.corpus.genres.values_list("slug", "prompt__name"))
        sums: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for slug, numbers in found.items():
            sums[prompts.get(slug) or NO_PROMPT].update(numbers)
        rows = [{"group": name, **_with_shares(numbers)} for name, numbers in sums.items()]
    else:
        rows = [
            {"group": data.genres.get(slug, slug), **_with_shares(numbers), **_links(data.question, slug)}
            for slug, numbers in found.items()
        ]
    return sorted(rows, key=lambda row: (row["finished"] is None, row["finished"] or 0, row["group"]))


def _with_shares(numbers: Mapping[str, int]) -> dict[str, Any]:
    expected = numbers["pairs"] + numbers["to_come"]
    return {
        **numbers,
        "expected": expected,
        "share_written": share(numbers["texts"], numbers["asked"]),
        "share_opened": share(numbers["opened"], numbers["pairs"]),
        "share_labelled": share(numbers["labelled"], numbers["opened"]),
        "share_gold": share(numbers["gold"], numbers["labelled"]),
        "finished": share(numbers["labelled"], expected),
    }


def _links(question: Question, genre: str) -> dict[str, Any]:
    pairs = partial(address_in, "pairs", question, genre=genre)
    premises = f"{reverse('premises', args=[question.corpus.slug])}?{urlencode({'genre': genre})}"
    return {
        "href": pairs(),
        "hrefs": {
            "premises": premises,
            "texts": f"{premises}&writing=open",
            "opened": pairs(votes="open"),
            "labelled": pairs(votes="complete"),
            "gold": pairs(votes="complete"),
        },
    }


def _found(table: Table) -> str:
    parts = [
        Part.share(row["group"], row["finished"], row["expected"])
        for row in table.rows
        if row["finished"] is not None
    ]
    what = "the share of pairs that are labelled in full"
    return in_place(
        compared(what, parts, table.columns[0].name) or "no two parts have enough pairs to compare"
    )


FINISHED = Figure(
    "finished",
    "How far each genre is",
    QUESTION,
    _rows,
    (
        Column("group", "genre or prompt"),
        Column(
            "finished",
            "labelled in full, of all expected",
            "share",
            "Pairs whose seats are all filled, of the pairs that there are and those that the unwritten texts will make.",
        ),
        Column("premises", kind="count", definition="Without dropped ones."),
        Column(
            "asked",
            "texts asked for",
            "count",
            "Writing tasks, without those of pilots and of dropped premises.",
        ),
        Column("texts", "texts written", "count"),
        Column("share_written", "written, of those asked for", "share"),
        Column("expected", "pairs expected", "count"),
        Column("pairs", "pairs there", "count", "Without withdrawn ones."),
        Column("opened", "pairs opened", "count"),
        Column("share_opened", "opened, of those there", "share"),
        Column("labelled", "labelled in full", "count"),
        Column("share_labelled", "labelled in full, of those opened", "share"),
        Column("gold", "with gold", "count"),
        Column("share_gold", "with gold, of those labelled in full", "share"),
    ),
    finding=_found,
    source=Kind.FINISHED,
    parameters=By,
    only_with_rows=True,
)
