"""What a researcher chooses before a freeze, and says of a release."""

from typing import Any

from django import forms

from snapshots.file_formats.cards import QUESTIONS

LONGEST_ANSWER = 20_000  # characters


class FreezeForm(forms.Form):
    seed = forms.IntegerField(
        initial=0,
        required=False,
        min_value=-(2**31),
        max_value=2**31 - 1,
        help_text="Decides where premises go that have no place yet. The same seed draws the same.",
    )
    dev_from_train = forms.IntegerField(
        label="Premises to hold out as dev",
        initial=0,
        required=False,
        min_value=0,
        max_value=2**31 - 1,
        help_text="Only for corpora that came with a published train and no dev. 0: none.",
    )

    author_disjoint = forms.BooleanField(
        label="Nobody who wrote pairs of test is in train",
        required=False,
        help_text="What they wrote for train is left out and counted.",
    )

    derived_parses = forms.BooleanField(
        label="Derive parse trees for sentences that came without",
        required=False,
        help_text="By rule from spaCy’s dependency parses, English only, marked as derived. Some 500 sentences a second.",
    )

    def clean_seed(self) -> int:
        return self.cleaned_data["seed"] or 0

    def clean_dev_from_train(self) -> int:
        return self.cleaned_data["dev_from_train"] or 0


class DatasheetForm(forms.Form):
    """A field for each question, named by its key. All may stay blank."""

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
        help_text="Everybody who opens the snapshot reads this. Its files stay as they are.",
    )
