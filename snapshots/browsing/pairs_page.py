"""Pages that show the pairs of a frozen snapshot as they were at the freeze, and what changed since the one before."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from django.db.models import Count, Exists, F, FloatField, Max, Min, OuterRef, Q, Subquery, Value
from django.db.models.functions import Cast, Coalesce, Greatest, Length
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse

from accounts.pages.access import researcher_form, researcher_page
from accounts.pages.chart_files import chart_file
from collection.models import PairInSet
from nli.gold import NONE, SOURCES, VOTED
from nli.labels import NO_GOLD, SCHEMES
from nli.lines import PARTITIONS
from shared.among import Among
from shared.csv_files import csv_file, csv_text
from shared.facets import (
    Numbers,
    Wish,
    agreement_class,
    chosen_agreement,
    classes_between,
    counted,
    histograms,
)
from shared.figures import shown
from shared.lists import Filter, Row, View, chosen_numbers, orders_of
from shared.pages_by_key import Order, counted_up_to, page_by_key, portions_by_key
from shared.tables import Column
from snapshots.browsing.changed_pairs import FIGURES as OF_CHANGES
from snapshots.browsing.changes import CHANGES, GONE, before, changed, changed_answers, changes
from snapshots.browsing.pair_numbers import (
    MOST_AT_ONCE,
    groups_in,
    groups_of,
    is_counted,
    votes_by_label,
)
from snapshots.models import Snapshot, SnapshotLabel, SnapshotPair
from snapshots.querysets import SnapshotPairQuerySet
from validation.pairs.acting import ACTS
from validation.pairs.acting_pages import act_on_pairs
from validation.pairs.pair_sets import sets_of
from validation.pairs.random_order import in_drawn_order
from validation.questions.lookup import main_wordings

MOST_COUNTED = 100_000
RANDOM = "random"
SORTED = {
    "genre": "pair__premise__genre__name",
    "gold": "gold_label",
    "characters": Length("pair__hypothesis"),
}
ORDERS = {
    "": "order of the files",
    "last": "the last of the files first",
    RANDOM: "a random sample",
    **orders_of([Column("genre", "genre"), Column("gold", "gold label")]),
    **orders_of([Column("characters", "characters", "count"), Column("agreement", "agreement", "share")]),
}
BY: dict[str, tuple[str | None, str | None]] = {
    "pair": ("", "last"),
    "partition": ("", "last"),
    "gold": ("gold", "-gold"),
    "votes": ("agreement", "-agreement"),
    "characters": ("characters", "-characters"),
}
COLUMNS = [
    Column("pair", "Pair, genre", "name"),
    Column("premise", "Premise", "passage"),
    Column("hypothesis", "Hypothesis", "passage"),
    Column("votes", "Labels", "votes"),
    Column("gold", "Gold label", "label"),
    Column("partition", "Partition"),
    Column("characters", "Characters", "count", on_page=False),
]
ROWS_AT_ONCE = 1000
COUNTED = ("partition", "genre", "label", "source", "votes")
Wishes = dict[str, Any]  # filter -> what is typed, or the values that are chosen
# Characters of the hypothesis, and a class of agreement (shared/facets.py), by its upper end in percent.
NUMBERS = {"shortest": 10_000, "longest": 10_000, "agreement": 100}
VOTES = {"same": "all are the same", "different": "not all are the same", "none": "there are none"}


@researcher_form
def snapshot_pairs(request: HttpRequest, pk: int) -> HttpResponseBase:
    """Lists the pairs of a frozen snapshot, page by page, with filters; the address holds the view. `as=csv`: as CSV.

    POST: what to do with chosen pairs of the corpus.
    """
    snapshot = get_object_or_404(Snapshot.objects.frozen().select_related("corpus"), pk=pk)
    view = View(request, COLUMNS, ORDERS, BY)
    wanted: Wishes = {name: view.text(name) for name in ("text", "changed")}
    wanted |= {name: view.chosen(name) for name in (*COUNTED, "set")}
    limits = {name: view.number(name, 0, most) for name, most in NUMBERS.items()}
    lengths = classes_between(limits["shortest"], limits["longest"])
    agreement = chosen_agreement(limits["agreement"])
    found, seed = _filtered(snapshot, wanted, limits), view.number("seed", 1, 2**31)
    if request.method == "POST":
        return act_on_pairs(request, snapshot.corpus, lambda: _names(found))
    if request.GET.get("as") == "csv":
        return csv_file(_csv(found), f"{snapshot.corpus.slug}-{snapshot.version}-pairs")
    is_searched = bool(lengths is None or wanted["text"] or wanted["changed"] or wanted["set"])
    few: Among | None = None
    if is_searched:
        others = {**limits, "agreement": 0, **({} if lengths is None else {"shortest": 0, "longest": 0})}
        few = _few(_filtered(snapshot, {**wanted, **dict.fromkeys(COUNTED, "")}, others))
        if few is not None:
            columns = {name: wanted[name] if name in COUNTED else "" for name in wanted}
            found = _filtered(snapshot, columns, limits).filter(few)
    previous = after = None
    if view.order == RANDOM:
        keys = [row.pk for row in in_drawn_order(found.only("pk"), str(seed))[: view.size]]
    else:
        edges = {side: view.number(side, 0, 2**62) for side in ("after", "before")}
        by = {"": "pk", "last": "-pk"}.get(view.order, view.order)
        order = Order.among(by, {**SORTED, "agreement": _agreement(snapshot)})
        page = page_by_key(found.only("pk"), order, view.size, **edges)
        keys, previous, after = [row.pk for row in page.rows], page.before, page.after
    if is_searched and (few is None or len(few.values) > MOST_AT_ONCE):
        values: tuple[Numbers, tuple[int, bool]] | None = {}, counted_up_to(found, MOST_COUNTED)
    else:
        classes = {"length": lengths or frozenset(), "agreement": frozenset({agreement} - {0})}
        is_asked = not {"part", "chart"}.isdisjoint(request.GET)
        values = _numbers(snapshot, wanted, classes, few, is_asked=is_asked)
    number, has_more = values[1] if values else counted_up_to(found, MOST_COUNTED)
    numbers = values[0] if values else {}
    charts = histograms(numbers, limits["shortest"], limits["longest"], agreement, view.address)
    if "chart" in request.GET:
        return chart_file(charts, request.GET["chart"], f"{snapshot.corpus.slug}-{snapshot.version}-pairs")

    words = main_wordings(snapshot.corpus)
    filters = _filters(snapshot, words)
    changed = CHANGES[wanted["changed"]][number != 1] if wanted["changed"] in CHANGES else ""
    context = {
        "snapshot": snapshot,
        "awaited": "" if values else view.address({"part": "numbers"}),
        "changed": changed,
        "list": view.page_of(
            _rows(snapshot, keys),
            filters,
            total=(number, has_more),
            numbers=numbers,
            charts=charts,
            chosen=chosen_numbers(**limits) | {("changed",): changed},
            marked=wanted["text"],
            after=after,
            before=previous,
            another=view.address({"seed": seed + 1}) if view.order == RANDOM else "",
            acts=ACTS,
            language=snapshot.corpus.language,
            words=words,
        ),
    }
    return render(request, "snapshots/pairs.html", context)


def _filters(snapshot: Snapshot, words: dict[str, str]) -> list[Filter]:
    labels = {label: words.get(label, label) for label in SCHEMES[snapshot.corpus.scheme]}
    return [
        Filter("text", "Words of premise or hypothesis"),
        Filter("partition", "Partition", dict(zip(PARTITIONS, PARTITIONS, strict=True))),
        Filter("label", "Gold label", {**labels, NO_GOLD: "none"}),
        Filter("votes", "Votes", VOTES),
        Filter("genre", "Genre", dict(snapshot.corpus.genres.order_by("slug").values_list("slug", "name"))),
        Filter("source", "Source of the gold label", SOURCES),
        Filter("set", "Set", {name: name for name in sets_of(snapshot.corpus)}),
    ]


@researcher_page
def snapshot_changes(request: HttpRequest, pk: int) -> HttpResponse:
    """Shows how many pairs changed since the snapshot before: a part of the snapshot's page, which requests it."""
    snapshot = get_object_or_404(Snapshot.objects.frozen().select_related("corpus"), pk=pk)
    old = before(snapshot)
    context = {
        "snapshot": snapshot,
        "old": old,
        "changes": changes(old, snapshot) if old else [],
        "answers": changed_answers(old, snapshot) if old else [],
        "samples": list(shown(OF_CHANGES, snapshot)),
    }
    return render(request, "snapshots/changes.html", context)


