"""Which baselines there are and what can be set for them. `python -m modeling.baselines.catalogue` prints it
as JSON; `python -m modeling.baselines.catalogue BASELINE key=value ...` checks settings instead. Web processes import
it: it loads neither torch nor numpy.
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
from schemas.base import Faulty, checked, choices_of, default_of, limit_of

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

TWO_CLASSES = ("edit_distance", "overlap_classifier", "wordnet_classifier")  # their labels are entailed2's

# These read no premise: a hypothesis-only twin of them would be the same run again.
NO_PREMISE = ("majority", "voting", "hypothesis_only", "pretrained_hypothesis")

# Settings that old runs have not, at what they did: such a run keeps its identity.
LATER = {"precision": "float32", "compile": False, "look_up": False, "combine": "sum"}

SIZES = ("batch_size", "hidden", "states", "size")  # smaller ones take less memory

BOOLEANS = {"true": True, "false": False}


def describe() -> dict[str, dict[str, Any]]:
    """{baseline: {"doc", "two_classes", "paper", "differences", "settings": {key: {"type", "default", "doc", "choices",
    "least", "below"}}}}, JSON-ready. `paper`: what the preset sets otherwise, null where no paper has the baseline.
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
    """The given settings, with those of a preset where none is given. Raises ValueError for a preset that is not there."""
    if preset not in PRESETS:
        raise ValueError(f"There is no preset {preset!r}. The presets: {', '.join(PRESETS)}.")
    kind = settings_class(baseline)
    if preset == "default":
        return dict(given)
    if kind.PAPER is None:
        raise ValueError(f"{baseline} is in no paper and has no preset paper: train it without a preset.")
    return {**kind.PAPER, **given}


def preset_of(baseline: str, given: Mapping[str, object]) -> str | None:
    """The preset that these settings amount to; None where they amount to none. `default` comes first where both fit."""
    made = make_settings(baseline, given)
    for preset in PRESETS:
        if (preset == "default" or made.PAPER is not None) and made == make_settings(
            baseline, with_preset(baseline, preset, {})
        ):
            return preset
    return None


def doc_of(kind: type[Settings]) -> str:
    """What a baseline is, in one line."""
    return (kind.__doc__ or "").strip().splitlines()[0]


def check_settings(baseline: str, given: Mapping[str, object]) -> dict[str, Any]:
    """The given settings, text turned into the type of its key (as `--set key=value` needs it).

    Keys that were not given stay away: they take their defaults when the run starts. Raises ValueError that names the
    baseline, or every key and value that is wrong, and what there is.
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
    """The baseline's settings, defaults where none is given. An int will do for a float; types are strict.

    Raises ValueError for an unknown baseline or key, a wrong type, and a value out of its limits: for all at once.
    """
    try:
        return checked(settings_class(baseline), dict(given))
    except Faulty as faulty:
        raise ValueError(faulty.sentences(baseline)) from None


def less_memory(settings: Settings) -> str:
    """What to do where the memory does not suffice for a run with these settings, by those that it has."""
    sizes = [name for name in SIZES if hasattr(settings, name)]
    ways = [f"a smaller {' or '.join(sizes)}".replace(" or ", ", ", len(sizes) - 2)] if sizes else []
    ways += ["a larger minimum_count"] if hasattr(settings, "minimum_count") else []
    change = f"set {', or '.join(ways)}, and start again in a new folder, or " if ways else ""
    return f"The memory is used up: {change}use a machine with more."


def told(settings: Settings) -> dict[str, Any]:
    """The settings as a run folder tells them: those that came later only where they are not as old runs had them."""
    return {key: value for key, value in settings.model_dump().items() if LATER.get(key, ...) != value}


def retold(baseline: str, told_settings: Mapping[str, object]) -> Settings:
    """The settings that `told` told. Raises ValueError as `make_settings` does."""
    later = {key: LATER[key] for key in settings_class(baseline).model_fields if key in LATER}
    return make_settings(baseline, {**later, **told_settings})


def settings_class(baseline: str) -> type[Settings]:
    """The model of a baseline's settings. Raises ValueError for a name that there is not."""
    if baseline not in BASELINES:
        raise ValueError(f"There is no baseline {baseline!r}. The baselines: {', '.join(BASELINES)}.")
    return BASELINES[baseline]


def from_text(text: str, kind: Any) -> object:
    """`text` as a value of `kind`; the text itself where it is none, for the schema to refuse."""
    try:
        return BOOLEANS[text.strip().lower()] if kind is bool else kind(text)
    except (KeyError, ValueError):
        return text


def main(arguments: list[str]) -> int:
    """Prints the catalogue, or checks `BASELINE key=value ...`; code 1 where they are wrong."""
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
    """'key=value' as (key, value). Raises ValueError without an equals sign."""
    key, sign, value = argument.partition("=")
    if not sign:
        raise ValueError(f"{argument!r} is not of the form key=value.")
    return key, value


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))


def english_tools(settings: Settings, language: str, packaged_vectors: str | None) -> str | None:
    """The tool of this baseline that is for English alone, as the beginning of a sentence, where the pairs are in
    another language; None where there is none. `packaged_vectors`: the package of vectors that it reads, if it does.
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
