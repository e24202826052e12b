"""The form that begins the marking of a sample."""

from django import forms

from collection.models import PARTITIONS
from modeling.marking.actions import MOST_PAIRS, PHENOMENA


class BeginMarkingForm(forms.Form):
    """A partition, how many of its pairs, and the phenomena to look for."""

    partition = forms.ChoiceField(
        choices=[(name, name) for name in PARTITIONS],
        initial="dev",
        help_text="The tables mpe-5 and mpe-8 are of dev, as in the paper.",
    )
    number = forms.IntegerField(
        label="Pairs", min_value=1, max_value=MOST_PAIRS, initial=100, help_text="Drawn by the seed."
    )
    phenomena = forms.CharField(
        max_length=2000,
        initial="\n".join(PHENOMENA),
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text="One a line. They cannot be changed once the marking has begun.",
    )
    seed = forms.IntegerField(min_value=0, max_value=2**31 - 1, initial=1)

    def clean_phenomena(self) -> list[str]:
        return self.cleaned_data["phenomena"].replace("\0", "").splitlines()
