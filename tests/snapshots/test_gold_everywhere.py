"""One table of splits, whose gold label must be the same in the database, Python, files, exports and training."""

import csv
import json
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq
import pytest
from django.utils import timezone

from collection.models import Pair
from modeling.baselines.config import DataFile
from modeling.baselines.data import read_partition
from modeling.running.configs import snapshot_files
from nli.gold import DIFFERS, NO_MAJORITY, RULES, VOTED, may_decide
from nli.labels import NO_GOLD, SCHEMES
from nli.lines import distribution, rules_in
from snapshots.exports.formats import FORMATS, export
from snapshots.exports.limits import ExportError
from snapshots.files.reading import all_lines
from snapshots.models import Snapshot
from snapshots.statistics.job import measure
from snapshots.statistics.pairs import pair_of
from snapshots.verification.lines import differences
from snapshots.verify import verify
from tests.baselines.small import run_train, small_run, small_settings
from tests.cast import ana, person, rosa
from tests.corpora import make_corpus, make_pair, make_premise
from tests.snapshots.material import folder, freeze, lines, manifest, where
from tests.validation.test_single_premises import ask_of_single_premises
from validation.gold.queries import with_gold_label
from validation.models import Adjudication, Label, PartitionRule, Question
from validation.statistics.agreement import report
from validation.statistics.extra_labels import single_premises

pytestmark = pytest.mark.django_db
SEATS, FEW = 5, 3


class Case(NamedTuple):
    """The labels of a pair, and its gold label by each rule: (label, source), "a voted".

    Letters are labels: a is the scheme's first, m its second, z its last, "." a seat that waits. Beyond the fifth they
    were asked for later. few: by the rule unanimous in a partition with three seats, of which two equal labels are enough;
    labels beyond the third were asked for later. imported: they came in a file. author: the label that the pair was
    written for, which is the first of the five as well.
    """

    letters: str
    majority: str
    adjudicated: str
    unanimous: str
    few: str
    author: str = ""
    published: str = ""
    decided: str = ""
    imported: bool = False


