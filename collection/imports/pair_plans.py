"""Plans the import of a pair: which of its labels are stored, and as what. Imports no Django.

In an elicited corpus the first label is the author's. It is stored with the pair; if there are others, all of
them are votes by position. A gold label is not stored if it follows from votes in the file. It is stored as the
published label if it came without votes, or was decided beyond them.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from collection.formats.lines import BadLine
from collection.formats.records import ImportedPair
from collection.premise_ids import digest_of, normalise
from collection.texts import flaw_in, one_line
from nli.gold import ADJUDICATED
from nli.labels import READINGS, SCHEMES

ALL, AUTHOR = "all", "author"
TOO_MANY = (
    "{0} labels are more than the {1} seats of the question, and nothing says which of them should decide; import into a new"
    " corpus with {0} seats or more, with the gold rule majority_of_all where pairs have different numbers of labels"
)
TEXTS_CHANGED = "texts_changed"


@dataclass(frozen=True, slots=True)
class Vote:
    """One label with its position (from 1), the file's code of its annotator and the reason (empty if unknown)."""

    position: int
    label: str
    annotator: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PlannedPair:
    """A pair that can be imported. `digest` is the premise's; `author` the file's code, empty if unknown.

    first_is_author: the first vote is the author's label.
    """

    item: ImportedPair
    digest: str
    author: str
    author_label: str | None
    votes: tuple[Vote, ...]
    published_label: str | None
    first_is_author: bool = False

    @property
    def codes(self) -> list[str]:
        """Returns the file's codes of everybody who wrote, labelled or answered; empty ones among them."""
        answers = (answer["code"] for answer in self.item.answers)
        return [self.author, *(vote.annotator for vote in self.votes), *answers]


@dataclass(frozen=True)
class Rules:
    """How to import the lines of a file.

    scheme: the scheme of the author's label and of the published gold label. asked: the scheme of the main question
    if it differs, else empty. elicited: whether the first label of a line is the author's. take: which labels to
    import, `all` or only the `author`'s. seats: the most labels of a pair, unless the file says which of them were asked
    for later; None: any number.
    """

    scheme: str
    labels: Sequence[str]
    elicited: bool
    take: str = ALL
    asked: str = ""
    seats: int | None = None

    def has_votes(self, item: ImportedPair) -> bool:
        """Returns whether labels of the pair are imported as votes."""
        return self.take == ALL and bool(_votes(item, self.elicited and item.has_author))

    @property
    def votes(self) -> Sequence[str]:
        """Returns the labels that the main question accepts."""
        return SCHEMES[self.asked] if self.asked else self.labels

    def published(self, label: str | None) -> str | None:
        """Returns the published label in the corpus's scheme; one of the question's scheme is mapped as by its rule."""
        if label is None or label in self.labels:
            return label
        return READINGS.get((self.asked, self.scheme), {}).get(label, label)


def plan_pair(item: ImportedPair, rules: Rules) -> PlannedPair | BadLine:
    """Returns the plan for a pair, or why it cannot be imported. Makes each of its texts one line."""
    item = _of_one_line(item)
    if not all(sentence.strip() for sentence in item.premise):
        return _refused(item, "the premise has no visible character")
    item = replace(item, published_label=rules.published(item.published_label))
    names = {
        "id": item.pair_id,
        "premise id": item.premise_id,
        "group": item.group,
        "document": item.document,
    }
    for name, text in (
        *names.items(),
        ("author", item.author),
        *(("annotator", code) for code in item.annotators),
    ):
        if flaw := flaw_in(text):
            return _refused(item, f"the {name} {text[:80]!r} {flaw}")
    authored = rules.elicited and item.has_author
    given = (*item.labels, item.published_label, item.author_label)
    for place, found in enumerate(given, start=1):
        of_corpus = place > len(item.labels) or (authored and place == 1)
        known = rules.labels if of_corpus else rules.votes
        if found is not None and found not in known:
            reason = f'label "{found}" is none of {", ".join(known)}'
            return BadLine(item.line, reason, rows=item.rows, label=found, is_class=of_corpus)
    author = item.author
    if authored and item.annotators:
        if author and author != item.annotators[0]:
            return _refused(
                item, f'the author is "{author}", but the first annotator is "{item.annotators[0]}"'
            )
        author = item.annotators[0]
    author_label = (
        item.labels[0] if authored and item.labels else item.author_label if rules.elicited else None
    )
    votes = _votes(item, authored) if rules.take == ALL else ()
    if rules.seats is not None and votes and votes[-1].position > rules.seats:
        # The first ones would decide, by the order of the file alone.
        return _refused(item, TOO_MANY.format(votes[-1].position, rules.seats))
    if rules.take != ALL:
        item = replace(item, answers=())
    keeps_gold = rules.take == ALL and (item.gold_stands or not votes)
    published = item.published_label if keeps_gold and item.gold_source != ADJUDICATED else None
    if published == author_label and not item.gold_stands:
        published = None  # it follows from the author's label
    first_is_author = authored and author_label is not None
    return PlannedPair(item, digest_of(item.premise), author, author_label, votes, published, first_is_author)


def _refused(item: ImportedPair, reason: str) -> BadLine:
    return BadLine(item.line, reason, rows=item.rows)


def _of_one_line(item: ImportedPair) -> ImportedPair:
    """Returns the pair without line breaks, tabs and control characters in its texts, and counts the texts that had some."""
    given = (*item.premise, item.hypothesis)
    *premise, hypothesis = texts = tuple(map(one_line, given))
    if texts == given:
        return item
    changed = sum(one != other for one, other in zip(texts, given, strict=True))
    told = {**item.told, TEXTS_CHANGED: changed}
    return replace(item, premise=tuple(premise), hypothesis=hypothesis, told=told)


def _votes(item: ImportedPair, authored: bool) -> tuple[Vote, ...]:
    """Returns the labels with their positions; none if there is only the author's label."""
    codes = item.annotators or ("",) * len(item.labels)
    votes = tuple(
        Vote(position, label, code, item.reasons.get(position, ""))
        for position, (label, code) in enumerate(zip(item.labels, codes, strict=True), start=1)
        if label is not None
    )
    alone = authored and len(votes) == 1 and votes[0].position == 1
    return () if alone else votes


def pair_id_of(partition: str, genre: str, plan: PlannedPair, repetition: int) -> str:
    """Returns a public id for a pair that came without one.

    The same content gets the same id, so that a second import finds the pair. `repetition` counts equal pairs of
    one file from 0; some published files have them.
    """
    content = "\n".join((partition, genre, plan.digest, normalise(plan.item.hypothesis), str(repetition)))
    return f"pair-{hashlib.sha256(content.encode()).hexdigest()[:20]}"
