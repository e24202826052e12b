"""One table of splits, and all that says what their gold label is: the database, Python, files, exports, training."""

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq
import pytest
from django.utils import timezone

from collection.models import Pair
from modeling.baselines.config import DataFile
from modeling.baselines.data import read_partition
from nli.gold import DIFFERS, NO_MAJORITY
from nli.labels import NO_GOLD, SCHEMES
from snapshots.exports.formats import FORMATS, export
from snapshots.exports.limits import ExportError
from snapshots.files.reading import all_lines
from snapshots.models import Snapshot
from snapshots.statistics.job import measure
from snapshots.statistics.pairs import pair_of
from snapshots.verification.lines import differences
from snapshots.verify import verify
from tests.baselines.small import file_of, run_train, small_run, small_settings
from tests.cast import ana, person, rosa
from tests.corpora import make_corpus, make_pair, make_premise
from tests.snapshots.material import folder, freeze, lines, manifest
from validation.gold.queries import with_gold_label
from validation.models import Adjudication, Label, Question
from validation.statistics.agreement import report

pytestmark = pytest.mark.django_db
SEATS = 5


class Case(NamedTuple):
    """How labels fell on a pair, and what follows by each rule: (label, source), "a voted".

    Letters are labels: a is the scheme's first, m its second, z its last, "." a seat that waits. Beyond the fifth they
    were asked for later. imported: they came in a file. author: the label that the pair was written for, which is
    the first of the five as well.
    """

    letters: str
    majority: str
    adjudicated: str
    unanimous: str
    author: str = ""
    published: str = ""
    decided: str = ""
    imported: bool = False


CASES = [
    Case("aaaaa", "a voted", "a voted", "a voted"),
    Case("zzzzz", "z voted", "z voted", "z voted", author="z"),
    Case("aaaaz", "a voted", "a voted", "- none"),
    Case("zzzaa", "z voted", "- none", "- none"),
    Case("azzza", "z voted", "- none", "- none", author="a"),
    Case("aaamm", "a voted", "a voted", "- none", author="a"),
    Case("aammz", "- none", "- none", "- none", author="a"),
    # Seats that wait: a majority is one already, the other rules still depend on them.
    Case("zzz..", "z voted", "- none", "- none"),
    Case("aaa..", "a voted", "a author", "a author", author="a"),
    Case("aa.z.", "a author", "a author", "a author", author="a"),
    Case("za...", "a published", "a published", "a published", published="a"),
    Case("", "- none", "- none", "- none"),
    Case("", "z author", "z author", "z author", author="z"),
    Case("", "a published", "a published", "a published", published="a"),
    # Labels that came in a file, some of them fewer than five; the label that was published beside them stands.
    Case("aaa", "a voted", "a voted", "a voted", imported=True),
    Case("aazz", "- none", "- none", "- none", imported=True),
    Case("zzzzz", "z voted", "z voted", "z voted", published="z", imported=True),
    Case("zzzzz", "a published+", "a published+", "a published+", published="a", imported=True),
    Case("zzzaa", "z voted", "z published-", "z published-", published="z", imported=True),
    Case("zzaa", "z published-", "z published-", "z published-", published="z", imported=True),
    Case("zzaa", "z published-", "z published-", "z published-", published="z", author="z", imported=True),
    # A researcher's decision goes before all; labels beyond the fifth decide nothing.
    Case("zzzaa", "a adjudicated", "a adjudicated", "a adjudicated", decided="a"),
    Case("zzaa.", "a adjudicated", "a adjudicated", "a adjudicated", decided="a", author="z"),
    Case("aaaaazzzz", "a voted", "a voted", "a voted"),
    Case("aammzmmmm", "- none", "- none", "- none", author="a"),
    Case("aaaazaaaa", "a voted", "a voted", "- none"),
]
NOTES = {"published+": DIFFERS, "published-": NO_MAJORITY}
TEXT = "A dog waits."
FOUR = "A dog waits.\nA man waits.\nTwo dogs.\nA river."
# Rule, scheme of the labels, scheme of the gold label, text of the premises, formats that can hold it.
WORLDS = {
    "majority, three labels": (
        "majority", "nli3", "nli3", TEXT,
        {"jsonl", "snli_txt", "multinli_txt", "snli_jsonl", "multinli_jsonl", "dnc", "parquet"},
    ),
    "adjudicated, four sentences": ("adjudicated", "nli3", "nli3", FOUR, {"jsonl", "mpe", "parquet"}),
    "unanimous, three labels": (
        "unanimous", "nli3", "nli3", TEXT,
        {"jsonl", "snli_txt", "multinli_txt", "snli_jsonl", "multinli_jsonl", "dnc", "parquet"},
    ),
    "majority, two labels": ("majority", "entailed2", "entailed2", TEXT, {"jsonl", "dnc", "parquet"}),
    "unanimous, two labels": ("unanimous", "entailed2", "entailed2", TEXT, {"jsonl", "dnc", "parquet"}),
    "majority, a scale": ("majority", "ordinal5", "ordinal5", TEXT, {"jsonl", "dnc", "parquet"}),
    "unanimous, a scale": ("unanimous", "ordinal5", "ordinal5", TEXT, {"jsonl", "dnc", "parquet"}),
    "a scale decides in two": ("unanimous", "ordinal5", "entailed2", TEXT, {"jsonl", "dnc", "parquet"}),
    "majority, grammar": ("majority", "grammar3", "grammar3", TEXT, {"jsonl", "parquet"}),
}  # fmt: skip


