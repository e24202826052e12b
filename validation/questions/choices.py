"""The labels of a question as buttons: the corpus's words, and the keys that choose them."""

from dataclasses import dataclass
from functools import cached_property

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from collection.templatetags.labels import label_mark
from validation.models import Question
from validation.questions.lookup import wordings_of


@dataclass(frozen=True)
class Choice:
    """One label as a button: the corpus's wording, and the keys that choose it."""

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
        """Its radio button from the value on: made once, and shown with every pair of the batch."""
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
    """The labels in the corpus's order and words. A label that is a digit has that digit for its key."""
    entries = wordings_of(question) or [(label, label.capitalize(), "") for label in question.labels]
    letters = _letters({label: wording for label, wording, _ in entries})
    return [
        Choice(label, wording, text, int(label) if label.isdecimal() else place, letters.get(label, ""))
        for place, (label, wording, text) in enumerate(entries, start=1)
    ]


def _letters(wordings: dict[str, str]) -> dict[str, str]:
    """Label -> the letter that is its key: for all labels of a question or for none.

    None where a letter would not tell the labels apart, or where it begins another answer of one word: where
    the answers are Yes, Unknown and No, whoever presses N does not mean neutral.
    """
    letters = {label: label[0] for label in wordings if label[0].isalpha()}
    misleads = any(
        letters.get(label) == wording[:1].lower()
        for label in wordings
        for other, wording in wordings.items()
        if other != label and " " not in wording
    )
    return {} if misleads or len(set(letters.values())) < len(wordings) else letters
