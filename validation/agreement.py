"""Agreement between annotators, by SQL: the database counts pairs by pattern, statistics.py does the rest.

The gold label here is gold.py's: an adjudication, else the majority; a label that was published beside its
votes stands before the majority.

Sources: SNLI (Bowman et al. 2015) section 2.2 and Table 3; MultiNLI (Williams et al. 2018) section 2.1
and Table 2. `individual_equals_gold` is defined so that it fits both published tables.
"""

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from django.db import connection
from django.db.models import Case, CharField, Count, F, Max, Q, Value, When
from django.db.models.functions import Cast, Coalesce, Concat, TruncWeek

from accounts.models import User
from collection.labels import ORDINAL
from collection.models import Corpus, Pair
from collection.querysets import PairQuerySet
from validation.bootstrap import Profile, Profiles, intervals
from validation.gold import with_gold_label
from validation.models import Adjudication, Label, Question
from validation.statistics import (
    Pattern,
    Patterns,
    agreement_from_patterns,
    breakdown_from_patterns,
    cohen_kappa,
    entropy,
    gold_of,
    majority,
    share,
    with_all_labels,
)

# What each number means, in one sentence; shown one click away from it.
DEFINITIONS = {
    "pairs": "Pairs of the corpus that stand (withdrawn ones are left out).",
    "pairs_with_all_labels": "Pairs whose seats are all filled; every share below is over these.",
    "unanimous": "Share of pairs on which all labels, the author's among them, are the same.",
    "individual_equals_gold": "Share of single labels that equal the gold label, over pairs that have a gold label.",
    "individual_equals_gold_all_pairs": "The same, counting every label of a pair without gold as a miss.",
    "individual_equals_author": "Share of single labels, the author's own among them, that equal the author's label.",
    "gold_equals_author": "Share of pairs whose gold label is the label that the author was asked to write for.",
    "gold_differs_from_author": "Share of pairs that have a gold label, and it is not the author's.",
    "no_gold": "Share of pairs on which no label reaches the threshold of votes.",
    "fleiss_kappa": "Fleiss' kappa over all labels: agreement beyond chance, overall and for each label against the rest.",
    "fleiss_kappa_validators": "Fleiss' kappa over the validators' labels alone, the author's left out.",
    "krippendorff_alpha": "Krippendorff's alpha over the same labels: nominal, or ordinal where the labels are ordered.",
    "intervals": "95% of a thousand replicates, each with as many premises (or images) as there are, drawn anew"
    " with all their pairs: the bootstrap over premises, by a fixed seed.",
    "gold_labels": "Share of pairs with this gold label.",
    "gold_sources": "Pairs by where their gold label is from: the votes, a researcher's adjudication, or a label that"
    " was published beside its votes and differs from them, or where they have no majority.",
    "splits": "Share of pairs whose votes fall in these numbers, the most frequent label's first.",
    "individual_equals_gold_by_label": "Of the pairs with this gold label, the share of single labels that equal it.",
    "gold_through_author": "Share of pairs whose gold label has the threshold of votes only with the author's own.",
    "validators_alone": "The same shares over the validators' labels, with their majority, of the same threshold,"
    " in the place of the gold label.",
    "pairwise_kappa": "Cohen's kappa of two people over the pairs that both labelled; from 31 shared pairs on.",
    "author_and_gold": "Pairs by the label that the author was asked to write for and the gold label.",
    "single_premises": "Pairs of several premises, each of which was also judged by itself, by how many of these labels"
    " equal the gold label (MPE, Table 4). A premise's label is its majority; one without a majority agrees with nothing.",
    "majority_of_premises": "Share of these pairs where more than half of the premises' labels equal the gold label.",
    "more_of_premises": "Share of these pairs whose gold label is had so: entailment where more premises have it than"
    " contradiction, contradiction where fewer, else neutral.",
    "more_labels": "Labels beyond those that decide gold, which they never change. Entropy in bits, the mean over"
    " pairs with such labels; the label is another one where one label leads among them and is not the gold label.",
    "self_validated": "Published pairs whose author is also among the validators.",
}
# The papers' table, row by row, in their order.
NAMES = {
    "unanimous": "unanimous gold label",
    "individual_equals_gold": "individual label = gold label",
    "individual_equals_gold_all_pairs": "the same, pairs without gold as misses",
    "individual_equals_author": "individual label = author's label",
    "gold_equals_author": "gold label = author's label",
    "gold_differs_from_author": "gold label differs from author's",
    "no_gold": "no gold label",
}
# SNLI Table 3 (also MultiNLI Table 2) and MultiNLI Table 2, in shares.
PUBLISHED: dict[str, tuple[float | None, float | None]] = {
    "unanimous": (0.583, 0.582),
    "individual_equals_gold": (0.890, 0.887),
    "individual_equals_author": (0.858, 0.852),
    "gold_equals_author": (0.912, 0.926),
    "gold_differs_from_author": (0.068, 0.056),
    "no_gold": (0.020, 0.018),
}


