"""The runs of each proof, the most important first."""

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
    """Returns the same run with several seeds."""
    return [Run(baseline, corpus, seed, **more) for seed in seeds]  # type: ignore[arg-type]


def mpe() -> list[Run]:
    """Returns the runs on MPE: alone, with both readings of the paper's dropout (dev chooses), and after SNLI."""
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
    """Returns the runs on SNLI, those of the four-premise baselines included, which continue on MPE."""
    return [
        *(run for name in SNLI_SETTINGS for run in snli_of(name)),
        *(run for name in PREMISE_READERS for run in mpe_first(name)),
    ]


def snli_of(name: str) -> list[Run]:
    """Returns five seeds of quick baselines, three of the others."""
    seeds = THREE if name in ("esim", "infersent", "bilstm") else SEEDS
    on = {"cbow": ("xnli",), "lstm": ("sick",)}.get(name, ())
    return with_seeds(name, "snli", seeds, settings=SNLI_SETTINGS[name], on=on)


# As published they have 2,048 states. Products in bfloat16 take two thirds of the time.
WIDE = ("hypothesis_only", "infersent")


def presets() -> list[Run]:
    """Returns a run of every network as published, and one with its defaults."""
    return [
        run
        for name in (*SNLI_SETTINGS, *PREMISE_READERS, "attentive_experts")
        for preset in ("paper", "default")
        for run in of_preset(name, preset)
    ]


def of_preset(name: str, preset: str) -> list[Run]:
    settings = {"precision": "bfloat16"} if preset == "paper" and name in WIDE else {}
    return with_seeds(name, "snli", THREE, settings=settings, preset=preset)


def genres() -> list[Run]:
    return [
        *(run for genre in TRAIN_GENRES for run in of_genre(genre)),
        *all_genres(),
        *snli_beside_genres(),
    ]


# The paper's dropout for a single genre.
OF_A_GENRE: dict[str, object] = {"dropout": 0.2, **PATIENT}


def of_genre(genre: str) -> list[Run]:
    return with_seeds("cbow", "multinli", settings=OF_A_GENRE, more={"genre": genre}, on=("xnli", "snli"))


def snli_beside_genres() -> list[Run]:
    return with_seeds("cbow", "snli", THREE, settings=OF_A_GENRE, on=("xnli",))


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


def regimes() -> list[Run]:
    """Returns the runs of MultiNLI's Table 4: three seeds of cbow, one of each network that takes minutes."""
    return [
        run
        for name, seeds in (("bilstm", SEEDS[:1]), ("esim", SEEDS[:1]), ("cbow", THREE))
        for regime in REGIMES
        for run in of_regime(name, regime)
        if run.seed in seeds
    ]


# The corpus that is trained on, and of which others each epoch draws a share.
REGIMES: dict[str, tuple[str, tuple[tuple[str, float], ...]]] = {
    "SNLI": ("snli", ()),
    "MultiNLI": ("multinli", ()),
    "MultiNLI + SNLI": ("multinli", (("snli", 0.15),)),
}


FEW_EPOCHS: dict[str, dict[str, object]] = {
    "bilstm": {**SMALL_ESIM, "epochs": 5, "batch_size": 64, "learning_rate": 0.001, "patience": 3},
    "esim": {**SMALL_ESIM, "epochs": 2},
}


def of_regime(name: str, regime: str) -> list[Run]:
    corpus, mixed = REGIMES[regime]
    settings = FEW_EPOCHS.get(name, {})
    return with_seeds(
        name, corpus, THREE, settings=settings, preset="default", mixed=mixed, on=("xnli", "snli")
    )


# Corpora of the Hypothesis Only paper's Table 2, and two of the DNC.
HYPOTHESES = ("snli", "mpe", "sick", "multinli", "joci", "sentiment", "verbnet")


def hypotheses() -> list[Run]:
    return [run for kind in (alone, alone_by_sgd) for corpus in HYPOTHESES for run in kind(corpus)]


def alone(corpus: str) -> list[Run]:
    """Returns the runs that read the hypotheses of a corpus alone, with default settings."""
    return with_seeds("hypothesis_only", corpus, THREE, preset="default")


def alone_by_sgd(corpus: str) -> list[Run]:
    """Returns the same runs as published, except that they have the default's number of states."""
    return with_seeds("hypothesis_only", corpus, THREE, settings={"states": 128}, preset="paper")


# SNLI's Figure 4, by tens; None: all pairs.
FIGURE_4 = (1, 10, 100, 1000, None)
WITHOUT_WORDS: dict[str, object] = dict.fromkeys(
    ("cross_bigrams", "cross_unigrams", "hypothesis_ngrams"), False
)
SYSTEMS: dict[str, tuple[str, dict[str, object]]] = {
    "lexicalized": ("lexicalized", {}),
    "unlexicalized": ("lexicalized", WITHOUT_WORDS),
    "lstm": ("lstm", {}),
}


def figure_4() -> list[Run]:
    return [run for system in SYSTEMS for size in FIGURE_4 for run in of_figure_4(system, size)]


