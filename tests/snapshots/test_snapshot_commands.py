"""freeze_snapshot and export_snapshot, as people and scripts type them."""

import json

import pytest
from django.core.management import CommandError, call_command

from snapshots.freezing.job import request_freeze
from snapshots.models import Snapshot
from snapshots.verify import verify
from tests.corpora import make_corpus, make_premise
from tests.jobs.material import claim_elsewhere
from tests.made_once import made_once
from tests.snapshots.material import (
    add_pair,
    add_premise,
    corpus_of,
    folder,
    freeze,
    label_pair,
    published_pair,
)

pytestmark = pytest.mark.django_db


@made_once
def corpus():
    return corpus_of(6)


def typed(capsys, *words) -> str:
    call_command(*map(str, words))
    return capsys.readouterr().out


class TestFreezing:
    def test_json_has_name_hash_path_and_counts(self, corpus, capsys):
        told = json.loads(typed(capsys, "freeze_snapshot", "small", "--json"))
        snapshot = Snapshot.objects.get()
        assert told == {
            "snapshot": "small@1",
            "sha256": snapshot.sha256,
            "path": str(folder(snapshot)),
            "pairs": 18,
            "partitions": {"train": 12, "dev": 3, "test": 3},
        }

    def test_people_read_a_few_lines(self, corpus, capsys):
        said = typed(capsys, "freeze_snapshot", "small")
        assert said.startswith("small@1  sha256 ")
        assert "18 pairs: train 12, dev 3, test 3" in said
        assert "Nothing has changed since small@1" in typed(capsys, "freeze_snapshot", "small", "--seed", 9)

    def test_an_unknown_corpus_lists_the_known_ones(self, corpus):
        with pytest.raises(CommandError, match=r"There is no corpus 'smal'\. Known: small\."):
            call_command("freeze_snapshot", "smal")

    def test_an_empty_corpus_is_refused_with_a_sentence(self):
        make_corpus(slug="empty")
        with pytest.raises(CommandError, match="empty has no pairs to freeze"):
            call_command("freeze_snapshot", "empty")

    def test_premises_are_held_out_of_a_published_train(self, capsys):
        corpus = make_corpus(slug="gold")
        for number in range(5):
            published_pair(corpus, make_premise(corpus, f"P{number}."), "neutral", "train", f"{number}")
        told = json.loads(typed(capsys, "freeze_snapshot", "gold", "--dev-from", "train=2", "--json"))
        assert told["partitions"] == {"train": 3, "dev": 2, "test": 0}

    @pytest.mark.parametrize("value", ["3", "test=3", "train=", "train=x", "train=0", "train=-1"])
    def test_a_hold_out_of_another_form_is_refused(self, corpus, value):
        with pytest.raises(CommandError, match="is not of the form train=N"):
            call_command("freeze_snapshot", "small", f"--dev-from={value}")

    def test_one_under_way_is_said(self, corpus):
        request_freeze(corpus=corpus)
        with pytest.raises(CommandError, match="A freeze of small is under way"):
            call_command("freeze_snapshot", "small")

    def test_one_whose_process_was_killed_is_finished(self, corpus, capsys):
        request_freeze(corpus=corpus, seed=3)
        claim_elsewhere(Snapshot, silent=True)
        assert json.loads(typed(capsys, "freeze_snapshot", "small", "--json"))["snapshot"] == "small@1"
        assert Snapshot.objects.get().seed == 3

    def test_a_main_question_is_needed(self, corpus):
        corpus.questions.update(is_main=False)
        with pytest.raises(CommandError, match="small has no main question"):
            call_command("freeze_snapshot", "small")

    def test_ctrl_c_publishes_nothing(self, corpus, monkeypatch):
        def interrupt(*args):
            raise KeyboardInterrupt

        monkeypatch.setattr("snapshots.freezing.job.write", interrupt)
        with pytest.raises(CommandError, match="Stopped by hand"):
            call_command("freeze_snapshot", "small")
        assert Snapshot.objects.get().status == "failed"


