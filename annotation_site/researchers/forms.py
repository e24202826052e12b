"""Forms of the researchers' pages."""

from typing import Self

from django import forms
from django.http import QueryDict

from collection.models import Corpus


class FloorForm(forms.Form):
    floor = forms.DecimalField(
        label="Lowest hourly pay, in dollars",
        required=False,
        min_value=0,
        max_value=1_000,
        decimal_places=2,
        help_text="People below it come first, with the difference.",
    )

    @classmethod
    def of(cls, data: QueryDict, corpus: Corpus) -> Self:
        """Returns the form with the floor that a request asks for; if it names none, the floor of the corpus file."""
        if "floor" in data or not corpus.hourly_floor_cents:
            return cls(data)
        return cls({"floor": f"{corpus.hourly_floor_cents / 100:.2f}"})

    def cents(self) -> int:
        return int((self.cleaned_data["floor"] or 0) * 100)
