"""Draws labels on all pages: as a word and a shape; the colour is only an aid."""

from collections.abc import Iterable, Mapping, Sequence

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

CIRCLE = mark_safe('<circle cx="12" cy="12" r="11"/>')
SQUARE = mark_safe('<rect x="2" y="2" width="20" height="20" rx="3"/>')
DIAMOND = mark_safe('<path d="M12 0 24 12 12 24 0 12z"/>')

# label -> CSS class, letter, shape. Ordinal answers differ by their digit alone: their order says the rest. No other
# label has a digit, because beside the keys 1 2 3 people would take it for one of them.
MARKS = {
    "entailment": ("label-e", "E", CIRCLE),
    "neutral": ("label-n", "N", SQUARE),
    "contradiction": ("label-c", "C", DIAMOND),
    "entailed": ("label-e", "E", CIRCLE),
    "not-entailed": ("label-c", "X", DIAMOND),
    "none": ("label-e", "+", CIRCLE),
    "minor": ("label-n", "~", SQUARE),
    "major": ("label-c", "!", DIAMOND),
    **{digit: ("label-n", digit, SQUARE) for digit in "12345"},
}
MOST_SHAPES = 10  # of the votes of a pair; of more there is a bar
MOST_PIECES = 20  # of a bar of votes
NO_LABEL = ("label-none", "\N{EN DASH}", CIRCLE)


def colours_of(labels: Iterable[str]) -> dict[str, str]:
    """Returns label -> the name of its colour, for charts; empty if two of the labels have the same."""
    found = {label: f"--{MARKS[label][0]}" for label in labels if label in MARKS}
    return found if len(set(found.values())) == len(found) else {}


@register.filter
def in_words(label: str | None, words: Mapping[str, str]) -> str:
    """Returns the corpus's own wording for a label, if any: `{% label_mark row.label row.label|in_words:words %}`."""
    return words.get(label or "", "")


@register.filter
def of_kind(names: Mapping[str, Mapping[str, str]] | None, kind: str) -> Mapping[str, str]:
    """Returns value -> its name on pages, of one kind of values: `{% with words=names|of_kind:"label" %}`."""
    return (names or {}).get(kind, {})


def vote_marks(
    votes: Mapping[str, int], labels: Sequence[str], words: Mapping[str, str], left_out: int = 0
) -> SafeString:
    """Returns how many gave each label: a shape a vote, of many votes a bar, and in words.

    left_out: answers that name several labels, and are in no count. Where shapes do not tell the labels apart, the words
    are seen; else they are read aloud, and stand under the pointer.
    """
    given = [label for label in labels if votes.get(label)]
    total = sum(votes.values())
    counts = [f"{votes[label]} {in_words(label, words) or label}" for label in given]
    counts += [f"{left_out} left out"] if left_out else []
    if not counts:
        return mark_safe("")
    marks = {label: MARKS.get(label, NO_LABEL) for label in given}
    if total <= MOST_SHAPES:
        shapes = ((marks[label][0], marks[label][2]) for label in given for _ in range(votes[label]))
        drawn = format_html_join("", '<svg class="{}" viewBox="-1 -1 26 26">{}</svg>', shapes)
    else:
        # Of very many votes each label has its share of the pieces.
        share = min(1, MOST_PIECES / total)
        pieces = ((marks[label][0],) for label in given for _ in range(max(1, round(votes[label] * share))))
        drawn = format_html(
            '<span class="vote-bar">{}</span>', format_html_join("", '<span class="{}"></span>', pieces)
        )
    return format_html(
        '<span class="votes" title="{0}"><span aria-hidden="true">{1}</span><span class="{2}">{0}</span></span>',
        ", ".join(counts),
        drawn,
        "visually-hidden" if colours_of(labels) and not left_out else "below",
    )


@register.simple_tag
def label_mark(label: str | None, word: str = "") -> SafeString:
    """Returns the mark of a label.

    `{% label_mark pair.gold_label %}`, or in a corpus's words `{% label_mark "entailment" "Definitely correct" %}`.
    Without a label: "no label". The letter is that of the scheme's name for the label, so it stands only beside that
    name: nobody could say why "Definitely correct" has an E.
    """
    css, letter, shape = MARKS.get(label or "", NO_LABEL)
    return format_html(
        '<span class="label {}"><svg viewBox="-1 -1 26 26" aria-hidden="true" focusable="false">{}{}</svg>'
        "<bdi>{}</bdi></span>",
        css,
        shape,
        "" if word and word != label else format_html('<text x="12" y="16.3">{}</text>', letter),
        word or label or "no label",
    )