def _numbers(
    snapshot: Snapshot,
    wanted: Wishes,
    classes: dict[str, frozenset[int]],
    few: Among | None,
    *,
    is_asked: bool,
) -> tuple[Numbers, tuple[int, bool]] | None:
    """Returns (filter -> values with numbers, the total as `counted_up_to` does); None if counting takes too long.

    classes: of lengths and of agreement that are chosen; those of agreement begin with 1.
    few: which pairs alone are counted. is_asked: whether the page came before, and waits for the numbers of a large
    snapshot.
    """
    chosen: dict[str, Wish] = {**{name: frozenset(wanted[name]) for name in COUNTED}, **classes}
    if few is not None:
        groups = groups_of(SnapshotPair.objects.filter(few, snapshot=snapshot), snapshot.corpus.scheme)
    elif is_asked or is_counted(snapshot):
        groups = groups_in(snapshot)
    else:
        return None
    values, number = counted(groups, chosen, {"votes": tuple(VOTES), "partition": PARTITIONS})
    return values, (number, False)


def _few(rows: SnapshotPairQuerySet) -> Among | None:
    """Returns a condition that names these rows, so that texts are searched once for a page; None if they are too many."""
    keys = list(rows.order_by().values_list("pk", flat=True)[: MOST_COUNTED + 1])
    return Among("pk", keys) if len(keys) <= MOST_COUNTED else None


