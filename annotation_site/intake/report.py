"""The report of an import of pairs: what is counted, and what is said of it."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from collection.formats.lines import MENDED, QUOTES_STAY, BadLine
from collection.formats.records import DISAGREE, NONE, SEVERAL, UNSURE
from collection.imports.pair_plans import TEXTS_CHANGED, PlannedPair

REASONS_LISTED = 100  # different reasons that are counted
LISTED = 1000  # refused lines that a report names one by one; all of them are counted
KEYS_LISTED = 200  # keys that are not kept
NOTES = {
    "skipped": "pairs existed already and were skipped",
    "author_labels": "pairs have the author's label",
    "published_labels": "pairs have a published label",
    "published_differs": "of them differ from the majority of the votes: published, differs from the votes",
    "published_without_majority": "of them have no majority behind them: published, no majority",
    "author_differs": "of them have another label from their author",
    "self_validated": "pairs have their author among the validators too; their labels are imported unchanged",
    "people": "new annotators, by the codes of the file",
    "fewer_labels": "pairs have fewer labels than seats; no seats are opened for them",
    "more_labels": "pairs have labels that were asked for later, beyond the seats; these never decide gold",
    "empty_hypotheses": "pairs have an empty hypothesis",
    "premise_ids_changed": "premise ids belonged to another text and were changed",
    "premise_texts_merged": "pairs have a premise that is there already with other white space; its text stays",
    "premise_ids_merged": "pairs have a premise that is there already under another id, which it keeps",
    "pair_ids_changed": "pair ids stood for several pairs; the second of them got ~2, and so on",
    "pair_ids_of_file": "pair ids belonged to pairs of another file: the file’s name now stands before them",
    "gold_differs": "pairs have another gold label in the file than by the rule",
    SEVERAL: "answers name several labels and are no votes",
    NONE: "answers are no label, as the format or the label map says",
    UNSURE: "answers are “I don’t know” and are no votes",
    DISAGREE: "pairs have lines with different labels, and so no gold label",
    TEXTS_CHANGED: "premises and hypotheses had line breaks, tabs or control characters: now blanks, or left out",
    MENDED: "lines were mended as the format says: white space, tags, backslashes",
    QUOTES_STAY: "lines have quotes as CSV writes them, but other lines of the file do not: they stay in the texts",
    "other_genres": "pairs of other genres were left out",
    "other_answers": "other answers came along: skips, withdrawn labels, those of models, experts and other questions",
    "with_reason": "labels came with a reason",
    "decided": "pairs were decided by a researcher",
    "waiting": "pairs wait for labels, as they did; their seats are open again",
    "opened": "pairs were opened for labelling",
}


@dataclass
class Refusal:
    """A line that was not imported."""

    file: str
    line: int
    reason: str


@dataclass
class PairReport:
    """The result of an import. `refused` lists the first thousand lines with errors; `refused_count` counts all.

    rows: of each file, as far as it was read; each is in a pair, refused, skipped or of another genre. unfit: of each file,
    the reasons with the rows refused for them, but not by a rule of the format. classes: labels of refused pairs. reasons:
    the number of lines with errors for each reason, and the first of them; odd_labels: reason -> the label that the corpus
    lacks. keys: of the first such line whose keys are known. unread: how often keys that are not kept have a value. drawn:
    files of which pairs were drawn into partitions. first: the first imported pairs. other_genres: pairs of genres that were
    not requested.
    unseen: pairs were not opened, as nobody has looked at what their hypotheses give away.
    """

    rows: Counter[str] = field(default_factory=Counter)
    unfit: dict[str, Counter[str]] = field(default_factory=dict)
    classes: Counter[str] = field(default_factory=Counter)
    firsts: dict[str, Refusal] = field(default_factory=dict)
    odd_labels: dict[str, str] = field(default_factory=dict)
    drawn: set[str] = field(default_factory=set)
    refused: list[Refusal] = field(default_factory=list)
    refused_count: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    keys: tuple[str, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    partitions: dict[str, int] = field(default_factory=dict)
    gold_differs: list[str] = field(default_factory=list)
    unread: Counter[str] = field(default_factory=Counter)
    genres_made: list[str] = field(default_factory=list)
    ids_changed: list[str] = field(default_factory=list)
    opened: int = 0
    unseen: bool = False
    corpus_is_new: bool = False
    first: list[PlannedPair] = field(default_factory=list)
    other_genres: int = 0
    rows_of_other_genres: int = 0

    def refuse(self, file: str, bad: Iterable[BadLine]) -> None:
        for line in bad:
            self.refused_count += line.rows
            why, refusal = line.kind or line.reason, Refusal(file, line.line, line.reason)
            if why in self.reasons or len(self.reasons) < REASONS_LISTED:
                self.reasons[why] += line.rows
                self.firsts.setdefault(why, refusal)
            if not line.meant:
                self.unfit.setdefault(file, Counter())[why if why in self.reasons else "others"] += line.rows
            if line.label and why in self.reasons:
                self.odd_labels[why] = line.label
            if line.is_class and (line.label in self.classes or len(self.classes) < REASONS_LISTED):
                self.classes[line.label] += line.rows
            self.keys = self.keys or line.keys
            if len(self.refused) < LISTED:
                self.refused.append(refusal)

    def leave(self, keys: Mapping[str, int]) -> None:
        """Counts keys that are not kept; those beyond the first two hundred together."""
        for key, times in keys.items():
            known = key in self.unread or len(self.unread) < KEYS_LISTED
            self.unread[key if known else "(other keys)"] += times


def refused_lines(report: PairReport) -> str:
    return f"{report.refused_count:,} line{' was' if report.refused_count == 1 else 's were'} refused"


def keys_in_words(unread: Mapping[str, int]) -> str:
    return ", ".join(f"{key} ({times:,})" for key, times in sorted(unread.items()))


def notes_on(outcome: Mapping[str, Any]) -> list[tuple[int, str]]:
    """Returns what else a person must know about an import with this summary: numbers, each with what it counts."""
    return [(outcome[key], note) for key, note in NOTES.items() if outcome.get(key)]
