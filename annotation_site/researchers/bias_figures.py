"""Figures of what hypotheses give away: a classifier that reads no premise, and the words of each group."""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from annotation_site.researchers.corpus_bias import LONGEST_KEY, stored_by
from annotation_site.researchers.looks import DEFINITIONS as ABOUT_LOOKS
from annotation_site.researchers.wages import MEANINGS
from shared.clusters import FEWEST
from shared.figures import Figure, Parameters, Picture, picture
from shared.findings import LISTED, Part, beside, compared, in_place, named_rows
from shared.intervals import FEWEST_PAIRS, wilson
from shared.numbers import decimals, percent
from shared.tables import AFTER_WILSON, Column, Row, Table, interval
from snapshots.statistics.artifacts import DEFINITIONS as ABOUT_WORDS
from snapshots.statistics.comparing_groups import ALONE as ALONE_MEASURE
from snapshots.statistics.comparing_groups import DEFINITIONS as ABOUT_GROUPS
from snapshots.statistics.comparing_groups import MOST_COMPARED
from snapshots.statistics.comparing_groups import UPHELD as UPHELD_MEASURE
from snapshots.statistics.diversity import DEFINITIONS as ABOUT_TEXTS
from snapshots.statistics.diversity import ORDERS
from snapshots.statistics.hypothesis_bias import DEFINITIONS, SHOWN_OF_GROUP, SIGNIFICANT
from validation.pairs.door import address_of_group, group_name, in_order
from validation.questions.lookup import answer_words
from validation.statistics.cached import Kind
from validation.statistics.definitions import DEFINITIONS as GOLD_DEFINITIONS
from validation.statistics.scope import QUESTION, Counted
from validation.statistics.vote_patterns import TITLES


class By(Parameters):
    by: Annotated[str, Field(max_length=LONGEST_KEY), AfterValidator(stored_by)] = ""


def _title(data: Counted) -> str:
    """Returns what its groups are called."""
    by: str = data.found["by"]
    return TITLES.get(by, by)


def _groups(data: Counted) -> Iterator[tuple[dict[str, Any], str]]:
    """Yields each group, all pairs first, with its name on pages."""
    for each in in_order(data.found):
        yield each, group_name(data.found["by"], each["group"], data.names)


def _alone(data: Counted, by: str) -> Iterator[dict[str, Any]]:
    for each, name in _groups(data):
        found = each["within"]
        if found:
            yield {
                "group": name,
                "pairs": found["tried"],
                "alone": found["share"],
                **_ends(found),
                "majority": found["majority"],
                "writers": each["writers"],
                "over": "writers" if found["by_writer"] else "premises",
                "all": each["hypothesis_only"],
                "href": address_of_group(data.question, data.found["by"], each["group"]),
            }


def _ends(found: Row) -> dict[str, float | None]:
    return {"low": found["low"], "high": found["high"]}


def _points(share: float) -> str:
    return f"{100 * share:.1f} points"


def _less(row: Row, bar: float) -> tuple[float | None, float | None]:
    return tuple(None if end is None else end - bar for end in (row["low"], row["high"]))  # type: ignore[return-value]


def _alone_drawn(table: Table, data: Counted) -> Picture:
    """Says of which groups it tells more, beside the majority class of each: groups differ in their labels."""
    first, *rest = table.rows
    ends = first["low"], first["high"]
    than = beside(first["alone"], first["pairs"], first["majority"], "the majority class", ends)
    found = f"Read alone, hypotheses tell the label of {percent(first['alone'])} of the pairs, {than}"
    parts = [
        Part(row["group"], row["alone"] - row["majority"], row["pairs"], *_less(row, row["majority"]))
        for row in rest
    ]
    apart = compared("the lead over the majority class", parts, _title(data), _points)
    if len(parts) > 1 and not apart:
        apart = f"no two of these parts were tried on {FEWEST_PAIRS} pairs, so none is compared"
    note = f"Learnt and tried within each. A point over fewer than {FEWEST_PAIRS} pairs is faint."
    if rest and not _compared(data, ALONE_MEASURE):
        note += f" No p value: no two have {FEWEST} writers each (or premises, where no writer is known)."
    drawn = picture(
        "dots", y="group", x="alone", low="low", high="high", n="pairs", others=["majority"], note=note
    )
    return {**drawn, "title": in_place(f"{found}; {apart}" if apart else found)}


