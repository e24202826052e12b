"""A withheld partition: its files and rows hold no label, those named read them, a release proves itself."""

import json
from unittest.mock import Mock

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.utils import timezone

from collection.models import Exclusion, Pair, Withholding
from collection.models.withdrawal import ANNOTATOR_EXCLUDED
from modeling.folders import folder_of
from modeling.launching.actions import stop_run
from modeling.models import Breakdown
from nli.lines import text_alone
from snapshots.errors import SnapshotError
from snapshots.exports.formats import FORMATS, export
from snapshots.exports.job import carry_out_export, request_export
from snapshots.exports.limits import ExportError
from snapshots.files.hashes import file_sha256
from snapshots.models import (
    Snapshot,
    SnapshotAnswer,
    SnapshotFile,
    SnapshotLabel,
    SnapshotPair,
    SnapshotStatistics,
)
from snapshots.statistics.job import compute_statistics, request_statistics
from snapshots.verify import verify
from snapshots.withholding import frozen
from snapshots.withholding.actions import (
    CannotWithhold,
    NotNamed,
    lift,
    name_reader,
    remove_reader,
    seal_new,
    withhold,
)
from tests.cast import person, rosa, stan
from tests.modeling.material import a_run, done_run, write_predictions
from tests.snapshots.material import add_premise, corpus_of, folder, freeze, lines, manifest, published_pair
from validation.models import Label, Question
from validation.statistics.agreement import agreement

pytestmark = pytest.mark.django_db


@pytest.fixture
def corpus():
    return corpus_of(12)


def counted(question):
    return agreement(Pair.objects.filter(corpus=question.corpus), question)["pairs"]


def sealed_lines(snapshot, name="test-full.jsonl"):
    return [json.loads(line) for line in (snapshot.sealed_folder / name).read_bytes().splitlines()]


def test_the_files_and_rows_of_a_withheld_partition_have_no_label(corpus):
    withhold(corpus=corpus, partition="test", by=rosa())
    snapshot = freeze(corpus)
    assert {len(lines(snapshot, part)) for part in ("dev", "test")} == {3}
    for line, full in zip(lines(snapshot, "test"), sealed_lines(snapshot), strict=True):
        assert (line["gold_label"], line["gold_source"], line["annotator_labels"]) == ("", "withheld", [])
        assert line == text_alone(full)
        assert len(full["annotator_labels"]) == 5
        assert full["author_label"] == full["gold_label"] != ""
    rows = SnapshotPair.objects.filter(snapshot=snapshot, partition="test")
    assert set(rows.values_list("gold_label", "gold_source")) == {(None, "withheld")}
    for model in (SnapshotLabel, SnapshotAnswer):
        assert not model.objects.filter(row__in=rows).exists()
    assert SnapshotLabel.objects.filter(row__snapshot=snapshot, row__partition="dev").count() == 15
    told = manifest(snapshot)
    assert told["partitions"]["test"]["gold_labels"] == dict.fromkeys(
        ["entailment", "neutral", "contradiction", "-"], 0
    )
    assert told["withheld"]["test-full.jsonl"]["lines"] == 3
    assert verify(folder(snapshot)).findings == []
    assert oct(snapshot.sealed_folder.stat().st_mode)[-3:] == "700"


def test_the_pairs_count_nowhere_in_the_corpus_and_the_next_freeze_has_them(corpus):
    question = Question.objects.get(corpus=corpus)
    before = counted(question)
    withhold(corpus=corpus, partition="test", by=rosa())
    assert counted(question) == before  # no premise is placed yet
    first = freeze(corpus)
    assert counted(question) == before - 3
    assert not Label.objects.standing().filter(pair__in=Pair.objects.withheld()).exists()
    add_premise(corpus, "Another line of a story.")
    second = freeze(corpus)
    assert second.version == 2
    assert lines(second, "test") == lines(first, "test")
    assert sealed_lines(second) == sealed_lines(first)
    assert counted(question) == before
    assert freeze(corpus) == second  # unchanged


