"""Copy the rows of a snapshot from the corpus, in one short transaction, by INSERT ... SELECT.

The files are written from this copy alone, so people can go on working meanwhile.
"""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from functools import reduce
from operator import or_
from typing import Any

from django.db import connection, transaction
from django.db.models import (
    Case,
    CharField,
    Count,
    Exists,
    F,
    IntegerField,
    Max,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Value,
    When,
)
from django.db.models.functions import Cast, Coalesce, Collate

from collection.models import Pair, PairInSet, PairSet, Premise, Source
from collection.premises.partitions import partition_of
from nli.answers import EXTRA, FIRST
from nli.gold import OF_ALL, WITHHELD
from nli.lines import PARTITIONS
from nli.manifest import Provenance, Times, Withdrawn
from shared.portions import portions
from snapshots.freezing.partition import DEV, TRAIN, destination
from snapshots.freezing.plan import FreezePlan, plan_freeze
from snapshots.freezing.premise_groups import Row
from snapshots.models import (
    ANSWER_COLUMNS,
    Placement,
    Snapshot,
    SnapshotAnswer,
    SnapshotFile,
    SnapshotLabel,
    SnapshotPair,
    SnapshotSentenceLabel,
    SnapshotSet,
)
from validation.gold.queries import is_complete, with_gold_label
from validation.models import BatchItem, Label, Question
from validation.models.querysets import IN_SEATS, is_beyond_seats
from validation.pairs.withholding import seal, unsealed
from validation.statistics.extra_labels import question_of_single_premises

PLACED_AT_ONCE = 2000
# Conditions on a pair, each with the facts of a Row for which it holds.
Tests = list[tuple[Q, dict[str, Any]]]
CODE_POINTS = {"postgresql": "C", "sqlite": "BINARY"}  # the collation that compares code points


@contextmanager
def consistent_read() -> Iterator[None]:
    """Opens a transaction in which all statements see the corpus as it was at one moment.

    By default, PostgreSQL shows each statement what was committed before that statement; on SQLite a writer has the
    database to itself. PostgreSQL's default work_mem suits small statements, and these are large.
    """
    outermost = not connection.in_atomic_block
    with transaction.atomic():
        if connection.vendor == "postgresql" and outermost:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                cursor.execute("SET LOCAL work_mem = '64MB'")
        yield


def copy_rows(snapshot: Snapshot) -> FreezePlan:
    """Places premises that have no partition, and copies pairs, labels and answers. Call it in `consistent_read`.

    It first deletes what an interrupted freeze of this snapshot left behind. Returns the plan that it carried out.
    Raises HoldOutRefused.
    """
    delete_copied_rows(snapshot)
    Placement.objects.filter(first_snapshot=snapshot).delete()
    planned = plan_freeze(
        snapshot.corpus,
        seed=snapshot.seed,
        dev_from_train=snapshot.dev_from_train,
        author_disjoint=snapshot.author_disjoint,
    )
    with unsealed(snapshot.corpus):
        _place(snapshot, planned)
        _copy_pairs(snapshot, planned)
        _copy_labels(snapshot, planned.question)
        _copy_sentence_labels(snapshot, planned.question)
        _copy_answers(snapshot, planned.question)
        _copy_sets(snapshot)
        planned.history = {
            "provenance": _provenance(snapshot),
            "times": _times(snapshot, planned.question),
            "withdrawn": _withdrawn(snapshot, planned.question),
        }
    return planned


def delete_copied_rows(snapshot: Snapshot) -> None:
    """Deletes the copied rows by SQL, because the ORM would load all of them to look for protected rows."""
    rows = _table(SnapshotPair)
    _delete_labels(snapshot, PARTITIONS)
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {rows} WHERE snapshot_id = %s", [snapshot.pk])
    SnapshotFile.objects.filter(snapshot=snapshot).delete()


def withhold_labels(snapshot: Snapshot, partitions: Collection[str]) -> None:
    """Removes what was copied of these partitions beside texts, once the files are written, and seals their pairs."""
    if not partitions:
        return
    rows = SnapshotPair.objects.filter(snapshot=snapshot, partition__in=partitions)
    seal(pairs=Pair.objects.filter(pk__in=rows.values("pair")), corpus=snapshot.corpus)
    _delete_labels(snapshot, partitions)
    rows.update(gold_label=None, gold_source=WITHHELD, seats_waiting=0)


