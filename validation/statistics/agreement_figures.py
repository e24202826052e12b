"""Figures of agreement: the papers' statistics, kappa, groups of pairs, split votes, author against gold, extra labels."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Literal

from collection.templatetags.labels import colours_of
from nli.labels import NO_GOLD
from shared.figures import Figure, Parameters, Picture, picture
from shared.findings import compared, in_place, most_frequent, named_rows
from shared.numbers import decimals, percent
from shared.tables import Column, Table, interval
from validation.questions.addresses import address_in
from validation.questions.lookup import answer_words
from validation.statistics.agreement import AgreementReport
from validation.statistics.cached import FIRST_DIMENSION, Kind
from validation.statistics.definitions import DEFINITIONS, NAMES, PUBLISHED, published_kappas
from validation.statistics.extra_labels import PARTS
from validation.statistics.scope import QUESTION, Counted
from validation.statistics.vote_patterns import DIMENSIONS, WEEKS, behind, name_of_group

MOST_ROWS = 60  # groups in a picture
NOBODY = "none"
WHOLE = "all"
LOW_HIGH: dict[str, Any] = {"low": "low", "high": "high"}
SOURCES = {
    "voted": "the votes",
    "adjudicated": "a researcher",
    "none": "nowhere: there is none",
}
YES, NO = ("",), ()  # whether a column is there


class By(Parameters):
    by: Literal["", *DIMENSIONS] = FIRST_DIMENSION  # type: ignore[valid-type]


def _with_author(data: Counted) -> tuple[str, ...]:
    return NO if data.found.figures["individual_equals_author"] is None else YES


def _with_validators(data: Counted) -> tuple[str, ...]:
    return YES if data.found.breakdown["validators_alone"] else NO


def _with_published(data: Counted) -> tuple[str, ...]:
    return YES if published_kappas(data.question.labels) else NO


def _with_pairs_of_their_own(data: Counted) -> tuple[str, ...]:
    return YES if data.found.without_self_validated else NO


def _ends(ends: Any, prefix: str = "") -> dict[str, float | None]:
    low, high = ends or (None, None)
    return {f"{prefix}low": low, f"{prefix}high": high}


def _others(table: Table, *keys: str) -> list[str]:
    """Returns those of the columns that the table has."""
    return [key for key in keys if key in {column.key for column in table.columns}]


def _shares(data: Counted, by: str) -> Iterator[dict[str, Any]]:
    found: AgreementReport = data.found
    alone, without = found.breakdown["validators_alone"] or {}, found.without_self_validated or {}
    for key, name in NAMES.items() if found.figures["pairs_with_all_labels"] else ():
        if found.figures[key] is not None or _with_author(data):
            snli, multinli = PUBLISHED.get(key, (None, None))
            yield {
                **{"figure": name, "here": found.figures[key], **_ends(found.intervals[key])},
                **{"SNLI": snli, "MultiNLI": multinli, "alone": alone.get(key), "without": without.get(key)},
            }


def _shares_drawn(table: Table, data: Counted) -> Picture:
    others = _others(table, "SNLI", "MultiNLI", "alone")
    note = "As in SNLI, Table 3, and MultiNLI, Table 2. A bar is the 95% interval."
    drawn = picture("dots", y="figure", x="here", **LOW_HIGH, others=others, x_domain=[0, 1], note=note)
    shown = {row["figure"] for row in table.rows}
    explained = [(name, DEFINITIONS[key]) for key, name in NAMES.items() if name in shown]
    many = data.found.self_validated
    own = f"In {many:,} published pairs the author is also among the validators: such labels are stored as published."
    return {**drawn, "explained": explained, "notes": [own] if many else []}


def _shares_found(table: Table) -> str:
    here = {row["figure"]: row for row in table.rows}
    same, equal = here[NAMES["unanimous"]], here[NAMES["individual_equals_gold"]]
    return (
        f"All labels are the same in {percent(same['here'])} of the pairs (SNLI, Table 3: {percent(same['SNLI'])}; MultiNLI,"
        f" Table 2: {percent(same['MultiNLI'])}), and {percent(equal['here'])} of the single labels equal the gold label"
        f" (SNLI, Table 3: {percent(equal['SNLI'])})."
    )


def _kappas(data: Counted, by: str) -> Iterator[dict[str, Any]]:
    figures, ends = data.found.figures, data.found.intervals
    kappa, alone = figures["fleiss_kappa"], figures["fleiss_kappa_validators"]
    beside = published_kappas(data.question.labels)
    words = {"overall": "overall", **answer_words(data.question)}
    for key, word in words.items() if kappa["overall"] is not None else ():
        row = {"of": word, "kappa": kappa[key], **_ends(ends["fleiss_kappa"][key]), "SNLI": beside.get(key)}
        if _with_author(data):
            row |= {"alone": alone[key], **_ends(ends["fleiss_kappa_validators"][key], "alone_")}
        yield {**row, "pairs": figures["pairs_with_all_labels"]}


def _kappa(value: float) -> str:
    return decimals(value, 2)


def _kappas_found(table: Table) -> str:
    whole, *labels = table.rows
    between = (
        f" (95% interval {_kappa(whole['low'])} to {_kappa(whole['high'])})"
        if whole["low"] is not None
        else ""
    )
    named = named_rows([{**row, "of": f"“{row['of']}”"} for row in labels], "of", "kappa", "pairs")
    apart = compared("that of a label", named, "label", _kappa)
    return f"Fleiss’ kappa is {_kappa(whole['kappa'])}{between}" + (f"; {apart}." if apart else ".")


def _kappas_drawn(table: Table, data: Counted) -> Picture:
    axis = [min(0, *(row["low"] or 0 for row in table.rows)), 1]
    return picture(
        "dots", y="of", x="kappa", **LOW_HIGH, others=_others(table, "SNLI", "alone"), x_domain=axis
    )


def _chosen(found: AgreementReport) -> tuple[dict[str, dict[str, Any]], str]:
    """Returns the groups of a figure (the largest if there are many), and a sentence that states the selection."""
    if len(found.rows) <= MOST_ROWS:
        return found.rows, ""
    most = sorted(found.rows, key=lambda name: -found.rows[name]["pairs_with_all_labels"])[:MOST_ROWS]
    note = f"The {MOST_ROWS} with most pairs of {len(found.rows):,}; the file of all statistics has all."
    return {name: found.rows[name] for name in most}, note


def _rows_of_groups(data: Counted, chosen: Mapping[str, dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yields what the rows of groups with all labels have in common: a name, the number of pairs, their address."""
    by = data.found.by
    names = {"genre": data.genres} if by == "genre" and data.found.figures["pairs_with_all_labels"] else {}
    for name, figures in chosen.items():
        if figures["pairs_with_all_labels"]:
            group = name_of_group(by, name, names) or NOBODY
            address = behind(data.question, by, name, votes="complete")
            yield {"group": group, "pairs": figures["pairs_with_all_labels"], "href": address, "of": figures}


