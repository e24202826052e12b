"""Forms of the researchers' pages."""

from django import forms


class FloorForm(forms.Form):
    floor = forms.DecimalField(
        label="Lowest hourly pay, in dollars",
        required=False,
        min_value=0,
        max_value=1_000,
        decimal_places=2,
        help_text="People below it come first, with the difference.",
    )

    def cents(self) -> int:
        return int((self.cleaned_data["floor"] or 0) * 100)
