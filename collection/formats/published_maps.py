"""The published formats that are a reader with a column map and a label map."""

from dataclasses import replace

from collection.formats.maps import SPELLINGS, FieldMap, LabelMap, label_map
from collection.formats.records import LETTERS

FIVE = range(1, 6)


def columns(**given: str) -> dict[str, tuple[str, ...]]:
    return {name: tuple(text.split("+")) for name, text in given.items()}


def same(*names: str) -> dict[str, tuple[str, ...]]:
    return {name: (name,) for name in names}


OWN = same(
    *("premise", "hypothesis", "label", "labels", "author", "annotators", "genre", "id"),
    *("premise_id", "group", "document", "partition"),
)
LABEL_COLUMNS = tuple(f"label{n}" for n in FIVE)
SENTENCES = columns(premise="sentence1", hypothesis="sentence2")
PLAIN = columns(premise="premise|sentence1", hypothesis="hypothesis|sentence2", label="label|gold_label")

JSONL = FieldMap(OWN, has_author=True, splits=False)
TABLE = FieldMap(
    {**{key: value for key, value in OWN.items() if key != "annotators"}, "labels": LABEL_COLUMNS},
    has_author=True,
)
LINGNLI = FieldMap(
    {
        **same("premise", "hypothesis", "label"),
        **columns(labels="annotator_labels", annotators="annotator_ids", author="AnonId"),
        **columns(id="pairID", premise_id="promptID"),
    },
    has_author=True,
    splits=False,
)
KLUE = FieldMap(
    {
        **same("premise", "hypothesis"),
        **columns(label="gold_label", labels="author+label2+label3+label4+label5", id="guid", genre="source"),
    },
    has_author=True,
)
SEMI_AUTOMATIC = FieldMap(
    {
        **same("premise", "hypothesis", "label", "id"),
        "labels": LABEL_COLUMNS,
        "annotators": tuple(f"annId{n}" for n in FIVE),
        "author": ("annId",),
    },
    LabelMap({**LETTERS, "x": None}),
    has_author=True,
    alone=True,
)
SICK = FieldMap(
    {
        **columns(
            premise="sentence_A", hypothesis="sentence_B", label="entailment_judgment|entailment_label"
        ),
        **columns(id="pair_ID", partition="SemEval_set"),
        **columns(metadata="relatedness_score+entailment_AB+entailment_BA"),
    },
    LabelMap({label.upper(): label for label in LETTERS.values()}),
)
NEW_PROTOCOLS = FieldMap(
    {
        **SENTENCES,
        **columns(label="gold_label", labels="annotator_labels|label1", author="sentence2_author"),
        **columns(id="pairID", premise_id="promptID", genre="genre", group="sentence1_source"),
        **columns(document="sentence1_source", metadata="collection_protocol"),
    },
    has_author=True,
)
JOCI = FieldMap(
    columns(
        premise="CONTEXT",
        hypothesis="HYPOTHESIS",
        label="LABEL",
        genre="SUBSET",
        metadata="CONTEXT_FROM+HYPOTHESIS_FROM",
    ),
    LabelMap(refused={"0": "the label 0 is outside the scale of 1 to 5, so the pair has no label"}),
)
NOT = SPELLINGS["entailed2"]["no"]
TWO_LABELS = LabelMap(
    {
        spelled: ours
        for word, ours in {
            **SPELLINGS["entailed2"],
            **dict.fromkeys(("unknown", "contradiction"), NOT),
        }.items()
        for spelled in (word, word.upper())
    }
)
RTE = FieldMap(
    columns(premise="t", hypothesis="h", label="value|entailment", id="id", genre="task", metadata="length"),
    TWO_LABELS,
)
RTE_GLUE = FieldMap({**PLAIN, **columns(partition="tag")}, TWO_LABELS)
SCITAIL = FieldMap(PLAIN, TWO_LABELS)
ADD_ONE = FieldMap(
    {**same("premise", "hypothesis"), **columns(label="rating", metadata="rating")},
    replace(
        label_map("0.00-3.00=not-entailed,4.00-5.00=entailed"),
        gap="the mean rating is between those of the two classes (above 3.00 and below 4.00)",
    ),
)
BLOCKS = FieldMap(
    columns(
        premise="text",
        hypothesis="hypothesis",
        label="entailed|label",
        id="index",
        partition="partof",
        metadata="provenance+source",
    ),
    TWO_LABELS,
)
ANLI = FieldMap(
    columns(
        premise="context|premise",
        hypothesis="hypothesis",
        author_label="gold_label|label",
        labels="verifier_labels",
        id="uid",
        genre="genre",
        metadata="round+tag+tags+adversary_pred+model_label+reason",
    ),
    LabelMap(LETTERS),
    has_author=True,
)
HANS = FieldMap(
    {
        **SENTENCES,
        **columns(label="gold_label", id="pairID", genre="heuristic", metadata="subcase+template"),
    },
    TWO_LABELS,
)
BREAKING = FieldMap(
    {
        **SENTENCES,
        **columns(label="gold_label", labels="annotator_labels", id="pairID", metadata="category"),
    },
)
MED = FieldMap(
    {**SENTENCES, **columns(label="gold_label", id="pairID", metadata="genre")},
)
CONJ = FieldMap(
    columns(
        premise="Premise|premise|sentence1",
        hypothesis="Hypothesis|hypothesis|sentence2",
        label="Label|label|gold_label",
    ),
)
FRACAS = FieldMap(
    columns(
        premise="p",
        hypothesis="h",
        label="fracas_answer",
        id="id",
        metadata="q+a+why+note+fracas_nonstandard",
    ),
    LabelMap(
        {"yes": "entailment", "no": "contradiction", "unknown": "neutral"},
        refused={"undef": "the answer is undefined (undef), so the pair has no label"},
    ),
)
COMMITMENT = FieldMap(
    columns(
        premise="Context+Target",
        hypothesis="Prompt",
        labels="Reponses|Responses",
        id="uID",
        genre="genre",
        metadata="Verb+Embedding~1|Embedding+factive+Mean+SD+Reponses|Responses",
    ),
    label_map("-3..-1=contradiction,0=neutral,1..3=entailment"),
)
VARIATION = FieldMap(
    {
        **same("premise", "hypothesis", "labels", "id"),
        **columns(genre="task", metadata="original-dataset-label+num-NA+labels"),
    },
    label_map("-50..-17=contradiction,-16..16=neutral,17..50=entailment"),
)
IMPPRES_METADATA = (
    "UID+pairID+paradigmID+trigger+trigger1+trigger2+presupposition+presupposition1+presupposition2"
    "+spec_relation+item_type+lexemes+gold_label_log+gold_label_prag"
)


