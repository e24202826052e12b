"""The form of a freeze."""

from django import forms


class FreezeForm(forms.Form):
    seed = forms.IntegerField(
        initial=0,
        required=False,
        min_value=-(2**31),
        max_value=2**31 - 1,
        help_text="Decides the partition of premises that have none yet. The same seed gives the same partitions.",
    )
    dev_from_train = forms.IntegerField(
        label="Premises to hold out as dev",
        initial=0,
        required=False,
        min_value=0,
        max_value=2**31 - 1,
        help_text="Only for a corpus with a published train partition and no published dev. 0: none.",
    )

    author_disjoint = forms.BooleanField(
        label="Keep the authors of test out of train",
        required=False,
        help_text="Their pairs in train are left out and counted.",
    )

    derived_parses = forms.BooleanField(
        label="Derive parse trees for sentences without one",
        required=False,
        help_text="By rule from spaCy’s dependency parses; English only; marked as derived. About 500 sentences a second.",
    )

    def clean_seed(self) -> int:
        return self.cleaned_data["seed"] or 0

    def clean_dev_from_train(self) -> int:
        return self.cleaned_data["dev_from_train"] or 0