def of_figure_4(system: str, size: int | None) -> list[Run]:
    """Returns five draws of so many training pairs, with default settings. All pairs are one draw.

    Who saw one pair can only answer its class, as the majority does; the classifier refuses to learn one class.
    """
    baseline, settings = SYSTEMS[system] if size != 1 else ("majority", {})
    if size is None:
        return with_seeds(baseline, "snli", SEEDS[:1], settings=settings, preset="default")
    return with_seeds(baseline, "snli", settings=settings, preset="default", more={"most": size})


# MPE paper, footnote 2: what all three networks were trained on SNLI with. The dropout is read as in MPE's own row.
FOOTNOTE_2: dict[str, dict[str, object]] = {
    "conditional_lstm": {"states": 100, "hidden": 100, "dropout": 0.2},
    "sum_of_experts": {"states": 100, "hidden": 100, "dropout": 0.2},
    "word_attention": {"states": 100, "dropout": 0.2},
}


def footnote_2() -> list[Run]:
    return [run for name in PREMISE_READERS for run in (*footnote_2_first(name), *footnote_2_then(name))]


def footnote_2_first(name: str) -> list[Run]:
    return with_seeds(name, "snli", SEEDS[:2], settings=FOOTNOTE_2[name], on=("mpe",))


def footnote_2_then(name: str) -> list[Run]:
    return [
        Run(name, "mpe", first.seed, settings=FOOTNOTE_2[name], start=(first, "update"))
        for first in footnote_2_first(name)
    ]


# Whose answers stand for the labels that people gave to MPE's single premises, which are not published.
JUDGES = tuple(
    Run(baseline, "snli", preset="default", on=("premises",))
    for baseline in ("lexicalized", "infersent", "cbow")
)
VOTING = ("more", "most")


def votes() -> list[Run]:
    """Returns the three judges, voting by their answers, and the networks whose accuracy Table 7 divides."""
    return [*map(voting, VOTING), *(run for name in PREMISE_READERS for run in divided(name))]


def voting(rule: str) -> Run:
    return Run("voting", "mpe", settings={"rule": rule}, judges=JUDGES)


def divided(name: str) -> list[Run]:
    """Returns runs on MPE after SNLI, as the paper's; dropout and all else by default."""
    before = with_seeds(name, "snli", THREE, preset="default")
    return [Run(name, "mpe", first.seed, start=(first, "update"), preset="default") for first in before]


RECAST = ("sentiment", "verbnet")
ONLY_TESTED = ("factuality", "puns", "winogender", "relations")  # their train parts are not at hand
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


def recast(name: str, corpus: str, preset: str | None = "paper") -> list[Run]:
    return with_seeds(name, corpus, THREE, settings=RECAST_SETTINGS[name], preset=preset)


def after(source: str, name: str, preset: str | None = "paper") -> list[Run]:
    """Returns runs trained on the DNC or on MultiNLI; their scores on the recast sets are those of *fixed*."""
    of_multinli = {"collapse": True, "more": {"most": MULTINLI_PAIRS}} if source == "multinli" else {}
    on = (*RECAST, *ONLY_TESTED)
    settings = RECAST_SETTINGS[name]
    return with_seeds(name, source, THREE, settings=settings, preset=preset, on=on, **of_multinli)


def updated(source: str, name: str, corpus: str) -> list[Run]:
    return [
        Run(name, corpus, first.seed, settings=RECAST_SETTINGS[name], start=(first, "update"), preset="paper")
        for first in after(source, name)
    ]


def dnc_fixed() -> list[Run]:
    """Returns runs by the default optimiser, of the sets that have test parts alone, too."""
    return [
        run
        for name in RECAST_SETTINGS
        for run in (
            *(run for source in SOURCES for run in fixed(source, name)),
            *(run for corpus in RECAST for run in recast(name, corpus, None)),
        )
    ]


SOURCES = ("dnc", "dnc+relations", "multinli")


def fixed(source: str, name: str) -> list[Run]:
    return after(source, name, None)


def curves() -> list[Run]:
    return [
        *(run for name in CURVE for size in SIZES for run in snli_part(name, size)),
        *(run for size in (*POOLED_SIZES, None) for run in pooled("cbow", size)),
    ]


def snli_part(name: str, size: int) -> list[Run]:
    settings = PATIENT if name == "cbow" else {}
    return with_seeds(name, "snli", THREE, settings=settings, more={"most": size})


def pooled(name: str, size: int | None) -> list[Run]:
    """Returns runs trained on so many pairs of all three-class corpora together; None: all pairs."""
    settings = PATIENT if size and size <= 10_000 else {**PATIENT, "epochs": 20}
    more = {"most": size} if size else {}
    return with_seeds(name, "pool", THREE, settings=settings, more=more, on=("snli", "xnli"))


def pretrained() -> list[Run]:
    """Returns runs of one epoch, on a part of SNLI: a CPU trains thirty pairs per second."""
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
    "regimes": regimes,
    "hypotheses": hypotheses,
    "figure-4": figure_4,
    "footnote-2": footnote_2,
    "votes": votes,
    "sick": sick,
    "dnc": dnc,
    "dnc-fixed": dnc_fixed,
    "curves": curves,
    "pretrained": pretrained,
}