# What agreement can be told apart by: an expression on pairs, to be had from labels through `pair__`.
Key = Callable[[str], Any]
PAIR_KEYS: dict[str, Key] = {
    "genre": lambda pair: F(f"{pair}premise__genre__slug"),
    # Placements belong to snapshots, which stands above: only the name of the relation is known here.
    "partition": lambda pair: Coalesce(
        f"{pair}published_partition", f"{pair}premise__placement__partition", Value("")
    ),
    "prompt": lambda pair: Case(
        When(
            **{f"{pair}prompt_version__isnull": False},
            then=Concat(
                f"{pair}prompt_version__prompt__slug",
                Value(" version "),
                Cast(f"{pair}prompt_version__number", CharField()),
            ),
        ),
        default=Value(""),
        output_field=CharField(),
    ),
    "author": lambda pair: Coalesce(f"{pair}author__code", Value("")),
}
DIMENSIONS = {
    "genre": "the premise's genre",
    "partition": "the published partition, else the one where a snapshot placed the premise",
    "prompt": "the prompt, and its version, under which the hypothesis was written",
    "author": "who wrote the hypothesis",
    "validator": "who validated: the pairs that have a label of this person among labels 2 to 5",
    "week": "the week, by its Monday, in which the pair got its last label",
}
ROWS_WITH_INTERVALS = 30
PAIRWISE_FROM = 30  # shared pairs, from which on a kappa of two people means something


def main_question(corpus: Corpus) -> Question:
    """The question that decides gold. Raises Question.DoesNotExist."""
    return Question.objects.select_related("corpus").get(corpus=corpus, is_main=True)


def agreement(pairs: PairQuerySet, question: Question) -> dict[str, Any]:
    """The figures of the papers' tables over `pairs` (standing ones) under `question`. One query."""
    return {"pairs": pairs.standing().count(), **_figures(_patterns(_all(pairs, question)), question)}


@dataclass(frozen=True)
class AgreementReport:
    """All that is said about the agreement on a corpus.

    figures: as `agreement` gives them. intervals: [low, high] by the figures' keys. breakdown: what stands
    behind the figures (statistics.breakdown_from_patterns). confusion: (author label, gold label or None)
    -> pairs with all labels. rows: group -> figures with `intervals`, by the dimension asked for.
    self_validated: how many pairs with all labels have their author among the validators, and
    without_self_validated the figures over the others; None where there are none. single_premises and
    more_labels: what the functions of these names count, over the whole corpus.
    """

    figures: dict[str, Any]
    intervals: dict[str, Any]
    breakdown: dict[str, Any]
    confusion: dict[tuple[str, str | None], int]
    self_validated: int
    without_self_validated: dict[str, Any] | None
    by: str
    rows: dict[str, dict[str, Any]]
    single_premises: dict[str, Any] | None
    more_labels: dict[str, Any] | None

    def as_content(self) -> dict[str, Any]:
        """The fields as plain JSON, to be kept; `report_from` reads it."""
        kept = dict(vars(self))
        kept["confusion"] = [[author, gold, pairs] for (author, gold), pairs in self.confusion.items()]
        return kept

    def as_json(self) -> dict[str, Any]:
        """One object, as the command and REST print it."""
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

    def as_csv(self) -> str:
        """A row a figure, for a spreadsheet: by, group, figure, value, low, high. The whole corpus has no group."""
        text = io.StringIO()
        table = csv.writer(text, lineterminator="\n")
        table.writerow(("by", "group", "figure", "value", "low", "high"))
        table.writerows(_table_rows("", "", self.figures, self.intervals))
        for group, figures in self.rows.items():
            table.writerows(_table_rows(self.by, group, figures, figures.get("intervals", {})))
        return text.getvalue()


