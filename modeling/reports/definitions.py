"""Defines the rows and columns of the papers' tables as data. One mechanism in filling.py fills them.

Each row and column is a title with a part of a selection; the selection of a cell is both together (see cells.Selection).
`trained` and `on` are positions in the list of snapshots that the report names: 0 is the first.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from modeling.marking.actions import PHENOMENA
from modeling.results.breakdowns import WITH_APPROACH
from modeling.results.dimensions import MARKED, PHENOMENON
from nli.labels import COLLAPSED, SCHEMES
from nli.lines import PARTITIONS
from snapshots.statistics.tags import NAMES as NAMES_OF_TAGS

MAJORITY, HYPOTHESIS_ONLY, BETTER = "majority", "hypothesis_only", "better"
Entry = tuple[str, dict[str, Any]]


class Context(Protocol):
    """What axes may read: the snapshots, the values of a dimension, the runs that learnt from a part."""

    names: Sequence[str]
    key: str

    @property
    def sources(self) -> Sequence[int]: ...

    def values(self, on: int, partition: str, dimension: str) -> list[str]: ...

    def sizes(self, trained: int) -> list[int | None]: ...

    def with_curves(self, trained: int) -> list[str]: ...

    def labels(self, on: int) -> Sequence[str]: ...


Entries = Callable[[Context], Iterator[Entry]]
Axis = Sequence[Entry] | Entries
Note = str | Callable[[Context], str]


@dataclass(frozen=True)
class PaperTable:
    """`bar`: the system against which accuracies are tested, as in the paper.

    `notes`: how to read or complete the table; a function returns "" where its note does not apply.
    """

    title: str
    corner: str
    rows: Axis
    columns: Axis
    bar: str = ""
    notes: tuple[Note, ...] = ()


def each_value(dimension: str, partition: str = "dev", **more: Any) -> Entries:
    """Returns an axis with an entry for each value of a dimension."""

    def entries(context: Context) -> Iterator[Entry]:
        for value in context.values(0, partition, dimension):
            yield value, {"dimension": dimension, "value": (value,), "partition": partition, **more}

    return entries


def each_value_anywhere(dimension: str) -> Entries:
    """Returns an axis with an entry for each value that a dimension has in any part of any snapshot."""

    def entries(context: Context) -> Iterator[Entry]:
        places = range(len(context.names))
        found = (
            value for on in places for part in PARTITIONS for value in context.values(on, part, dimension)
        )
        for value in dict.fromkeys(found):
            yield value, {"dimension": dimension, "value": (value,), "everywhere": True}

    return entries


def keys_of_properties(context: Context) -> list[str]:
    """Returns the keys of the metadata that properties have, the chosen one first."""
    values = context.values(0, "dev", "property")
    keys = list(dict.fromkeys(value.partition(": ")[0] for value in values))
    return sorted(keys, key=lambda key: (key != context.key, key != "property"))


def each_property(context: Context) -> Iterator[Entry]:
    """Yields an entry for each value of one key of the metadata."""
    for key in keys_of_properties(context)[:1]:
        for value in context.values(0, "dev", "property"):
            if value.startswith(f"{key}: "):
                where = {"dimension": "property", "value": (value,), "partition": "dev"}
                yield value.removeprefix(f"{key}: "), {**where, "baseline": HYPOTHESIS_ONLY}


def other_keys(context: Context) -> str:
    key, *others = keys_of_properties(context) or [""]
    if context.key and context.key != key:
        return f"No pair of dev has the key {context.key}: rows are the values of {key or 'none'}."
    return f"Rows are the values of {key}; `--key` takes another: {', '.join(others)}." if others else ""


def each_snapshot(*measures: Entry, first: int = 0) -> Axis:
    """Returns an axis with an entry for each snapshot and measure."""

    def entries(context: Context) -> Iterator[Entry]:
        for place, name in enumerate(context.names):
            if place < first and len(context.names) > first:
                continue
            for title, selection in measures:
                yield f"{name} {title}".strip(), {"trained": place, "on": place, **selection}

    return entries


def each_size(context: Context) -> Iterator[Entry]:
    """Yields an entry for each training size of the runs on the first snapshot."""
    for size in context.sizes(0):
        yield "all" if size is None else f"{size:,}", {"most": size}


def systems_with_curves(context: Context) -> Iterator[Entry]:
    """Yields the three systems of the paper's figure, then each other baseline that learnt from a part."""
    yield from (LEXICALIZED[2], LEXICALIZED[0], *systems(("LSTM", "lstm")))
    others = (name for name in context.with_curves(0) if name not in ("lexicalized", "lstm"))
    yield from systems(*((name, name) for name in others))