def _groups(data: Counted, by: str, *, all_of_them: bool = False) -> list[dict[str, Any]]:
    """Returns a row for each group: weeks in their order, all else by kappa."""
    chosen = data.found.rows if all_of_them else _chosen(data.found)[0]
    rows = []
    for row in _rows_of_groups(data, dict(sorted(chosen.items())) if by in WEEKS else chosen):
        of = row.pop("of")
        shares = ("unanimous", "individual_equals_gold", "gold_equals_author", "no_gold")
        row |= {"kappa": of["fleiss_kappa"]["overall"], **{key: of[key] for key in shares}}
        row |= _ends(of.get("intervals", {}).get("fleiss_kappa", {}).get("overall"))
        if alone := of["validators_alone"]:
            row |= {"alone": alone["unanimous"], "alone_kappa": of["fleiss_kappa_validators"]["overall"]}
        rows.append(row)
    if by not in WEEKS:
        rows.sort(key=lambda row: -(row["kappa"] if row["kappa"] is not None else -2))
    return rows


def _groups_drawn(table: Table, data: Counted) -> Picture:
    overall, by = data.found.figures["fleiss_kappa"]["overall"], data.found.by
    line = {"axis": "x", "value": overall, "name": f"overall ({decimals(overall, 2)})"}
    note = (
        f"A point leads to its pairs. It is faint over fewer than 30 pairs. {_chosen(data.found)[1]}".rstrip()
    )
    lines = [line] if overall is not None else []
    drawn = picture("dots", y="group", x="kappa", **LOW_HIGH, n="pairs", lines=lines, note=note)
    rows = table.rows if len(data.found.rows) <= MOST_ROWS else _groups(data, by, all_of_them=True)
    parts = named_rows(rows, "group", "kappa", "pairs")
    found = compared("Fleiss’ kappa", parts, by, _kappa) or f"Fleiss’ kappa by {by}"
    return {**drawn, "title": in_place(found)}


