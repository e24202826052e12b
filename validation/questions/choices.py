"""Presents the labels of a question as buttons: the corpus's wording, and the key that presses it."""

from dataclasses import dataclass
from functools import cached_property

from django.utils.html import format_html
from django.utils.safestring import SafeString

from collection.templatetags.labels import label_mark
from validation.models import Question
from validation.questions.lookup import wordings_of


@dataclass(frozen=True)
class Choice:
    """One label as a button: the corpus's wording, and the key that presses it."""

    label: str
    wording: str
    help: str
    number: int

    @cached_property
    def mark(self) -> SafeString:
        return label_mark(self.label, self.wording)

    @cached_property
    def button(self) -> SafeString:
        """Returns the HTML of a radio button that follows its `name`: value, key and label. Cached for the whole batch."""
        return format_html(
            ' value="{}" data-number="{}"> {}<span class="keys" aria-hidden="true"><kbd>{}</kbd></span>',
            self.label,
            self.number,
            self.mark,
            self.number,
        )


def choices_of(question: Question) -> list[Choice]:
    """Returns the labels in the corpus's order and wording. The key of a label that is a digit is that digit."""
    entries = wordings_of(question) or [(label, label.capitalize(), "") for label in question.labels]
    return [
        Choice(
            label,
            question.corpus.say(wording),
            question.corpus.say(text),
            int(label) if label.isdecimal() else place,
        )
        for place, (label, wording, text) in enumerate(entries, start=1)
    ]