def report_from(kept: dict[str, Any]) -> AgreementReport:
    """The report of which this is the `as_content`."""
    confusion = {(author, gold): pairs for author, gold, pairs in kept["confusion"]}
    return AgreementReport(**{**kept, "confusion": confusion})


def report(pairs: PairQuerySet, question: Question, *, by: str = "", seed: int = 0) -> AgreementReport:
    """Everything, by one query over the labels, and one more for the groups of `by` (a key of DIMENSIONS)."""
    profiles = _all(pairs, question)
    patterns = _patterns(profiles)
    alone = {pattern: n for pattern, n in patterns.items() if not pattern.self_validated}
    full = with_all_labels(patterns, question.seats)
    confusion: Counter[tuple[str, str | None]] = Counter()
    for pattern, count in full.items():
        if pattern.author is not None:
            gold = gold_of(pattern, question.labels, question.threshold, question.gold_rule)
            confusion[pattern.author, None if gold is None else question.labels[gold]] += count
    self_validated = sum(n for pattern, n in full.items() if pattern.self_validated)
    return AgreementReport(
        figures={"pairs": pairs.standing().count(), **_figures(patterns, question)},
        intervals=_intervals(profiles, question, seed),
        breakdown=breakdown_from_patterns(patterns, **_rule(question)),
        confusion=dict(confusion),
        self_validated=self_validated,
        without_self_validated=_figures(alone, question) if self_validated else None,
        by=by,
        rows=_rows(pairs, question, by, seed) if by else {},
        single_premises=single_premises(question),
        more_labels=more_labels(question),
    )


def _rows(pairs: PairQuerySet, question: Question, by: str, seed: int) -> dict[str, dict[str, Any]]:
    groups = _profiles(pairs, question, by)
    sizes = {name: sum(_patterns(profiles).values()) for name, profiles in groups.items()}
    if by in PAIR_KEYS:  # a group whose pairs nobody has labelled is a row too
        keyed = pairs.standing().order_by().values(group=PAIR_KEYS[by](""))
        sizes = {row["group"]: row["size"] for row in keyed.annotate(size=Count("pk"))}
    rows = {}
    for name in sorted(sizes):
        profiles = groups.get(name, {})
        rows[name] = {"pairs": sizes[name], **_figures(_patterns(profiles), question)}
        if len(sizes) <= ROWS_WITH_INTERVALS:
            rows[name]["intervals"] = _intervals(profiles, question, seed)
    return rows


def pairwise_kappa(question: Question) -> list[dict[str, Any]]:
    """Cohen's kappa of every two people who labelled more than thirty pairs both, the most shared first.

    Their labels are those that decide gold, the authors' among them.
    """
    counted = _counted(question).filter(annotator__isnull=False).order_by()
    sql, params = counted.values("pair_id", "annotator_id", "label").query.sql_with_params()
    gathered = _gathered("annotator_id || '/' || label")
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {gathered} FROM ({sql}) AS given GROUP BY pair_id HAVING COUNT(*) > 1", params
        )
        rows = cursor.fetchall()
    together: Counter[tuple[str, str]] = Counter()
    for (text,) in rows:
        together.update(combinations(text.split(" "), 2))
    tables: defaultdict[tuple[int, int], Counter[tuple[str, str]]] = defaultdict(Counter)
    for (first, second), number in together.items():
        (one, label), (other, other_label) = sorted(
            (int(pk), label) for pk, label in (first.split("/"), second.split("/"))
        )
        if one != other:  # a published file may have two labels of one person
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