def _splits(data: Counted, by: str) -> Iterator[dict[str, Any]]:
    whole, pairs = data.found.breakdown["splits"], data.found.figures["pairs_with_all_labels"]
    if pairs:
        address = address_in("pairs", data.question, votes="complete")
        yield {"group": WHOLE, "pairs": pairs, **whole, "href": address}
        for row in _rows_of_groups(data, _chosen(data.found)[0]):
            splits = row.pop("of")["splits"]
            yield {**row, **{split: splits.get(split, 0.0) for split in whole}}


def _names_of_splits(data: Counted) -> list[str]:
    return list(data.found.breakdown["splits"])


def _splits_drawn(table: Table, data: Counted) -> Picture:
    whole, seats = data.found.breakdown["splits"], data.question.seats
    drawn = picture(
        "bars", y="group", series=list(whole), n="pairs", x_domain=[0, 1], note=_chosen(data.found)[1]
    )
    title = (
        f"All {seats} labels are the same in {percent(whole.get(str(seats), 0.0))} of the pairs;"
        f" {percent(data.found.figures['no_gold'])} have no gold label."
    )
    return {**drawn, "title": title}


def _golds(data: Counted) -> dict[str, str]:
    words = answer_words(data.question)
    labels = {label: words.get(label, label) for label in data.question.rule.gold_labels}
    return labels | {NO_GOLD: "no gold label"}


def _author_and_gold(data: Counted, by: str) -> Iterator[dict[str, Any]]:
    for author, word in answer_words(data.question).items() if data.found.confusion else ():
        counts = {
            gold: data.found.confusion.get((author, None if gold == NO_GOLD else gold), 0)
            for gold in _golds(data)
        }
        of = partial(address_in, "pairs", data.question, author_label=author, votes="complete")
        yield {"author": word, **counts, "hrefs": {gold: of(gold=gold) for gold in counts if counts[gold]}}


def _author_and_gold_drawn(table: Table, data: Counted) -> Picture:
    confusion, question = data.found.confusion, data.question
    golds, words = _golds(data), answer_words(question)
    differs = percent(data.found.figures["gold_differs_from_author"])
    title = f"In {differs} of {sum(confusion.values()):,} pairs the gold label is not the author’s"
    changes = {
        f"{golds[gold]} for {words[author]}": number
        for (author, gold), number in confusion.items()
        if gold not in (None, question.rule.reads[author])
    }
    if found := most_frequent("change", changes, sum(changes.values()), "{:,}".format):
        title += f"; {found}"
    note = (
        "Rows: the label that the author wrote for. The stronger the colour, the more of its row. A number leads to its"
        " pairs."
    )
    drawn = picture("heat", y="author", series=list(golds), x_name="gold label", of="row", note=note)
    return {**drawn, "title": f"{title}."}


def _alphas(data: Counted, by: str) -> Iterator[dict[str, Any]]:
    """Yields Krippendorff's alpha over the pairs with all labels, which has an interval, and over all with two or more."""
    found = data.found
    alphas = {
        "pairs with all labels": (found.figures["krippendorff_alpha"], found.intervals["krippendorff_alpha"]),
        "all pairs with two labels or more": (found.breakdown["krippendorff_alpha_all_pairs"], None),
    }
    for over, (alpha, ends) in alphas.items():
        if alpha is not None:
            yield {"over": over, "alpha": alpha, **_ends(ends)}


def _alphas_found(table: Table) -> str:
    first = table.rows[0]
    ends = (
        f" (95% interval {decimals(first['low'])} to {decimals(first['high'])})"
        if first["low"] is not None
        else ""
    )
    return f"Krippendorff’s alpha is {decimals(first['alpha'])}{ends} over {first['over']}."


def _gold_labels(data: Counted, by: str) -> Iterator[dict[str, Any]]:
    shares, words = data.found.breakdown["gold_labels"], _golds(data)
    for label, share in shares.items() if data.found.figures["pairs_with_all_labels"] else ():
        address = address_in("pairs", data.question, gold=label, votes="complete")
        equal = data.found.breakdown["individual_equals_gold_by_label"][label]
        yield {"gold label": words[label], "pairs": share, "equal": equal, "hrefs": {"pairs": address}}


def _gold_labels_found(table: Table) -> str:
    shares = (f"“{row['gold label']}” in {percent(row['pairs'])}" for row in table.rows)
    return f"The gold label is {', '.join(shares)} of the pairs."


def _gold_sources(data: Counted, by: str) -> Iterator[dict[str, Any]]:
    for source, pairs in data.found.breakdown["gold_sources"].items():
        address = address_in("pairs", data.question, source=source, votes="complete")
        yield {"source": SOURCES.get(source, source), "pairs": pairs, "hrefs": {"pairs": address}}