def _delete_labels(snapshot: Snapshot, partitions: Collection[str]) -> None:
    these = ", ".join(["%s"] * len(partitions))
    of = f"SELECT id FROM {_table(SnapshotPair)} WHERE snapshot_id = %s AND partition IN ({these})"
    with connection.cursor() as cursor:
        for said in (SnapshotLabel, SnapshotSentenceLabel, SnapshotAnswer, SnapshotSet):
            cursor.execute(f"DELETE FROM {_table(said)} WHERE row_id IN ({of})", [snapshot.pk, *partitions])


def in_code_point_order(name: str) -> Collate:
    """Orders texts the same way in every database: the server's own order would change the files."""
    return Collate(F(name), CODE_POINTS[connection.vendor])


def _place(snapshot: Snapshot, planned: FreezePlan) -> None:
    """Stores the partition of premises that have none yet. A placement is never changed."""
    standing = Pair.objects.standing().filter(premise=OuterRef("pk"))
    unplaced = Premise.objects.filter(corpus=snapshot.corpus, placement=None).order_by("pk")
    made = unplaced.filter(Exists(standing.filter(published_partition=None)))
    _store(_made(made, snapshot, planned))
    if planned.held_out:
        published = unplaced.filter(Exists(standing.filter(published_partition=TRAIN)))
        _store(
            Placement(premise_id=pk, partition=DEV, origin=Placement.Origin.HELD_OUT, first_snapshot=snapshot)
            for pk, group in published.values_list("pk", "group").iterator()
            if group in planned.held_out
        )


def _made(premises: QuerySet[Premise], snapshot: Snapshot, planned: FreezePlan) -> Iterator[Placement]:
    outside = set(planned.outside_training)
    for pk, group, genre in premises.values_list("pk", "group", "genre__slug").iterator():
        partition = planned.plan.place_of(group)
        # A premise that is left out of train now may be drawn for dev or test later.
        if not (partition == TRAIN and genre in outside):
            yield Placement(premise_id=pk, partition=partition, first_snapshot=snapshot)


def _store(placements: Iterator[Placement]) -> None:
    for portion in portions(placements, PLACED_AT_ONCE):
        Placement.objects.bulk_create(portion)


def _copy_pairs(snapshot: Snapshot, planned: FreezePlan) -> None:
    """Copies the pairs that have a partition.

    Rows are inserted in the order of the files (partition, then public id), so the writer can page by primary key.
    """
    pairs = (
        with_gold_label(Pair.objects.filter(corpus=snapshot.corpus).standing(), planned.question)
        .filter(_has_partition(planned))
        .annotate(
            goes_to=partition_of(),
            key=F("pk"),
            # Elsewhere the number of labels tells whether a pair has all.
            waits_for=F("waiting") if planned.question.gold_rule == OF_ALL else Value(0),
        )
        .order_by()
        .values_list("key", "public_id", "goes_to", "scheme", "gold_label", "gold_source", "waits_for")
    )
    sql, params = pairs.query.sql_with_params()
    # ORDER BY is in the outer query: in the inner one, the database would sort all votes before it counts them.
    select = (
        f"SELECT %s, placed.key, placed.goes_to, placed.scheme, placed.gold_label, placed.gold_source,"
        f" placed.waits_for FROM ({sql}) AS placed"
        f" ORDER BY placed.goes_to, placed.public_id COLLATE {_quoted(CODE_POINTS[connection.vendor])}"
    )
    columns = "snapshot_id, pair_id, partition, scheme, gold_label, gold_source, seats_waiting"
    _insert(SnapshotPair, columns, select, (snapshot.pk, *params))


def _has_partition(planned: FreezePlan) -> Q:
    """Returns the condition on pairs that go to a partition: `destination` is asked for each kind of pair."""
    tests: Tests = [
        (Q(premise__genre__slug__in=planned.outside_training), {"genre": "outside"}),
        (Q(author__in=planned.plan.test_authors), {"author": 1}),
        (is_complete(), {"validated": True}),
    ]
    kinds = [(Q(published_partition__isnull=False), _goes({"published": TRAIN}, tests))]
    kinds += [(Q(premise__placement__partition=part), _goes({"placed": part}, tests)) for part in PARTITIONS]
    return _any_of(kinds)


def _goes(facts: dict[str, Any], tests: Tests) -> Q | bool:
    """Returns the condition on pairs with these facts; True or False if no test changes where they go."""
    if not tests:
        row = Row(**{"group": "", "genre": "", "pairs": 1, **facts})
        return destination(row, TRAIN, {"outside"}, {1})[0] is not None
    (test, fact), *others = tests
    ways = ((test, _goes(facts | fact, others)), (~test, _goes(facts, others)))
    if ways[0][1] == ways[1][1]:
        return ways[0][1]
    return _any_of(ways)