def genres_and_all(context: Context) -> Iterator[Entry]:
    """Yields the second snapshot, if any, with its own models; then each genre of the first one, and all if several."""
    if len(context.names) > 1:
        yield context.names[1], {"trained": 1, "on": 1}
    genres_here = list(each_value("genre", "test")(context))
    yield from genres_here
    if len(genres_here) != 1:
        yield "all genres", {}


def training_genres(context: Context) -> Iterator[Entry]:
    """Yields an entry for CBOW on one sample of the second snapshot, if any, on each genre of the first one, and on all."""
    if len(context.names) > 1:
        yield (
            context.names[1],
            {"baseline": "cbow", "trained": 1, "sample": SHARE_MIXED, "config": OF_A_GENRE},
        )
    for genre in context.values(0, "train", "genre"):
        yield genre, {"baseline": "cbow", "genre": genre, "config": OF_A_GENRE}
    yield "all genres", {"baseline": "cbow"}


def genres(context: Context) -> Iterator[Entry]:
    """Yields an entry for the second snapshot, if any, then one for each genre in the first one's test part."""
    if len(context.names) > 1:
        yield context.names[1], {"on": 1}
    for genre in context.values(0, "test", "genre"):
        yield genre, {"dimension": "genre", "value": (genre,)}


def matched_parts(context: Context) -> Iterator[Entry]:
    """Yields the second snapshot, if any; then the first one's genres that its training part has, and the others."""
    if len(context.names) > 1:
        yield context.names[1], {"on": 1}
    known = context.values(0, "train", "genre")
    held_out = context.values(0, "test", "genre") if known else []
    for title, wanted in (("matched", True), ("mismatched", False)):
        found = tuple(genre for genre in held_out if (genre in known) is wanted)
        if found:
            yield title, {"dimension": "genre", "value": found}


def each_phenomenon(context: Context) -> Iterator[Entry]:
    """Yields the marked sample as a whole, if pairs were marked on a page, then each phenomenon, those of the paper
    in its order (MPE 5.3); all of dev.
    """
    for _ in context.values(0, "dev", MARKED):
        yield "all marked pairs", {"dimension": MARKED, "value": ("marked",), "partition": "dev"}
    place = {name: n for n, name in enumerate(PHENOMENA)}
    yield from sorted(each_value(PHENOMENON)(context), key=lambda entry: place.get(entry[0], len(place)))


def pairs_by_label(context: Context) -> Iterator[Entry]:
    yield "pairs", {"measure": "pairs"}
    for label in context.labels(0):
        yield label, {"measure": "label_pairs", "label": label}
    yield from EXAMPLE


def tags_and_all(context: Context) -> Iterator[Entry]:
    """Yields all pairs of dev, then those of each annotation tag in the paper's order; nothing before tags are counted."""
    tags = dict(each_value("tag_substring")(context))
    if tags:
        yield "all pairs", {"partition": "dev"}
    for tag, name in NAMES_OF_TAGS.items():
        if tag in tags:
            yield name, tags[tag]


def frequencies_and_systems(context: Context) -> Iterator[Entry]:
    """Yields the share of each tag, that in the second snapshot, if any, and the difference; then the models."""
    yield "frequency", {"measure": "share"}
    if len(context.names) > 1:
        yield f"frequency in {context.names[1]}", {"measure": "share", "on": 1}
        yield "difference", {"measure": "more_than_second"}
    yield "commonest label", {"measure": "commonest"}
    yield from systems(*NEURAL)


def regimes_by_label(context: Context) -> Iterator[Entry]:
    """Yields each training regime, and each label in it."""
    regimes: list[Entry] = [
        ("second snapshot only", {"trained": 1}),
        ("first snapshot only", {}),
        ("second, then first", {"start": ("update", 1)}),
    ]
    for title, regime in regimes:
        yield title, regime
        for label in context.labels(0):
            yield f"{title}: {label}", {**regime, "dimension": "label", "value": (label,)}


def by_phenomenon_and_data_set(context: Context) -> Iterator[Entry]:
    for dimension in WITH_APPROACH:
        yield from each_value_anywhere(dimension)(context)
    if len(context.names) > 1:
        for place, name in enumerate(context.names):
            yield name, {"on": place}
    yield "combined", {"everywhere": True}


