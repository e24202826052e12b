"""Make a line of a snapshot's files from a copied row, with its labels, answers and parse trees."""

from collections.abc import Collection, Mapping
from typing import Any

from django.db.models import Q, QuerySet

from nli import single_premises
from nli.answers import ALWAYS, FIRST, counts_of, is_deciding, ordered
from nli.gold import WITHHELD
from nli.labels import NO_GOLD, SCHEMES
from nli.lines import distribution, text_alone
from snapshots.models import ANSWER_COLUMNS, SnapshotAnswer, SnapshotLabel, SnapshotSentenceLabel, SnapshotSet
from snapshots.parses.stored_trees import Parses, derived_parses, premise_sentences

# Plain values: making five model instances for each pair took most of the time of a freeze.
COLUMNS = (
    "pk",
    "snapshot_id",
    "snapshot__parser",
    "snapshot__parser__source",
    "partition",
    "gold_label",
    "gold_source",
    "seats_waiting",
    "pair__public_id",
    "pair__hypothesis",
    "pair__answers_left_out",
    "pair__metadata",
    "pair__author_reason",
    "pair__arm",
    "pair__family",
    "pair__edit__edited_from",
    "pair__edit__distance",
    "pair__guidance__advice_seen",
    "pair__guidance__model_tries",
    "pair__guidance__model_answer",
    "pair__guidance__twin_answer",
    "pair__author_label",
    "pair__author__code",
    "pair__prompt_version__prompt__slug",
    "pair__prompt_version__number",
    "pair__premise__public_id",
    "pair__premise__group",
    "pair__premise__text",
    "pair__premise__sentence_count",
    "pair__premise__genre__slug",
    "pair__parse__premise_parse",
    "pair__parse__premise_binary_parse",
    "pair__parse__hypothesis_parse",
    "pair__parse__hypothesis_binary_parse",
)
Given = tuple[int, str, str]  # position, label, annotator's code


def line_of(
    row: Any,
    labels: list[Given],
    scheme: str,
    derived: Mapping[str, Parses] | None = None,
    single: Mapping[int, list[tuple[str, str]]] | None = None,
    answers: list[dict[str, Any]] | None = None,
    sets: Collection[str] = (),
) -> dict[str, Any]:
    """Returns one pair as a line of a file.

    row: has COLUMNS. labels: (position, label, annotator's code) in the question's `scheme`; the gold label and the
    author's label are in the corpus's scheme. derived: the parses that were derived here or attached, by side
    ("sentence1", "sentence2"). single: labels and codes of single premises, by the sentence's number from 1. answers: all
    answers that `labels` do not hold; see SnapshotAnswer. sets: the named sets in which the pair was.

    A pair that nobody validated has its author's label only, as in SNLI's training file, if the question has that label.
    """
    if row.gold_source == WITHHELD:
        return text_alone(_whole_line(row, [], scheme, derived, None, None))
    line = _whole_line(row, labels, scheme, derived, single, answers)
    return {**line, "sets": sorted(sets)} if sets else line


def _whole_line(
    row: Any,
    labels: list[Given],
    scheme: str,
    derived: Mapping[str, Parses] | None,
    single: Mapping[int, list[tuple[str, str]]] | None,
    answers: list[dict[str, Any]] | None,
) -> dict[str, Any]:
    author, author_label = row.pair__author__code or "", row.pair__author_label
    if not labels and author_label in SCHEMES[scheme]:
        labels = [(1, author_label, author)]
    sentences = premise_sentences(row)
    line = {
        "annotator_codes": [code for _, _, code in labels],
        "annotator_labels": [label for _, label, _ in labels],
        "author": author,
        "author_label": author_label,
        "genre": row.pair__premise__genre__slug,
        "gold_label": row.gold_label or NO_GOLD,
        "gold_source": row.gold_source,
        "pairID": row.pair__public_id,
        "promptID": row.pair__premise__public_id,
        "sentence1": " ".join(sentences),
        "sentence1_binary_parse": row.pair__parse__premise_binary_parse or "",
        "sentence1_parse": row.pair__parse__premise_parse or "",
        "sentence2": row.pair__hypothesis,
        "sentence2_binary_parse": row.pair__parse__hypothesis_binary_parse or "",
        "sentence2_parse": row.pair__parse__hypothesis_parse or "",
    }
    if shares := distribution(line["annotator_labels"], SCHEMES[scheme]):
        line["label_distribution"] = shares
    if row.pair__premise__group != row.pair__premise__public_id:
        line["group"] = row.pair__premise__group
    if row.pair__prompt_version__number is not None:
        line["prompt_version"] = (
            f"{row.pair__prompt_version__prompt__slug}/{row.pair__prompt_version__number}"
        )
    if len(sentences) > 1:
        line["premise_sentences"] = sentences
    for side, (parse, binary_parse) in (derived or {}).items():
        line |= {f"{side}_parse": parse, f"{side}_binary_parse": binary_parse}
    if derived:
        line["attached_parses" if row.snapshot__parser__source else "derived_parses"] = sorted(derived)
    if single:
        judged = [single.get(number, []) for number in range(1, len(sentences) + 1)]
        line[single_premises.LABELS] = [[label for label, _ in each] for each in judged]
        line[single_premises.CODES] = [[code for _, code in each] for each in judged]
    if answers:
        line["answers"] = _all_answers(labels, answers)
        line |= counts_of(line["answers"], SCHEMES[scheme])
    if row.pair__answers_left_out:
        line["answers_left_out"] = row.pair__answers_left_out
    if row.seats_waiting:
        line["seats_waiting"] = row.seats_waiting
    if row.pair__metadata:
        line["metadata"] = row.pair__metadata
    told = {
        "author_reason": row.pair__author_reason,
        "arm": row.pair__arm,
        "family": row.pair__family,
        # Of a family it is the hypothesis of the pair that `family` names, which may be withdrawn, and is then in no file.
        "edited_from": "" if row.pair__family else row.pair__edit__edited_from,
        "edit_distance": row.pair__edit__distance,
        "advice_seen": row.pair__guidance__advice_seen,
        "model_tries": row.pair__guidance__model_tries,
        "model_answer": row.pair__guidance__model_answer,
        "twin_answer": row.pair__guidance__twin_answer,
    }
    line |= {name: value for name, value in told.items() if value}
    return line