def test_another_label_in_the_withheld_part_makes_another_snapshot_with_the_same_texts(corpus):
    withhold(corpus=corpus, partition="test", by=rosa())
    first = freeze(corpus)
    pair = Pair.objects.withheld().filter(author_label="neutral").first()
    Label.objects.filter(pair=pair, position__gt=1).update(label="entailment")
    second = freeze(corpus)
    assert first.sha256 != second.sha256
    assert (folder(first) / "test.jsonl").read_bytes() == (folder(second) / "test.jsonl").read_bytes()
    assert sealed_lines(first) != sealed_lines(second)


def test_no_export_has_a_label(corpus, tmp_path):
    withhold(corpus=corpus, partition="test", by=rosa())
    snapshot = freeze(corpus)
    full = {line["pairID"]: line for line in sealed_lines(snapshot)}
    assert full
    written = []
    for name in FORMATS:
        try:
            export(folder(snapshot), str(snapshot), name, tmp_path / name)
        except ExportError:
            continue
        written.append(name)
    assert {"snli_txt", "multinli_txt", "multinli_jsonl", "jsonl", "parquet", "dnc"} <= set(written)
    header, *rows = (
        line.split("\t") for line in (tmp_path / "multinli_txt" / "test.txt").read_text().splitlines()
    )
    for cells in rows:
        row = dict(zip(header, cells, strict=True))
        assert row["pairID"] in full
        assert {row[name] for name in ("gold_label", *(f"label{n}" for n in range(1, 6)))} == {""}
    assert not (tmp_path / "parquet" / "test.parquet").exists()  # that is the file of pairs with a gold label
    assert (tmp_path / "parquet" / "test_no_gold.parquet").exists()
    assert not json.loads((tmp_path / "dnc" / "test_data.json").read_text())


def test_a_release_puts_the_full_files_where_the_manifest_proves_them(corpus):
    row = withhold(corpus=corpus, partition="test", by=rosa())
    snapshot = freeze(corpus)
    sha256, question = snapshot.sha256, Question.objects.get(corpus=corpus)
    assert lift(withholding=row, by=rosa()) == [snapshot]
    assert lift(withholding=row, by=rosa()) == []
    row.refresh_from_db()
    assert (row.lifted_by, row.lifted_at is not None) == (rosa(), True)
    assert (
        SnapshotFile.objects.get(snapshot=snapshot, name="test-full.jsonl").sha256
        == (manifest(snapshot)["withheld"]["test-full.jsonl"]["sha256"])
    )
    assert verify(folder(snapshot), sha256).findings == []
    assert counted(question) == 36
    later = freeze(corpus)
    assert [line["gold_label"] for line in lines(later, "test")] == [
        line["gold_label"] for line in sealed_lines(snapshot)
    ]
    assert "withheld" not in manifest(later)


@pytest.mark.parametrize("what", ["a label", "a text", "a line"])
def test_a_released_file_that_was_changed_is_found(corpus, what):
    row = withhold(corpus=corpus, partition="test", by=rosa())
    snapshot = freeze(corpus)
    lift(withholding=row, by=rosa())
    path = folder(snapshot) / "test-full.jsonl"
    first, *others = path.read_text().splitlines(keepends=True)
    line = json.loads(first)
    if what == "a line":
        first = ""
    else:
        line["gold_label" if what == "a label" else "sentence2"] = (
            "neutral" if what == "a label" else "Other."
        )
        line |= {"author_label": "neutral"} if what == "a label" else {}
        first = json.dumps(line, ensure_ascii=False, sort_keys=True) + "\n"
    path.write_text(first + "".join(others))
    found = verify(folder(snapshot))
    assert any(each.file == "test-full.jsonl" and "changed" in each.text for each in found.findings)
    assert (what == "a label") != any("is not the line of" in each.text for each in found.findings)


def test_a_label_in_a_withheld_line_is_found(corpus):
    withhold(corpus=corpus, partition="test", by=rosa())
    snapshot = freeze(corpus)
    path = folder(snapshot) / "test.jsonl"
    line = json.loads(path.read_text().splitlines()[0]) | {"author_label": "neutral"}
    path.write_text(json.dumps(line) + "\n")
    assert any("more than its texts" in each.text for each in verify(folder(snapshot)).findings)