def _compared(data: Counted, measure: str) -> list[dict[str, Any]]:
    return [each for each in data.found["compared"] if each["measure"] == measure]


LOOKED_AT = {
    "share": ("of the plan", "share"),
    "level": ("level of the look", "p"),
    "told": ("told at look", "count"),
}
LOOKED = ("look", *LOOKED_AT)


def _looks_planned(data: Counted) -> tuple[str, ...]:
    """Returns something for each column about looks, which stand where some were made."""
    return ("",) * any("look" in each for each in data.found["compared"])


def _differences(measure: str, data: Counted, by: str) -> Iterator[dict[str, Any]]:
    for each in _compared(data, measure):
        first, second = (group_name(data.found["by"], name, data.names) for name in each["groups"])
        yield {
            "pair": f"{first} − {second}",
            "first": each["shares"][0],
            "second": each["shares"][1],
            **{
                key: 100 * each[name]
                for key, name in (("points", "effect"), ("low", "low"), ("high", "high"))
            },
            "p": each["p"],
            "corrected": each["corrected_p"],
            **dict(zip(("writers", "others"), each["clusters"], strict=True)),
            "both": each["in_both"],
            **{name: each.get(name) for name in LOOKED},
        }


def differences_drawn(what: str, table: Table, data: object) -> Picture:
    """Says which pairs of groups differ after the correction for their number, and for earlier looks if some are planned."""
    looks = [row["look"] for row in table.rows if row.get("look")]
    differ = [
        row
        for row in table.rows
        if (row["told"] if looks else row["corrected"] is not None and row["corrected"] < SIGNIFICANT)
    ]
    number = len(table.rows)
    said = [f"{row['pair']} by {row['points']:.1f} points" for row in differ[:LISTED]]
    more = f", and {len(differ) - LISTED} more" if len(differ) > LISTED else ""
    found = f"{len(differ)} of {number} pairs of groups differ in {what}: {'; '.join(said)}{more}"
    if number == 1:
        (row,) = table.rows
        found = f"{row['pair']}: {row['points']:.1f} points of {what}, {'' if differ else 'not '}clearly apart from 0"
    elif not differ:
        found = f"No two of {number} pairs of groups clearly differ in {what}"
    zero = [{"axis": "x", "value": 0, "name": "no difference"}]
    drawn = picture("dots", y="pair", x="points", low="low", high="high", lines=zero)
    if looks:
        return {**drawn, "title": in_place(f"Look {max(looks)}: {found}, at the level that looks have left")}
    is_planned = isinstance(data, Counted) and data.found["looks"]
    note = "Looks are planned at arms alone: nothing here is corrected for several." * bool(is_planned)
    return {**drawn, "title": in_place(f"{found}, at 5% after correction"), "note": note}


def _upheld(data: Counted, by: str) -> Iterator[dict[str, Any]]:
    for each, name in _groups(data):
        found, cents = each["upheld"], each.get("cents")
        if found or each.get("tasks"):
            share = found and found["share"]
            yield {
                "group": name,
                "pairs": found["pairs"] if found else 0,
                "share": share,
                **(_ends(found) if found else {"low": None, "high": None}),
                "no_gold": found and found["no_gold"],
                "tasks": each.get("tasks"),
                "minutes": each.get("minutes"),
                "cents": cents / share if cents and share else None,
                "href": address_of_group(data.question, data.found["by"], each["group"]),
            }