def _all_answers(labels: list[Given], others: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Joins the deciding labels with the other answers. A label that is in both comes from the answers, with its reason."""
    there = {answer["position"] for answer in others if is_deciding(answer)}
    deciding = [
        {"code": code, "counts": True, "label": label, "position": position}
        for position, label, code in labels
        if position not in there
    ]
    return ordered([*deciding, *others])


def lines_of(rows: list[Any], scheme: str) -> list[dict[str, Any]]:
    """Returns the lines of some rows of one snapshot (with COLUMNS) and their partitions; `scheme`: the question's.

    Needs four queries for any number of rows, one more if parses were derived, and one more if premises have several
    sentences.
    """
    if not rows:
        return []
    keys = [row.pk for row in rows]
    # The keys of a portion that is written are consecutive: two bounds are quicker than a list.
    is_range = keys[-1] - keys[0] == len(keys) - 1
    these = Q(row__gte=keys[0], row__lte=keys[-1]) if is_range else Q(row__in=keys)
    labels = _by_row(SnapshotLabel.objects.filter(these))
    answers = _answers_by_row(SnapshotAnswer.objects.filter(these))
    sets: dict[int, list[str]] = {}
    for key, name in SnapshotSet.objects.filter(these).order_by().values_list("row", "name"):
        sets.setdefault(key, []).append(name)
    derived = derived_parses(rows, rows[0].snapshot__parser)
    single = _labels_of_single_premises(rows)
    return [
        {
            "partition": row.partition,
            **line_of(
                row,
                labels.get(row.pk, []),
                scheme,
                derived.get(row.pk),
                single.get(row.pk),
                answers.get(row.pk),
                sets.get(row.pk, ()),
            ),
        }
        for row in rows
    ]


def _by_row(stored: QuerySet[SnapshotLabel]) -> dict[int, list[Given]]:
    labels: dict[int, list[Given]] = {}
    rows = stored.order_by("row", "position").values_list("row", "position", "label", "annotator_code")
    for key, position, label, code in rows:
        labels.setdefault(key, []).append((position, label, code))
    return labels


def _answers_by_row(stored: QuerySet[SnapshotAnswer]) -> dict[int, list[dict[str, Any]]]:
    """Returns the answers of each row with the keys of nli.answers; empty and default values have no key."""
    found: dict[int, list[dict[str, Any]]] = {}
    for key, *values in stored.order_by().values_list("row", *ANSWER_COLUMNS.values()):
        answer = {
            name: value
            for name, value in zip(ANSWER_COLUMNS, values, strict=True)
            if name in ALWAYS or (value and (name, value) != ("round", FIRST))
        }
        found.setdefault(key, []).append(answer)
    return found


def _labels_of_single_premises(rows: list[Any]) -> dict[int, dict[int, list[tuple[str, str]]]]:
    """Returns the labels of single premises of each row, by sentence. Makes no query if all premises are one sentence."""
    several = [row.pk for row in rows if row.pair__premise__sentence_count > 1]
    if not several:
        return {}
    stored = SnapshotSentenceLabel.objects.filter(row__in=several)
    labels: dict[int, dict[int, list[tuple[str, str]]]] = {}
    ordered = stored.order_by("row", "sentence", "position")
    for key, sentence, label, code in ordered.values_list("row", "sentence", "label", "annotator_code"):
        labels.setdefault(key, {}).setdefault(sentence, []).append((label, code))
    return labels
