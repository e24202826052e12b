"""Charts of agreement: the papers' statistics, kappa, groups of pairs, split votes, author against gold, extra labels."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from collection.templatetags.labels import colours_of
from nli.labels import NO_GOLD
from shared.charts import Chart, Column, interval, with_values
from shared.findings import compared, in_place, most_frequent, named_rows
from shared.intervals import FEWEST_PAIRS
from shared.numbers import decimals, percent, short_day
from validation.models import Question
from validation.questions.addresses import address_in
from validation.questions.lookup import answer_words
from validation.statistics.agreement import AgreementReport
from validation.statistics.definitions import DEFINITIONS, NAMES, PUBLISHED, published_kappas
from validation.statistics.extra_labels import PARTS

MOST_ROWS = 60  # groups in a picture
NOBODY = "none"


def agreement_charts(found: AgreementReport, question: Question) -> list[Chart]:
    """Returns the charts of a report; none without a pair that has all labels."""
    if not found.figures["pairs_with_all_labels"]:
        return []
    genres = dict(question.corpus.genres.values_list("slug", "name")) if found.by == "genre" else {}
    return with_values(
        [
            _figures(found),
            _kappas(found, question),
            _groups(found, question, genres),
            _splits(found, question, genres),
            _author_and_gold(found, question),
            _extra_labels(found, question),
        ]
    )


def _ends(ends: Any) -> dict[str, float | None]:
    low, high = ends or (None, None)
    return {"low": low, "high": high}


def _figures(found: AgreementReport) -> Chart:
    figures, alone = found.figures, found.breakdown["validators_alone"]
    has_author = figures["individual_equals_author"] is not None
    rows = []
    for key, name in NAMES.items():
        if figures[key] is None and not has_author:
            continue
        snli, multinli = PUBLISHED.get(key, (None, None))
        row = {
            "figure": name,
            "here": figures[key],
            **_ends(found.intervals[key]),
            "SNLI": snli,
            "MultiNLI": multinli,
        }
        if alone:
            row["alone"] = alone[key]
        if found.without_self_validated:
            row["without"] = found.without_self_validated[key]
        rows.append(row)
    columns = [
        Column("figure", "figure"),
        Column("here", "this corpus", "share"),
        *interval(DEFINITIONS["intervals"]),
        *([Column("alone", "validators alone", "share", DEFINITIONS["validators_alone"])] if alone else []),
        *(
            [Column("without", "without self-validated pairs", "share", DEFINITIONS["self_validated"])]
            if found.without_self_validated
            else []
        ),
        Column("SNLI", "SNLI", "share"),
        Column("MultiNLI", "MultiNLI", "share"),
    ]
    snli, multinli = PUBLISHED["unanimous"]
    return Chart(
        "figures",
        "dots",
        f"All labels are the same in {percent(figures['unanimous'])} of the pairs (SNLI {percent(snli)}, MultiNLI"
        f" {percent(multinli)}), and {percent(figures['individual_equals_gold'])} of the single labels equal the gold"
        f" label (SNLI {percent(PUBLISHED['individual_equals_gold'][0])}).",
        columns,
        rows,
        {
            "y": "figure",
            "x": "here",
            "low": "low",
            "high": "high",
            "others": ["SNLI", "MultiNLI", *(["alone"] if alone else [])],
            "x_domain": [0, 1],
        },
        note="As in SNLI, Table 3, and MultiNLI, Table 2. A bar is the 95% interval.",
        explained=[
            (name, DEFINITIONS[key]) for key, name in NAMES.items() if has_author or figures[key] is not None
        ],
    )


def _kappas(found: AgreementReport, question: Question) -> Chart | None:
    words = {"overall": "overall", **answer_words(question)}
    kappa, alone = found.figures["fleiss_kappa"], found.figures["fleiss_kappa_validators"]
    has_author = found.figures["individual_equals_author"] is not None
    beside = published_kappas(question.labels)
    rows = []
    for key, word in words.items():
        row = {"of": word, "kappa": kappa[key], **_ends(found.intervals["fleiss_kappa"][key])}
        if beside:
            row["SNLI"] = beside[key]
        if has_author:
            ends = found.intervals["fleiss_kappa_validators"][key] or (None, None)
            row |= {"alone": alone[key], "alone_low": ends[0], "alone_high": ends[1]}
        rows.append(row)
    if kappa["overall"] is None:
        return None
    ends = found.intervals["fleiss_kappa"]["overall"]
    between = f" (95% interval {decimals(ends[0], 2)} to {decimals(ends[1], 2)})" if ends else ""
    pairs = found.figures["pairs_with_all_labels"]
    by_label = [
        {**row, "of": f"“{row['of']}”", "pairs": pairs} for row in rows if row["of"] != words["overall"]
    ]
    apart = compared("that of a label", named_rows(by_label, "of", "kappa", "pairs"), "label", _kappa)
    return Chart(
        "kappa",
        "dots",
        f"Fleiss’ kappa is {decimals(kappa['overall'], 2)}{between}" + (f"; {apart}." if apart else "."),
        [
            Column("of", "label against the rest"),
            Column("kappa", "Fleiss’ kappa", "kappa", DEFINITIONS["fleiss_kappa"]),
            *interval(DEFINITIONS["intervals"], "kappa"),
            *(
                [
                    Column("alone", "validators alone", "kappa", DEFINITIONS["fleiss_kappa_validators"]),
                    Column("alone_low", "validators, from", "kappa"),
                    Column("alone_high", "validators, to", "kappa"),
                ]
                if has_author
                else []
            ),
            *([Column("SNLI", "SNLI, Table 3", "kappa")] if beside else []),
        ],
        rows,
        {
            "y": "of",
            "x": "kappa",
            "low": "low",
            "high": "high",
            "others": [*(["SNLI"] if beside else []), *(["alone"] if has_author else [])],
            "x_domain": [min(0, *(row["low"] or 0 for row in rows)), 1],
        },
    )


def _chosen(found: AgreementReport) -> tuple[dict[str, dict[str, Any]], str]:
    """Returns the groups of a chart (the largest if there are many), and a sentence that states the selection."""
    if len(found.rows) <= MOST_ROWS:
        return found.rows, ""
    most = sorted(found.rows, key=lambda name: -found.rows[name]["pairs_with_all_labels"])[:MOST_ROWS]
    note = f"The {MOST_ROWS} with most pairs of {len(found.rows):,}; the file of all statistics has all."
    return {name: found.rows[name] for name in most}, note


def _behind(question: Question, by: str, group: str) -> str:
    """Returns the address of the pairs of a group that have all labels."""
    if by == "genre" or (by == "author" and group):
        return address_in("pairs", question, **{by: group}, votes="complete")
    return address_in("pairs", question, by=by, group=group, votes="complete")


def _name_of(by: str, group: str, genres: Mapping[str, str]) -> str:
    """Returns what a page calls a group: a genre by its name, a week by its Monday as pages write days."""
    if by == "week" and group:
        return short_day(date.fromisoformat(group))
    return genres.get(group, group) or NOBODY


def _groups(found: AgreementReport, question: Question, genres: Mapping[str, str]) -> Chart | None:
    chosen, note = _chosen(found)
    has_author = found.figures["individual_equals_author"] is not None
    rows = []
    # Weeks in their order, all else by kappa.
    for name, figures in sorted(chosen.items()) if found.by == "week" else chosen.items():
        if not figures["pairs_with_all_labels"]:
            continue
        row = {
            "group": _name_of(found.by, name, genres),
            "pairs": figures["pairs_with_all_labels"],
            "kappa": figures["fleiss_kappa"]["overall"],
            **_ends(figures.get("intervals", {}).get("fleiss_kappa", {}).get("overall")),
            **{
                key: figures[key]
                for key in ("unanimous", "individual_equals_gold", "gold_equals_author", "no_gold")
            },
            "href": _behind(question, found.by, name),
        }
        if alone := figures["validators_alone"]:
            row |= {"alone": alone["unanimous"], "alone_kappa": figures["fleiss_kappa_validators"]["overall"]}
        rows.append(row)
    if found.by != "week":
        rows.sort(key=lambda row: -(row["kappa"] if row["kappa"] is not None else -2))
    overall = found.figures["fleiss_kappa"]["overall"]
    with_alone = found.breakdown["validators_alone"] is not None
    return Chart(
        "groups",
        "dots",
        _title_of_groups(found, genres),
        [
            Column("group", found.by),
            Column("pairs", "pairs", "count", DEFINITIONS["pairs_with_all_labels"]),
            Column("kappa", "Fleiss’ kappa", "kappa", DEFINITIONS["fleiss_kappa"]),
            *interval(DEFINITIONS["intervals"] + " Up to 30 groups have one.", "kappa"),
            Column("unanimous", "unanimous", "share", DEFINITIONS["unanimous"]),
            Column(
                "individual_equals_gold", "individual = gold", "share", DEFINITIONS["individual_equals_gold"]
            ),
            *(
                [Column("gold_equals_author", "gold = author", "share", DEFINITIONS["gold_equals_author"])]
                if has_author
                else []
            ),
            Column("no_gold", "no gold", "share", DEFINITIONS["no_gold"]),
            *(
                [
                    Column("alone", "unanimous, validators alone", "share", DEFINITIONS["validators_alone"]),
                    Column(
                        "alone_kappa",
                        "kappa, validators alone",
                        "kappa",
                        DEFINITIONS["fleiss_kappa_validators"],
                    ),
                ]
                if with_alone
                else []
            ),
        ],
        rows,
        {"y": "group", "x": "kappa", "low": "low", "high": "high", "n": "pairs"},
        lines=[{"axis": "x", "value": overall, "name": f"overall ({decimals(overall, 2)})"}]
        if overall is not None
        else [],
        note=" ".join(
            filter(None, ("A point leads to its pairs. It is faint over fewer than 30 pairs.", note))
        ),
    )


def _kappa(value: float) -> str:
    return decimals(value, 2)


def _title_of_groups(found: AgreementReport, genres: Mapping[str, str]) -> str:
    rows = [
        {
            "group": _name_of(found.by, name, genres),
            "pairs": figures["pairs_with_all_labels"],
            "kappa": figures["fleiss_kappa"]["overall"],
            **_ends(figures.get("intervals", {}).get("fleiss_kappa", {}).get("overall")),
        }
        for name, figures in found.rows.items()
        if figures["pairs_with_all_labels"]
    ]
    parts = named_rows(rows, "group", "kappa", "pairs")
    return in_place(compared("Fleiss’ kappa", parts, found.by, _kappa) or f"Fleiss’ kappa by {found.by}")


def _splits(found: AgreementReport, question: Question, genres: Mapping[str, str]) -> Chart:
    chosen, note = _chosen(found)
    whole = found.breakdown["splits"]
    groups: list[tuple[str, Mapping[str, Any], int, str]] = [
        (
            "all",
            whole,
            found.figures["pairs_with_all_labels"],
            address_in("pairs", question, votes="complete"),
        )
    ]
    for name, figures in chosen.items():
        if figures["pairs_with_all_labels"]:
            address = _behind(question, found.by, name)
            shown = _name_of(found.by, name, genres)
            groups.append((shown, figures["splits"], figures["pairs_with_all_labels"], address))
    names = list(whole)
    return Chart(
        "splits",
        "bars",
        f"All {question.seats} labels are the same in {percent(whole.get(str(question.seats), 0.0))} of the pairs;"
        f" {percent(found.figures['no_gold'])} have no gold label.",
        [
            Column("group", found.by or "pairs"),
            Column("pairs", "pairs", "count", DEFINITIONS["pairs_with_all_labels"]),
            *(
                Column(name, name, "share", DEFINITIONS["splits"] if name == names[0] else "")
                for name in names
            ),
        ],
        [
            {
                "group": name,
                "pairs": pairs,
                **{split: splits.get(split, 0.0) for split in names},
                "href": address,
            }
            for name, splits, pairs, address in groups
        ],
        {"y": "group", "series": names, "n": "pairs", "x_domain": [0, 1]},
        note=note,
    )


def _author_and_gold(found: AgreementReport, question: Question) -> Chart | None:
    if not found.confusion:
        return None
    words = answer_words(question)
    golds = {label: words.get(label, label) for label in question.rule.gold_labels} | {
        NO_GOLD: "no gold label"
    }
    rows = []
    for author, word in words.items():
        counts = {gold: found.confusion.get((author, None if gold == NO_GOLD else gold), 0) for gold in golds}
        hrefs = {
            gold: address_in(
                "pairs",
                question,
                author_label=author,
                gold=gold,
                votes="complete",
            )
            for gold, number in counts.items()
            if number
        }
        rows.append({"author": word, **counts, "hrefs": hrefs})
    total, differs = sum(found.confusion.values()), found.figures["gold_differs_from_author"]
    title = f"In {percent(differs)} of {total:,} pairs the gold label is not the author’s"
    changes = {
        f"{golds[gold]} for {words[author]}": number
        for (author, gold), number in found.confusion.items()
        if gold not in (None, question.rule.reads[author])
    }
    if sum(changes.values()) >= FEWEST_PAIRS:
        title += f"; {most_frequent('change', changes, lambda number: f'{number:,}')}"
    return Chart(
        "author-and-gold",
        "heat",
        f"{title}.",
        [
            Column("author", "author’s label"),
            *(
                Column(gold, name, "count", DEFINITIONS["author_and_gold"] if number == 0 else "")
                for number, (gold, name) in enumerate(golds.items())
            ),
        ],
        rows,
        {"y": "author", "series": list(golds), "x_name": "gold label", "of": "row"},
        note="Rows: the label that the author wrote for. The stronger the colour, the more of its row. A number leads to"
        " its pairs.",
    )


def _extra_labels(found: AgreementReport, question: Question) -> Chart | None:
    """Returns a chart that places pairs with extra labels between three labels; None for other numbers of labels."""
    places = (found.more_labels or {}).get("places") or {}
    if not places or len(question.labels) != 3:
        return None
    words = answer_words(question)
    rows = []
    for place, pairs in places.items():
        shares = [int(part) / PARTS for part in place.split("-")]
        rows.append({"pairs": pairs, **dict(zip(question.labels, shares, strict=True))})
    rows.sort(key=lambda row: -row["pairs"])
    total = sum(row["pairs"] for row in rows)
    clear = sum(row["pairs"] for row in rows if max(row[label] for label in question.labels) >= 0.8)
    return Chart(
        "extra-labels",
        "ternary",
        f"Of {total:,} pair{'s' if total > 1 else ''} with extra labels, {percent(clear / total)} have one label that four"
        " in five people give.",
        [
            Column("pairs", "pairs", "count", DEFINITIONS["more_labels"]),
            *(Column(label, words[label], "share") for label in question.labels),
        ],
        rows,
        {"corners": list(question.labels), "size": "pairs"},
        colours=colours_of(question.labels),
        note=f"A point is pairs with the same shares of labels, rounded to {100 // PARTS}%; larger points are more pairs."
        " At a corner all people give that label, in the middle all labels are equally frequent.",
    )