CASES = [
    Case("aaaaa", "a voted", "a voted", "a voted", "a voted"),
    Case("zzzzz", "z voted", "z voted", "z voted", "z voted", author="z"),
    Case("aaaaz", "a voted", "a voted", "- none", "a voted"),
    Case("zzzaa", "z voted", "- none", "- none", "z voted"),
    Case("azzza", "z voted", "- none", "- none", "- none", author="a"),
    Case("aaamm", "a voted", "a voted", "- none", "a voted", author="a"),
    Case("aammz", "- none", "- none", "- none", "- none", author="a"),
    # Seats that wait: a majority is one already, the other rules still depend on them.
    Case("zzz..", "z voted", "- none", "- none", "z voted"),
    Case("aaa..", "a voted", "a author", "a author", "a voted", author="a"),
    Case("aa.z.", "a author", "a author", "a author", "a author", author="a"),
    Case("za...", "a published", "a published", "a published", "a published", published="a"),
    Case("", "- none", "- none", "- none", "- none"),
    Case("", "z author", "z author", "z author", "z author", author="z"),
    Case("", "a published", "a published", "a published", "a published", published="a"),
    # Labels that came in a file, some of them fewer than five; the label that was published beside them stands.
    Case("aaa", "a voted", "a voted", "a voted", "a voted", imported=True),
    Case("zz", "- none", "- none", "- none", "z voted", imported=True),
    Case("aazz", "- none", "- none", "- none", "- none", imported=True),
    Case("zzzzz", "z voted", "z voted", "z voted", "z voted", published="z", imported=True),
    Case(
        "zzzzz", "a published+", "a published+", "a published+", "a published+", published="a", imported=True
    ),
    Case("zzzaa", "z voted", "z published-", "z published-", "z voted", published="z", imported=True),
    Case(
        "zzaa", "z published-", "z published-", "z published-", "z published-", published="z", imported=True
    ),
    Case(
        "zzaa",
        "z published-",
        "z published-",
        "z published-",
        "z published-",
        published="z",
        author="z",
        imported=True,
    ),
    # A researcher's decision goes before all; labels beyond the fifth decide nothing.
    Case("zzzaa", "a adjudicated", "a adjudicated", "a adjudicated", "a adjudicated", decided="a"),
    Case(
        "zzaa.", "a adjudicated", "a adjudicated", "a adjudicated", "a adjudicated", decided="a", author="z"
    ),
    Case("aaaaazzzz", "a voted", "a voted", "a voted", "a voted"),
    Case("aammzmmmm", "- none", "- none", "- none", "- none", author="a"),
    Case("aaaazaaaa", "a voted", "a voted", "- none", "a voted"),
    Case("aaaaaaz", "a voted", "a voted", "a voted", "a voted", author="a"),
    Case("zzzaaaaaa", "a adjudicated", "a adjudicated", "a adjudicated", "a adjudicated", decided="a"),
    Case("zzzzzaaaa", "z voted", "z voted", "z voted", "z voted", published="z", imported=True),
    Case(
        "zzzzzaa",
        "a published+",
        "a published+",
        "a published+",
        "a published+",
        published="a",
        imported=True,
    ),
    Case(
        "aammzzz",
        "z published-",
        "z published-",
        "z published-",
        "z published-",
        published="z",
        imported=True,
    ),
    # Decided, though something was published beside the votes.
    Case(
        "zzzzz",
        "a adjudicated",
        "a adjudicated",
        "a adjudicated",
        "a adjudicated",
        published="z",
        decided="a",
        imported=True,
    ),
    Case("", "a adjudicated", "a adjudicated", "a adjudicated", "a adjudicated", decided="a", author="z"),
]
NOTES = {"published+": DIFFERS, "published-": NO_MAJORITY}
TEXT = "A dog waits."
FOUR = "A dog waits.\nA man waits.\nTwo dogs.\nA river."
# How three judges label each of four premises by itself, and the label of each; None: a premise lacks a label.
PREMISES = [
    (("aaa", "aam", "zzz", "amz"), "aaz-"),
    (("zzz", "mmm", "mma", "zza"), "zmmz"),
    (("aaa", "aa", "aaa", "aaa"), None),
]
# Rule, scheme of the labels, scheme of the gold label, text of the premises, the partition with few seats, if any (held:
# train, of which the freeze holds a premise out as dev), and the formats that can hold it.
WORLDS = {
    "majority, three labels": (
        "majority", "nli3", "nli3", TEXT,
        {"jsonl", "snli_txt", "multinli_txt", "snli_jsonl", "multinli_jsonl", "dnc", "parquet"},
    ),
    "adjudicated, four sentences": ("adjudicated", "nli3", "nli3", FOUR, {"jsonl", "mpe", "parquet"}),
    "adjudicated, one sentence": (
        "adjudicated", "nli3", "nli3", TEXT,
        {"jsonl", "snli_txt", "multinli_txt", "snli_jsonl", "multinli_jsonl", "dnc", "parquet"},
    ),
    "a scale decides in two, four sentences": ("unanimous", "ordinal5", "entailed2", FOUR, {"jsonl", "parquet"}),
    "unanimous, three labels": (
        "unanimous", "nli3", "nli3", TEXT,
        {"jsonl", "snli_txt", "multinli_txt", "snli_jsonl", "multinli_jsonl", "dnc", "parquet"},
    ),
    "majority, two labels": ("majority", "entailed2", "entailed2", TEXT, {"jsonl", "dnc", "parquet"}),
    "unanimous, two labels": ("unanimous", "entailed2", "entailed2", TEXT, {"jsonl", "dnc", "parquet"}),
    "majority, a scale": ("majority", "ordinal5", "ordinal5", TEXT, {"jsonl", "dnc", "parquet"}),
    "unanimous, a scale": ("unanimous", "ordinal5", "ordinal5", TEXT, {"jsonl", "dnc", "parquet"}),
    "a scale decides in two": ("unanimous", "ordinal5", "entailed2", TEXT, {"jsonl", "dnc", "parquet"}),
    "unanimous, few seats in dev": (
        "unanimous", "nli3", "nli3", TEXT, "dev",
        {"jsonl", "snli_txt", "multinli_txt", "snli_jsonl", "multinli_jsonl", "dnc", "parquet"},
    ),
    "two labels, few seats in train": (
        "unanimous", "entailed2", "entailed2", TEXT, "train", {"jsonl", "dnc", "parquet"},
    ),
    "a scale decides in two, few seats in dev": (
        "unanimous", "ordinal5", "entailed2", TEXT, "dev", {"jsonl", "dnc", "parquet"},
    ),
    "unanimous, a premise of a train with few seats held out": (
        "unanimous", "nli3", "nli3", TEXT, "held",
        {"jsonl", "snli_txt", "multinli_txt", "snli_jsonl", "multinli_jsonl", "dnc", "parquet"},
    ),
    "unanimous, grammar": ("unanimous", "grammar3", "grammar3", TEXT, {"jsonl", "parquet"}),
    "majority, grammar": ("majority", "grammar3", "grammar3", TEXT, {"jsonl", "parquet"}),
}  # fmt: skip