class World:
    """A corpus with a pair for each case and partition."""

    def __init__(self, rule: str, scheme: str, gold_scheme: str, text: str) -> None:
        self.rule, self.labels, self.gold_labels = rule, SCHEMES[scheme], SCHEMES[gold_scheme]
        self.crosses = scheme != gold_scheme
        self.corpus = make_corpus(scheme=gold_scheme)
        Question.objects.filter(corpus=self.corpus).update(scheme=scheme, gold_rule=rule)
        self.question = Question.objects.select_related("corpus").get(corpus=self.corpus)
        sentences = len(text.splitlines())
        premise = make_premise(self.corpus, text, sentence_count=sentences)
        self.gold: dict[str, tuple[str | None, str, str]] = {}
        self.given: dict[str, list[str]] = {}
        self.in_all: dict[str, list[str]] = {}  # with those beyond the seats
        labels: list[Label] = []
        for number, case in enumerate(CASES):
            # Two labels cannot fall as some cases do; and nobody adjudicates labels of another scheme.
            if ("m" in case.letters and len(self.labels) == 2) or (case.decided and self.crosses):
                continue
            for partition in ("train", "dev"):
                labels += self._add(premise, f"{partition}-{number:02}", partition, case)
        Label.objects.bulk_create(labels)

    def label(self, letter: str) -> str | None:
        return {"a": self.labels[0], "m": self.labels[1], "z": self.labels[-1], ".": None}[letter]

    def gold_label(self, letter: str) -> str | None:
        """What a letter stands for among the gold labels: of a scale, 5 alone is entailed."""
        if letter in ("", "-"):
            return None
        return {"a": "not-entailed", "z": "entailed"}[letter] if self.crosses else self.label(letter)

    def _add(self, premise: Any, name: str, partition: str, case: Case) -> list[Label]:
        pair = make_pair(
            self.corpus,
            premise,
            f"A dog waits, {name}.",
            public_id=name,
            published_partition=partition,
            author=ana() if case.author else None,
            author_label=self.gold_label(case.author),
            published_label=self.gold_label(case.published),
        )
        letter, source = getattr(case, self.rule).split()
        # The author's label on another scale takes no seat: without it, a case may have fewer labels than it says.
        letters = case.letters[1:] if case.author and self.crosses else case.letters
        self.gold[name] = (self.gold_label(letter), source.rstrip("+-"), NOTES.get(source, ""))
        if case.decided:
            Adjudication.objects.create(
                question=self.question,
                pair=pair,
                scheme=self.question.scheme,
                label=self.label(case.decided),
                reason="Read twice.",
                by=rosa(),
            )
        self.in_all[name] = [str(self.label(each)) for each in letters if each != "."]
        self.given[name] = [str(self.label(each)) for each in letters[:SEATS] if each != "."]
        if not letters and case.author and not self.crosses:
            self.given[name] = [str(pair.author_label)]
        return [self._label(pair, position, each, case) for position, each in enumerate(letters, start=1)]

    def _label(self, pair: Pair, position: int, letter: str, case: Case) -> Label:
        by_author = position == 1 and bool(case.author) and not self.crosses
        origin = Label.Origin.AUTHOR if by_author else Label.Origin.CAST
        is_cast = letter != "." and not case.imported
        return Label(
            question=self.question,
            pair=pair,
            premise=pair.premise,
            scheme=self.question.scheme,
            position=position,
            origin=Label.Origin.IMPORTED if case.imported and not by_author else origin,
            author=pair.author,
            annotator=(ana() if by_author else person(f"v{position}")) if is_cast else None,
            turn=position,
            label=self.label(letter),
            cast_at=timezone.now() if is_cast else None,
        )

    @property
    def told(self) -> dict[str, str]:
        """pairID -> gold label as files write it."""
        return {name: label or NO_GOLD for name, (label, _, _) in self.gold.items()}