def _any_of(ways: Iterable[tuple[Q, Q | bool]]) -> Q:
    """Returns a filter for rows that fulfil both conditions of one pair. Skips pairs whose second one is False."""
    return reduce(or_, (kind if goes is True else kind & goes for kind, goes in ways if goes is not False))


def _copy_labels(snapshot: Snapshot, question: Question) -> None:
    """Copies the labels that count (the rule is validation's), joined to the rows just copied."""
    code = Coalesce("annotator__code", Value(""))
    counted = (
        Label.objects.filter(question=question)
        .counted()
        .order_by()
        .annotate(code=code)
        .values_list("pair_id", "position", "label", "code")
    )
    sql, params = counted.query.sql_with_params()
    # The ORM cannot join tables without a relation, so the outer SELECT is in SQL.
    select = (
        f"SELECT kept.id, counted.position, counted.label, counted.code FROM ({sql}) AS counted"
        f" JOIN {_table(SnapshotPair)} AS kept ON kept.pair_id = counted.pair_id WHERE kept.snapshot_id = %s"
        " ORDER BY kept.id, counted.position"  # the order in which they are read later
    )
    _insert(SnapshotLabel, "row_id, position, label, annotator_code", select, (*params, snapshot.pk))


def _copy_sentence_labels(snapshot: Snapshot, question: Question) -> None:
    """Copies the labels of single sentences of premises, if the corpus asks for them."""
    single = question_of_single_premises(question)
    if single is None:
        return
    code = Coalesce("annotator__code", Value(""))
    cast = (
        Label.objects.in_seats()
        .filter(question=single, sentence__gt=0)
        .order_by()
        .annotate(code=code)
        .values_list("pair_id", "sentence", "position", "label", "code")
    )
    sql, params = cast.query.sql_with_params()
    select = (
        f"SELECT kept.id, given.sentence, given.position, given.label, given.code FROM ({sql}) AS given"
        f" JOIN {_table(SnapshotPair)} AS kept ON kept.pair_id = given.pair_id WHERE kept.snapshot_id = %s"
    )
    columns = "row_id, sentence, position, label, annotator_code"
    _insert(SnapshotSentenceLabel, columns, select, (*params, snapshot.pk))


def _copy_sets(snapshot: Snapshot) -> None:
    """Copies in which named sets the pairs are."""
    select = (
        f"SELECT kept.id, found.name FROM {_table(PairInSet)} AS place"
        f" JOIN {_table(PairSet)} AS found ON found.id = place.pair_set_id"
        f" JOIN {_table(SnapshotPair)} AS kept ON kept.pair_id = place.pair_id WHERE kept.snapshot_id = %s"
    )
    _insert(SnapshotSet, "row_id, name", select, (snapshot.pk,))


def _copy_answers(snapshot: Snapshot, question: Question) -> None:
    """Copies the answers that SnapshotLabel does not hold: see SnapshotAnswer. Most corpora have none."""
    asked = Case(
        When(question=question.pk, then=Value("")), default=F("question__slug"), output_field=CharField()
    )
    labels = (
        Label.objects.filter(question__corpus=snapshot.corpus, label__isnull=False)
        .exclude(IN_SEATS & Q(question=question, sentence=0, reason=""))
        .order_by()
        .annotate(
            asked=asked,
            said=F("withdrawn_because"),
            in_round=Case(
                When(is_beyond_seats(F("question__seats")), then=Value(EXTRA)), default=Value(FIRST)
            ),
            does_count=Case(When(IN_SEATS, then=Value(True)), default=Value(False)),
            no_skip=Value(None, output_field=CharField(null=True)),
            code=Coalesce("annotator__code", Value("")),
            kind=Case(
                When(origin__in=["expert", "model"], then=F("origin")),
                default=Value(""),
                output_field=CharField(),
            ),
        )
        .values_list(
            *(
                "pair_id",
                "asked",
                "sentence",
                "position",
                "in_round",
                "does_count",
                "label",
                "no_skip",
                "code",
                "reason",
            ),
            *("kind", "model", "said"),
        )
    )
    skips = (
        BatchItem.objects.filter(assignment__question__corpus=snapshot.corpus, skip_reason__isnull=False)
        .order_by()
        .annotate(
            asked=Case(
                When(assignment__question=question.pk, then=Value("")),
                default=F("assignment__question__slug"),
                output_field=CharField(),
            ),
            no_position=Cast(Value(None), IntegerField(null=True)),
            in_round=Case(
                When(is_beyond_seats(F("assignment__question__seats"), "seat__"), then=Value(EXTRA)),
                default=Value(FIRST),
            ),
            does_count=Value(False),
            no_label=Value(None, output_field=CharField(null=True)),
            **{f"empty_{k}": Value("") for k in range(4)},
        )
        .values_list(
            *(
                "seat__pair_id",
                "asked",
                "seat__sentence",
                "no_position",
                "in_round",
                "does_count",
                "no_label",
                "skip_reason",
            ),
            *("assignment__annotator__code", *(f"empty_{k}" for k in range(4))),
        )
    )
    columns = ANSWER_COLUMNS.values()  # both queries have their values in this order
    for given in (labels, skips):
        sql, params = given.query.sql_with_params()
        names = ", ".join(("pair_id", *columns))
        select = (
            f"WITH given({names}) AS ({sql}) SELECT kept.id, {', '.join(f'given.{name}' for name in columns)}"
            f" FROM given JOIN {_table(SnapshotPair)} AS kept ON kept.pair_id = given.pair_id WHERE kept.snapshot_id = %s"
        )
        _insert(SnapshotAnswer, ", ".join(("row_id", *columns)), select, (*params, snapshot.pk))


