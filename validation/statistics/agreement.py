"""Agreement between annotators: the database counts pairs by vote pattern, nli.agreement computes the statistics.

The gold label is that of the view in gold/: an adjudication, else a label that was published together with votes, else
the label that the votes give.

Sources: SNLI (Bowman et al. 2015) section 2.2 and Table 3; MultiNLI (Williams et al. 2018) section 2.1
and Table 2. `individual_equals_gold` is defined so that it fits both published tables.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from operator import itemgetter
from typing import Any

from django.db.models import Count, Sum

from accounts.models import User
from collection.models import Pair
from collection.models.querysets import PairQuerySet
from nli.agreement import (
    Patterns,
    agreement_from_patterns,
    alpha_of_all_pairs,
    breakdown_from_patterns,
    cohen_kappa,
    gold_of,
    splits,
    validators_alone,
    with_all_labels,
)
from shared.csv_files import csv_text
from validation.gold.queries import deciding_labels, more_sort_memory
from validation.models import Question
from validation.statistics.confidence_intervals import Profiles, intervals
from validation.statistics.extra_labels import more_labels, single_premises
from validation.statistics.progress import Progress, ignore_progress
from validation.statistics.vote_patterns import (
    PAIR_KEYS,
    PORTION,
    ROWS_WITH_INTERVALS,
    Counted,
    among_keys,
    count_patterns,
    patterns_of,
)

WEEKS = 13  # a quarter of a year, in a small picture
PAIRWISE_FROM = 30  # two annotators need more shared pairs than this, since a kappa over fewer means little


def agreement(pairs: PairQuerySet, question: Question) -> dict[str, Any]:
    """Computes the statistics of the papers' tables over `pairs`, except withdrawn ones, by one query over labels."""
    counted = count_patterns(pairs, question)
    return {"pairs": _size(pairs, question), **_figures(patterns_of(counted.profiles), question)}


def agreement_with_intervals(
    pairs: PairQuerySet, question: Question, keys: Collection[int] | None = None
) -> dict[str, Any]:
    """Computes the same, with `intervals`: [low, high] for each statistic. It is the same single query.

    keys: of the pairs, if they are few.
    """
    counted = count_patterns(pairs, question, keys=keys)
    return _with_intervals(among_keys(pairs, keys), question, counted)


def _with_intervals(pairs: PairQuerySet, question: Question, counted: Counted) -> dict[str, Any]:
    figures = {"pairs": _size(pairs, question), **_figures(patterns_of(counted.profiles), question)}
    return {**figures, "intervals": _intervals(counted.profiles, question, 0)}


def _size(pairs: PairQuerySet, question: Question) -> int:
    """Counts the pairs that are not withdrawn. Under a question about single sentences, each sentence counts."""
    return pairs.standing().aggregate(size=_sizes(question))["size"] or 0


def _sizes(question: Question) -> Any:
    return Sum("premise__sentence_count") if question.by_sentence else Count("pk")