def _gold_sources_found(table: Table) -> str:
    sources = (f"{row['source']} ({row['pairs']:,})" for row in table.rows)
    return f"The gold label comes from {', '.join(sources)}."


def _single_premises(data: Counted, by: str) -> Iterator[tuple[str, float]]:
    yield from (data.found.single_premises or {"agree": {}})["agree"].items()


def _single_premises_found(table: Table, data: Counted) -> Picture:
    found = data.found.single_premises
    title = (
        f"The gold label is the label of most single premises in {percent(found['majority_of_premises'])}, over"
        f" {found['pairs']:,} pair{'s' if found['pairs'] > 1 else ''}"
    )
    notes = [DEFINITIONS["majority_of_premises"]]
    if found["more_of_premises"] is not None:
        title += f"; it is the more frequent of entailment and contradiction in {percent(found['more_of_premises'])}"
        notes.append(DEFINITIONS["more_of_premises"])
    return {"title": f"{title}.", "draw": {}, "notes": notes}


def _disagreement(data: Counted, by: str) -> Iterator[dict[str, Any]]:
    if found := data.found.more_labels:
        yield {**found, **found["shares"]}


def _disagreement_found(table: Table) -> str:
    (row,) = table.rows
    return (
        f"{row['labels']:,} extra labels of {row['pairs']:,} pair{'s' if row['pairs'] > 1 else ''} lead to another label"
        f" than gold in {percent(row['differs'])} of these pairs."
    )


def _extra_labels(data: Counted, by: str) -> list[dict[str, Any]]:
    """Returns rows that place pairs with extra labels between three labels; none for other numbers of labels."""
    labels = data.question.labels
    places = (data.found.more_labels or {}).get("places") or {} if len(labels) == 3 else {}
    rows = [
        {"pairs": pairs, **{name: int(part) / PARTS for name, part in zip(labels, place.split("-"), strict=True)}}
        for place, pairs in places.items()
    ]  # fmt: skip
    return sorted(rows, key=lambda row: -row["pairs"])


def _extra_labels_drawn(table: Table, data: Counted) -> Picture:
    labels = data.question.labels
    note = (
        f"A point is pairs with the same shares of labels, rounded to {100 // PARTS}%; larger points are more pairs."
        " At a corner all people give that label, in the middle all labels are equally frequent."
    )
    return picture("ternary", corners=list(labels), size="pairs", colours=colours_of(labels), note=note)


def _extra_labels_found(table: Table) -> str:
    labels = [column.key for column in table.columns if column.kind == "share"]
    total = sum(row["pairs"] for row in table.rows)
    clear = sum(row["pairs"] for row in table.rows if max(row[label] for label in labels) >= 0.8)
    return (
        f"Of {total:,} pair{'s' if total > 1 else ''} with extra labels, {percent(clear / total)} have one label that four"
        " in five people give."
    )


def _defined(key: str, name: str, kind: str = "share", of: str = "", each: Any = None) -> Column:
    """Returns a column with the definition of the same key, or `of` another."""
    return Column(key, name, kind, DEFINITIONS[of or key], each=each)


PAIRS = _defined("pairs", "pairs", "count", "pairs_with_all_labels")
KAPPA = _defined("kappa", "Fleiss’ kappa", "kappa", "fleiss_kappa")
GROUP = Column("group", "{}", each=lambda data: [data.found.by])
ENDS = DEFINITIONS["intervals"]
_figure = partial(Figure, scope=QUESTION, source=Kind.AGREEMENT, parameters=By, only_with_rows=True)