def test_a_frozen_snapshot_is_left_as_if_the_labels_had_been_withheld_before(corpus):
    """The next freeze finds it unchanged, and the checker finds nothing: so rows, files, counts and hashes are the same."""
    snapshot = freeze(corpus)
    before = {part: lines(snapshot, part) for part in ("train", "dev", "test")}
    compute_statistics(statistics_id=request_statistics(snapshot=snapshot, kind="corpus").pk)
    made = carry_out_export(export_id=request_export(snapshot=snapshot, format_name="snli_txt").pk)
    assert made.folder.exists()
    with pytest.raises(CannotWithhold, match="small@1 has the labels of test in its files"):
        withhold(corpus=corpus, partition="test", by=rosa())
    withhold(corpus=corpus, partition="test", by=rosa(), frozen=True)
    old, snapshot = snapshot.sha256, Snapshot.objects.get(pk=snapshot.pk)
    assert manifest(snapshot)["about"]["sha256_before"] == old != snapshot.sha256
    assert verify(folder(snapshot), snapshot.sha256).findings == []
    assert lines(snapshot, "test") == [text_alone(line) for line in before["test"]]
    assert sealed_lines(snapshot) == before["test"]
    assert oct(snapshot.sealed_folder.stat().st_mode)[-3:] == "700"
    assert not SnapshotLabel.objects.filter(row__snapshot=snapshot, row__partition="test").exists()
    for file in SnapshotFile.objects.filter(snapshot=snapshot):
        assert file.sha256 == file_sha256(folder(snapshot) / file.name)
    assert not made.folder.exists()
    assert not SnapshotStatistics.objects.exists()
    assert freeze(corpus) == snapshot
    withhold(corpus=corpus, partition="dev", by=rosa(), frozen=True)
    snapshot.refresh_from_db()
    assert verify(folder(snapshot)).findings == []
    assert freeze(corpus) == snapshot


def test_a_rewriting_that_broke_off_is_done_again(corpus, monkeypatch):
    snapshot = freeze(corpus)
    text_of = frozen.text_of
    monkeypatch.setattr(frozen, "text_of", Mock(side_effect=OSError("full")))
    with pytest.raises(OSError, match="full"):
        withhold(corpus=corpus, partition="test", by=rosa(), frozen=True)
    monkeypatch.setattr(frozen, "text_of", text_of)
    assert not Withholding.objects.exists()
    withhold(corpus=corpus, partition="test", by=rosa(), frozen=True)
    assert verify(folder(snapshot)).findings == []


def test_a_published_snapshot_is_never_changed(corpus):
    snapshot = freeze(corpus)
    Snapshot.objects.filter(pk=snapshot.pk).update(published_at=timezone.now(), published_by=rosa())
    with pytest.raises(CannotWithhold, match="small@1 is published with the labels of test"):
        withhold(corpus=corpus, partition="test", by=rosa(), frozen=True)


def test_what_runs_have_of_the_part_is_deleted(corpus):
    snapshot = freeze(corpus)
    run = done_run(snapshot, "majority")
    write_predictions(run, "test")
    write_predictions(run, "dev")
    (folder_of(run) / "metrics.json").write_text('{"dev": {"accuracy": 1}, "test": {"accuracy": 1}}')
    (folder_of(run) / "log.txt").write_text("test 100%")
    run.warnings = "The run ends at chance: test accuracy is 33.3%.\nOther."
    run.save()
    waiting = a_run(snapshot, "majority", seed=2)
    with pytest.raises(SnapshotError, match=f"Run {waiting.pk} on small@1 is under way"):
        withhold(corpus=corpus, partition="test", by=rosa(), frozen=True)
    stop_run(run=waiting)
    withhold(corpus=corpus, partition="test", by=rosa(), frozen=True)
    run.refresh_from_db()
    assert set(run.evaluations.values_list("partition", flat=True)) == {"train", "dev"}
    assert not Breakdown.objects.filter(partition="test").exists()
    assert not list(folder_of(run).glob("*test*"))
    assert (folder_of(run) / "predictions-dev.jsonl").exists()
    assert json.loads((folder_of(run) / "metrics.json").read_text()) == {"dev": {"accuracy": 1}}
    assert not (folder_of(run) / "log.txt").exists()
    assert (
        run.warnings
        == "Other.\nWhat it had of test of small@1 was deleted, because these labels were withheld later."
    )