def three_regimes(*systems: tuple[str, str]) -> list[Entry]:
    """Returns an entry for each system trained on the second snapshot, on the first, and on both mixed."""
    regimes: list[Entry] = [
        ("second snapshot", {"trained": 1}),
        ("first snapshot", {}),
        ("both mixed", {"mixed": 1, "share": SHARE_MIXED}),
    ]
    return [
        (
            f"{title}, trained on the {how}" if "snapshot" in how else f"{title}, {how}",
            {"baseline": name, **regime},
        )
        for how, regime in regimes
        for title, name in systems
    ]


# MultiNLI, section 3: so much of SNLI beside all of MultiNLI, and SNLI as one genre beside the others; footnote 1.
SHARE_MIXED = 0.15
OF_A_GENRE = {"dropout": 0.2}
EACH_EPOCH = (
    f"Both mixed: all of the first snapshot, and {SHARE_MIXED:.0%} of the second, drawn anew for each epoch."
)
ONE_SAMPLE = f"Of the second snapshot, {SHARE_MIXED:.0%} of the training pairs, drawn once."
NEURAL = (("CBOW", "cbow"), ("BiLSTM", "bilstm"), ("ESIM", "esim"))
PREMISES = (
    ("LSTM", "conditional_lstm"),
    ("Sum of experts", "sum_of_experts"),
    ("Attention", "word_attention"),
)
WITH_ATTENTION = (*PREMISES, ("Sum of experts with attention", "attentive_experts"))
LEXICAL = ("hypothesis_ngrams", "cross_unigrams", "cross_bigrams")
LEXICALIZED: tuple[Entry, ...] = (
    ("Lexicalized", {"baseline": "lexicalized", "config": {}}),
    ("Unigrams only", {"baseline": "lexicalized", "config": {"cross_bigrams": False}}),
    ("Unlexicalized", {"baseline": "lexicalized", "config": dict.fromkeys(LEXICAL, False)}),
)
TRAIN: Entry = ("train", {"partition": "train"})
TEST: Entry = ("test", {"partition": "test"})
DEV: Entry = ("dev", {"partition": "dev"})
GAINS = (
    ("hypothesis-only", "accuracy"),
    ("majority", "majority"),
    ("gain", "gain"),
    ("gain, relative", "relative_gain"),
)
EXAMPLE: tuple[Entry, ...] = (
    ("premise", {"measure": "example_premise"}),
    ("hypothesis", {"measure": "example"}),
    ("label", {"measure": "example_label"}),
)
NAME_TWO = "Name two snapshots."
L2_AGAIN = (
    "Transfer: with the L2 that dev chose, as in the paper, where a search over it was made:"
    " `train SECOND --baseline lstm --transfer RUN --search l2=1e-6,1e-5,1e-4`."
)


def second(context: Context) -> str:
    more = "With a second snapshot, the table has also the rows and columns that need one."
    return more if len(context.names) == 1 else ""


def name_two(context: Context) -> str:
    return NAME_TWO if len(context.names) == 1 else ""


def pre_training(context: Context) -> str:
    if len(context.names) == 1:
        return "Name further snapshots: pre-training is on the first one, and the columns are the others."
    return (
        "Pre-training is on the first snapshot, and on each other one from whose runs others have started; the columns are"
        " all but the first."
    )


def has_several_schemes(context: Context) -> bool:
    return len({tuple(context.labels(place)) for place in range(len(context.names))}) > 1


def in_two_classes(context: Context) -> str:
    """Says what the paper's footnote 17 says of MultiNLI."""
    if not has_several_schemes(context):
        return ""
    return (
        "The snapshots have different labels, so all of them are learnt and read as two: entailed or not. The runs before"
        " an update learn two classes, too."
    )


def recast_rows(context: Context) -> Iterator[Entry]:
    """Yields the systems of the DNC's Table 3, pre-trained ones for each source of pre-training.

    They are in two classes if the snapshots have different labels.
    """
    collapse = has_several_schemes(context)
    yield "Majority", {"measure": "majority", "collapse": collapse}
    names = (("InferSent", "infersent"), ("Hypothesis only", "hypothesis_only"))
    yield from systems(*names, collapse=collapse)
    for source in context.sources:
        for how, more in (
            (f"pre-trained on {context.names[source]} (update)", {"start": ("update", source)}),
            (f"trained on {context.names[source]} (fixed)", {"fixed": source}),
        ):
            titled = [(f"{name}, {how}", baseline) for name, baseline in names]
            yield from systems(*titled, collapse=collapse, **more)
            if "start" in more:
                gained = ((f"{title}: points gained", baseline) for title, baseline in titled)
                yield from systems(*gained, collapse=collapse, measure="points", **more)