def _filtered(snapshot: Snapshot, wanted: Wishes, limits: dict[str, int]) -> SnapshotPairQuerySet:
    rows: SnapshotPairQuerySet = SnapshotPair.objects.filter(snapshot=snapshot)
    if wanted["changed"]:
        # Those that are gone stand in the list of the snapshot that still has them.
        is_gone = wanted["changed"] == GONE
        after = Snapshot.objects.frozen().filter(corpus=snapshot.corpus_id, version__gt=snapshot.version)
        other = after.order_by("version").first() if is_gone else before(snapshot)
        if wanted["changed"] not in CHANGES or other is None:
            raise Http404(f"There is no such change in {snapshot}.")
        old, new = (snapshot, other) if is_gone else (other, snapshot)
        rows = rows.filter(pk__in=changed(old, new, wanted["changed"]).values("pk"))
    rows = rows.chosen(
        partition=wanted["partition"], genre=wanted["genre"], label=wanted["label"], source=wanted["source"]
    )
    labels = SnapshotLabel.objects.filter(row=OuterRef("pk"))
    ends = labels.order_by().values("row").annotate(first=Min("label"), last=Max("label"))
    standing = {
        "none": ~Exists(labels),
        "same": Exists(ends.filter(first=F("last"))),
        "different": Exists(ends.filter(first__lt=F("last"))),
    }
    if votes := [Q(standing[name]) for name in wanted["votes"] if name in standing]:
        rows = rows.filter(Q.create([*votes], Q.OR))
    if part := chosen_agreement(limits.get("agreement", 0)):
        counts = votes_by_label(snapshot.corpus.scheme, "label")
        of_rows = labels.order_by().values("row").annotate(votes=Count("pk"), most=Greatest(*counts.values()))
        rows = rows.filter(Exists(of_rows.filter(agreement_class(part))))
    shortest, longest = limits.get("shortest"), limits.get("longest")
    if shortest or longest:
        rows = rows.annotate(characters=Length("pair__hypothesis")).filter(characters__gte=shortest)
        rows = rows.filter(characters__lte=longest) if longest else rows
    if wanted["set"]:
        places = PairInSet.objects.named(snapshot.corpus_id, wanted["set"])
        rows = rows.filter(pair__in=places.values("pair"))
    if wanted["text"]:
        words = Q(pair__hypothesis__has_words=wanted["text"]) | Q(
            pair__premise__text__has_words=wanted["text"]
        )
        rows = rows.filter(words)
    return rows


