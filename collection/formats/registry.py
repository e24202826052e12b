"""The formats in which files of pairs can be imported, by name.

A format is a reader of records with a column map and a label map (`published_maps.py`), or with a small function from a
record to an `ImportedPair`; each is one entry in `FORMATS`. The lines of a file come out one by one, as pairs or as
`BadLine`s with a reason.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from collection.formats import published_maps
from collection.formats.answer_lines import (
    add_one_records,
    block_records,
    gathered,
    gathered_explanations,
    gathered_veridicality,
    read_varierr,
    scitail_records,
    varierr_records,
)
from collection.formats.lines import BadLine, Record, elements, json_array_records, json_records
from collection.formats.maps import BadMap, FieldMap, LabelMap
from collection.formats.published_records import (
    anli_records,
    dnc_records,
    mpe_records,
    read_chaosnli,
    read_dnc,
    read_mpe,
    read_snli,
    read_snli_table,
)
from collection.formats.records import ImportedPair, RuledOut, Unreadable, printable, rows_of
from collection.formats.snapshot import facts_beside, read_snapshot_line, snapshot_records
from collection.formats.tables import WITHOUT_HEADER, any_records, csv_records, table_records, tsv_records
from nli.gold import OF_ALL
from shared.portions import portions

PORTION = 2000  # records between two words about the progress
PEEKED = 100  # records among which each column that the researcher named must occur


@dataclass(frozen=True)
class ImportFormat:
    """How to read a file, and the settings of a new corpus for it.

    fields: column map and label map; or `read_record`, if a map is not enough.
    scheme, protocol: None if a file of this format fits corpora of any.
    question_scheme: of the main question's labels, if it is not the corpus's.
    genre: of the pairs, unless a line names another. language: of a new corpus.
    question, wordings: the question that people were asked, and its words for the labels; empty: ours.
    seats, threshold, gold_rule: of a new corpus's main question; None: our defaults. partitions: those with seats and a
    threshold of their own.
    genres: name, register and in_training of genres that the import makes, by slug. questions: columns of questions beside
    the main one, by slug. corpus: description, licence and made_for_demo of a new corpus.
    people: the corpus whose name stands before the codes of annotators, and codes that have one already keep theirs;
    None: that of the import. simulated: codes of people of the file who are a simulated crowd.
    ids_repeat: several pairs of a file may have one id; the second gets `~2` at its end, the third `~3`.
    left_behind: what the file beside the pairs says and no import keeps, for the report.
    facts: reads values for the fields above from a file beside the pairs.
    gathers: makes pairs' records of all records of a file, before the first pair. tell: hears how far this is.
    has_rounds: the file says which of its labels were asked for later, beyond the seats.
    mark: columns by which a file of this format is recognised; `a|b`: one of the two. marked_values: for formats that
    share their columns, what all values of a column must contain.
    """

    name: str
    about: str
    records: Callable[[Path], Iterator[Record | BadLine]]
    fields: FieldMap | None = None
    read_record: Callable[[int, dict[str, Any]], ImportedPair] | None = None
    mark: frozenset[str] = frozenset()
    marked_values: Mapping[str, str] = field(default_factory=dict)
    scheme: str | None = None
    protocol: str | None = None
    question_scheme: str | None = None
    genre: str = "all"
    language: str = "en"
    question: str = ""
    wordings: Mapping[str, str] = field(default_factory=dict)
    seats: int | None = None
    threshold: int | None = None
    gold_rule: str | None = None
    partitions: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    genres: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    questions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    corpus: Mapping[str, Any] = field(default_factory=dict)
    people: str | None = None
    simulated: frozenset[str] = frozenset()
    left_behind: frozenset[str] = frozenset()
    ids_repeat: bool = False
    has_rounds: bool = False
    facts: Callable[[Path], dict[str, Any]] | None = None
    gathers: Callable[[Iterator[Record | BadLine]], Iterator[Record | BadLine]] | None = None
    tell: Callable[[str], None] = lambda text: None

    def knowing(self, path: Path) -> "ImportFormat":
        """Returns the format with the facts from the file beside this one. Raises ValueError for an invalid file."""
        return replace(self, **self.facts(path)) if self.facts else self

    def is_marked(self, keys: Collection[str], records: Collection[Mapping[str, Any]]) -> bool:
        """Returns whether these columns, and the values in them, identify the format."""
        return (
            bool(self.mark)
            and all(not set(each.split("|")).isdisjoint(keys) for each in self.mark)
            and all(
                part in str(record.get(key)) for record in records for key, part in self.marked_values.items()
            )
        )

    def mapped(self, columns: Mapping[str, tuple[str, ...]], labels: LabelMap | None) -> "ImportFormat":
        """Returns the format with other columns or labels. Raises BadMap for one that has no map."""
        if not columns and labels is None:
            return self
        if self.fields is None:
            raise BadMap(
                "The format {0} has its own columns and labels; {columns} and {label_map} go with jsonl, tsv, csv and the"
                " formats that are such maps.",
                self.name,
            )
        fields = self.fields.with_columns(columns) if columns else self.fields
        named = [column for given in columns.values() for column in given]
        has_header = not named or not all(column.isdecimal() for column in named)
        return replace(
            self,
            fields=fields.with_labels(labels) if labels else fields,
            records=self.records if has_header else WITHOUT_HEADER.get(self.name, self.records),
        )

    def gathering(self) -> "ImportFormat":
        """Returns the format for files with an answer on each line. Raises BadMap for one that has no plain label."""
        labels = self.fields and (self.fields.columns.get("label") or self.fields.columns.get("labels"))
        if self.fields is None or self.gathers or not labels or len(labels) > 1:
            raise BadMap(
                "{gather} goes with jsonl, json, tsv, csv and one column of labels, not with {0}.", self.name
            )
        fields, person = self.fields, ""
        if "annotators" in fields.named:
            (person,) = fields.columns["annotators"]
        left = {
            name: columns for name, columns in fields.columns.items() if name not in ("label", "annotators")
        }
        columns = {**left, "labels": labels, **({"annotators": (person,)} if person else {})}
        answers = replace(fields, columns=columns, has_author=False, splits=False)
        return replace(self, fields=answers, gathers=gathered(fields.pair_in, labels[0], person))

    def read(self, path: Path) -> Iterator[ImportedPair | BadLine]:
        """Yields the pairs of a file in their order; an invalid line comes as a BadLine.

        Raises BadMap if a column that the researcher named does not exist.
        """
        found = self.gathers(self.told(path)) if self.gathers else self._records(path)
        if self.fields and self.fields.named:
            first = list(islice(found, PEEKED))
            if peeked := [item[1] for item in first if not isinstance(item, BadLine)]:
                self.fields.check(peeked)
            found = chain(first, found)
        read = self.fields.read if self.fields else self.read_record
        assert read is not None
        for item in found:
            if isinstance(item, BadLine):
                yield item
                continue
            line, record = item
            try:
                yield read(line, record)
            except Unreadable as problem:
                keys, meant = tuple(map(printable, record)), isinstance(problem, RuledOut)
                yield BadLine(line, str(problem), keys, rows=rows_of(record), meant=meant)

    def _records(self, path: Path) -> Iterator[Record | BadLine]:
        """Yields the records of a file, with what named columns find inside objects."""
        if not (self.fields and self.fields.dotted):
            yield from self.records(path)
            return
        for item in self.records(path):
            yield item if isinstance(item, BadLine) else (item[0], self.fields.with_inner(item[1]))

    def told(self, path: Path) -> Iterator[Record | BadLine]:
        """Yields the records of a file of which all must be read before the first pair, and tells how far it is."""
        for portion in portions(self._records(path), PORTION):
            yield from portion
            last = portion[-1]
            line = last.line if isinstance(last, BadLine) else last[0]
            self.tell(f"{path.name}: line {line:,}, looked through before the first pair")


def _registered(*formats: ImportFormat) -> dict[str, ImportFormat]:
    return {each.name: each for each in formats}


def _marks(*columns: str) -> frozenset[str]:
    return frozenset(columns)


elicited = partial(ImportFormat, scheme="nli3", protocol="elicited")
judged = partial(ImportFormat, scheme="nli3", protocol="judged")
two = partial(ImportFormat, scheme="entailed2", protocol="judged")
recast = partial(ImportFormat, records=dnc_records, read_record=read_dnc, protocol="recast")
snli = partial(elicited, read_record=read_snli)
snli_table = partial(elicited, read_record=read_snli_table)

FORMATS: dict[str, ImportFormat] = _registered(
    snli("snli", "SNLI, JSON Lines", json_records, genre="captions", mark=_marks("captionID", "sentence1")),
    snli("multinli", "MultiNLI, JSON Lines", json_records, mark=_marks("promptID", "sentence1_parse")),
    snli_table(
        "snli_txt", "SNLI, a table", tsv_records, genre="captions", mark=_marks("captionID", "sentence1")
    ),
    snli_table("multinli_txt", "MultiNLI, a table", tsv_records, mark=_marks("sentence1", "sentence2")),
    judged(
        "mpe",
        "Multiple Premise Entailment, a table",
        mpe_records,
        read_record=read_mpe,
        mark=_marks("premise4", "neutral_judgments"),
        genre="captions",
        question="Can the scene be described by the sentence?",
        wordings={"entailment": "Yes", "neutral": "Unknown", "contradiction": "No"},
    ),
    elicited(
        "lingnli",
        "LingNLI, JSON Lines",
        json_records,
        published_maps.LINGNLI,
        mark=_marks("annotator_labels", "promptID", "premise"),
        genre="slate",
        ids_repeat=True,
    ),
    elicited(
        "chaosnli",
        "ChaosNLI, JSON Lines",
        json_records,
        read_record=read_chaosnli,
        mark=_marks("old_labels", "label_count"),
        has_rounds=True,
    ),
    elicited(
        "klue",
        "KLUE-NLI (Korean), a JSON array",
        json_array_records,
        published_maps.KLUE,
        mark=_marks("guid", "author", "label5"),
        language="ko",
    ),
    elicited(
        "semi-automatic-nli",
        "Semi-automatic NLI, JSON Lines",
        json_records,
        published_maps.SEMI_AUTOMATIC,
        mark=_marks("hid", "hypothesis"),
        genre="wikipedia",
    ),
    elicited(
        "new-protocols",
        "Textual entailment, new protocols: JSON Lines or a table",
        any_records,
        published_maps.NEW_PROTOCOLS,
        mark=_marks("sentence1_source|null~1", "sentence1", "sentence2"),
        genre="wikipedia",
        seats=1,
    ),
    elicited(
        "anli",
        "ANLI, JSON Lines, with the labels of its verifiers where they are in the file or beside it",
        anli_records,
        published_maps.ANLI,
        mark=_marks("uid", "context", "hypothesis"),
        seats=4,
        threshold=3,
    ),
    judged(
        "sick", "SICK, a table", tsv_records, published_maps.SICK, mark=_marks("sentence_A"), genre="captions"
    ),
    judged(
        "joci",
        "JOCI, comma-separated, labels 1 to 5",
        csv_records,
        published_maps.JOCI,
        mark=_marks("CONTEXT", "HYPOTHESIS", "SUBSET"),
        scheme="ordinal5",
    ),
    two("rte", "PASCAL RTE, XML", elements("pair"), published_maps.RTE, mark=_marks("t", "h")),
    two(
        "rte-glue",
        "RTE as in GLUE: JSON Lines or a table",
        any_records,
        published_maps.RTE_GLUE,
        mark=_marks("premise", "hypothesis", "label", "tag"),
    ),
    two(
        "scitail",
        "SciTail: JSON Lines or its table",
        scitail_records,
        published_maps.SCITAIL,
        genre="science",
    ),
    two("add-one", "ADD-one RTE: a mean rating, ..., two sentences", add_one_records, published_maps.ADD_ONE),
    ImportFormat(
        "recast-blocks",
        "DPR, SPR and FN+ (Inference is Everything): blocks of `key: value`",
        block_records,
        published_maps.BLOCKS,
        mark=_marks("entailed", "text", "partof"),
        scheme="entailed2",
        protocol="recast",
    ),
    ImportFormat(
        "hans",
        "HANS, a table",
        tsv_records,
        published_maps.HANS,
        mark=_marks("heuristic", "subcase"),
        scheme="entailed2",
        protocol="recast",
    ),
    judged(
        "breaking-nli",
        "Breaking NLI, JSON Lines: three labels a pair",
        json_records,
        published_maps.BREAKING,
        mark=_marks("category", "annotator_labels", "sentence1"),
        genre="captions",
        seats=3,
    ),
    judged(
        "mega-veridicality",
        "MegaVeridicality, comma-separated: an answer a line",
        any_records,
        published_maps.VERIDICALITY,
        gathers=gathered_veridicality,
        mark=_marks("veridicality", "frame"),
        seats=10,
    ),
    judged("conj-nli", "ConjNLI: a table or JSON Lines", any_records, published_maps.CONJ),
    judged(
        "med",
        "MED (monotonicity), a table",
        tsv_records,
        published_maps.MED,
        mark=_marks("sentence1", "sentence2", "genre"),
        marked_values={"genre": "monotone"},
    ),
    judged(
        "fracas",
        "FraCaS, XML: one to five premises",
        elements("problem"),
        published_maps.FRACAS,
        mark=_marks("fracas_answer"),
    ),
    judged(
        "commitmentbank",
        "CommitmentBank, comma-separated: -3 to -1 contradiction, 0 neutral, 1 to 3 entailment",
        csv_records,
        published_maps.COMMITMENT,
        mark=_marks("Prompt", "Target"),
        seats=18,
        gold_rule=OF_ALL,
    ),
    judged(
        "nli-variation",
        "NLI variation, JSON Lines: -50 to -17 contradiction, -16 to 16 neutral, 17 to 50 entailment",
        json_records,
        published_maps.VARIATION,
        mark=_marks("normed-labels"),
        seats=50,
        gold_rule=OF_ALL,
    ),
    *(
        ImportFormat(
            name,
            f"IMPPRES, JSON Lines, {which}",
            json_records,
            published_maps.imppres(label),
            mark=_marks(mark, "sentence1"),
            scheme="nli3",
            protocol="recast",
        )
        for name, which, label, mark in (
            ("imppres", "logical labels of implicatures", "log", "gold_label_log|paradigmID"),
            ("imppres-pragmatic", "pragmatic labels of implicatures", "prag", "gold_label_prag"),
        )
    ),
    judged(
        "varierr",
        "VariErr NLI, JSON Lines or the shared task's JSON: single labels of four annotators",
        varierr_records,
        read_record=read_varierr,
        mark=_marks("context", "statement", "label_set_round_1"),
        seats=4,
    ),
    judged(
        "livenli",
        "LiveNLI, comma-separated, an answer a line",
        any_records,
        published_maps.LIVE,
        gathers=gathered(("uid",), "multilabel", "worker_id"),
        mark=_marks("multilabel", "worker_id"),
        seats=40,
        gold_rule=OF_ALL,
    ),
    elicited(
        "litex",
        "LiTEx, JSON Lines, an explanation a line: their pairs",
        json_records,
        published_maps.LITEX,
        gathers=gathered_explanations,
        mark=_marks("explanation_category"),
    ),
    judged(
        "ambient",
        "AmbiEnt, JSON Lines: the label where there is one",
        json_records,
        published_maps.AMBIENT,
        mark=_marks("premise_ambiguous"),
    ),
    judged(
        "ambient-crowd",
        "AmbiEnt's answers of crowdworkers, JSON Lines",
        json_records,
        published_maps.AMBIENT_CROWD,
        mark=_marks("q0_gold"),
        seats=9,
        ids_repeat=True,
    ),
    judged(
        "ambient-linguists",
        "AmbiEnt's answers of linguists, JSON Lines",
        json_records,
        published_maps.AMBIENT_LINGUISTS,
        mark=_marks("annotations", "worker_ids"),
        seats=3,
        gold_rule=OF_ALL,
    ),
    recast(name="dnc", about="DNC, a JSON array", scheme="entailed2", mark=_marks("pair-id", "context")),
    recast(
        name="dnc-relations",
        about="DNC's relation extraction, labels 1 to 5",
        scheme="ordinal5",
        mark=_marks("pair-id", "context"),
    ),
    recast(
        name="dnc-function-words",
        about="NLI sets for function words, in DNC's fields",
        scheme="nli3",
        mark=_marks("pair-id", "context"),
    ),
    ImportFormat(
        "snapshot",
        "a frozen snapshot of Quintet: train.jsonl, dev.jsonl, test.jsonl, with corpus.json beside them",
        snapshot_records,
        read_record=read_snapshot_line,
        mark=_marks("gold_source", "answers", "sentence1"),
        has_rounds=True,
        facts=facts_beside,
        people="",
    ),
    ImportFormat("json", "the fields of jsonl as a JSON array", json_array_records, published_maps.JSONL),
    ImportFormat(
        "jsonl",
        "premise, hypothesis, label, ... as JSON Lines or Parquet",
        json_records,
        published_maps.JSONL,
    ),
    ImportFormat("tsv", "the same fields, tab-separated, with a header", table_records, published_maps.TABLE),
    ImportFormat("csv", "the same fields, comma-separated, with a header", csv_records, published_maps.TABLE),
)
