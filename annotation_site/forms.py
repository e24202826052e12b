"""What researchers fill in on the pages that look across the apps."""

from django import forms

# A page should answer within seconds; opening this many takes a few. The command has no limit.
MOST_AT_ONCE = 5_000


class OpenPairsForm(forms.Form):
    number = forms.IntegerField(label="How many pairs", min_value=1, max_value=MOST_AT_ONCE)
    seed = forms.IntegerField(
        initial=0,
        required=False,
        min_value=-(2**31),
        max_value=2**31 - 1,
        help_text="Decides which pairs are drawn, and in which order they are handed out.",
    )

    def clean_seed(self) -> int:
        return self.cleaned_data["seed"] or 0