class World:
    """The corpus with a pair for each case and partition, or for each case and premise of train if one is held out.

    gold: name -> label, source, note. given: name -> the labels that count. in_all: with those beyond the seats. judged:
    name -> labels of single premises, and what they give. placed: name -> partition, once frozen.
    """

    def __init__(self, rule: str, scheme: str, gold_scheme: str, text: str, few: str = "") -> None:
        self.held_out, self.few = few == "held", "train" if few == "held" else few
        self.rule, self.labels, self.gold_labels = rule, SCHEMES[scheme], SCHEMES[gold_scheme]
        self.crosses = scheme != gold_scheme
        self.corpus = make_corpus(scheme=gold_scheme)
        Question.objects.filter(corpus=self.corpus).update(scheme=scheme, gold_rule=rule)
        self.question = Question.objects.select_related("corpus").get(corpus=self.corpus)
        if self.few:
            PartitionRule.objects.create(
                question=self.question, order=0, partition=self.few, seats=FEW, threshold=2
            )
        sentences = len(text.splitlines())
        premise = make_premise(self.corpus, text, sentence_count=sentences)
        second = make_premise(self.corpus, f"{text} Yes.") if self.held_out else premise
        self.single = ask_of_single_premises(self.corpus, scheme) if sentences > 1 else None
        self.judged: dict[str, tuple[tuple[str, ...], str | None]] = {}
        self.placed: dict[str, str] = {}
        self.gold: dict[str, tuple[str | None, str, str]] = {}
        self.given: dict[str, list[str]] = {}
        self.in_all: dict[str, list[str]] = {}
        labels: list[Label] = []
        for number, case in enumerate(CASES):
            # Two labels cannot fall as some cases do; and nobody adjudicates labels of another scheme.
            if ("m" in case.letters and len(self.labels) == 2) or (case.decided and self.crosses):
                continue
            for one, part in ((premise, "train"), (second, "dev")):
                partition = "train" if self.held_out else part
                # Without the author's label in the first seat, other labels are in the three seats.
                if partition == self.few and self.crosses and case.author and case.letters:
                    continue
                labels += self._add(one, f"{part}-{number:02}", partition, case)
        Label.objects.bulk_create(labels)

    def label(self, letter: str) -> str | None:
        return {"a": self.labels[0], "m": self.labels[1], "z": self.labels[-1], ".": None}[letter]

    def gold_label(self, letter: str) -> str | None:
        """Returns the gold label of a letter; on a scale, only 5 is entailed."""
        if letter in ("", "-"):
            return None
        read = {"a": "not-entailed", "m": "not-entailed", "z": "entailed"}
        return read[letter] if self.crosses else self.label(letter)

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
        seats = FEW if partition == self.few else SEATS
        letter, source = getattr(case, "few" if partition == self.few else self.rule).split()
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
        self.given[name] = [str(self.label(each)) for each in letters[:seats] if each != "."]
        if not letters and case.author and not self.crosses:
            self.given[name] = [str(pair.author_label)]
        # Labels that were asked for later are in the places beyond the question's seats.
        places = [*range(1, seats + 1), *range(SEATS + 1, SEATS + 1 + len(letters))]
        return [
            *(
                self._label(pair, position, each, case)
                for position, each in zip(places, letters, strict=False)
            ),
            *self._judged(pair),
        ]

    def _judged(self, pair: Pair) -> list[Label]:
        """Returns the labels of each premise by itself, if the corpus asks for them."""
        if self.single is None:
            return []
        judged = self.judged[pair.public_id] = PREMISES[len(self.judged) % len(PREMISES)]
        usual = {"question": self.single, "pair": pair, "premise": pair.premise, "scheme": self.single.scheme}
        return [
            Label(**usual, sentence=sentence, position=place, origin="imported", label=self.label(letter))
            for sentence, letters in enumerate(judged[0], start=1)
            for place, letter in enumerate(letters, start=1)
        ]

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
        """Returns pairID -> gold label as files write it."""
        return {name: label or NO_GOLD for name, (label, _, _) in self.gold.items()}


