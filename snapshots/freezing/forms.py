"""The form of a freeze."""

from django import forms


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
