"""What a researcher chooses before a training."""

from typing import Any

from django import forms

from modeling import catalogue
from modeling.actions import LARGEST_SEED

MOST_SEEDS = 20


class NewRunForm(forms.Form):
    """`cleaned_data` holds baseline, seeds (a list), vectors and config (key -> text)."""

    baseline = forms.ChoiceField(help_text="What each one is and takes stands below.")
    seeds = forms.CharField(
        initial="1",
        max_length=300,
        help_text="Whole numbers with commas, such as 1, 2, 3: one run each. Several tell how much chance decides.",
    )
    vectors = forms.ChoiceField(
        label="Word vectors",
        help_text="The packaged GloVe, or a GloVe text file that the operator put into the folder vectors.",
    )
    config = forms.CharField(
        label="Settings",
        required=False,
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false", "placeholder": "epochs=5"}),
        help_text="One key=value a line; what is not named takes its default.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, values in (("baseline", catalogue.baselines()), ("vectors", catalogue.vectors())):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = [(value, value) for value in values]

    def clean_seeds(self) -> list[int]:
        seeds = []
        for part in self.cleaned_data["seeds"].split(","):
            text = part.strip()
            if not text.isascii() or not text.isdigit() or int(text) > LARGEST_SEED:
                raise forms.ValidationError(
                    f"“{text}” is no seed: give whole numbers from 0 to {LARGEST_SEED:,}."
                )
            seeds.append(int(text))
        if len(seeds) > MOST_SEEDS:
            raise forms.ValidationError(
                f"{len(seeds)} seeds are more than {MOST_SEEDS}: start them in parts."
            )
        return list(dict.fromkeys(seeds))

    def clean_config(self) -> dict[str, str]:
        config: dict[str, str] = {}
        for number, line in enumerate(self.cleaned_data["config"].splitlines(), start=1):
            if not line.strip():
                continue
            key, equals, value = (part.strip() for part in line.partition("="))
            if not equals or not key:
                raise forms.ValidationError(f"Line {number}, “{line.strip()}”, is not of the form key=value.")
            if key in config:
                raise forms.ValidationError(f"Line {number} sets {key} a second time: keep one of them.")
            config[key] = value
        return config