def test_rest_and_the_command_do_what_the_page_does(corpus, api_of, capsys):
    snapshot, ruth = freeze(corpus), person("ruth", role="researcher")
    rest, base = api_of(rosa()), "/api/v1/corpora/small/withheld/"
    assert rest.post(base, {"partition": "test"}, format="json").status_code == 409
    assert rest.post(base, {"partition": "train"}, format="json").status_code == 422
    made = rest.post(base, {"partition": "test", "frozen": True}, format="json")
    assert (made.status_code, made.json()["readers"]) == (201, ["rosa"])
    hers = api_of(ruth)
    assert hers.post(f"{base}test/readers/", {"who": "ruth"}, format="json").status_code == 403
    assert rest.post(f"{base}test/readers/", {"who": "nobody"}, format="json").status_code == 409
    named = rest.post(f"{base}test/readers/", {"who": "ruth"}, format="json")
    assert named.json()["readers"] == ["rosa", "ruth"]
    assert rest.delete(f"{base}test/readers/{ruth.code}/").json()["readers"] == ["rosa"]
    call_command("withhold", "small", "test", "--name", "ruth", "--by", "rosa")
    assert "read by rosa, ruth" in capsys.readouterr().out
    call_command("withhold", "small", "test", "--remove", "ruth", "--by", "rosa")
    with pytest.raises(CommandError, match="Only administrators and the researchers named"):
        call_command("withhold", "small", "test", "--release", "--by", "ruth")
    with pytest.raises(CommandError, match="Give the user name"):
        call_command("withhold", "small", "dev")
    call_command("withhold", "small", "dev", "--frozen", "--by", "rosa")
    call_command("withhold", "small", "dev", "--release", "--by", "rosa")
    assert "dev of small: withheld since" in capsys.readouterr().out
    released = rest.post(f"{base}test/release/")
    assert released.json()["lifted_by"] == "rosa"
    assert rest.post(f"{base}test/release/").status_code == 409
    assert [row["partition"] for row in rest.get(base).json()] == ["test", "dev"]
    assert verify(folder(snapshot)).findings == []


def test_only_once(corpus):
    other = corpus_of(4, slug="other")
    row = withhold(corpus=other, partition="test", by=rosa())
    with pytest.raises(CannotWithhold, match="are withheld already"):
        withhold(corpus=other, partition="test", by=rosa())
    lift(withholding=row, by=rosa())
    with pytest.raises(CannotWithhold, match="were released"):
        withhold(corpus=other, partition="test", by=rosa())


def test_the_database_guards_it(corpus):
    with pytest.raises((IntegrityError, ValidationError)), transaction.atomic():
        withhold(corpus=corpus, partition="train", by=rosa())
    withhold(corpus=corpus, partition="test", by=rosa())
    snapshot = freeze(corpus)
    with pytest.raises(IntegrityError), transaction.atomic():
        SnapshotPair.objects.filter(snapshot=snapshot, partition="test").update(gold_label="neutral")
    with pytest.raises(IntegrityError), transaction.atomic():
        Withholding.objects.update(lifted_by=rosa())


def test_who_is_named_decides(corpus):
    row, ruth = withhold(corpus=corpus, partition="test", by=rosa()), person("ruth", role="researcher")
    admin = person("adam", role="administrator")
    assert [row.may_read(who) for who in (rosa(), admin, ruth, stan())] == [True, True, False, False]
    for act in (
        lambda: name_reader(withholding=row, reader=ruth, by=ruth),
        lambda: remove_reader(withholding=row, reader=rosa(), by=ruth),
        lambda: lift(withholding=row, by=ruth),
    ):
        with pytest.raises(NotNamed):
            act()
    name_reader(withholding=row, reader=ruth, by=rosa())
    assert row.may_read(ruth)
    remove_reader(withholding=row, reader=ruth, by=admin)
    assert not row.may_read(ruth)


def test_ids_that_tell_labels_are_refused(corpus):
    premise = add_premise(corpus, "A published line.", validated=False)
    for label in ("entailment", "neutral", "contradiction"):
        published_pair(corpus, premise, label, "test", f"31193{label[0]}")
    with pytest.raises(CannotWithhold, match="3 of 3 ids of pairs in test end with the first letter"):
        withhold(corpus=corpus, partition="test", by=rosa())
    assert not Withholding.objects.exists()


