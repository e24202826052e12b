"""List the baselines and their settings. Web processes import this module: it loads neither torch nor numpy.

`python -m modeling.baselines.catalogue` prints the list as JSON; `python -m modeling.baselines.catalogue BASELINE
key=value ...` checks settings.
"""

import json
import sys
from collections.abc import Mapping
from typing import Any

from modeling.baselines.settings import (
    PRESETS,
    AttentiveExpertsSettings,
    BiLSTMSettings,
    CBOWSettings,
    ConditionalLSTMSettings,
    EditDistanceSettings,
    ESIMSettings,
    FeatureSettings,
    HypothesisOnlySettings,
    InferSentSettings,
    LexicalizedSettings,
    LSTMSettings,
    MajoritySettings,
    NeuralSettings,
    OverlapClassifierSettings,
    PretrainedHypothesisSettings,
    PretrainedSettings,
    RNNSettings,
    Settings,
    SumOfExpertsSettings,
    SumOfWordsSettings,
    VotingSettings,
    WordAttentionSettings,
    WordNetClassifierSettings,
)
from nli.tokens import is_english
from schemas.base import SchemaErrors, checked, choices_of, default_of, limit_of

BASELINES: dict[str, type[Settings]] = {
    "majority": MajoritySettings,
    "hypothesis_only": HypothesisOnlySettings,
    "infersent": InferSentSettings,
    "cbow": CBOWSettings,
    "bilstm": BiLSTMSettings,
    "esim": ESIMSettings,
    "sum_of_words": SumOfWordsSettings,
    "rnn": RNNSettings,
    "lstm": LSTMSettings,
    "conditional_lstm": ConditionalLSTMSettings,
    "word_attention": WordAttentionSettings,
    "sum_of_experts": SumOfExpertsSettings,
    "attentive_experts": AttentiveExpertsSettings,
    "edit_distance": EditDistanceSettings,
    "overlap_classifier": OverlapClassifierSettings,
    "wordnet_classifier": WordNetClassifierSettings,
    "lexicalized": LexicalizedSettings,
    "voting": VotingSettings,
    "pretrained": PretrainedSettings,
    "pretrained_hypothesis": PretrainedHypothesisSettings,
}

TWO_CLASSES = (
    "edit_distance",
    "overlap_classifier",
    "wordnet_classifier",
)  # they predict the labels of entailed2

# These read no premise: a hypothesis-only twin of them would be the same run again.
NO_PREMISE = ("majority", "voting", "hypothesis_only", "pretrained_hypothesis")

# Settings that were added later, with the value that describes older runs: these keep their identity.
LATER = {
    "precision": "float32",
    "compile": False,
    "look_up": False,
    "scale": 1.0,
    "trees": False,
    "verb_ocean": "",
    "evaluations": 1,
}

SIZES = ("batch_size", "hidden", "states", "size")  # smaller ones take less memory

BOOLEANS = {"true": True, "false": False}


def describe() -> dict[str, dict[str, Any]]:
    """Describes all baselines, JSON-ready: {baseline: {"doc", "two_classes", "paper", "differences", "settings"}}.

    `paper`: what the preset changes, null if no paper has the baseline. `settings`: {key: {"type", "default", "doc",
    "choices", "least", "below"}}.
    """
    return {
        name: {
            "doc": doc_of(kind),
            "two_classes": name in TWO_CLASSES,
            "paper": None if kind.PAPER is None else dict(kind.PAPER),
            "differences": kind.DIFFERENCES,
            "settings": {
                key: {
                    "type": getattr(one.annotation, "__name__", ""),
                    "default": one.default,
                    "doc": one.description,
                    "choices": list(choices_of(one)) or None,
                    "least": limit_of(one, "ge"),
                    "below": limit_of(one, "lt"),
                }
                for key, one in kind.model_fields.items()
            },
        }
        for name, kind in BASELINES.items()
    }


def with_preset(baseline: str, preset: str, given: Mapping[str, object]) -> dict[str, object]:
    """Returns the given settings, after those of a preset. Raises ValueError for an unknown preset."""
    if preset not in PRESETS:
        raise ValueError(f"There is no preset {preset!r}. The presets: {', '.join(PRESETS)}.")
    kind = settings_class(baseline)
    if preset == "default":
        return dict(given)
    if kind.PAPER is None:
        raise ValueError(f"{baseline} is in no paper and has no preset paper: train it without a preset.")
    return {**kind.PAPER, **given}