@dataclass(frozen=True)
class AgreementReport:
    """The agreement on a corpus.

    figures: as `agreement` returns them. intervals: [low, high] by the keys of `figures`. breakdown: see
    nli.agreement.breakdown_from_patterns. confusion: (author label, gold label or None) -> pairs with all labels.
    undecided: how many of the pairs wait for adjudication. self_validated: how many pairs with all labels have
    their author among the validators; without_self_validated: the statistics of the other pairs, None if there are
    none. by: the requested dimension. rows: group -> figures with `intervals`, `validators_alone`, `splits`,
    `krippendorff_alpha_all_pairs`.
    single_premises and more_labels: the results of the functions of these names, over the whole corpus.
    """

    figures: dict[str, Any]
    intervals: dict[str, Any]
    breakdown: dict[str, Any]
    confusion: dict[tuple[str, str | None], int]
    undecided: int
    self_validated: int
    without_self_validated: dict[str, Any] | None
    by: str
    rows: dict[str, dict[str, Any]]
    single_premises: dict[str, Any] | None
    more_labels: dict[str, Any] | None

    def as_content(self) -> dict[str, Any]:
        """Returns the fields as JSON for the cache; `report_from` reads it."""
        content = dict(vars(self))
        content["confusion"] = [[author, gold, pairs] for (author, gold), pairs in self.confusion.items()]
        return content

    def as_json(self) -> dict[str, Any]:
        """Returns the report as one object, as the command and REST output it."""
        found = {**self.figures, "intervals": self.intervals, **self.breakdown}
        found["author_and_gold"] = [
            {"author": author, "gold": gold, "pairs": pairs}
            for (author, gold), pairs in sorted(self.confusion.items(), key=str)
        ]
        found["self_validated"] = self.self_validated
        found["without_self_validated"] = self.without_self_validated
        found["single_premises"], found["more_labels"] = self.single_premises, self.more_labels
        if self.by:
            found[f"by_{self.by}"] = self.rows
        return found

    def _behind(self) -> dict[str, Any]:
        """Returns all content other than `figures`: name -> a number, or an object of such entries."""
        found = {**self.breakdown, "self_validated": self.self_validated}
        if self.confusion:
            found["author_and_gold"] = {
                f"{author}, {gold or 'no gold'}": pairs
                for (author, gold), pairs in sorted(self.confusion.items(), key=str)
            }
        others = ("without_self_validated", "single_premises", "more_labels")
        found |= {name: getattr(self, name) for name in others}
        return found

    def as_csv(self, pairwise: Sequence[dict[str, Any]] = ()) -> str:
        """Returns a table with a row for each statistic: by, group, figure, value, low, high.

        The whole corpus has no group.

        `pairwise`: the result of `pairwise_kappa`; each pair of annotators becomes a group.
        """
        table: list[Sequence[object]] = [("by", "group", "figure", "value", "low", "high")]
        table += _table_rows("", "", self.figures, self.intervals)
        table += _table_rows("", "", self._behind(), {})
        for group, figures in self.rows.items():
            table += _table_rows(self.by, group, figures, figures.get("intervals", {}))
        for row in pairwise:
            two = {"shared_pairs": row["pairs"], "cohen_kappa": row["kappa"]}
            table += _table_rows("two annotators", " and ".join(row["annotators"]), two, {})
        return csv_text(table)


def report_from(content: dict[str, Any]) -> AgreementReport:
    """Makes a report from its `as_content`."""
    confusion = {(author, gold): pairs for author, gold, pairs in content["confusion"]}
    return AgreementReport(**{**content, "confusion": confusion})


def report(
    pairs: PairQuerySet,
    question: Question,
    *,
    by: str = "",
    seed: int = 0,
    progress: Progress = ignore_progress,
) -> AgreementReport:
    """Computes the whole report, and the groups of the dimension `by` (of DIMENSIONS), by one query over the labels."""
    progress(0)
    profiles, groups, undecided = count_patterns(pairs, question, by)
    progress(0.5)  # the query takes about half of the time
    patterns = patterns_of(profiles)
    alone = {pattern: n for pattern, n in patterns.items() if not pattern.self_validated}
    full = with_all_labels(patterns, question.rule)
    confusion: Counter[tuple[str, str | None]] = Counter()
    for pattern, count in full.items():
        if pattern.author is not None:
            confusion[pattern.author, gold_of(pattern, question.rule).label] += count
    self_validated = sum(n for pattern, n in full.items() if pattern.self_validated)
    whole_intervals = _intervals(profiles, question, seed)
    progress(0.6)
    rows = _rows(pairs, question, by, groups, seed, progress) if by else {}
    progress(0.9)
    return AgreementReport(
        figures={"pairs": _size(pairs, question), **_figures(patterns, question)},
        intervals=whole_intervals,
        breakdown=breakdown_from_patterns(patterns, question.rule),
        confusion=dict(confusion),
        undecided=undecided,
        self_validated=self_validated,
        without_self_validated=_figures(alone, question) if self_validated else None,
        by=by,
        rows=rows,
        single_premises=single_premises(question) if question.is_main else None,
        more_labels=more_labels(question),
    )


def _rows(
    pairs: PairQuerySet,
    question: Question,
    by: str,
    groups: dict[str, Profiles],
    seed: int,
    progress: Progress,
) -> dict[str, dict[str, Any]]:
    if by == "validator":
        codes = dict(User.objects.filter(pk__in=map(int, groups)).values_list("pk", "code"))
        groups = {codes[int(pk)]: profiles for pk, profiles in groups.items()}
    sizes = {name: sum(patterns_of(profiles).values()) for name, profiles in groups.items()}
    if by in PAIR_KEYS:  # a group without a labelled pair is a row, too
        keyed = pairs.standing().order_by().values(group=PAIR_KEYS[by](""))
        sizes = {row["group"]: row["size"] for row in keyed.annotate(size=_sizes(question))}
    rows = {}
    for number, name in enumerate(sorted(sizes)):
        progress(0.6 + 0.3 * number / len(sizes))
        profiles = groups.get(name, {})
        patterns = patterns_of(profiles)
        rows[name] = {"pairs": sizes[name], **_figures(patterns, question)}
        rows[name]["krippendorff_alpha_all_pairs"] = alpha_of_all_pairs(patterns, question.rule)
        rows[name]["validators_alone"] = validators_alone(patterns, question.rule)
        rows[name]["splits"] = splits(with_all_labels(patterns, question.rule))
        if len(sizes) <= ROWS_WITH_INTERVALS:
            rows[name]["intervals"] = _intervals(profiles, question, seed)
    return rows


