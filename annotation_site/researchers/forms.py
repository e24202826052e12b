"""What researchers fill in on the pages that look across the apps."""

from django import forms


class FloorForm(forms.Form):
    floor = forms.DecimalField(
        label="Lowest hourly wage, in dollars",
        required=False,
        min_value=0,
        max_value=1_000,
        decimal_places=2,
        help_text="Whoever comes out below it is listed with what is missing.",
    )

    def cents(self) -> int:
        return int((self.cleaned_data["floor"] or 0) * 100)
