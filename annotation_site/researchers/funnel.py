"""How many people came through each entry link, and how far they went: one query over visits."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from collection.joining.visits import texts_in
from collection.models import EntryLink, PromptReading, Visit
from shared.findings import mostly
from shared.tables import Column, Table
from validation.labelling.submitting import ANSWERS, SKIPPED, answered_in, batches_in
from validation.models import QuestionReading

STEPS = (
    ("opened", "Opened the link", "browsers in which the welcome was shown, counted by its script"),
    ("began", "Agreed and began", "visits: people with their session on the platform"),
    ("read", "Read the instructions", "passed the check of instructions of the corpus, now or earlier"),
    ("sent", "Sent a task", "sent a text or an answer after they began"),
    ("finished", "Finished", "sent as many tasks as the link wants"),
    ("returned", "Went back", "copied the code or pressed the way back, with whichever code they got"),
)


# Step -> the visits that reached it. Who only opened the link is not known.
REACHED = {
    "began": Q(),
    "read": Q(has_read=True),
    "sent": Q(has_sent=True),
    "finished": Q(finished_at__isnull=False),
    "returned": Q(returned_at__isnull=False),
}


@dataclass(frozen=True)
class Funnel:
    """Counts of one link, by step, and of those who went back by the end of their visit."""

    steps: dict[str, int]
    ends: dict[str, int]

    def charts(self) -> list[Table]:
        """Returns the steps as a chart, each with the address of its people; none while nobody came."""
        if not any(self.steps.values()):
            return []
        rows: list[dict[str, Any]] = [
            {
                "step": title,
                "people": self.steps[key],
                "hrefs": {"people": f"?step={key}#people"} if key in REACHED and self.steps[key] else {},
            }
            for key, title, _ in STEPS
        ]
        return [
            Table(
                "funnel",
                "bars",
                self._finding(),
                [Column("step", "step"), Column("people", "people", "count")],
                rows,
                {"y": "step", "series": ["people"], "x_name": "people"},
                explained=[(title, meaning) for _, title, meaning in STEPS],
            )
        ]

    def _finding(self) -> str:
        began = self.steps["began"]
        if not began:
            return "Nobody who opened the link began."
        path = STEPS[1:-1]  # who goes back may have finished or not
        lost = {
            f"“{after[1]}”": max(0, self.steps[before[0]] - self.steps[after[0]])
            for before, after in pairwise(path)
        }
        where = mostly(lost, "before")
        found = f"{self.steps['finished']:,} of {began:,} who began finished"
        return f"{found}; of those who were lost, {where}." if where else f"{found}."


def funnels(links: Iterable[EntryLink]) -> dict[int, Funnel]:
    """Returns id of a link -> its funnel. Visits of erased people still count; they hold nothing about anybody."""
    opened = {link.pk: link.opened for link in links}
    ends = {end.name.lower(): Count("pk", filter=Q(ended_as=end)) for end in Visit.End}
    reached = {step: Count("pk", filter=condition) for step, condition in REACHED.items()}
    rows: Any = (
        _with_steps(Visit.objects.filter(link__in=opened))
        .order_by()
        .values("link")
        .annotate(**reached, **{f"end_{name}": count for name, count in ends.items()})
    )
    counted: dict[int, dict[str, int]] = {row["link"]: row for row in rows}
    nobody: dict[str, int] = {}
    return {
        pk: Funnel(
            {key: number if key == "opened" else counted.get(pk, nobody).get(key, 0) for key, _, _ in STEPS},
            {end.label: counted.get(pk, nobody).get(f"end_{end.name.lower()}", 0) for end in Visit.End},
        )
        for pk, number in opened.items()
    }


def visits_at(link: EntryLink, step: str) -> QuerySet[Visit]:
    """Returns the visits through a link that reached a step of `REACHED`, with `texts`, `answers` and `skipped` pairs."""
    of_visit = (OuterRef("pk"), OuterRef("user"), link.corpus_id)
    batches, texts = batches_in(*of_visit), texts_in(*of_visit)
    counts = {
        "texts": texts.order_by().values("annotator").values(n=Count("pk")),
        **{
            name: batches.order_by().values("annotator").values(n=count)
            for name, count in (("answers", ANSWERS), ("skipped", SKIPPED))
        },
    }
    visits = _with_steps(link.visits.select_related("user")).filter(REACHED[step])
    return visits.annotate(**{name: Coalesce(Subquery(count), 0) for name, count in counts.items()})


def _with_steps(visits: QuerySet[Visit]) -> QuerySet[Visit]:
    of_visit = {"annotator": OuterRef("user")}
    corpus = OuterRef("link__corpus")
    texts = texts_in(OuterRef("pk"), OuterRef("user"), corpus)
    batches = answered_in(OuterRef("pk"), OuterRef("user"), corpus)
    prompts = PromptReading.objects.filter(
        **of_visit, version__prompt__corpus=corpus, passed_at__isnull=False
    )
    questions = QuestionReading.objects.filter(**of_visit, question__corpus=corpus, passed_at__isnull=False)
    return visits.annotate(
        has_read=Exists(prompts) | Exists(questions), has_sent=Exists(texts) | Exists(batches)
    )