def _upheld_drawn(table: Table, data: Counted) -> Picture | None:
    known = [row for row in table.rows if row["share"] is not None]
    if not known:
        return None
    found = compared(
        "the share upheld", named_rows(known[1:] or known, "group", "share", "pairs"), _title(data)
    )
    first = known[0]
    whole = (
        f"{percent(first['share'])} of {first['pairs']:,} pairs are upheld: their gold label is the author’s"
    )
    drawn = picture("dots", y="group", x="share", low="low", high="high", n="pairs")
    return {**drawn, "title": in_place(f"{whole}; {found}" if found and len(known) > 1 else whole)}


def _texts(data: Counted, by: str) -> Iterator[dict[str, Any]]:
    for each, name in _groups(data):
        texts, guess = each["texts"], each["guess"] or {}
        yield {
            "group": name,
            **{key: texts[key] for key in ("length", "overlap", "negation", "sample", "self_bleu")},
            **{f"distinct{order}": value for order, value in zip(ORDERS, texts["distinct"], strict=True)},
            "guessed": guess.get("guessed"),
            "commonest": guess.get("commonest"),
            "href": address_of_group(data.question, data.found["by"], each["group"]),
        }


def _words(data: Counted, by: str) -> Iterator[dict[str, Any]]:
    answers = answer_words(data.question)
    for each, name in _groups(data):
        for label, words in each["words"].items():
            for word in words:
                low, high = wilson(word["p"], word["count"])
                address = partial(address_of_group, data.question, data.found["by"], each["group"])
                yield {
                    "group": name,
                    "label": answers.get(label, label),
                    "word": word["word"],
                    "hypotheses": word["count"],
                    "share": word["p"],
                    "low": low,
                    "high": high,
                    "usual": each["labels"][label] / each["pairs"],
                    "z": word["z"],
                    "p": word["corrected_p"],
                    "hrefs": {"word": address(text=word["word"])},
                }


def _texts_found(table: Table) -> str:
    parts = named_rows(table.rows[1:] or table.rows, "group", "self_bleu", "sample")
    found = compared("self-BLEU", parts, table.columns[0].name, decimals, "hypotheses drawn")
    return in_place(found) if found else ""


def _words_found(table: Table) -> str:
    number = len({row["word"] for row in table.rows})
    return f"{number} words clearly go with a label." if number > 1 else "One word clearly goes with a label."


_figure = partial(Figure, scope=QUESTION, source=Kind.BIAS, parameters=By, only_with_rows=True)
GROUP = Column("group", "{}", each=lambda data: [_title(data)])

INTERVAL = interval(ABOUT_GROUPS["within_interval"])

ALONE = _figure(
    "bias-alone",
    "How often the hypothesis alone tells the label",
    compute=_alone,
    columns=(
        GROUP,
        Column("pairs", "pairs tried", "count"),
        Column("alone", "hypothesis alone", "share", ABOUT_GROUPS["within"]),
        *INTERVAL,
        Column(
            "majority", "majority class", "share", "The share of the commonest label among the pairs tried."
        ),
        Column("writers", "known writers", "count"),
        Column("over", "interval over"),
        Column("all", "learnt from all groups", "share", DEFINITIONS["hypothesis_only"]),
    ),
    draw=_alone_drawn,
)


def differences(effect: str) -> tuple[Column, ...]:
    """Returns the columns of a table of differences between groups. effect: the definition of a difference."""
    return (
        Column("pair", "groups"),
        Column("first", "the first", "share"),
        Column("second", "the second", "share"),
        Column("points", "difference, in points", "number", effect),
        *interval("The 95% interval over writers: they are drawn anew.", "number"),
        Column("p", "p", "p", ABOUT_GROUPS["p"]),
        Column("corrected", "corrected p", "p", ABOUT_GROUPS["corrected_p"]),
        Column("writers", "writers of the first", "count", "Premises, of pairs without a known writer."),
        Column("others", "of the second", "count"),
        Column("both", "in both", "count"),
    )


