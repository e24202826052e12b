"""Charts of the newest texts of writers: what gives their labels away, seen while people still write."""

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.http import urlencode

from collection.advice import words_of
from collection.models import Corpus, Pair
from collection.templatetags.labels import colours_of
from nli.tokens import is_english, tokeniser
from shared.findings import Part, compared, in_place, named_rows
from shared.intervals import FEWEST_PAIRS, of_median, wilson
from shared.numbers import percent
from shared.tables import AFTER_WILSON, Column, Table, interval, with_values
from snapshots.statistics.artifacts import AT_LEAST, StandsOut, corrected_p, standing_out
from snapshots.statistics.tags import NEGATIONS, NOT, negates
from snapshots.statistics.word_figures import SIGNIFICANT
from validation.questions.lookup import main_wordings

NEWEST = 500  # texts
SHOWN = 5  # words
LONGEST = 40  # words; longer texts are in the last row

Cut = Sequence[tuple[str, Sequence[str]]]  # (label, words of the text)


def texts_charts(corpus: Corpus, found: QuerySet[Pair]) -> list[Table]:
    """Returns the charts of the newest 500 of these texts; none for fewer than thirty. One query for texts, one for words.

    Words are cut without the tokenizer of the statistics, which no web process loads.
    """
    newest = found.filter(withdrawn_at=None, author_label__isnull=False).order_by("-pk")
    rows = list(newest.values_list("author_label", "hypothesis")[:NEWEST])
    if len(rows) < FEWEST_PAIRS:
        return []
    cut = tokeniser(corpus.language, words_of)
    texts = [(label or "", [word for word in cut(text) if word[0].isalnum()]) for label, text in rows]
    wordings = main_wordings(corpus)
    words = {label: wordings.get(label, label) for label in corpus.labels}
    charts = [_lengths(texts, words), _giveaways(texts, words, reverse("texts", args=[corpus.slug]))]
    return with_values([*charts, _negation(texts, words) if is_english(corpus.language) else None])


def _lengths(texts: Cut, words: Mapping[str, str]) -> Table:
    counts = {label: Counter[int]() for label in words}
    for label, text in texts:
        counts[label][min(len(text), LONGEST)] += 1
    shown = [label for label in words if counts[label]]
    lengths = {f"“{words[label]}”": sorted(counts[label].elements()) for label in shown}
    middles = [Part(name, median(each), len(each), *of_median(each)) for name, each in lengths.items()]
    found = compared("the median number of words of a text", middles, "label", "{:g}".format, "texts")
    ends = [length for label in shown for length in counts[label]]
    rows = [
        {"words": length, **{label: _near(counts[label], length) for label in shown}}
        for length in range(max(0, min(ends) - 1), max(ends) + 2)
    ]
    meaning = (
        "Share of the label’s texts with so many words; texts with one word more or fewer count half as much."
    )
    return Table(
        "lengths",
        "lines",
        in_place(found or "words of a text, by label"),
        [
            Column("words", "words of a text", "count"),
            *(Column(label, words[label], "share", meaning) for label in shown),
        ],
        rows,
        {"x": "words", "series": shown, "y_name": "share of the label’s texts"},
        colours=colours_of(shown),
        note=f"Of the newest {len(texts):,} texts.",
    )


def _near(counts: Counter[int], length: int) -> float:
    """Returns the share of texts of about this length: a triangle over three lengths, so that the line is no comb."""
    return (counts[length - 1] + 2 * counts[length] + counts[length + 1]) / 4 / counts.total()


def _giveaways(texts: Cut, words: Mapping[str, str], page: str) -> Table | None:
    """Returns the words that stand out most: by the standard errors between p(label | word) and the label's share."""
    found = standing_out(texts)
    rows = [_giveaway(page, words, each) for each in found[:SHOWN] if each.z > 0]
    if not rows:
        return None
    title = "No word goes with a label more often than chance allows."
    if corrected_p(found[0].z, len(found) * len(words)) < SIGNIFICANT:
        top = rows[0]
        title = f"“{top['word']}” goes with “{top['label']}” in {percent(top['p'])} of its {top['texts']:,} texts."
    return Table(
        "giveaways",
        "dots",
        title,
        [
            Column("name", "word: label"),
            Column("word", "word"),
            Column("label", "label"),
            Column(
                "texts", "texts", "count", f"Texts with the word, {AT_LEAST} or more; a text counts once."
            ),
            Column("p", "p(label | word)", "share", "Of the texts with the word, the share of this label."),
            *interval(AFTER_WILSON),
            Column("usual", "share of the label in all texts", "share"),
        ],
        rows,
        {
            "y": "name",
            "x": "p",
            "low": "low",
            "high": "high",
            "n": "texts",
            "others": ["usual"],
            "x_domain": [0, 1],
        },
        note=f"The {SHOWN} words that stand out most. A word in fewer than {FEWEST_PAIRS} texts is faint.",
    )


def _giveaway(page: str, words: Mapping[str, str], found: StandsOut) -> dict[str, Any]:
    p = found.hits / found.texts
    low, high = wilson(p, found.texts)
    return {
        "name": f"{found.word}: {words[found.label]}",
        "word": found.word,
        "label": words[found.label],
        "texts": found.texts,
        "p": p,
        "low": low,
        "high": high,
        "usual": found.usual,
        "href": f"{page}?{urlencode({'text': found.word})}",
    }


def _negation(texts: Cut, words: Mapping[str, str]) -> Table:
    sizes = Counter(label for label, _ in texts)
    negated = Counter(label for label, text in texts if any(map(negates, text)))
    rows: list[dict[str, Any]] = []
    for label in words:
        if sizes[label]:
            share = negated[label] / sizes[label]
            low, high = wilson(share, sizes[label])
            rows.append(
                {"label": words[label], "texts": sizes[label], "share": share, "low": low, "high": high}
            )
    found = compared("their share", named_rows(rows, "label", "share", "texts"), "label", unit="texts")
    whole = negated.total() / len(texts)
    return Table(
        "negation",
        "dots",
        f"{percent(whole)} of the texts negate (not, nobody, never …){f'; {found}' if found else ''}."
        if whole
        else "None of the texts negates (not, nobody, never …).",
        [
            Column("label", "label"),
            Column("texts", "texts", "count"),
            Column(
                "share",
                "share with a negation",
                "share",
                f"Texts with one of the words {', '.join(sorted(NEGATIONS - {NOT}))}, or one that ends in n’t.",
            ),
            *interval(AFTER_WILSON),
        ],
        rows,
        {"y": "label", "x": "share", "low": "low", "high": "high", "n": "texts"},
        lines=[{"axis": "x", "value": whole, "name": f"all texts ({percent(whole)})"}],
    )