def test_pairs_that_come_later_are_sealed_too(corpus):
    withhold(corpus=corpus, partition="test", by=rosa())
    premise = add_premise(corpus, "A published line.", validated=False)
    published_pair(corpus, premise, "neutral", "test", "one")
    assert (seal_new(corpus=corpus), seal_new(corpus=corpus)) == (1, 0)
    assert Pair.objects.get(public_id="one").withdrawn_because == "withheld"


def test_somebody_excluded_meanwhile_stays_excluded_after_the_release(corpus):
    row = withhold(corpus=corpus, partition="test", by=rosa())
    freeze(corpus)
    label = Label.objects.filter(withdrawn_because="withheld", origin="cast").first()
    exclusion = Exclusion.objects.create(
        corpus=corpus, annotator=label.annotator, reason="Guessed.", by=rosa(), created_at=row.since
    )
    lift(withholding=row, by=rosa())
    label.refresh_from_db()
    assert (label.withdrawn_because, label.exclusion) == (ANNOTATOR_EXCLUDED, exclusion)
    assert not Pair.objects.withheld().exists()


def test_the_page_withholds_names_and_releases(corpus, browser_of):
    browser, ruth = browser_of(rosa()), person("ruth", role="researcher")
    address = "/snapshots/withheld/small/"
    assert "Withhold the labels of test" in browser.get(address).text
    assert browser.post(address, {"do": "withhold", "partition": "test"}).status_code == 302
    snapshot = freeze(corpus)
    file = f"/snapshots/{snapshot.pk}/files/withheld/test-full.jsonl"
    assert file in browser.get(address).text
    assert b'"neutral"' in browser.get(file).getvalue()
    assert "Take them out of small@1" in browser.get(address).text  # it has those of dev
    assert browser.post(address, {"do": "withhold", "partition": "dev"}).status_code == 422
    hers = browser_of(ruth)
    assert hers.get(file).status_code == 403
    assert "You are not named" in hers.get(address).text
    assert hers.post(address, {"do": "lift", "partition": "test"}).status_code == 422
    assert browser.post(address, {"do": "name", "partition": "test", "who": "nobody"}).status_code == 422
    assert browser.post(address, {"do": "name", "partition": "test", "who": "ruth"}).status_code == 302
    assert hers.get(file).getvalue()
    pair = Pair.objects.withheld().first()
    name = f"/corpora/small/pairs/{pair.public_id}/"
    hidden, seen = browser_of(person("rita", role="researcher")).get(name).text, hers.get(name).text
    assert "They are withheld." in hidden
    assert "Gold label" not in hidden
    assert "Author’s label" in seen
    assert browser.post(address, {"do": "lift", "partition": "test"}).status_code == 302
    assert "released on" in browser.get(address).text
    assert browser.get(f"/snapshots/{snapshot.pk}/files/test-full.jsonl").getvalue()


def test_a_corpus_file_declares_it_once(tmp_path, capsys):
    corpus = corpus_of(4, slug="declared")
    text = (
        '[corpus]\nslug = "declared"\nname = "Small"\nwithheld = "{}"\ndev_pairs_per_genre = 3\ntest_pairs_per_genre = 3\n'
        '[question]\nwording = "How do they relate?"\n[[genres]]\nslug = "fiction"\nname = "Fiction"\n'
    )
    for label, word in (("entailment", "correct"), ("contradiction", "incorrect")):
        text += f'[[question.labels]]\nlabel = "{label}"\nwording = "Definitely {word}"\n'
    text += '[[question.labels]]\nlabel = "neutral"\nwording = "Maybe correct"\n'
    file = tmp_path / "corpus.toml"
    file.write_text(text.format("test"))
    call_command("load_corpus", str(file))
    assert "withheld: the labels of test" in capsys.readouterr().out
    call_command("load_corpus", str(file))
    assert corpus.withholdings.get(partition="test").by is None
    freeze(corpus)
    file.write_text(text.format("none"))
    call_command("load_corpus", str(file))
    assert corpus.withholdings.standing().count() == 1
    file.write_text(text.format("dev"))
    with pytest.raises(CommandError, match="has the labels of dev in its files"):
        call_command("load_corpus", str(file))