def how_marked(context: Context) -> str:
    how = (
        "Phenomena are marked on a page of the snapshot, in a sample of dev, and counted there, or come from a file with"
        " pair id and phenomenon: `evaluate --file phenomenon=PATH`."
    )
    return "" if any(each_phenomenon(context)) else how


def sizes_by_tens(context: Context) -> str:
    tens = "No run has learnt from a part yet (`train --sizes` makes such runs): the sizes go by tens, as in the paper."
    return "" if context.with_curves(0) else tens


def other_curves(context: Context) -> str:
    others = "After the paper's three systems stands each other baseline that has learnt from a part."
    return others if len(list(systems_with_curves(context))) > 3 else ""


def gains(partition: str) -> list[Entry]:
    return [
        (f"{partition} {title}", {"partition": partition, "measure": measure, "baseline": HYPOTHESIS_ONLY})
        for title, measure in GAINS
    ]


def premise_readers(readers: Sequence[tuple[str, str]] = PREMISES) -> list[Entry]:
    """Returns premise readers, of the first snapshot alone and, as in the paper, after the second one."""
    titled = ((f"{title}, second then first", baseline) for title, baseline in readers)
    return [*systems(*readers), *systems(*titled, start=("update", 1))]


def systems(*pairs: tuple[str, str], **more: Any) -> list[Entry]:
    return [(title, {"baseline": name, **more}) for title, name in pairs]