def weekly_agreement(question: Question) -> list[list[Any]]:
    """Computes [Monday, pairs with all labels, individual = gold, low, high] of each of the last weeks, the oldest first."""
    pairs = Pair.objects.filter(corpus=question.corpus_id)
    return _weeks(count_patterns(pairs, question, "week").groups, question)


def agreement_and_weeks(question: Question) -> tuple[dict[str, Any], list[list[Any]]]:
    """Computes `agreement_with_intervals` of the corpus, and `weekly_agreement`, by one query over the labels."""
    pairs = Pair.objects.filter(corpus=question.corpus_id)
    counted = count_patterns(pairs, question, "week")
    return _with_intervals(pairs, question, counted), _weeks(counted.groups, question)


def _weeks(groups: dict[str, Profiles], question: Question) -> list[list[Any]]:
    rows = []
    for week in sorted(filter(None, groups))[-WEEKS:]:
        figures = _figures(patterns_of(groups[week]), question)
        if figures["pairs_with_all_labels"]:
            low, high = _intervals(groups[week], question, 0)["individual_equals_gold"] or (None, None)
            rows.append(
                [week, figures["pairs_with_all_labels"], figures["individual_equals_gold"], low, high]
            )
    return rows


def pairwise_kappa(question: Question) -> list[dict[str, Any]]:
    """Computes Cohen's kappa of any two annotators with more than thirty pairs in common; most common pairs first.

    It uses the labels that decide the gold labels, including the authors'. If somebody has two labels on a pair, as
    authors who validated their own pairs in published files, only the first counts.
    """
    given = deciding_labels(question).filter(annotator__isnull=False)
    rows = given.order_by("pair_id", "sentence", "position").values_list(
        "pair_id", "sentence", "annotator_id", "label"
    )
    together: Counter[tuple[tuple[int, str], tuple[int, str]]] = Counter()
    with more_sort_memory():
        for _, of_pair in groupby(rows.iterator(PORTION), key=itemgetter(0, 1)):
            first: dict[int, str] = {}
            for _, _, annotator, label in of_pair:
                first.setdefault(annotator, label)
            together.update(combinations(sorted(first.items()), 2))
    tables: defaultdict[tuple[int, int], Counter[tuple[str, str]]] = defaultdict(Counter)
    for ((one, label), (other, other_label)), number in together.items():
        tables[one, other][label, other_label] += number
    enough = {who: table for who, table in tables.items() if sum(table.values()) > PAIRWISE_FROM}
    codes = dict(User.objects.filter(pk__in={pk for who in enough for pk in who}).values_list("pk", "code"))
    found = [
        {
            "annotators": sorted((codes[one], codes[other])),
            "pairs": sum(table.values()),
            "kappa": cohen_kappa(table),
        }
        for (one, other), table in enough.items()
    ]
    return sorted(found, key=lambda row: (-row["pairs"], row["annotators"]))


def _figures(patterns: Patterns, question: Question) -> dict[str, Any]:
    return agreement_from_patterns(patterns, question.rule)


def _intervals(profiles: Profiles, question: Question, seed: int) -> dict[str, Any]:
    return intervals(profiles, question.rule, seed=seed)


def _table_rows(by: str, group: str, figures: dict[str, Any], ends: dict[str, Any]) -> Iterator[list[Any]]:
    for name, value in figures.items():
        if name != "intervals":
            for part, each, of_part in _parts(value, ends.get(name)):
                yield [by, group, ": ".join((name, *part)), each, *(of_part or ("", ""))]


def _parts(value: Any, ends: Any) -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    """Yields the numbers of a statistic: one, or one for each label, vote split, ..., at any depth."""
    if not isinstance(value, dict):
        yield (), value, ends
        return
    for name, each in value.items():
        for part, number, of_part in _parts(each, (ends or {}).get(name)):
            yield (name, *part), number, of_part
