"""Pages that show the pairs of a frozen snapshot as they were at the freeze, and what changed since the one before."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from django.db.models import Count, Exists, F, Max, Min, OuterRef, Q
from django.db.models.functions import Greatest, Length
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils.http import urlencode

from accounts.pages.access import researcher_page
from accounts.pages.chart_files import chart_file
from nli.gold import SOURCES
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
    facets,
    histograms,
)
from shared.figures import shown
from shared.pages_by_key import counted_up_to, page_by_key, portions_by_key
from snapshots.browsing.changed_pairs import FIGURES as OF_CHANGES
from snapshots.browsing.changes import CHANGES, GONE, before, changed, changed_answers, changes
from snapshots.browsing.pair_numbers import (
    MOST_AT_ONCE,
    address_of_pairs,
    groups_in,
    groups_of,
    is_counted,
    votes_by_label,
)
from snapshots.models import Snapshot, SnapshotLabel, SnapshotPair
from snapshots.querysets import SnapshotPairQuerySet
from validation.pairs.random_order import in_drawn_order
from validation.questions.addresses import number_in
from validation.questions.lookup import main_wordings

PAIRS_A_PAGE = 50
MOST_COUNTED = 100_000
LONGEST = 200
RANDOM = "random"
ROWS_AT_ONCE = 1000
COUNTED = {
    "partition": "Partition",
    "genre": "Genre",
    "label": "Gold label",
    "source": "Source of the gold label",
    "votes": "Votes",
}
FILTERS = (*COUNTED, "text", "changed", "order")
# Characters of the hypothesis, and a class of agreement (shared/facets.py), by its upper end in percent.
NUMBERS = {"shortest": 10_000, "longest": 10_000, "agreement": 100}
VOTES = {"same": "all are the same", "different": "not all are the same", "none": "there are none"}


@researcher_page
def snapshot_pairs(request: HttpRequest, pk: int) -> HttpResponseBase:
    """Lists the pairs of a frozen snapshot, fifty a page, with filters; the address holds them all. `as=csv`: as CSV."""
    snapshot = get_object_or_404(Snapshot.objects.frozen().select_related("corpus"), pk=pk)
    wanted = {name: request.GET.get(name, "").replace("\0", "")[:LONGEST].strip() for name in FILTERS}
    limits = {name: number_in(request, name, 0, most) for name, most in NUMBERS.items()}
    lengths = classes_between(limits["shortest"], limits["longest"])
    agreement = chosen_agreement(limits["agreement"])
    found, seed = _filtered(snapshot, wanted, limits), number_in(request, "seed", 1, 2**31)
    if request.GET.get("as") == "csv":
        return csv_file(_csv(found), f"{snapshot.corpus.slug}-{snapshot.version}-pairs")
    is_searched = bool(lengths is None or wanted["text"] or wanted["changed"])
    few: Among | None = None
    if is_searched:
        others = {**limits, "agreement": 0, **({} if lengths is None else {"shortest": 0, "longest": 0})}
        few = _few(_filtered(snapshot, {**wanted, **dict.fromkeys(COUNTED, "")}, others))
        if few is not None:
            columns = {name: wanted[name] if name in COUNTED else "" for name in wanted}
            found = _filtered(snapshot, columns, limits).filter(few)
    previous = after = None
    if wanted["order"] == RANDOM:
        keys = [row.pk for row in in_drawn_order(found.only("pk"), str(seed))[:PAIRS_A_PAGE]]
    else:
        edges = {side: number_in(request, side, 0, 2**62) or None for side in ("after", "before")}
        page = page_by_key(found.only("pk"), "pk", PAIRS_A_PAGE, **edges)
        keys, previous, after = [row.pk for row in page.rows], page.before, page.after
    chosen: dict[str, Any] = {name: value for name, value in (wanted | limits).items() if value}
    if is_searched and few is None:
        values: tuple[Numbers, tuple[int, bool]] | None = {}, counted_up_to(found, MOST_COUNTED)
    else:
        classes = {
            "length": lengths or frozenset(),
            "agreement": frozenset({agreement} - {0}),
        }
        values = _numbers(
            snapshot, wanted, classes, few, is_asked=not {"part", "chart"}.isdisjoint(request.GET)
        )
    number, has_more = values[1] if values else counted_up_to(found, MOST_COUNTED)

    genres, answers = list(snapshot.corpus.genres.order_by("slug")), main_wordings(snapshot.corpus)
    words = {"label": {**answers, NO_GOLD: "none"}, "genre": {genre.slug: genre.name for genre in genres}}

    def with_others(values: dict[str, Any]) -> str:
        return address_of_pairs(snapshot, {**chosen, **values})

    numbers = values[0] if values else {}
    charts = histograms(numbers, limits["shortest"], limits["longest"], agreement, with_others)
    if "chart" in request.GET:
        return chart_file(charts, request.GET["chart"], f"{snapshot.corpus.slug}-{snapshot.version}-pairs")

    context = {
        "snapshot": snapshot,
        "rows": _rows(keys),
        "wanted": wanted | limits,
        "votes": VOTES,
        "sources": SOURCES,
        "facets": facets(numbers, COUNTED, wanted, lambda name, value: with_others({name: value}), words),
        "charts": [(chart, with_others({"chart": chart.key})) for chart in charts],
        "awaited": "" if values else urlencode({**chosen, "part": "numbers"}),
        "csv": urlencode({**chosen, "as": "csv"}),
        "partitions": PARTITIONS,
        "genres": genres,
        "labels": SCHEMES[snapshot.corpus.scheme],
        "words": answers,
        "no_gold": NO_GOLD,
        "changed": CHANGES[wanted["changed"]][number != 1] if wanted["changed"] in CHANGES else "",
        "number": number,
        "has_more": has_more,
        "is_narrowed": bool(chosen.keys() - {"order"}),
        "next": urlencode({**chosen, "after": after}) if after is not None else "",
        "previous": urlencode({**chosen, "before": previous}) if previous is not None else "",
        "another": urlencode({**chosen, "seed": seed + 1}) if wanted["order"] == RANDOM else "",
    }
    return render(request, "snapshots/pairs.html", context)


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
    wanted: dict[str, str],
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
    chosen: dict[str, Wish] = {**{name: wanted[name] for name in COUNTED}, **classes}
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
    keys = list(rows.order_by().values_list("pk", flat=True)[: MOST_AT_ONCE + 1])
    return Among("pk", keys) if len(keys) <= MOST_AT_ONCE else None


def _filtered(snapshot: Snapshot, wanted: dict[str, str], limits: dict[str, int]) -> SnapshotPairQuerySet:
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
    if wanted["votes"] == "none":
        rows = rows.filter(~Exists(labels))
    elif wanted["votes"] in VOTES:
        ends = labels.order_by().values("row").annotate(first=Min("label"), last=Max("label"))
        same = Q(first=F("last")) if wanted["votes"] == "same" else Q(first__lt=F("last"))
        rows = rows.filter(Exists(ends.filter(same)))
    if part := chosen_agreement(limits.get("agreement", 0)):
        counts = votes_by_label(snapshot.corpus.scheme, "label")
        of_rows = labels.order_by().values("row").annotate(votes=Count("pk"), most=Greatest(*counts.values()))
        rows = rows.filter(Exists(of_rows.filter(agreement_class(part))))
    shortest, longest = limits.get("shortest"), limits.get("longest")
    if shortest or longest:
        rows = rows.annotate(characters=Length("pair__hypothesis")).filter(characters__gte=shortest)
        rows = rows.filter(characters__lte=longest) if longest else rows
    return rows.filter(pair__hypothesis__has_words=wanted["text"]) if wanted["text"] else rows


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


def _rows(keys: Sequence[int]) -> list[tuple[SnapshotPair, Counter[str]]]:
    """Returns the rows with these keys, in this order, each with its votes."""
    votes: defaultdict[int, Counter[str]] = defaultdict(Counter)
    labels = SnapshotLabel.objects.filter(row__in=keys).order_by().values_list("row", "label")
    for row, label, number in labels.annotate(number=Count("pk")):
        votes[row][label] = number
    found = SnapshotPair.objects.select_related("pair__premise__genre").in_bulk(keys)
    return [(found[key], votes[key]) for key in keys]