def single_premises(question: Question) -> dict[str, Any] | None:
    """MPE (Lai et al. 2017), section 5.2 and Table 4: labels of single premises beside the label of all of them.

    Over the pairs that have a gold label and all labels of every premise by itself, under the first question of
    the corpus that asks so in the same scheme; None where there is no such pair. `agree`: how many premises
    agree -> share of pairs. `more_of_premises`, the paper's voting scheme, is for nli3.
    """
    beside = Question.objects.filter(corpus=question.corpus_id, by_sentence=True, scheme=question.scheme)
    single = beside.order_by("pk").first()
    if single is None:
        return None
    labels = Label.objects.cast().filter(question=single, sentence__gt=0, position__lte=single.seats)
    votes = {f"votes_{k}": Count("pk", filter=Q(label=label)) for k, label in enumerate(single.labels)}
    judged: defaultdict[int, list[str | None]] = defaultdict(list)
    for pair, _, *fallen in labels.order_by().values_list("pair", "sentence").annotate(**votes):
        if sum(fallen) == single.seats:
            leading = majority(fallen, single.threshold)
            judged[pair].append(None if leading is None else single.labels[leading])
    pairs = Pair.objects.standing().filter(corpus=question.corpus_id, pk__in=labels.values("pair"))
    known: Any = with_gold_label(pairs, question)
    gold = known.filter(gold_label__isnull=False)
    agree: Counter[int] = Counter()
    most = more = 0
    for pk, sentences, label in gold.values_list("pk", "premise__sentence_count", "gold_label"):
        of_pair = judged[pk]
        if len(of_pair) < sentences:
            continue
        equal = of_pair.count(label)
        agree[equal] += 1
        most += 2 * equal > sentences
        lead = of_pair.count("entailment") - of_pair.count("contradiction")
        more += label == ("entailment" if lead > 0 else "contradiction" if lead < 0 else "neutral")
    total = sum(agree.values())
    if not total:
        return None
    return {
        "question": single.slug,
        "pairs": total,
        "agree": {str(number): agree[number] / total for number in range(max(agree) + 1)},
        "majority_of_premises": most / total,
        "more_of_premises": more / total if question.scheme == "nli3" else None,
    }


def more_labels(question: Question) -> dict[str, Any] | None:
    """Labels beyond the seats that decide gold (ChaosNLI, Nie et al. 2020): how far they are from one voice.

    None where there are none. `shares`: label -> its share of all these labels; `entropy`: bits, the mean over
    pairs; `differs`: of the pairs with a gold label, the share where another one leads.
    """
    labels = Label.objects.cast().filter(
        question=question, sentence=0, position__gt=question.seats, pair__withdrawn_at=None
    )
    votes = {f"votes_{k}": Count("pk", filter=Q(label=label)) for k, label in enumerate(question.labels)}
    fallen = {pair: tuple(rest) for pair, *rest in labels.order_by().values_list("pair").annotate(**votes)}
    if not fallen:
        return None
    totals = [sum(column) for column in zip(*fallen.values(), strict=True)]
    pairs = Pair.objects.filter(pk__in=labels.values("pair"))
    rows: Any = with_gold_label(pairs, question)
    differs = known = 0
    for pk, label in rows.filter(gold_label__isnull=False).values_list("pk", "gold_label"):
        if pk in fallen:
            known += 1
            most = max(fallen[pk])
            leading = [each for each, n in zip(question.labels, fallen[pk], strict=True) if n == most]
            differs += len(leading) == 1 and leading != [label]
    return {
        "pairs": len(fallen),
        "labels": sum(totals),
        "shares": {label: n / sum(totals) for label, n in zip(question.labels, totals, strict=True)},
        "entropy": sum(map(entropy, fallen.values())) / len(fallen),
        "differs": share(differs, known),
    }


def _figures(patterns: Patterns, question: Question) -> dict[str, Any]:
    return agreement_from_patterns(patterns, **_rule(question))


def _intervals(profiles: Profiles, question: Question, seed: int) -> dict[str, Any]:
    return intervals(profiles, seed=seed, **_rule(question))


def _rule(question: Question) -> dict[str, Any]:
    return {
        "labels": question.labels,
        "seats": question.seats,
        "threshold": question.threshold,
        "rule": question.gold_rule,
        "ordinal": question.scheme in ORDINAL,
    }


def _all(pairs: PairQuerySet, question: Question) -> Profiles:
    return _profiles(pairs, question, "").get("", {})


def _patterns(profiles: Profiles) -> dict[Pattern, int]:
    """Pattern -> pairs."""
    patterns: Counter[Pattern] = Counter()
    for profile, premises in profiles.items():
        for pattern, pairs in profile:
            patterns[pattern] += pairs * premises
    return dict(patterns)


