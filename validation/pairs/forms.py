"""Which pairs a researcher opens for validation."""

from typing import Any

from django import forms

from collection.models import Corpus, Pair

# A page should answer within seconds; opening this many takes a few. The command has no limit.
MOST_AT_ONCE = 5_000
SHOWN = 5  # unknown ids in one sentence


class OpenPairsForm(forms.Form):
    """So many in all, so many or a share of each genre, or given pairs; drawn by a seed."""

    HOW = [
        ("number", "so many in all"),
        ("number_a_genre", "so many of each genre"),
        ("percent_a_genre", "percent of each genre, those that are open already counted in"),
        ("pairs", "these pairs"),
    ]
    how = forms.ChoiceField(label="Which pairs", choices=HOW, initial="number", widget=forms.RadioSelect)
    number = forms.FloatField(label="How many, or how many percent", required=False, min_value=0)
    genre = forms.ChoiceField(label="Of which genre", required=False)
    pairs = forms.CharField(
        label="The ids of these pairs, one a line",
        required=False,
        max_length=MOST_AT_ONCE * 200,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    seed = forms.IntegerField(
        initial=0,
        required=False,
        min_value=-(2**31),
        max_value=2**31 - 1,
        help_text="Decides which pairs are drawn, and in which order they are handed out.",
    )

    def __init__(self, corpus: Corpus, data: Any = None, **options: Any) -> None:
        super().__init__({"how": "number", **data.dict()} if data else None, **options)
        self.corpus = corpus
        genres = corpus.genres.order_by("slug").values_list("slug", "name")
        self.fields["genre"].choices = [("", "every genre"), *genres]  # type: ignore[attr-defined]

    def clean_seed(self) -> int:
        return self.cleaned_data["seed"] or 0

    def clean(self) -> dict[str, Any]:
        chosen = self.cleaned_data
        if chosen.get("how") == "pairs":
            self._clean_pairs(chosen.get("pairs", ""))
        elif "number" in chosen:
            self._clean_number(chosen.get("how", ""), chosen["number"])
        return chosen

    def _clean_pairs(self, text: str) -> None:
        names = text.replace("\0", "").split()
        known = set(
            Pair.objects.standing()
            .filter(corpus=self.corpus, public_id__in=names)
            .values_list("public_id", flat=True)
        )
        unknown = [name for name in names if name not in known]
        if not names:
            self.add_error("pairs", "Please write the ids of the pairs here, one a line.")
        elif unknown:
            more = f" and {len(unknown) - SHOWN:,} more" if len(unknown) > SHOWN else ""
            self.add_error("pairs", f"The corpus has no such pairs: {', '.join(unknown[:SHOWN])}{more}.")
        self.cleaned_data["pairs"] = sorted(known)

    def _clean_number(self, how: str, number: float | None) -> None:
        most = 100 if how == "percent_a_genre" else MOST_AT_ONCE
        if not number:
            self.add_error("number", "Please write a number above 0.")
        elif number > most:
            self.add_error("number", f"Please write at most {most:,}.")
        elif how != "percent_a_genre" and number != int(number):
            self.add_error("number", "Please write a whole number.")