@pytest.fixture(params=list(WORLDS.values()), ids=list(WORLDS))
def world(request: pytest.FixtureRequest) -> tuple[World, set[str]]:
    *args, formats = request.param
    return World(*args), formats


def test_every_rule_and_scheme_is_in_the_table() -> None:
    there = {args[:3] for args in WORLDS.values()}
    possible = product(RULES, SCHEMES, SCHEMES)
    assert there == {each for each in possible if may_decide(*each)}


def test_the_database_python_files_exports_and_training_agree_on_every_gold_label(
    world: tuple[World, set[str]], tmp_path: Path
) -> None:
    here, formats = world
    assert by_database(here) == here.gold
    assert by_python(here) == here.gold
    snapshot = freeze(here.corpus, dev_from_train=int(here.held_out))
    assert verify(folder(snapshot)).findings == []
    here.placed = where(snapshot)
    assert set(here.placed.values()) == {"train", "dev"}
    check_rules(here, snapshot)
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


def check_rules(here: World, snapshot: Snapshot) -> None:
    """Checks that the files state the question's rules by partition."""
    facts = manifest(snapshot)["corpus"]
    assert facts["question"].get("partitions", {}) == (
        {here.few: {"seats": FEW, "threshold": 2}} if here.few else {}
    )
    if here.few:  # two labels out of three seats decide there, and elsewhere two of five do not
        two = here.labels[-1:] * 2
        elsewhere = {**facts, "question": {**facts["question"], "partitions": {}}}
        given = here.gold_label("z"), VOTED, two, None
        for part in ("train", "dev") if here.held_out else (here.few,):
            assert any(rule.explains(*given) for rule in rules_in(facts, part))
        assert not any(rule.explains(*given) for rule in rules_in(elsewhere, here.few))


def by_database(here: World) -> dict[str, Any]:
    rows: Any = with_gold_label(Pair.objects.filter(corpus=here.corpus), here.question)
    return {row.public_id: (row.gold_label, row.gold_source, row.gold_note) for row in rows}


