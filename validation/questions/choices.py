"""Presents the labels of a question as buttons: the corpus's wording, and the keys that press them."""

from dataclasses import dataclass
from functools import cached_property

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from collection.templatetags.labels import label_mark
from validation.models import Question
from validation.questions.lookup import wordings_of


@dataclass(frozen=True)
class Choice:
    """One label as a button: the corpus's wording, and the keys that press it."""

    label: str
    wording: str
    help: str
    number: int
    letter: str

    @cached_property
    def mark(self) -> SafeString:
        return label_mark(self.label, self.wording)

    @cached_property
    def button(self) -> SafeString:
        """Returns the HTML of a radio button that follows its `name`: value, keys and label. Cached for the whole batch."""
        keys = (str(self.number), self.letter.upper()) if self.letter else (str(self.number),)
        return format_html(
            ' value="{}" data-number="{}" data-letter="{}"> {}<span class="keys" aria-hidden="true">{}</span>',
            self.label,
            self.number,
            self.letter,
            self.mark,
            format_html_join(" ", "<kbd>{}</kbd>", ((key,) for key in keys)),
        )


def choices_of(question: Question) -> list[Choice]:
    """Returns the labels in the corpus's order and wording. The key of a label that is a digit is that digit."""
    entries = wordings_of(question) or [(label, label.capitalize(), "") for label in question.labels]
    letters = _letters({label: wording for label, wording, _ in entries})
    return [
        Choice(label, wording, text, int(label) if label.isdecimal() else place, letters.get(label, ""))
        for place, (label, wording, text) in enumerate(entries, start=1)
    ]


def _letters(wordings: dict[str, str]) -> dict[str, str]:
    """Returns label -> the letter that is its key, for all labels of a question or for none.

    There are no letters if two labels share one, or if one begins another answer of one word: with the answers Yes,
    Unknown and No, an annotator who presses N does not mean neutral.
    """
    letters = {label: label[0] for label in wordings if label[0].isalpha()}
    misleads = any(
        letters.get(label) == wording[:1].lower()
        for label in wordings
        for other, wording in wordings.items()
        if other != label and " " not in wording
    )
    return {} if misleads or len(set(letters.values())) < len(wordings) else letters