def _insert(model: Any, columns: str, select: str, params: tuple[Any, ...]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {_table(model)} ({columns}) {select}", params)


def _table(model: Any) -> str:
    return _quoted(model._meta.db_table)


def _quoted(name: str) -> str:
    return connection.ops.quote_name(name)


def _provenance(snapshot: Snapshot) -> list[Provenance]:
    """Lists the files that premises and pairs were imported from, with their numbers of premises and pairs."""
    rows = SnapshotPair.objects.filter(snapshot=snapshot).order_by()
    premises = rows.values_list("pair__premise__source").annotate(
        number=Count("pair__premise", distinct=True)
    )
    pairs = rows.values_list("pair__source").annotate(number=Count("pk"))
    counts = {"premises": dict(premises), "pairs": dict(pairs)}
    sources = Source.objects.filter(pk__in=[key for found in counts.values() for key in found if key])
    return [
        {
            "file": source.name,
            "sha256": source.sha256,
            "licence": source.licence,
            "imported_on": source.imported_at.date().isoformat(),
            "premises": dict(premises).get(source.pk, 0),
            "pairs": dict(pairs).get(source.pk, 0),
        }
        for source in sources.order_by("name", "sha256")
    ]


def _times(snapshot: Snapshot, question: Question) -> Times:
    """Returns the first and the last day of writing and of labelling. Exact times could identify a person."""
    rows = SnapshotPair.objects.filter(snapshot=snapshot)
    cast = Label.objects.filter(
        question=question, origin=Label.Origin.CAST, pair__in=rows.values("pair")
    ).counted()
    written = rows.filter(pair__author__isnull=False, pair__source=None)
    return {
        "written": _days(written.aggregate(first=Min("pair__created_at"), last=Max("pair__created_at"))),
        "labelled": _days(cast.order_by().aggregate(first=Min("cast_at"), last=Max("cast_at"))),
    }


def _days(found: dict[str, Any]) -> list[str] | None:
    return [found[key].date().isoformat() for key in ("first", "last")] if found["first"] else None


def _withdrawn(snapshot: Snapshot, question: Question) -> Withdrawn:
    """Counts withdrawn pairs and labels by reason, and lists the withdrawn pairs of earlier snapshots, by id only."""
    pairs = Pair.objects.filter(corpus=snapshot.corpus, withdrawn_at__isnull=False)
    labels = Label.objects.filter(question=question, withdrawn_at__isnull=False, label__isnull=False)
    was_out = SnapshotPair.objects.filter(pair=OuterRef("pk")).exclude(snapshot=snapshot)
    known = pairs.filter(Exists(was_out)).order_by(in_code_point_order("public_id"))
    return {
        "pairs": _by_reason(pairs),
        "labels": _by_reason(labels),
        "of_earlier_snapshots": [
            {"pairID": name, "because": because}
            for name, because in known.values_list("public_id", "withdrawn_because")
        ],
    }


def _by_reason(withdrawn: QuerySet[Any]) -> dict[str, int]:
    counted = withdrawn.order_by().values_list("withdrawn_because").annotate(number=Count("pk"))
    return dict(sorted(counted))
