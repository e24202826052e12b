"""The forms of a datasheet and of a retraction."""

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
