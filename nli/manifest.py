"""The shape of a snapshot's manifest.json and corpus.json: each key with its type and its meaning, once.

The writer makes these objects, mypy holds every reader to their keys, the checker compares files with them, and the
reference is written from them. A key that older snapshots lack is NotRequired, and says since which version of the format
it is there.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, NotRequired, TypedDict

from nli.shapes import Key, object_errors

# Version 1 got new keys while it was in use, so a file of it may lack those since version 2. A further key that every
# snapshot has needs a version 3.
FORMATS = ("quintet-snapshot-1", "quintet-snapshot-2")
FORMAT = FORMATS[-1]


class Genre(TypedDict):
    """A genre of corpus.json."""

    name: str
    register: str
    in_training: bool


class PartitionSeats(TypedDict):
    """The rule for pairs that came with a partition, where it has its own."""

    seats: int
    threshold: int
    undecided: NotRequired[list[str]]


class MainQuestion(TypedDict):
    """The question that decides the gold labels."""

    wording: str
    seats: int
    threshold: int
    gold_rule: NotRequired[Annotated[str, Key("the rule's name; a majority where it is absent", since=2)]]
    partitions: NotRequired[dict[str, PartitionSeats]]
    label_wordings: dict[str, str]


class OtherQuestion(TypedDict):
    """A question beside the main one."""

    wording: str
    scheme: str
    labels: list[str]
    seats: int
    threshold: int
    by_sentence: bool
    hides_premise: bool


class SinglePremises(TypedDict):
    """The question about each sentence of a premise."""

    question: str
    wording: str
    seats: int
    threshold: int


class Facts(TypedDict):
    """What corpus.json holds: what a reader must know to understand the labels."""

    slug: Annotated[
        str, Key("the corpus's name in addresses and citations, as in [the corpus file](corpus-file.md)")
    ]
    name: Annotated[str, Key("its name for people")]
    description: Annotated[str, Key("what it is, in Markdown")]
    licence: Annotated[str, Key("under which licence its texts and labels are; empty if unknown")]
    language: Annotated[str, Key("the language of its texts, as `en`")]
    protocol: Annotated[str, Key("how pairs came about: `elicited`, `judged` or `recast`")]
    made_for_demo: Annotated[bool, Key("whether it was made by the demo")]
    scheme: Annotated[str, Key("the scheme of the labels that annotators give")]
    labels: Annotated[list[str], Key("the labels of that scheme, in order")]
    ordinal: Annotated[bool, Key("whether their order means something")]
    gold_scheme: NotRequired[
        Annotated[
            str,
            Key(
                "only where gold labels are of another scheme: its name. A corpus judged on `ordinal5` and decided as"
                " `entailed2` reads 5 as `entailed`, 1 to 4 as `not-entailed`; baselines learn the gold labels, and read the"
                " annotators' labels so"
            ),
        ]
    ]
    gold_labels: NotRequired[
        Annotated[list[str], Key("only with `gold_scheme`: the labels of that scheme, in order")]
    ]
    question: Annotated[
        MainQuestion,
        Key(
            "`wording`, `seats`, `threshold`, `gold_rule`, `label_wordings`; `partitions` only where pairs that came with a"
            " partition have their own `seats` and `threshold`, or labels that make no gold label (`undecided`)."
            " Of an import that nobody labelled here, `wording` and"
            " `label_wordings` are empty if the corpus has no question of its own; earlier versions wrote Quintet's"
        ),
    ]
    genres: Annotated[dict[str, Genre], Key("by slug: `name`, `register`, `in_training`")]
    questions: NotRequired[
        Annotated[
            dict[str, OtherQuestion],
            Key(
                "only where there are answers to other questions than the main one, by slug: `wording`, `scheme`, `labels`,"
                " `seats`, `threshold`, `by_sentence`, `hides_premise`"
            ),
        ]
    ]
    single_premises: NotRequired[
        Annotated[
            SinglePremises,
            Key(
                "only where each sentence of a premise is also judged by itself: the `question`, its `wording`, `seats` and"
                " `threshold`"
            ),
        ]
    ]


class ListedFile(TypedDict):
    """A file of the snapshot. lines: null where it is no file of lines."""

    sha256: str
    bytes: int
    lines: int | None


class Counted(TypedDict):
    """Numbers of pairs and of their premises."""

    pairs: int
    premises: int


class PartitionCounts(Counted):
    """The counts of a partition."""

    genres: dict[str, int]
    gold_labels: dict[str, int]
    matched: NotRequired[list[str]]
    mismatched: NotRequired[list[str]]


class Placements(TypedDict):
    """Whose partition was drawn here, came with the corpus, or was held out of a published train."""

    made: Counted
    published: Counted
    held_out: Counted


class Shortage(TypedDict):
    """A partition and genre that did not get the number asked for."""

    partition: str
    genre: str
    wanted: int
    placed: int


class Parses(TypedDict):
    """Numbers of sentences with parse trees, by side ("sentence1", "sentence2"), for each kind of trees."""

    shipped: dict[str, int]
    shipped_with_other_tokens: dict[str, int]
    derived: dict[str, int]
    attached: NotRequired[dict[str, int]]


class Parser(TypedDict):
    """The parser that derived the trees of a snapshot, and the version of its rules; or the file of trees made elsewhere."""

    tool: str
    version: str
    model: str
    rules: int
    file: NotRequired[str]
    sha256: NotRequired[str]


class Compared(TypedDict):
    """Two arms at a look. measure: alone or upheld. share: of the plan. level: of p. told: at which look."""

    measure: str
    groups: list[str]
    pairs: list[int]
    share: float
    effect: float
    p: float | None
    level: float | None
    told: int | None


class Look(TypedDict):
    number: int
    made_at: str
    is_last: bool
    compared: list[Compared]


class Preregistration(TypedDict):
    """What researchers said before the first task. sha256: over the text in UTF-8."""

    text: str
    sha256: str
    registered_at: str
    looks: NotRequired[list[Look]]


class ModelInLoop(TypedDict):
    """A frozen run that answered writers. Each sha256 is over the files that it predicts with (nli.run_files)."""

    prompt_version: str
    mode: str
    run: int
    name: str
    sha256: str
    twin: int
    twin_sha256: str


class Provenance(TypedDict):
    """A file that premises or pairs came from."""

    file: str
    sha256: str
    licence: str
    imported_on: str
    premises: int
    pairs: int


class Times(TypedDict):
    """The first and the last day of work."""

    written: list[str] | None
    labelled: list[str] | None


class WithdrawnPair(TypedDict):
    """A pair that was withdrawn after an earlier snapshot."""

    pairID: str
    because: str


class Withdrawn(TypedDict):
    """The numbers of withdrawn pairs and labels, and the withdrawn pairs that earlier snapshots contain."""

    pairs: dict[str, int]
    labels: dict[str, int]
    of_earlier_snapshots: list[WithdrawnPair]


class Background(TypedDict):
    """How many chose each answer to a question about their background."""

    question: str
    at_least: dict[str, int]


class Annotators(TypedDict):
    """Who worked here, in numbers."""

    people: int
    background: list[Background]


class Simulated(TypedDict):
    """What a simulated crowd made."""

    labels: int
    pairs: int
    people: NotRequired[list[str]]


class Answers(TypedDict):
    """Numbers of answers of each kind."""

    labels: int
    deciding: int
    extra: int
    withdrawn: int
    expert: int
    model: int
    skips: int
    with_reason: int
    of_other_questions: int
    left_out: NotRequired[int]


class Agreement(TypedDict):
    """How annotators agree; definitions are on the page. Null: nothing to divide by. Kappa: overall, and by label."""

    pairs: int
    pairs_with_all_labels: int
    unanimous: float | None
    individual_equals_gold: float | None
    individual_equals_gold_all_pairs: float | None
    individual_equals_author: float | None
    gold_equals_author: float | None
    gold_differs_from_author: float | None
    no_gold: float | None
    fleiss_kappa: dict[str, float | None]
    fleiss_kappa_validators: dict[str, float | None]
    krippendorff_alpha: float | None
    krippendorff_alpha_interval: NotRequired[list[float] | None]  # of the first versions of the software


class About(TypedDict):
    """What differs between two freezes of the same content."""

    frozen_at: str
    software: str
    sha256_before: NotRequired[str]  # the hash before labels of it were withheld


class Manifest(TypedDict):
    """What manifest.json holds."""

    format: Annotated[
        str, Key(f"`{FORMAT}`; earlier versions: {', '.join(f'`{name}`' for name in FORMATS[:-1])}")
    ]
    name: Annotated[str, Key("`CORPUS@VERSION`")]
    sha256: Annotated[str, Key("over the content, see above")]
    manifest_sha256: Annotated[str, Key("over the manifest itself, without this key and `about`")]
    files: Annotated[dict[str, ListedFile], Key("by name: `sha256`, `bytes`, `lines`")]
    withheld: NotRequired[
        Annotated[
            dict[str, ListedFile],
            Key(
                "only where the labels of a partition are withheld: the file of its lines with their labels, which is not in"
                " the folder until it is released, by name: `sha256`, `bytes`, `lines`"
            ),
        ]
    ]
    corpus: Annotated[Facts, Key("what `corpus.json` says")]
    seed: Annotated[int, Key("of the draw")]
    dev_from_train: Annotated[int, Key("premises that were asked for with `--dev-from`")]
    author_disjoint: NotRequired[
        Annotated[bool, Key("whether what authors of test pairs wrote was left out of train", since=2)]
    ]
    pairs: Annotated[int, Key("how many")]
    partitions: Annotated[
        dict[str, PartitionCounts],
        Key(
            "by name: `pairs`, `premises`, `genres`, `gold_labels`; of dev and test also `matched` and `mismatched` genres"
        ),
    ]
    placements: Annotated[
        Placements,
        Key(
            "`pairs` and `premises` whose partition was `made` here, was `published`, or was `held_out` of a published train"
        ),
    ]
    premises_in_two_partitions: Annotated[int, Key("how many; 0 unless published so")]
    groups_in_two_partitions: NotRequired[
        Annotated[
            int,
            Key(
                "how many groups (an image, a document, a source sentence; a premise without one is its own); 0 unless"
                " published so",
                since=2,
            ),
        ]
    ]
    hypotheses_in_two_partitions: Annotated[
        int, Key("how many texts occur as a hypothesis in more than one partition")
    ]
    shortages: Annotated[
        list[Shortage],
        Key(
            "each `partition` and `genre` that did not get exactly the number asked for: `wanted` and `placed` pairs"
        ),
    ]
    left_out: Annotated[dict[str, dict[str, int]], Key("pairs that are in no partition, by reason and genre")]
    gold_sources: Annotated[dict[str, int], Key("pairs by `gold_source`")]
    agreement: Annotated[
        Agreement,
        Key(
            "the statistics of `manage.py agreement`, over the pairs of the snapshot: `pairs`, `pairs_with_all_labels`,"
            " `unanimous`, `individual_equals_gold`, `individual_equals_gold_all_pairs`, `individual_equals_author`,"
            " `gold_equals_author`, `gold_differs_from_author`, `no_gold`, `fleiss_kappa`, `fleiss_kappa_validators`,"
            " `krippendorff_alpha`; in some early ones `krippendorff_alpha_interval`"
        ),
    ]
    answers: NotRequired[
        Annotated[
            Answers,
            Key(
                "how many answers there are: `labels`, of them `deciding`, `extra` (beyond the seats), `withdrawn`,"
                " `expert`, `model`, `with_reason`, `of_other_questions`; `skips`; and, where there are any, answers"
                " `left_out` because they name several labels",
                since=2,
            ),
        ]
    ]
    pairs_with_metadata: NotRequired[Annotated[int, Key("how many lines have `metadata`", since=2)]]
    parses: NotRequired[
        Annotated[
            Parses,
            Key(
                "how many premises (`sentence1`) and hypotheses (`sentence2`) have trees: `shipped` (they came with the"
                " corpus), `shipped_with_other_tokens` (they came, but their words are not those of the sentence),"
                " `derived`, and, where there are any, `attached` (made elsewhere, for pairs of this corpus)",
                since=2,
            ),
        ]
    ]
    parser: NotRequired[
        Annotated[
            Parser | None,
            Key(
                "what made trees that did not come with the corpus: `tool`, `version`, `model`, `rules`, and of attached"
                " ones their `file` with its `sha256`; null where there are none",
                since=2,
            ),
        ]
    ]
    models: NotRequired[
        Annotated[
            list[ModelInLoop],
            Key(
                "only where frozen runs answered or advised while hypotheses were written: the `prompt_version` of the"
                " lines, its `mode`, the `run` with its `name` and `sha256`, and its hypothesis-only `twin` with"
                " `twin_sha256`"
            ),
        ]
    ]
    preregistration: NotRequired[
        Annotated[
            Preregistration,
            Key(
                "only where the researchers registered, before the first task, what they compare and how: the `text`, its"
                " `sha256`, when (`registered_at`), and the `looks` at arms that were made (`number`, `made_at`, `is_last`,"
                " and what was `compared`: the `measure`, `groups`, `pairs`, `share` of the plan, `effect`, `p`, `level`,"
                " and at which look a difference was `told`)"
            ),
        ]
    ]
    provenance: NotRequired[
        Annotated[
            list[Provenance],
            Key(
                "the files that premises and pairs came from: `file`, `sha256`, `licence`, `imported_on`, `premises`,"
                " `pairs`",
                since=2,
            ),
        ]
    ]
    times: NotRequired[
        Annotated[
            Times,
            Key(
                "`written` and `labelled`: the first and the last day on which people here did that, or null",
                since=2,
            ),
        ]
    ]
    withdrawn: NotRequired[
        Annotated[
            Withdrawn,
            Key(
                "`pairs` and `labels` of the corpus that no longer count, by reason; `of_earlier_snapshots`: `pairID` and"
                " `because` of those that an earlier snapshot still holds. Never a text",
                since=2,
            ),
        ]
    ]
    annotators: NotRequired[
        Annotated[
            Annotators,
            Key(
                "`people` who wrote or labelled here, and `background`: by `question`, how many chose an answer, `at_least`."
                " Answers are voluntary; counts are rounded down to multiples of five, and smaller ones left out",
                since=2,
            ),
        ]
    ]
    simulated: Annotated[
        Simulated,
        Key("`labels` and `pairs` that a simulated crowd made, and the codes of its `people` where it did"),
    ]
    about: Annotated[
        About,
        Key(
            "when it was frozen (`frozen_at`), by which `software`, and, where labels were withheld later, its hash before:"
            " `sha256_before`"
        ),
    ]


def is_early(manifest: Mapping[str, Any]) -> bool:
    """Returns whether a snapshot has the first version of the format: it may lack keys, and some statistics differ."""
    return bool(manifest["format"] == FORMATS[0])


def still_counted(agreement: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the statistics of an early snapshot but the one that later versions of the software do not count."""
    return {key: value for key, value in agreement.items() if key != "krippendorff_alpha_interval"}


def facts_errors(facts: Mapping[str, Any]) -> Iterator[str]:
    """Yields what a corpus.json of any version lacks or has too much, and what is not of its type."""
    yield from (text for _, text in object_errors(facts, Facts, 1))


def manifest_errors(manifest: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yields what a manifest lacks or has too much, and what is not of its type: (key of the manifest, text).

    Its `format` is one of FORMATS; keys that later versions brought may be absent.
    """
    yield from object_errors(manifest, Manifest, FORMATS.index(manifest["format"]) + 1)
