"""Which runs make which proof, the worthiest first."""

from collections.abc import Iterable

from bench.proofs.runs import Run

SEEDS = (1, 2, 3, 4, 5)
THREE = SEEDS[:3]

MPE = ("conditional_lstm", "sum_of_experts", "word_attention", "hypothesis_only", "lstm")
PREMISE_READERS = MPE[:3]  # those of the paper's Table 6
DROPPED = {
    "conditional_lstm": 0.8,
    "sum_of_experts": 0.8,
    "word_attention": 0.6,
}  # Table 6's, as the share dropped
TRAIN_GENRES = ("fiction", "travel", "government", "telephone", "slate")

# Smaller than published where a CPU would take hours.
SMALL_ESIM: dict[str, object] = {"states": 100, "hidden": 100}
SNLI_SETTINGS: dict[str, dict[str, object]] = {
    "cbow": {},
    "hypothesis_only": {},
    "sum_of_words": {},
    "rnn": {},
    "lstm": {},
    "infersent": {},
    "esim": SMALL_ESIM,
    "bilstm": {},
}
# On a few thousand pairs CBOW learns nothing for ten epochs and more: its default patience ends it there.
PATIENT: dict[str, object] = {"epochs": 60, "patience": 0}
CURVE = ("hypothesis_only", "cbow", "lstm")
SIZES = (100, 300, 1000, 3000)
POOLED_SIZES = (1000, 3000, 10_000, 30_000)
PRETRAINED_PAIRS = 4_000
SNLI_PAIRS, POOLED_PAIRS = 7_799, 67_801  # what there is


def with_seeds(baseline: str, corpus: str, seeds: Iterable[int] = SEEDS, **more: object) -> list[Run]:
    """The same run with several seeds."""
    return [Run(baseline, corpus, seed, **more) for seed in seeds]  # type: ignore[arg-type]


def mpe() -> list[Run]:
    """MPE alone; the other reading of the paper's dropout, for dev to choose; after SNLI."""
    return [
        *(run for name in MPE for run in with_seeds(name, "mpe")),
        *(run for name in PREMISE_READERS for run in dropped(name)),
        *(run for name in PREMISE_READERS for run in (*mpe_first(name), *mpe_after_snli(name))),
    ]


def dropped(name: str) -> list[Run]:
    return with_seeds(name, "mpe", SEEDS[:2], settings={"dropout": DROPPED[name]})


def mpe_first(name: str) -> list[Run]:
    return with_seeds(name, "snli", THREE, on=("mpe",))


def mpe_after_snli(name: str) -> list[Run]:
    return [Run(name, "mpe", first.seed, start=(first, "update")) for first in mpe_first(name)]


def snli() -> list[Run]:
    """The readers of four premises, too, as they are before they go on to MPE."""
    return [
        *(run for name in SNLI_SETTINGS for run in snli_of(name)),
        *(run for name in PREMISE_READERS for run in mpe_first(name)),
    ]


def snli_of(name: str) -> list[Run]:
    """Five seeds of what is quick, three of the others."""
    seeds = THREE if name in ("esim", "infersent", "bilstm") else SEEDS
    on = {"cbow": ("xnli",), "lstm": ("sick",)}.get(name, ())
    return with_seeds(name, "snli", seeds, settings=SNLI_SETTINGS[name], on=on)


# As published, with 2,048 states, an epoch takes a quarter of an hour.
ONE_PRESET = {"hypothesis_only": ("default",), "infersent": ("default",)}


def presets() -> list[Run]:
    """Every network as published and by default."""
    return [
        run
        for name in (*SNLI_SETTINGS, *PREMISE_READERS, "attentive_experts")
        for preset in ONE_PRESET.get(name, ("paper", "default"))
        for run in of_preset(name, preset)
    ]


def of_preset(name: str, preset: str) -> list[Run]:
    return with_seeds(name, "snli", THREE, preset=preset)


