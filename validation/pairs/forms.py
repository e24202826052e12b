"""The form that chooses the pairs to open for labelling."""

from typing import Any

from django import forms

from collection.models import Corpus, Pair
from validation.pairs.door import WORDS

# Opening this many pairs takes a few seconds, which is enough for a page. The command has no limit.
MOST_AT_ONCE = 5_000
SHOWN = 5  # unknown ids in an error


class OpenPairsForm(forms.Form):
    """Says which pairs to open: a number of them, a number or a percentage of each genre, or the pairs with given ids.

    Pairs that are not named are drawn at random, by the seed.
    """

    HOW = [
        ("number", "a number of pairs"),
        ("number_a_genre", "a number of pairs of each genre"),
        ("percent_a_genre", "a percentage of each genre, including pairs that are open already"),
        ("pairs", "the pairs with these ids"),
    ]
    how = forms.ChoiceField(label="Which pairs", choices=HOW, initial="number", widget=forms.RadioSelect)
    number = forms.FloatField(label="Number or percentage", required=False, min_value=0)
    genre = forms.ChoiceField(label="Genre", required=False)
    pairs = forms.CharField(
        label="Ids of pairs, one per line",
        required=False,
        max_length=MOST_AT_ONCE * 200,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    unseen = forms.CharField(
        label="Open without a look",
        required=False,
        max_length=100,
        help_text=f"Nobody has looked at what the hypotheses of these pairs give away. Count that first, or write: {WORDS}",
    )
    seed = forms.IntegerField(
        initial=0,
        required=False,
        min_value=-(2**31),
        max_value=2**31 - 1,
        help_text="Draws the pairs, and sets the order in which annotators get them. The same seed draws the same pairs.",
    )

    def __init__(self, corpus: Corpus, data: Any = None, **options: Any) -> None:
        super().__init__({"how": "number", **data.dict()} if data else None, **options)
        self.corpus = corpus
        genres = corpus.genres.order_by("slug").values_list("slug", "name")
        self.fields["genre"].choices = [("", "all genres"), *genres]  # type: ignore[attr-defined]

    def clean_unseen(self) -> bool:
        return " ".join(self.cleaned_data["unseen"].lower().split()) == WORDS

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
            self.add_error("pairs", "Please enter the ids of the pairs, one per line.")
        elif unknown:
            more = f" and {len(unknown) - SHOWN:,} more" if len(unknown) > SHOWN else ""
            self.add_error(
                "pairs", f"The corpus has no pairs with these ids: {', '.join(unknown[:SHOWN])}{more}."
            )
        self.cleaned_data["pairs"] = sorted(known)

    def _clean_number(self, how: str, number: float | None) -> None:
        most = 100 if how == "percent_a_genre" else MOST_AT_ONCE
        if not number:
            self.add_error("number", "Please enter a number above 0.")
        elif number > most:
            self.add_error("number", f"Please enter a number up to {most:,}.")
        elif how != "percent_a_genre" and number != int(number):
            self.add_error("number", "Please enter a whole number.")