def _agreement(snapshot: Snapshot) -> Coalesce:
    """Returns the share of a row's labels that the most frequent one has; 0 without labels."""
    labels = SnapshotLabel.objects.filter(row=OuterRef("pk")).order_by().values("row")
    most = Greatest(*votes_by_label(snapshot.corpus.scheme, "label").values())
    share = labels.annotate(share=Cast(most, FloatField()) / Count("pk")).values("share")
    return Coalesce(Subquery(share), Value(0.0))


def _names(found: SnapshotPairQuerySet) -> Iterator[str]:
    for rows in portions_by_key(found, ROWS_AT_ONCE, "pair__public_id"):
        yield from (name for _, name in rows)


def _csv(found: SnapshotPairQuerySet) -> Iterator[str]:
    """Yields all rows that pass, portion by portion, each with its labels in the order of the file."""
    yield csv_text(
        [["id", "partition", "genre", "premise", "hypothesis", "gold_label", "gold_source", "labels"]]
    )
    for rows in portions_by_key(found, ROWS_AT_ONCE):
        portion = [key for (key,) in rows]
        given: defaultdict[int, list[str]] = defaultdict(list)
        for row, label in (
            SnapshotLabel.objects.filter(row__in=portion).order_by("pk").values_list("row", "label")
        ):
            given[row].append(label)
        shown = (
            SnapshotPair.objects.filter(pk__in=portion).order_by("pk").select_related("pair__premise__genre")
        )
        yield csv_text(
            [
                *(each.pair.public_id, each.partition, each.pair.premise.genre.slug, each.pair.premise.text),
                *(
                    each.pair.hypothesis,
                    each.gold_label or NO_GOLD,
                    each.gold_source,
                    " ".join(given[each.pk]),
                ),
            ]
            for each in shown
        )


def _rows(snapshot: Snapshot, keys: Sequence[int]) -> list[Row]:
    """Returns the rows with these keys, in this order, each with its votes."""
    votes: defaultdict[int, Counter[str]] = defaultdict(Counter)
    labels = SnapshotLabel.objects.filter(row__in=keys).order_by().values_list("row", "label")
    for row, label, number in labels.annotate(number=Count("pk")):
        votes[row][label] = number
    found = SnapshotPair.objects.select_related("pair__premise__genre").in_bulk(keys)
    return [_row(snapshot, found[key], votes[key]) for key in keys]


def _row(snapshot: Snapshot, row: SnapshotPair, votes: Counter[str]) -> Row:
    pair = row.pair
    address = reverse("pair", args=[snapshot.corpus.slug, pair.public_id])
    return Row(
        pair.public_id,
        {
            "pair": (pair.public_id, address, pair.premise.genre.name),
            "premise": pair.premise.sentences,
            "hypothesis": pair.hypothesis,
            "votes": (votes, SCHEMES[snapshot.corpus.scheme], pair.answers_left_out, ""),
            "gold": (row.gold_label, "" if row.gold_source in (VOTED, NONE) else SOURCES[row.gold_source]),
            "partition": row.partition,
            "characters": len(pair.hypothesis),
        },
    )