@pytest.fixture(params=list(WORLDS.values()), ids=list(WORLDS))
def world(request: pytest.FixtureRequest) -> tuple[World, set[str]]:
    *args, formats = request.param
    return World(*args), formats


def test_the_database_python_files_exports_and_training_agree_on_every_gold_label(
    world: tuple[World, set[str]], tmp_path: Path
) -> None:
    here, formats = world
    assert by_database(here) == here.gold
    assert by_python(here) == here.gold
    snapshot = freeze(here.corpus)
    assert verify(folder(snapshot)).findings == []
    found = {line["pairID"]: line for part in ("train", "dev") for line in lines(snapshot, part)}
    assert {name: line["gold_label"] for name, line in found.items()} == here.told
    assert {name: line["gold_source"] for name, line in found.items()} == {
        name: source for name, (_, source, _) in here.gold.items()
    }
    assert {name: line["annotator_labels"] for name, line in found.items()} == here.given
    for line in found.values():
        given = line["annotator_labels"]
        shares = {label: given.count(label) / len(given) for label in here.labels} if len(given) > 1 else None
        assert line.get("label_distribution") == shares
    check_manifest(here, snapshot)
    check_statistics(here, snapshot)
    assert {name: by_export(snapshot, name, tmp_path) for name in FORMATS} == {
        name: expected_in(name, here.told) if name in formats else None for name in FORMATS
    }
    check_training(here, snapshot, tmp_path)


def by_database(here: World) -> dict[str, Any]:
    rows: Any = with_gold_label(Pair.objects.filter(corpus=here.corpus), here.question)
    return {row.public_id: (row.gold_label, row.gold_source, row.gold_note) for row in rows}


def by_python(here: World) -> dict[str, Any]:
    decisions = dict(Adjudication.objects.values_list("pair__public_id", "label"))
    found = {}
    for pair in Pair.objects.filter(corpus=here.corpus).prefetch_related("labels"):
        seats = [label for label in pair.labels.all() if label.position <= SEATS]
        others = [label for label in seats if label.origin != Label.Origin.AUTHOR]
        found[pair.public_id] = tuple(
            here.question.rule.decide(
                here.question.rule.count(label.label for label in seats if label.label),
                settled=bool(others) and all(label.label for label in others),
                adjudicated=decisions.get(pair.public_id),
                published=pair.published_label,
                beside_votes=any(label.origin == Label.Origin.IMPORTED for label in others),
                author=pair.author_label,
            )
        )
    return found


def check_manifest(here: World, snapshot: Snapshot) -> None:
    told = manifest(snapshot)
    assert told["gold_sources"] == Counter(source for _, source, _ in here.gold.values())
    for part in ("train", "dev"):
        counts = Counter(label for name, label in here.told.items() if name.startswith(part))
        expected = {label: counts[label] for label in (*here.gold_labels, NO_GOLD)}
        assert told["partitions"][part]["gold_labels"] == expected
    live = report(Pair.objects.filter(corpus=here.corpus), here.question)
    assert not [*differences(told["agreement"], live.figures, "agreement")]
    full = [name for name in here.gold if len(here.given[name]) == SEATS]
    sources = [f"{source}, {note}" if note else source for _, source, note in map(here.gold.get, full)]
    assert live.breakdown["gold_sources"] == Counter(sources)
    assert live.figures["no_gold"] == sum(here.gold[name][0] is None for name in full) / len(full)
    # An individual label equals the gold label that it stands for.
    decided = [name for name in full if here.gold[name][0] is not None]
    equal = sum(
        stands_for(here, label) == here.gold[name][0] for name in decided for label in here.given[name]
    )
    assert live.figures["individual_equals_gold"] == pytest.approx(equal / (SEATS * len(decided)))