def by_python(here: World) -> dict[str, Any]:
    decisions = dict(Adjudication.objects.values_list("pair__public_id", "label"))
    found = {}
    for pair in Pair.objects.filter(corpus=here.corpus).prefetch_related("labels"):
        of_pair = [label for label in pair.labels.all() if label.question_id == here.question.pk]
        seats = [label for label in of_pair if label.position <= SEATS]
        others = [label for label in seats if label.origin != Label.Origin.AUTHOR]
        rule = here.question.rules_by_partition()[pair.published_partition]
        found[pair.public_id] = tuple(
            rule.decide(
                rule.count(label.label for label in seats if label.label),
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
        counts = Counter(label for name, label in here.told.items() if here.placed[name] == part)
        expected = {label: counts[label] for label in (*here.gold_labels, NO_GOLD)}
        assert told["partitions"][part]["gold_labels"] == expected
    live = report(Pair.objects.filter(corpus=here.corpus), here.question)
    assert not [*differences(told["agreement"], live.figures, "agreement")]
    full = [name for name in here.gold if len(here.given[name]) == SEATS]
    sources = [f"{source}, {note}" if note else source for _, source, note in map(here.gold.get, full)]
    assert live.breakdown["gold_sources"] == Counter(sources)
    if (
        here.held_out
    ):  # every pair is complete with three labels, which are not all that the question asks for
        assert full == []
        assert live.figures["no_gold"] is live.figures["individual_equals_gold"] is None
        return
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
    if here.single is not None:
        counted = Counter(
            [here.gold_label(letter) for letter in of_each].count(here.gold[name][0])
            for name, (_, of_each) in here.judged.items()
            if of_each is not None and here.gold[name][0] is not None
        )
        live, frozen = single_premises(here.question), found["single_premises"]["groups"][-1]
        assert live is not None
        for shares in (live, frozen):
            assert shares["pairs"] == counted.total()
            assert {
                int(n): share * counted.total() for n, share in shares["agree"].items() if share
            } == counted
    assert tuple(found["labels"]) == here.gold_labels
    assert tuple(measure("artifacts", pairs, told, lambda done: None)["labels"]) == here.gold_labels


def expected_in(format_name: str, told: dict[str, str]) -> dict[str, str]:
    """Returns the expected gold labels of a format: DNC has no pairs without one."""
    return {name: label for name, label in told.items() if format_name != "dnc" or label != NO_GOLD}


def by_export(snapshot: Snapshot, format_name: str, where_to: Path) -> dict[str, str] | None:
    """Returns the gold labels in an export; None if the format cannot hold the corpus."""
    out = where_to / format_name
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
                shares = distribution(row["annotator_labels"], manifest(snapshot)["corpus"]["labels"])
                assert row["label_distribution"] == (list(shares.values()) if shares else None)
    return found


def check_training(here: World, snapshot: Snapshot, where_to: Path) -> None:
    """Checks the labels that a baseline reads, and that it trains an epoch on gold labels and on soft labels."""
    files = {part: file for part, file in snapshot_files(snapshot).items() if part != "test"}
    rule = {"scheme": here.question.scheme, "seats": 3, "threshold": 2}
    rule |= {"gold_scheme": here.corpus.scheme} if here.crosses else {}
    expected = rule if here.single else None
    assert [file.get("single_premises") for file in files.values()] == [expected, expected]
    for pair in read_partition(DataFile.model_validate(files["train"]), here.gold_labels).pairs:
        of_each = here.judged[pair.pair_id][1] if here.single else None
        known = [
            here.gold_labels.index(str(here.gold_label(letter))) for letter in of_each or "" if letter != "-"
        ]
        assert list(pair.premise_labels) == known
        assert here.gold_labels[pair.label] == here.told[pair.pair_id]
        stand_for = [
            stands_for(here, label) for label in here.in_all[pair.pair_id] or here.given[pair.pair_id]
        ]
        counts = tuple(stand_for.count(label) for label in here.gold_labels)
        assert pair.votes == (counts if any(counts) else ())
    in_part = {
        part: {n: label for n, label in here.told.items() if here.placed[n] == part and label != NO_GOLD}
        for part in files
    }
    for soft in (False, True):
        place = where_to / f"soft-{soft}"
        run = small_run(
            place,
            files=files,
            scheme=here.corpus.scheme,
            settings=small_settings("cbow", epochs=1, batch_size=4),
            soft_labels=soft,
        )
        code, events = run_train(run, place)
        assert code == 0, events[-1]
        assert events[-1]["metrics"]["train_pairs"] == len(in_part["train"])
        predicted = (Path(run["folder"]) / "predictions-dev.jsonl").read_text().splitlines()
        scored = {row["pairID"]: row["gold"] for row in map(json.loads, predicted)}
        assert scored == in_part["dev"]
    if here.single is not None:
        voting = small_run(
            where_to / "voting",
            "voting",
            files=files,
            scheme=here.corpus.scheme,
            settings={"labels": "premises", "rule": "most"},
        )
        del voting["vectors"]
        code, events = run_train(voting, where_to / "voting")
        assert code == 0, events[-1]
