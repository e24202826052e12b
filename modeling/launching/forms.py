"""The form of a new run."""

import hashlib
import json
from typing import Any

from django import forms

from accounts.people.gates import viewer
from modeling import catalogue
from modeling.baselines.config import MOST_PAIRS, STARTS
from modeling.baselines.settings import PRESETS
from modeling.launching.actions import check_settings
from modeling.launching.regimes import RefusedRun, read_mixed, read_sizes
from modeling.launching.searches import MOST_TRIALS, read_search
from modeling.launching.usual import Done, Plan, plan_of
from modeling.models import TrainingRun
from shared.whole_numbers import LARGEST_SEED
from snapshots.models import Snapshot

MOST_SEEDS = 20
MOST_STARTS = 100  # runs to choose from
USUAL_FIELDS = ("baseline", "preset", "seeds", "vectors")
OF_BASELINE = "set-"  # what the names of fields for one setting begin with


class NewRunForm(forms.Form):
    """A new run or sweep. `cleaned_data` has baseline, seeds, sizes, vectors and config; `regime` has the rest."""

    key = forms.CharField(required=False, max_length=100, widget=forms.HiddenInput)
    baseline = forms.ChoiceField(help_text="Each baseline and its settings are described below.")
    seeds = forms.CharField(
        initial="1",
        max_length=300,
        help_text="Whole numbers with commas, such as 1, 2, 3: one run each. Several make a sweep, which shows the "
        "spread by chance.",
    )
    sizes = forms.CharField(
        label="Training sizes",
        required=False,
        max_length=300,
        help_text="Numbers of pairs with commas, such as 500, 1000: a learning curve, one run for each seed and size. "
        "Empty: all pairs.",
    )
    most = forms.IntegerField(
        label="Training pairs at most",
        required=False,
        min_value=1,
        max_value=MOST_PAIRS,
        help_text="Learn from this number of pairs, drawn by the seed. Instead of training sizes. Empty: all pairs.",
    )
    vectors = forms.ChoiceField(
        label="Word vectors",
        help_text="The packaged GloVe, or a GloVe text file in the folder vectors of the server.",
    )
    preset = forms.ChoiceField(
        initial=catalogue.DEFAULT,
        required=False,
        help_text="default: the network of the paper, trained in less time. paper: the settings as published.",
    )
    config = forms.CharField(
        label="Settings as text",
        required=False,
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false", "placeholder": "epochs=5"}),
        help_text="One key=value a line, as in commands. Each key once, here or in its field above.",
    )

    search = forms.CharField(
        label="Search over settings",
        required=False,
        max_length=4000,
        widget=forms.Textarea(
            attrs={"rows": 2, "spellcheck": "false", "placeholder": "learning_rate=0.001, 0.0003"}
        ),
        help_text="One key=value, value a line; 0.0001..0.01 is a range, for trials that are drawn. Every combination is "
        "trained; dev chooses one, and only its test score is shown.",
    )
    draws = forms.IntegerField(
        label="Trials drawn",
        required=False,
        min_value=1,
        max_value=MOST_TRIALS,
        help_text="Draw this number of the combinations. Empty: all of them.",
    )
    genre = forms.CharField(required=False, max_length=60, help_text="Learn from pairs of this genre only.")
    mixed = forms.CharField(
        label="Mixed with",
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false", "placeholder": "snli@1 share=0.15"}),
        help_text="Other snapshots to learn from, too, one a line: CORPUS@VERSION, then share=0.15 (a new draw each "
        "epoch) or most=1000 (drawn once), or both.",
    )
    start = forms.IntegerField(
        label="Start from run",
        required=False,
        min_value=1,
        help_text="A finished run of the same baseline. This run starts with its weights.",
    )
    how = forms.ChoiceField(
        label="How to start from it",
        choices=[(how, how) for how in STARTS],
        required=False,
        help_text="update: continue with all its weights. transfer: start with a new softmax, for other labels.",
    )
    collapse = forms.BooleanField(
        label="Read labels as two classes",
        required=False,
        help_text="Entailment, or 5 of a scale, counts as entailed; every other label counts as not-entailed.",
    )
    soft_labels = forms.ChoiceField(
        label="Soft labels",
        required=False,
        choices=[
            ("", "none: the gold label"),
            ("seats", "of the labels in the seats"),
            ("extra", "of the labels beyond the seats"),
            ("all", "of all labels"),
        ],
        help_text="Learn the shares of people’s labels instead of the gold label.",
    )
    hypothesis_only = forms.BooleanField(
        label="Hypothesis-only twin",
        required=False,
        help_text="The same network, which reads each premise as empty: what it learns without the premise.",
    )

    def __init__(self, *args: Any, snapshot: Snapshot | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if snapshot is not None:
            self._offer_choices(snapshot)
        known = (
            ("baseline", catalogue.baselines()),
            ("vectors", catalogue.vectors()),
            ("preset", PRESETS),
        )
        for name, values in known:
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = [(value, value) for value in values]
        self._offer_settings()

    def _offer_settings(self) -> None:
        """Adds a field for each setting of the chosen baseline, empty for the value of the preset, which it shows.

        Of a clone's settings, those with a field are in it, the others stay text.
        """
        baseline = catalogue.baselines().get(
            str(self["baseline"].value() or next(iter(catalogue.baselines())))
        )
        if baseline is None:
            return
        usual = catalogue.values_of(baseline, str(self["preset"].value() or catalogue.DEFAULT))
        given = {} if self.is_bound else _lines(self.initial.get("config", ""))
        for one in baseline.settings:
            name, value = f"{OF_BASELINE}{one.key}", usual[one.key]
            self.fields[name] = _field_of(one, value)
            if one.key in given:
                self.initial[name] = given.pop(one.key)
        if not self.is_bound:
            self.initial["config"] = "\n".join(f"{key}={value}" for key, value in given.items())

    def _offer_choices(self, snapshot: Snapshot) -> None:
        """Lets the browser choose a genre of the corpus and one of the newest runs that a run can start from."""
        genres = snapshot.corpus.genres.order_by("slug").values_list("slug", "name")
        self._choose_from("genre", list(genres))
        able = [name for name, one in catalogue.baselines().items() if one.learns_in_steps]
        done = TrainingRun.objects.of(viewer()).filter(status=TrainingRun.Status.DONE, baseline__in=able)
        runs = done.select_related("snapshot__corpus").order_by("-pk")[:MOST_STARTS]
        named = [
            (str(run.pk), f"{run.pk}: {run.baseline} on {run.snapshot}, seed {run.seed}") for run in runs
        ]
        self._choose_from("start", named)

    def _choose_from(self, name: str, choices: list[tuple[str, str]]) -> None:
        given = str(self[name].value() or "")
        if given and given not in dict(choices):  # a link or an earlier form named another
            choices = [*choices, (given, given)]
        self.fields[name].widget = forms.Select(
            choices=[("", "none" if name == "start" else "all"), *choices]
        )

    @property
    def usual_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in USUAL_FIELDS]

    @property
    def setting_fields(self) -> list[forms.BoundField]:
        return [field for field in self.visible_fields() if field.name.startswith(OF_BASELINE)]

    @property
    def has_settings(self) -> bool:
        """Returns whether a setting differs from the preset or is wrong, so that the fields must be seen."""
        return any(field.errors or field.value() for field in [*self.setting_fields, self["config"]])

    @property
    def further_fields(self) -> list[forms.BoundField]:
        others = {*USUAL_FIELDS, "config", *(field.name for field in self.setting_fields)}
        return [field for field in self.visible_fields() if field.name not in others]

    @property
    def has_further(self) -> bool:
        """Returns whether a field beyond the usual ones is filled in or wrong, so that it must be seen."""
        return any(field.errors or (field.name != "how" and field.value()) for field in self.further_fields)

    def plan(self, pairs: int, done: Done) -> Plan | None:
        """Returns the runs that the fields ask for now, for a snapshot with this number of training pairs.

        None if a field is wrong, or asks for what earlier runs do not tell: a search, or other pairs.
        """
        value = {name: str(self[name].value() or "") for name in self.fields}
        if any(value[name] for name in ("search", "mixed", "genre")):
            return None
        name = value["baseline"] or next(iter(catalogue.baselines()))
        preset = value["preset"] or catalogue.DEFAULT
        fields = {
            key.removeprefix(OF_BASELINE): given
            for key, given in value.items()
            if key.startswith(OF_BASELINE) and given
        }
        try:
            seeds = _read_seeds(value["seeds"])
            sizes = read_sizes(value["sizes"]) or [int(value["most"] or pairs)]
            config = check_settings(
                baseline=name, preset=preset, config={**fields, **_lines(value["config"])}
            )
        except (forms.ValidationError, ValueError):
            return None
        return plan_of(name, config, [min(size, pairs) for size in set(sizes)] * len(seeds), done)

    def clean_seeds(self) -> list[int]:
        return _read_seeds(self.cleaned_data["seeds"])

    def clean_preset(self) -> str:
        return self.cleaned_data["preset"] or catalogue.DEFAULT

    def clean_search(self) -> dict[str, list[str]]:
        try:
            search = read_search(self.cleaned_data["search"])
        except RefusedRun as error:
            raise forms.ValidationError(str(error)) from None
        for key, values in search.items():
            for value in values:
                if refusal := catalogue.refusal_of_files({key: value}):
                    raise forms.ValidationError(refusal)
        return search

    def clean_sizes(self) -> list[int]:
        try:
            return read_sizes(self.cleaned_data["sizes"])
        except RefusedRun as error:
            raise forms.ValidationError(str(error)) from None

    def clean_mixed(self) -> list[dict[str, Any]]:
        try:
            return [read_mixed(line) for line in self.cleaned_data["mixed"].splitlines() if line.strip()]
        except RefusedRun as error:
            raise forms.ValidationError(str(error)) from None

    @property
    def request_key(self) -> str:
        """Returns the idempotency key. It depends on the content: a changed form is another request."""
        key = self.cleaned_data["key"]
        text = json.dumps(self.cleaned_data, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest() if key else ""

    @property
    def regime(self) -> dict[str, Any]:
        """Returns the part of the form that modeling/launching/regimes.py checks."""
        given = self.cleaned_data
        start = {"run": given["start"], "how": given["how"] or STARTS[0]} if given["start"] else None
        return {
            "start": start,
            **{
                key: given[key]
                for key in ("most", "genre", "mixed", "collapse", "soft_labels", "hypothesis_only")
            },
        }

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

    def clean(self) -> dict[str, Any]:
        """Puts the settings of fields and text together as `config`."""
        config = self.cleaned_data.get("config")
        for name in [name for name in self.cleaned_data if name.startswith(OF_BASELINE)]:
            key, value = name.removeprefix(OF_BASELINE), self.cleaned_data.pop(name)
            if config is not None and value:
                if key in config:
                    self.add_error("config", f"{key} is set here and in its field: keep one of them.")
                    return self.cleaned_data
                config[key] = value
        refusal = catalogue.refusal_of_files(config or {})
        if refusal:
            self.add_error("config", refusal)
        return self.cleaned_data


def _read_seeds(text: str) -> list[int]:
    """Reads `1, 2, 3`. Raises ValidationError."""
    seeds = []
    for part in text.split(","):
        seed = part.strip()
        if not seed.isascii() or not seed.isdigit() or int(seed) > LARGEST_SEED:
            raise forms.ValidationError(
                f"“{seed}” is not a seed: give whole numbers from 0 to {LARGEST_SEED:,}."
            )
        seeds.append(int(seed))
    if len(seeds) > MOST_SEEDS:
        raise forms.ValidationError(f"{len(seeds)} seeds are more than {MOST_SEEDS}: start several sweeps.")
    return list(dict.fromkeys(seeds))


def _lines(text: str) -> dict[str, str]:
    """Returns key -> value of a link's settings; what is no such line is left out."""
    parts = (line.partition("=") for line in text.splitlines())
    return {key.strip(): value.strip() for key, equals, value in parts if equals}


def _field_of(one: catalogue.Setting, usual: str) -> forms.Field:
    """Returns the field of a setting. Its value is checked where all settings are."""
    about: dict[str, Any] = {"label": one.key, "required": False, "help_text": one.doc}
    values = one.choices or (("true", "false") if one.type == "bool" else ())
    if values:
        return forms.ChoiceField(
            choices=[("", f"preset: {usual}"), *((each, each) for each in values)], **about
        )
    kind = forms.NumberInput(attrs={"step": "any"}) if one.type in ("int", "float") else forms.TextInput()
    kind.attrs["placeholder"] = usual
    return forms.CharField(max_length=200, widget=kind, **about)