def stands_for(here: World, label: str) -> str:
    return {"5": "entailed"}.get(label, "not-entailed") if here.crosses else label


def check_statistics(here: World, snapshot: Snapshot) -> None:
    told = manifest(snapshot)

    def pairs() -> Any:
        return (pair_of(part, line) for part, line in all_lines(folder(snapshot), told))

    found = measure("corpus", pairs, told, lambda done: None)
    assert found["groups"][0]["gold_labels"] == Counter(here.told.values())
    assert tuple(found["labels"]) == here.gold_labels
    assert tuple(measure("artifacts", pairs, told, lambda done: None)["labels"]) == here.gold_labels


def expected_in(format_name: str, told: dict[str, str]) -> dict[str, str]:
    """DNC has no place for pairs without a gold label."""
    return {name: label for name, label in told.items() if format_name != "dnc" or label != NO_GOLD}


def by_export(snapshot: Snapshot, format_name: str, where: Path) -> dict[str, str] | None:
    """The gold labels in an export; None where the format refuses the corpus with a reason."""
    out = where / format_name
    try:
        export(folder(snapshot), str(snapshot), format_name, out)
    except ExportError:
        return None
    assert verify(out).findings == []
    found: dict[str, str] = {}
    for path in sorted(out.iterdir()):
        if path.suffix == ".txt":
            with path.open(newline="") as stream:
                for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE):
                    found[row.get("pairID") or row["ID"]] = row["gold_label"]
        elif path.suffix == ".jsonl":
            for text in path.read_text().splitlines():
                found[json.loads(text)["pairID"]] = json.loads(text)["gold_label"]
        elif path.name.endswith("_data.json"):
            for record in json.loads(path.read_bytes()):
                found[record["pair-id"]] = str(record["label"])
                assert record["binary-label"] == (str(record["label"]) in ("entailment", "entailed", "5"))
        elif path.suffix == ".parquet":
            table = pq.read_table(path)
            features = json.loads(table.schema.metadata[b"huggingface"])["info"]["features"]
            names = features.get("label", {}).get("names")
            for row in table.to_pylist():
                found[row["pairID"]] = names[row["label"]] if names else NO_GOLD
                given = row["annotator_labels"]
                assert row["label_distribution"] == shares_of(given, snapshot)
    return found


def shares_of(given: list[str], snapshot: Snapshot) -> list[float] | None:
    labels = manifest(snapshot)["corpus"]["labels"]
    return [given.count(label) / len(given) for label in labels] if given else None


def check_training(here: World, snapshot: Snapshot, where: Path) -> None:
    """What a baseline reads, and that it learns an epoch from it, by gold labels and by soft ones."""
    files = {part: file_of(folder(snapshot) / f"{part}.jsonl") for part in ("train", "dev")}
    named = DataFile(path=Path(files["train"]["path"]), sha256=files["train"]["sha256"])
    for pair in read_partition(named, here.gold_labels).pairs:
        assert here.gold_labels[pair.label] == here.told[pair.pair_id]
        stand_for = [
            stands_for(here, label) for label in here.in_all[pair.pair_id] or here.given[pair.pair_id]
        ]
        counts = tuple(stand_for.count(label) for label in here.gold_labels)
        assert pair.votes == (counts if any(counts) else ())
    run = small_run(
        where / "runs",
        files=files,
        scheme=here.corpus.scheme,
        settings=small_settings("cbow", epochs=1, batch_size=4),
        soft_labels=True,
    )
    code, events = run_train(run, where / "runs")
    assert code == 0, events[-1]
    with_gold = sum(name.startswith("train") and label != NO_GOLD for name, label in here.told.items())
    assert events[-1]["metrics"]["train_pairs"] == with_gold