def preset_of(baseline: str, given: Mapping[str, object]) -> str | None:
    """Returns the preset with exactly these settings, `default` if both presets have them; None for other settings."""
    made = make_settings(baseline, given)
    for preset in PRESETS:
        if (preset == "default" or made.PAPER is not None) and made == make_settings(
            baseline, with_preset(baseline, preset, {})
        ):
            return preset
    return None


def doc_of(kind: type[Settings]) -> str:
    """Returns what a baseline is, in one line."""
    return (kind.__doc__ or "").strip().splitlines()[0]


def check_settings(baseline: str, given: Mapping[str, object]) -> dict[str, Any]:
    """Checks the given settings, and turns text into the type of its key (for `--set key=value`).

    Returns the given keys only: the others take their defaults when the run starts. Raises ValueError that names an
    unknown baseline, or each invalid key and value, with the valid ones.
    """
    kind = settings_class(baseline)
    typed = {
        key: from_text(value, kind.model_fields[key].annotation)
        if isinstance(value, str) and key in kind.model_fields
        else value
        for key, value in given.items()
    }
    return make_settings(baseline, typed).model_dump(include=set(given))


def make_settings(baseline: str, given: Mapping[str, object]) -> Settings:
    """Makes the settings of a baseline: the given ones, and defaults for the others. An int is valid for a float.

    Raises ValueError that names all errors at once: an unknown baseline or key, a wrong type, a value out of its limits.
    """
    try:
        return checked(settings_class(baseline), dict(given))
    except SchemaErrors as faulty:
        raise ValueError(faulty.sentences(baseline)) from None


def less_memory(settings: Settings) -> str:
    """Says what to do when a run with these settings runs out of memory."""
    sizes = [name for name in SIZES if hasattr(settings, name)]
    ways = [f"a smaller {' or '.join(sizes)}".replace(" or ", ", ", len(sizes) - 2)] if sizes else []
    ways += ["a larger minimum_count"] if hasattr(settings, "minimum_count") else []
    change = f"set {', or '.join(ways)}, and start again in a new folder, or " if ways else ""
    return f"The memory is full: {change}use a machine with more."


def stored_settings(settings: Settings) -> dict[str, Any]:
    """Returns the settings as a run folder stores them. One of LATER is stored only if it differs from its value there."""
    return {key: value for key, value in settings.model_dump().items() if LATER.get(key, ...) != value}


def read_stored_settings(baseline: str, stored: Mapping[str, object]) -> Settings:
    """Makes the settings from what `stored_settings` returned. Raises ValueError as `make_settings` does."""
    later = {key: LATER[key] for key in settings_class(baseline).model_fields if key in LATER}
    return make_settings(baseline, {**later, **stored})


def settings_class(baseline: str) -> type[Settings]:
    """Returns the model of a baseline's settings. Raises ValueError for an unknown name."""
    if baseline not in BASELINES:
        raise ValueError(f"There is no baseline {baseline!r}. The baselines: {', '.join(BASELINES)}.")
    return BASELINES[baseline]


def from_text(text: str, kind: Any) -> object:
    """Reads `text` as a value of `kind`. Returns invalid text unchanged, so that the schema reports it."""
    try:
        return BOOLEANS[text.strip().lower()] if kind is bool else kind(text)
    except (KeyError, ValueError):
        return text


def main(arguments: list[str]) -> int:
    """Prints the catalogue, or checks `BASELINE key=value ...`; the exit code is 1 if these are invalid."""
    answer: dict[str, Any]
    code = 0
    if not arguments:
        answer = describe()
    else:
        try:
            answer = {"settings": check_settings(arguments[0], dict(map(split_assignment, arguments[1:])))}
        except ValueError as error:
            answer, code = {"event": "error", "message": str(error)}, 1
    print(json.dumps(answer))
    return code


def split_assignment(argument: str) -> tuple[str, str]:
    """Splits 'key=value' into (key, value). Raises ValueError without an equals sign."""
    key, sign, value = argument.partition("=")
    if not sign:
        raise ValueError(f"{argument!r} is not of the form key=value.")
    return key, value


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))


def english_tools(settings: Settings, language: str, packaged_vectors: str | None) -> str | None:
    """Names the tool of this baseline that only works for English, as the beginning of a sentence. Returns None if there
    is no such tool, or if the pairs are in English. `packaged_vectors`: the package of vectors that the run reads, if any.
    """
    if is_english(language):
        return None
    if isinstance(settings, NeuralSettings) and packaged_vectors:
        return f"The word vectors {packaged_vectors} are English"
    if isinstance(settings, PretrainedSettings) and settings.model == default_of(PretrainedSettings, "model"):
        return f"The encoder {settings.model} is for English"
    if isinstance(settings, FeatureSettings):
        return "Tags, lemmas and stop words are an English model's"
    return None