SHARES = _figure(
    "agreement-shares",
    "Agreement beside SNLI, Table 3, and MultiNLI, Table 2",
    compute=_shares,
    columns=(
        *(Column("figure"), Column("here", "this corpus", "share"), *interval(ENDS)),
        _defined("alone", "validators alone", of="validators_alone", each=_with_validators),
        _defined(
            "without", "without self-validated pairs", of="self_validated", each=_with_pairs_of_their_own
        ),
        Column("SNLI", kind="share", source="SNLI, Table 3"),
        Column("MultiNLI", kind="share", source="MultiNLI, Table 2"),
    ),
    draw=_shares_drawn,
    finding=_shares_found,
)
KAPPAS = _figure(
    "agreement-kappas",
    "Fleiss’ kappa, overall and of each label against the rest",
    compute=_kappas,
    columns=(
        *(Column("of", "label against the rest"), KAPPA, *interval(ENDS, "kappa")),
        _defined("alone", "validators alone", "kappa", "fleiss_kappa_validators", _with_author),
        Column("alone_low", "validators, from", "kappa", each=_with_author),
        Column("alone_high", "validators, to", "kappa", each=_with_author),
        Column("SNLI", "SNLI, Table 3", "kappa", source="SNLI, Table 3", each=_with_published),
    ),
    draw=_kappas_drawn,
    finding=_kappas_found,
)
GROUPS = _figure(
    "agreement-groups",
    "Agreement of each group of pairs, or of each validator",
    compute=_groups,
    columns=(
        *(GROUP, PAIRS, KAPPA, *interval(f"{ENDS} Up to 30 groups have one.", "kappa")),
        _defined("unanimous", "unanimous"),
        _defined("individual_equals_gold", "individual = gold"),
        _defined("gold_equals_author", "gold = author", each=_with_author),
        _defined("no_gold", "no gold"),
        _defined("alone", "unanimous, validators alone", of="validators_alone", each=_with_validators),
        _defined(
            "alone_kappa", "kappa, validators alone", "kappa", "fleiss_kappa_validators", _with_validators
        ),
    ),
    draw=_groups_drawn,
)
SPLITS = _figure(
    "agreement-splits",
    "How the votes are split in each group of pairs",
    compute=_splits,
    columns=(GROUP, PAIRS, _defined("{}", "", of="splits", each=_names_of_splits)),
    draw=_splits_drawn,
)
AUTHOR_AND_GOLD = _figure(
    "agreement-author-and-gold",
    "The author’s label and the gold label",
    compute=_author_and_gold,
    columns=(Column("author", "author’s label"), _defined("{}", "", "count", "author_and_gold", _golds)),
    draw=_author_and_gold_drawn,
)
ALPHAS = _figure(
    "agreement-alpha",
    "Krippendorff’s alpha",
    compute=_alphas,
    columns=(
        *(Column("over"), _defined("alpha", "Krippendorff’s alpha", "kappa", "krippendorff_alpha")),
        *interval(ENDS, "kappa"),
    ),
    finding=_alphas_found,
    notes=(DEFINITIONS["krippendorff_alpha_all_pairs"],),
)
GOLD_LABELS = _figure(
    "agreement-gold-labels",
    "By gold label",
    compute=_gold_labels,
    columns=(
        *(Column("gold label"), _defined("pairs", "pairs", of="gold_labels")),
        _defined("equal", "individual = gold", of="individual_equals_gold_by_label"),
    ),
    finding=_gold_labels_found,
)
GOLD_SOURCES = _figure(
    "agreement-gold-sources",
    "What decided the gold label",
    compute=_gold_sources,
    columns=(Column("source"), _defined("pairs", "pairs", "count", "gold_sources")),
    finding=_gold_sources_found,
)
SINGLE_PREMISES = _figure(
    "agreement-single-premises",
    "Labels of single premises that equal the label of all (MPE, Table 4)",
    compute=_single_premises,
    columns=(Column("premises that agree"), _defined("pairs", "pairs", of="single_premises")),
    draw=_single_premises_found,
)
DISAGREEMENT = _figure(
    "agreement-extra-disagreement",
    "Extra labels, and how much they disagree",
    compute=_disagreement,
    columns=(
        _defined("pairs", "pairs", "count", "more_labels"),
        *(Column("labels", "extra labels", "count"), Column("entropy", "entropy, bits", "number")),
        Column("krippendorff_alpha", "Krippendorff’s alpha", "kappa"),
        Column("fleiss_kappa", "Fleiss’ kappa", "kappa"),
        Column("differs", "lead to another label", "share"),
        Column("{}", kind="share", each=lambda data: answer_words(data.question)),
    ),
    finding=_disagreement_found,
)
EXTRA_LABELS = _figure(
    "agreement-extra-labels",
    "Pairs with extra labels, between three labels",
    compute=_extra_labels,
    columns=(
        _defined("pairs", "pairs", "count", "more_labels"),
        Column("{}", kind="share", each=lambda data: answer_words(data.question)),
    ),
    draw=_extra_labels_drawn,
    finding=_extra_labels_found,
)

FIGURES = (
    *(SHARES, KAPPAS, ALPHAS, GROUPS, SPLITS, AUTHOR_AND_GOLD, GOLD_LABELS, GOLD_SOURCES),
    *(SINGLE_PREMISES, DISAGREEMENT, EXTRA_LABELS),
)