class TestExporting:
    @pytest.fixture
    def snapshot(self, corpus):
        premise = add_premise(corpus, "A line\twith a tab.")
        label_pair(add_pair(premise, "e", "Undecided."), "eennc")
        add_pair(premise, "n", "Never asked.")
        return freeze(corpus)

    def export(self, capsys, form, out) -> str:
        return typed(capsys, "export_snapshot", "small@1", "--format", form, "--out", out)

    def test_jsonl_is_the_snapshot_itself(self, snapshot, capsys, tmp_path):
        self.export(capsys, "jsonl", tmp_path / "out")
        copied = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
        assert copied == {path.name: path.read_bytes() for path in folder(snapshot).iterdir()}
        assert verify(tmp_path / "out").ok

    def test_multinli_columns(self, snapshot, capsys, tmp_path):
        said = self.export(capsys, "multinli_txt", tmp_path / "a" / "out")
        assert said.strip().endswith("dev.txt, export.json, test.txt, train.txt")
        rows = (tmp_path / "a" / "out" / "train.txt").read_text().splitlines()
        header = rows[0].split("\t")
        assert header[:3] == ["gold_label", "sentence1_binary_parse", "sentence2_binary_parse"]
        assert header[-8:] == [
            "promptID",
            "pairID",
            "genre",
            *(f"label{number}" for number in range(1, 6)),
        ]
        by_hypothesis = {
            row["sentence2"]: row for row in (dict(zip(header, r.split("\t"), strict=True)) for r in rows[1:])
        }
        undecided, alone = by_hypothesis["Undecided."], by_hypothesis["Never asked."]
        assert undecided["gold_label"] == "-"
        assert [undecided[f"label{n}"] for n in (1, 5)] == ["entailment", "contradiction"]
        assert [alone[f"label{n}"] for n in (1, 2)] == ["neutral", ""]
        assert alone["sentence1"] == "A line with a tab."
        listed = json.loads((tmp_path / "a" / "out" / "export.json").read_text())
        assert (listed["snapshot"], listed["format"]) == ("small@1", "multinli_txt")
        assert listed["texts_with_tabs_or_line_breaks"] > 0

    def test_snli_columns(self, snapshot, capsys, tmp_path):
        self.export(capsys, "snli_txt", tmp_path / "out")
        header = (tmp_path / "out" / "dev.txt").read_text().splitlines()[0].split("\t")
        assert header[7:9] == ["captionID", "pairID"]
        assert "genre" not in header

    def test_an_unknown_format_lists_the_known_ones(self, snapshot, tmp_path):
        with pytest.raises(
            CommandError, match=r"There is no format 'xml'. Known formats: jsonl, snli_txt, multinli_txt"
        ):
            call_command("export_snapshot", "small@1", "--format", "xml", "--out", str(tmp_path / "out"))

    @pytest.mark.parametrize(
        "name", ["small@2", "small", "@", "small@x", "small@²", "large@1", "small@99999999999"]
    )
    def test_an_unknown_snapshot_lists_known_ones(self, snapshot, tmp_path, name):
        with pytest.raises(CommandError, match=r"There is no frozen snapshot .* The newest ones: small@1"):
            call_command("export_snapshot", name, "--format", "jsonl", "--out", str(tmp_path / "out"))

    def test_a_folder_with_something_else_is_refused_and_left_alone(self, snapshot, tmp_path):
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "thesis.tex").write_text("x")
        with pytest.raises(CommandError, match="already holds something else"):
            call_command("export_snapshot", "small@1", "--format", "jsonl", "--out", str(tmp_path / "out"))
        assert [path.name for path in tmp_path.iterdir() if "var" not in path.name] == ["out"]
        assert [path.name for path in (tmp_path / "out").iterdir()] == ["thesis.tex"]

    @pytest.mark.parametrize("form", ["jsonl", "multinli_txt"])
    def test_the_same_export_again_and_an_empty_folder_are_fine(self, snapshot, capsys, tmp_path, form):
        (tmp_path / "out").mkdir()
        assert self.export(capsys, form, tmp_path / "out") == self.export(capsys, form, tmp_path / "out")

    def test_a_file_in_the_way_is_said(self, snapshot, tmp_path):
        (tmp_path / "out").write_text("x")
        with pytest.raises(CommandError, match="out"):
            call_command("export_snapshot", "small@1", "--format", "jsonl", "--out", str(tmp_path / "out"))

    def test_a_torn_snapshot_is_not_exported(self, snapshot, tmp_path):
        (folder(snapshot) / "train.jsonl").write_text("{}")
        with pytest.raises(
            CommandError, match=r"train\.jsonl of small@1 was changed or is incomplete\. Restore the folder"
        ):
            call_command("export_snapshot", "small@1", "--format", "snli_txt", "--out", str(tmp_path / "out"))
        assert not (tmp_path / "out").exists()

    def test_a_missing_file_is_said(self, snapshot, tmp_path):
        (folder(snapshot) / "train.jsonl").unlink()
        with pytest.raises(CommandError, match=r"train\.jsonl of small@1 is missing"):
            call_command("export_snapshot", "small@1", "--format", "jsonl", "--out", str(tmp_path / "out"))

    def test_a_format_that_cannot_hold_the_scheme_says_so(self, tmp_path):
        corpus = make_corpus(slug="dnc", scheme="entailed2")
        published_pair(corpus, make_premise(corpus, "A."), "entailed", "train", "1")
        freeze(corpus)
        with pytest.raises(CommandError, match=r"dnc has the scheme entailed2\. Use jsonl"):
            call_command("export_snapshot", "dnc@1", "--format", "snli_txt", "--out", str(tmp_path / "out"))

    def test_a_format_that_cannot_hold_several_sentences_says_so(self, tmp_path):
        corpus = make_corpus(slug="mpe")
        premise = make_premise(corpus, "One.\nTwo.", sentence_count=2)
        published_pair(corpus, premise, "neutral", "train", "1")
        freeze(corpus)
        with pytest.raises(CommandError, match="one sentence in each premise"):
            call_command("export_snapshot", "mpe@1", "--format", "snli_txt", "--out", str(tmp_path / "out"))