def _profiles(pairs: PairQuerySet, question: Question, by: str) -> dict[str, Profiles]:
    """Group -> how the pairs of a premise group fell -> in how many premise groups they did so.

    The inner query has a row a pair. The ORM cannot group a grouped query, so the outer ones are written
    by hand around it: patterns are counted within each premise group, and premise groups by their
    patterns. Only those few rows travel.
    """
    votes = {f"votes_{k}": Count("pk", filter=Q(label=label)) for k, label in enumerate(question.labels)}
    if by == "week":
        key: Any = TruncWeek(Max("cast_at"))
    else:
        key = Max(Cast(PAIR_KEYS[by]("pair__"), CharField()) if by in PAIR_KEYS else Value(""))
    inner = (
        _counted(question)
        .filter(pair__in=pairs.standing().order_by().values("pk"))
        .values("pair_id")
        .annotate(
            key=key,
            unit=Max("pair__premise__group"),
            author_label=Max(Case(When(origin=Label.Origin.AUTHOR, then=F("label")))),
            # A label that was published beside its votes was decided beyond them.
            published=Max(Case(When(origin=Label.Origin.IMPORTED, then=F("pair__published_label")))),
            by_author=Max(Case(When(position__gt=1, annotator=F("author"), then=1), default=0)),
            **votes,
        )
    )
    sql, params = inner.query.sql_with_params()
    joins = "LEFT JOIN {} AS decided ON decided.pair_id = pairs.pair_id AND decided.question_id = %s"
    joins = joins.format(connection.ops.quote_name(Adjudication._meta.db_table))
    params = (*params, question.pk)
    group = "pairs.key"
    if by == "validator":
        validators = (
            _counted(question)
            .exclude(origin=Label.Origin.AUTHOR)
            .filter(annotator__isnull=False)
            .order_by()
            .values("pair_id", validator=F("annotator__code"))
            .distinct()
        )
        validators_sql, validators_params = validators.query.sql_with_params()
        joins += f" JOIN ({validators_sql}) AS labelled ON labelled.pair_id = pairs.pair_id"
        group, params = "labelled.validator", (*params, *validators_params)
    pattern = " || '/' || ".join(
        (
            "COALESCE(pairs.author_label, '')",
            "COALESCE(decided.label, pairs.published, '')",
            "CASE WHEN decided.label IS NULL THEN '' ELSE 'a' END",
            "pairs.by_author",
            *(f"pairs.{name}" for name in votes),
        )
    )
    profile = _gathered("pattern || '*' || number")
    with connection.cursor() as cursor:
        cursor.execute(
            f"WITH fallen AS (SELECT {group} AS key, pairs.unit, {pattern} AS pattern, COUNT(*) AS number"
            f" FROM ({sql}) AS pairs {joins} GROUP BY 1, 2, 3),"
            f" premises AS (SELECT key, {profile} AS profile FROM fallen GROUP BY key, unit)"
            " SELECT key, profile, COUNT(*) FROM premises GROUP BY key, profile",
            params,
        )
        rows = cursor.fetchall()
    known: dict[str, tuple[Pattern, int]] = {}
    groups: defaultdict[str, Counter[Profile]] = defaultdict(Counter)
    for name, text, number in rows:
        entries = text.split(" ")
        for entry in entries:
            if entry not in known:
                known[entry] = _read(entry)
        name = "" if name is None else str(name)
        groups[name[:10] if by == "week" else name][tuple(known[entry] for entry in entries)] += number
    return dict(groups)


def _gathered(text: str) -> str:
    """SQL that joins the texts of a group's rows by spaces, in an order of their own where there is one."""
    if connection.vendor == "postgresql":
        return f"string_agg({text}, ' ' ORDER BY {text})"
    return f"group_concat({text}, ' ')"


def _counted(question: Question) -> Any:
    return Label.objects.filter(question=question).counted()


def _read(entry: str) -> tuple[Pattern, int]:
    """The pattern and the number that the query wrote as one text."""
    text, _, number = entry.rpartition("*")
    author, decided, adjudicated, by_author, *votes = text.split("/")
    by = "adjudicated" if adjudicated else "published" if decided else ""
    return (
        Pattern(author or None, tuple(map(int, votes)), decided or None, by, by_author == "1"),
        int(number),
    )


def _table_rows(by: str, group: str, figures: dict[str, Any], ends: dict[str, Any]) -> Iterator[list[Any]]:
    for name, value in figures.items():
        if name == "intervals":
            continue
        # A kappa has a part for each label.
        whole = not isinstance(value, dict)
        for part, each in {"": value}.items() if whole else value.items():
            low, high = (ends.get(name) if whole else (ends.get(name) or {}).get(part)) or ("", "")
            yield [by, group, f"{name}: {part}" if part else name, each, low, high]
