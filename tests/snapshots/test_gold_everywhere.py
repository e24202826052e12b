"""One table of splits, whose gold label must be the same in the database, Python, files, exports and training."""

import csv
import json
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from collection.models import Pair
from modeling.baselines.config import DataFile
from modeling.baselines.data import read_partition
from modeling.running.configs import snapshot_files
from nli.gold import RULES, VOTED, may_decide
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
from tests.snapshots.gold_worlds import FEW, SEATS, WORLDS, World
from tests.snapshots.material import folder, freeze, lines, manifest, where
from validation.gold.queries import with_gold_label
from validation.models import Adjudication, Label
from validation.statistics.agreement import report
from validation.statistics.extra_labels import single_premises

pytestmark = pytest.mark.django_db


# Each rule, each scheme, several sentences, and few seats in a partition; in the second grade every combination.
FIRST = (
    "majority, three labels",
    "adjudicated, four sentences",
    "unanimous, grammar",
    "majority, two labels",
    "a scale decides in two, few seats in dev",
    "unanimous, a premise of a train with few seats held out",
    "majority of all, three labels",
)


@pytest.fixture(
    params=[
        pytest.param(world, id=name, marks=() if name in FIRST else pytest.mark.thorough)
        for name, world in WORLDS.items()
    ]
)
def world(request: pytest.FixtureRequest) -> tuple[World, set[str]]:
    *args, formats = request.param
    return World(*args), formats


def test_every_rule_and_scheme_is_in_the_table() -> None:
    there = {args[:3] for args in WORLDS.values()}
    assert there == {each for each in product(RULES, SCHEMES, SCHEMES) if may_decide(*each)}


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
    undecided = {"undecided": [here.label(here.undecided)]} if here.undecided else {}
    assert facts["question"].get("partitions", {}) == (
        {here.few: {"seats": FEW, "threshold": 2, **undecided}} if here.few else {}
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
    full = here.full
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
    assert live.figures["individual_equals_gold"] == pytest.approx(
        equal / sum(len(here.given[name]) for name in decided)
    )


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
