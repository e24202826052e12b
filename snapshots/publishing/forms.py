"""The forms of a datasheet and of a retraction; example answers, of an invented corpus."""

from typing import Any

from django import forms

from snapshots.files.datasheet import QUESTIONS

LONGEST_ANSWER = 20_000  # characters


class DatasheetForm(forms.Form):
    """A field for each question of the datasheet. All may stay blank."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for key, question in QUESTIONS.items():
            self.fields[key] = forms.CharField(
                label=question,
                required=False,
                max_length=LONGEST_ANSWER,
                widget=forms.Textarea(attrs={"rows": 4}),
            )


class RetractForm(forms.Form):
    because = forms.CharField(
        label="What is wrong with it?",
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Everybody who opens the snapshot sees this notice. Its files do not change.",
    )


EXAMPLES = {
    "purpose": "To measure whether inference systems that were trained on news also work on recipes and manuals. Made in "
    "2025 by the language group of Example University; paid for by grant 123 of the Example Foundation, which had no "
    "say in the content.",
    "sources": "Recipes from a public wiki under CC BY-SA 4.0, retrieved in March 2025, and manuals that their "
    "publisher released for research (its letter is in the repository). The premises keep the licence of their source.",
    "people": "48 people wrote and 61 labelled, all found through a recruiting platform; they said that English is their "
    "first language. The median pay was 14.20 dollars an hour. They agreed, before they began, that their sentences and "
    "labels are published without their names; our ethics board approved this (number 2025-17).",
    "background": "52 of 61 annotators answered: half are between 25 and 40 years old, 30 have a degree, 5 have studied "
    "linguistics. Groups of fewer than five people are not given.",
    "sensitive": "No names of private persons: two of us read all premises and removed 14. Some manuals describe injuries. "
    "Writers were asked not to write about people that they know; 9 sentences that insult a group were withdrawn.",
    "uses": "To compare systems and to study how people disagree. Not to judge single people’s language, and not as "
    "the only evidence that a system understands safety instructions.",
    "biases": "A classifier that sees hypotheses alone reaches 58% on test, where the majority class has 34%. Sentences "
    "with “not” are contradictions more often than chance. Recipes are mostly American and European: report accuracy "
    "by genre, and beside that classifier.",
    "maintenance": "The language group, at least until 2030. Write to corpus@example.org or open an issue in the "
    "repository. Errors are corrected in new versions twice a year; old versions stay available.",
}