def imppres(label: str) -> FieldMap:
    given = columns(label=f"gold_label|gold_label_{label}", genre="UID|trigger", metadata=IMPPRES_METADATA)
    return FieldMap({**SENTENCES, **given})


VERIDICALITY = FieldMap(
    columns(
        premise="sentence",
        hypothesis="hypothesis",
        labels="veridicality",
        annotators="participant",
        genre="frame",
        group="verb",
        metadata="verb+frame+voice+polarity+conditional",
    ),
    LabelMap(
        {
            "yes": "entailment",
            "no": "contradiction",
            **dict.fromkeys(("maybe", "maybe or maybe not"), "neutral"),
            "NA": None,  # three answers that were lost
        }
    ),
)
LITEX = FieldMap(
    {
        **same("premise", "hypothesis"),
        **columns(label="gold_label", id="pairID", metadata="explained_labels"),
    },
    has_author=True,
)
LIVE = FieldMap(
    {**same("premise", "hypothesis"), **columns(labels="multilabel", annotators="worker_id", id="uid")}
    | columns(metadata="chaos_dist+mnli_labels+multilabel+worker_id"),
    LabelMap({"true": "entailment", "either": "neutral", "false": "contradiction"}, several="|"),
)
AMBIENT = FieldMap(
    {
        **same("premise", "hypothesis", "id"),
        **columns(label="labels", metadata="labels+premise_ambiguous+hypothesis_ambiguous"),
    },
    LabelMap(several=","),
)
AMBIENT_CROWD = FieldMap(
    {**same("premise", "hypothesis", "id"), **columns(labels="q0_gold", metadata="ambiguous_sent")}
)
AMBIENT_LINGUISTS = FieldMap(
    {
        **same("premise", "hypothesis", "id"),
        **columns(labels="annotations", annotators="worker_ids", metadata="annotations+worker_ids"),
    },
    LabelMap(several="|"),
    splits=False,
)