TABLES: dict[str, PaperTable] = {
    "snli-4": PaperTable(
        "SNLI, Table 4: two-class test accuracy of simple systems",
        "system",
        [
            ("Majority", {"measure": "majority", "collapse": True}),
            *systems(
                ("Edit distance based", "edit_distance"),
                ("Classifier based", "overlap_classifier"),
                ("+ lexical resources", "wordnet_classifier"),
                collapse=True,
            ),
        ],
        each_snapshot(("", {})),
        MAJORITY,
    ),
    "snli-5": PaperTable(
        "SNLI, Table 5: the lexicalized classifier and its ablations",
        "system",
        LEXICALIZED,
        each_snapshot(TRAIN, TEST),
        MAJORITY,
    ),
    "snli-6": PaperTable(
        "SNLI, Table 6: sentence models",
        "sentence model",
        systems(("Sum of words", "sum_of_words"), ("RNN", "rnn"), ("LSTM", "lstm")),
        [TRAIN, TEST],
        MAJORITY,
    ),
    "snli-7": PaperTable(
        "SNLI, Table 7: transfer of the LSTM to a second snapshot (SICK in the paper)",
        "training sets",
        [
            ("First snapshot only", {"baseline": "lstm", "trained": 0, "on": 1}),
            ("Second snapshot only", {"baseline": "lstm", "trained": 1, "on": 1}),
            (
                "First and second (transfer)",
                {"baseline": "lstm", "trained": 1, "on": 1, "start": ("transfer", 0), "tuned": "l2"},
            ),
        ],
        [TRAIN, TEST],
        MAJORITY,
        (
            name_two,
            lambda context: "" if name_two(context) else L2_AGAIN,
        ),
    ),
    "figure-4": PaperTable(
        "SNLI, Figure 4: test accuracy by number of training pairs",
        "training pairs",
        each_size,
        systems_with_curves,
        notes=(sizes_by_tens, other_curves),
    ),
    "multinli-3": PaperTable(
        "MultiNLI, Table 3: key figures of each genre, and test accuracy",
        "genre",
        genres_and_all,
        [
            *((f"{part} pairs", {"partition": part, "measure": "pairs"}) for part in PARTITIONS),
            *(
                (name, {"measure": "statistic", "label": name})
                for name in ("words a premise", "S-rooted premises", "S-rooted hypotheses", "agreement")
            ),
            *systems(("ESIM", "esim"), ("CBOW", "cbow")),
        ],
        notes=("Words, parses and agreement are those of the table `genres`, over all partitions.", second),
    ),
    "multinli-4": PaperTable(
        "MultiNLI, Table 4: test accuracy in three training regimes",
        "training and model",
        [("Majority", {"measure": "majority"}), *three_regimes(*NEURAL)],
        matched_parts,
        MAJORITY,
        (
            second,
            "Matched: genres that the training part of the first snapshot has.",
            lambda context: "" if second(context) else EACH_EPOCH,
        ),
    ),
    "multinli-5": PaperTable(
        "MultiNLI, Table 5: CBOW trained on single genres",
        "training genre",
        training_genres,
        genres,
        notes=(
            second,
            lambda context: "" if second(context) else ONE_SAMPLE,
            "Single genres, as in the paper: dropout 0.2.",
        ),
    ),
    "multinli-6": PaperTable(
        "MultiNLI, Table 6: dev accuracy by annotation tag",
        "tag",
        tags_and_all,
        frequencies_and_systems,
        notes=(
            "Key words count inside other words, too, as in the paper. `evaluate --by tag` has whole words. More than 20"
            " words: of the hypothesis.",
            second,
        ),
    ),
    "mpe-5": PaperTable(
        "MPE, Table 5: phenomena of a sample of dev",
        "phenomenon",
        each_phenomenon,
        pairs_by_label,
        notes=(how_marked,),
    ),
    "mpe-6": PaperTable(
        "MPE, Table 6: test accuracy of premise readers in three training regimes, and by gold label",
        "training",
        regimes_by_label,
        systems(*PREMISES),
        MAJORITY,
        (second,),
    ),
    "mpe-7": PaperTable(
        "MPE, Table 7: dev accuracy by the number of single premises whose label is the gold label",
        "premises",
        each_value("single_premises"),
        [("share", {"measure": "share"}), ("pairs", {"measure": "pairs"}), *premise_readers()],
        notes=(second,),
    ),
    "mpe-8": PaperTable(
        "MPE, Table 8: dev accuracy by phenomenon",
        "phenomenon",
        each_phenomenon,
        [*premise_readers(), ("pairs", {"measure": "pairs"})],
        notes=(how_marked, second),
    ),
    "mpe-8-1": PaperTable(
        "MPE, section 8.1: dev accuracy of the sum of experts with attention, beside the three others",
        "system",
        premise_readers(WITH_ATTENTION),
        [("dev", {"partition": "dev"})],
        MAJORITY,
        (second,),
    ),
    "hyponly-1": PaperTable(
        "Poliak et al. 2018 (hypothesis only), Table 1: the data sets",
        "data set",
        each_snapshot(("", {})),
        [
            ("creation protocol", {"measure": "protocol"}),
            ("pairs", {"measure": "pairs", "partition": "all"}),
            ("labels", {"measure": "labels"}),
            ("example hypothesis", {"measure": "example"}),
        ],
    ),
    "hyponly-2": PaperTable(
        "Poliak et al. 2018 (hypothesis only), Table 2: the hypothesis-only model beside the majority",
        "data set",
        each_snapshot(("", {})),
        [*gains("dev"), *gains("test"), ("best model that reads premises", {"measure": "best"})],
        MAJORITY,
    ),
    "hyponly-3": PaperTable(
        "Poliak et al. 2018 (hypothesis only), Table 3: dev accuracy by gold label",
        "label",
        each_value("label", baseline=HYPOTHESIS_ONLY),
        [
            ("hypothesis-only", {}),
            ("share of the label", {"measure": "share"}),
            ("gain, relative", {"measure": "relative_gain"}),
            ("pairs", {"measure": "pairs"}),
        ],
    ),
    "hyponly-4": PaperTable(
        "Poliak et al. 2018 (hypothesis only), Table 4: dev accuracy by templated property",
        "property",
        each_property,
        [(title, {"measure": measure}) for title, measure in GAINS if measure != "gain"],
        MAJORITY,
        (other_keys,),
    ),
    "dnc-1": PaperTable(
        "DNC, Table 1: an entailed and a not-entailed example of each phenomenon",
        "phenomenon",
        each_value_anywhere("genre"),
        [
            (f"{label}: {side}", {"measure": measure, "label": label})
            for label in SCHEMES[COLLAPSED]
            for side, measure in (("context", "example_premise"), ("hypothesis", "example"))
        ],
    ),
    "dnc-2": PaperTable(
        "DNC, Table 2: pairs by phenomenon and by data set",
        "phenomenon or data set",
        by_phenomenon_and_data_set,
        [
            ("pairs", {"measure": "pairs", "partition": "all"}),
            ("automated", {"measure": "approach", "partition": "all"}),
        ],
        notes=("Automated: how the pairs were made, in the words of their metadata (`creation-approach`).",),
    ),
    "dnc-3": PaperTable(
        "DNC, Table 3: test accuracy on recast data",
        "model",
        recast_rows,
        each_snapshot(("", {}), first=1),
        BETTER,
        (pre_training, in_two_classes),
    ),
}