def _comparison(measure: str, name: str, title: str, what: str) -> Figure:
    return _figure(
        name,
        title,
        compute=partial(_differences, measure),
        columns=(
            *differences(ABOUT_GROUPS["effect"]),
            Column("look", "look", "count", each=_looks_planned),
            *(
                Column(key, name, kind, ABOUT_LOOKS[key], each=_looks_planned)
                for key, (name, kind) in LOOKED_AT.items()
            ),
        ),
        draw=partial(differences_drawn, what),
        notes=(
            f"At most {MOST_COMPARED} groups are compared, the large ones, if {FEWEST} writers or more wrote in each:"
            " fewer are no sample of writers.",
        ),
    )


ALONE_COMPARED = _comparison(
    ALONE_MEASURE,
    "bias-alone-compared",
    "Differences between groups in what hypotheses alone tell",
    "what hypotheses alone tell",
)
UPHELD_COMPARED = _comparison(
    UPHELD_MEASURE,
    "bias-upheld-compared",
    "Differences between groups in the share upheld",
    "the share upheld",
)
UPHELD = _figure(
    "bias-upheld",
    "Share upheld, minutes and cost",
    compute=_upheld,
    columns=(
        GROUP,
        Column("pairs", "pairs with all labels", "count"),
        Column("share", "gold = author", "share", GOLD_DEFINITIONS["gold_equals_author"]),
        *INTERVAL,
        Column("no_gold", "no gold label", "share"),
        Column("tasks", "writing tasks", "count", "Tasks whose texts are pairs of the group."),
        Column("minutes", "median minutes", "number", MEANINGS["hours"]),
        Column(
            "cents",
            "cost of an upheld pair",
            "cents",
            "What was paid for writing a pair of the group, divided by the share upheld. Labels are paid apart.",
        ),
    ),
    draw=_upheld_drawn,
)
TEXTS = _figure(
    "bias-diversity",
    "How alike the hypotheses are",
    compute=_texts,
    columns=(
        GROUP,
        Column("length", "tokens", "number", ABOUT_TEXTS["length"]),
        Column("overlap", "overlap with premise", "share", ABOUT_TEXTS["overlap"]),
        Column("negation", "negation", "share", ABOUT_TEXTS["negation"]),
        Column("sample", "hypotheses drawn", "count", ABOUT_TEXTS["sample"]),
        Column("distinct1", "different words", "share", ABOUT_TEXTS["distinct"]),
        *(Column(f"distinct{order}", f"different {order}-grams", "share") for order in ORDERS[1:]),
        Column("self_bleu", "self-BLEU", "kappa", ABOUT_TEXTS["self_bleu"]),
        Column("guessed", "writer guessed", "share", ABOUT_GROUPS["guessed"]),
        Column("commonest", "commonest writer", "share"),
    ),
    finding=_texts_found,
)
WORDS = _figure(
    "bias-words",
    "Words that go with a label, by group",
    compute=_words,
    columns=(
        GROUP,
        Column("label"),
        Column("word"),
        Column("hypotheses", "hypotheses with it", "count"),
        Column("share", "of these, with the label", "share", DEFINITIONS["telling"]),
        *interval(AFTER_WILSON),
        Column("usual", "all of the group", "share", "The share of the label among all pairs of the group."),
        Column("z", "z", "number", DEFINITIONS["z"]),
        Column("p", "corrected p", "p", ABOUT_WORDS["corrected_p"]),
    ),
    finding=_words_found,
    notes=(f"At most {SHOWN_OF_GROUP} words of each label, of groups of {FEWEST_PAIRS} pairs or more.",),
)
FIGURES = (ALONE, ALONE_COMPARED, UPHELD, UPHELD_COMPARED, TEXTS, WORDS)