def genres() -> list[Run]:
    return [
        *(run for genre in TRAIN_GENRES for run in of_genre(genre)),
        *all_genres(),
        *snli_of("cbow"),
    ]


def of_genre(genre: str) -> list[Run]:
    """The paper's dropout for single genres is 0.2."""
    settings = {"dropout": 0.2, **PATIENT}
    return with_seeds("cbow", "multinli", settings=settings, more={"genre": genre}, on=("xnli", "snli"))


def all_genres() -> list[Run]:
    return with_seeds("cbow", "multinli", on=("xnli", "snli"))


def sick() -> list[Run]:
    return [run for first in snli_of("lstm") for run in (first, sick_alone(first.seed), sick_after(first))]


# For the first ten epochs it answers the commonest label and nothing else, and after SNLI it goes on for as long.
ALL_EPOCHS: dict[str, object] = {"patience": 0}


def sick_alone(seed: int) -> Run:
    return Run("lstm", "sick", seed, settings=ALL_EPOCHS)


def sick_after(first: Run) -> Run:
    return Run("lstm", "sick", first.seed, settings=ALL_EPOCHS, start=(first, "transfer"))


RECAST = ("sentiment", "verbnet")
RECAST_SETTINGS: dict[str, dict[str, object]] = {
    "infersent": {"states": 128, "batch_size": 32, "epochs": 8},
    "hypothesis_only": {"states": 128, "batch_size": 32, "epochs": 8},
}
MULTINLI_PAIRS = 5_000


def dnc() -> list[Run]:
    return [
        run
        for name in RECAST_SETTINGS
        for run in (
            *(run for corpus in RECAST for run in recast(name, corpus)),
            *after("dnc", name),
            *(run for corpus in RECAST for run in updated("dnc", name, corpus)),
            *after("multinli", name),
            *(run for corpus in RECAST for run in updated("multinli", name, corpus)),
        )
    ]


def recast(name: str, corpus: str) -> list[Run]:
    return with_seeds(name, corpus, THREE, settings=RECAST_SETTINGS[name])


def after(source: str, name: str) -> list[Run]:
    """Trained on the DNC or on MultiNLI; its scores on the recast sets are those of *fixed*."""
    of_multinli = {"collapse": True, "more": {"most": MULTINLI_PAIRS}} if source == "multinli" else {}
    return with_seeds(name, source, THREE, settings=RECAST_SETTINGS[name], on=RECAST, **of_multinli)


def updated(source: str, name: str, corpus: str) -> list[Run]:
    return [
        Run(name, corpus, first.seed, settings=RECAST_SETTINGS[name], start=(first, "update"))
        for first in after(source, name)
    ]


def curves() -> list[Run]:
    return [
        *(run for name in CURVE for size in SIZES for run in snli_part(name, size)),
        *(run for size in (*POOLED_SIZES, None) for run in pooled("cbow", size)),
    ]


def snli_part(name: str, size: int) -> list[Run]:
    settings = PATIENT if name == "cbow" else {}
    return with_seeds(name, "snli", THREE, settings=settings, more={"most": size})


def pooled(name: str, size: int | None) -> list[Run]:
    """From all corpora of three classes together; None: all pairs."""
    settings = PATIENT if size and size <= 10_000 else {**PATIENT, "epochs": 20}
    more = {"most": size} if size else {}
    return with_seeds(name, "pool", THREE, settings=settings, more=more, on=("snli", "xnli"))


def pretrained() -> list[Run]:
    """One epoch, of SNLI a part: a CPU does thirty pairs a second."""
    return [
        Run(name, corpus, settings={"epochs": 1}, more=more)
        for corpus, more in (("snli", {"most": PRETRAINED_PAIRS}), ("mpe", {}))
        for name in ("pretrained", "pretrained_hypothesis")
    ]


PLANS = {
    "mpe": mpe,
    "snli": snli,
    "presets": presets,
    "genres": genres,
    "sick": sick,
    "dnc": dnc,
    "curves": curves,
    "pretrained": pretrained,
}
