"""Pairs for a paper: of each label the typical ones and the disputed ones, from the database."""

from collections.abc import Iterator
from typing import Annotated, Any

from django.db.models.functions import Length
from pydantic import Field

from collection.models import Pair
from nli.labels import NO_GOLD
from shared.figures import Figure, Parameters
from shared.tables import Column, Row, Table
from shared.whole_numbers import LARGEST_SEED
from snapshots.statistics.chosen_pairs import RULES, Chooser, Seen
from validation.gold.queries import is_complete, more_sort_memory, with_gold_label
from validation.models import Question
from validation.questions.addresses import address_in
from validation.questions.lookup import answer_words
from validation.statistics.cached import Kind
from validation.statistics.progress import Progress, ignore_progress
from validation.statistics.scope import QUESTION, Counted

PORTION = 5000


class Drawn(Parameters):
    seed: Annotated[int, Field(ge=0, le=LARGEST_SEED)] = 0

    @property
    def counted_by(self) -> str:
        return str(self.seed)


def paper_pairs(
    question: Question, by: str = "0", progress: Progress = ignore_progress
) -> list[dict[str, Any]]:
    """Chooses pairs whose seats are all filled, by one query over all votes. by: the seed. Returns what `_rows` shows."""
    if question.by_sentence:
        return []
    pairs = Pair.objects.standing().filter(corpus=question.corpus_id)
    votes = [f"votes_{k}" for k in range(len(question.labels))]
    texts = ("public_id", "premise__text", "hypothesis", "author__code")
    facts = ("premise", "author", "author_label", "gold_label", Length("hypothesis"))
    columns: tuple[Any, ...] = (*texts, *facts, *votes)
    chooser, reads = Chooser(int(by)), question.rule.reads
    voted: Any = with_gold_label(pairs, question)  # mypy does not know the columns of the view
    complete = voted.filter(is_complete(), votes__gt=0).order_by().values_list(*columns)
    with more_sort_memory():
        for name, text, hypothesis, code, premise, author, label, gold, length, *given in complete.iterator(
            PORTION
        ):
            shown = (text, hypothesis, code or "")
            chooser.add(Seen(name, premise, author, reads.get(label), gold, given, length, shown))
    progress(0.9)
    return [
        {
            "kind": each.kind,
            "label": each.label,
            "id": each.pair.name,
            **dict(zip(("premise", "hypothesis", "author"), each.pair.of, strict=True)),
            "votes": each.pair.votes,
            "gold": each.pair.gold or NO_GOLD,
            "entropy": each.entropy,
        }
        for each in chooser.chosen(question.rule.gold_labels)
    ]


def _rows(data: Counted, seed: int) -> Iterator[Row]:
    words = answer_words(data.question)
    for each in data.found:
        counts = zip(words.values(), each["votes"], strict=True)
        yield {
            **each,
            "label": words.get(each["label"], each["label"]),
            "gold": "no gold label" if each["gold"] == NO_GOLD else words.get(each["gold"], each["gold"]),
            "votes": ", ".join(f"{word} {number}" for word, number in counts if number),
            "hrefs": {"id": address_in("pair", data.question, each["id"])},
        }


def _found(table: Table) -> str:
    numbers = {kind: sum(row["kind"] == kind for row in table.rows) for kind in ("typical", "disputed")}
    return f"{numbers['typical']:,} typical and {numbers['disputed']:,} disputed pairs are drawn."


PAPER_PAIRS = Figure(
    "paper-pairs",
    "Pairs for the paper",
    QUESTION,
    _rows,
    (
        *(Column("kind"), Column("label"), Column("id"), Column("premise"), Column("hypothesis")),
        *(Column("votes"), Column("gold", "gold label"), Column("author")),
        Column("entropy", "entropy, bits", "number", "Of the votes: 0 where all are the same."),
    ),
    finding=_found,
    source=Kind.EXAMPLES,
    parameters=Drawn,
    notes=RULES,
    only_with_rows=True,
)
