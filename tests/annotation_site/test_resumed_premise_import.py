"""Long imports of premises: interrupted and resumed, two at once, and dry runs."""

import pytest

from annotation_site.intake import premises as premise_importing
from collection.models import DroppedLine, Premise, PremiseImport, Source, WritingSeat
from collection.premises.intake import import_batch
from tests.commands import run
from tests.corpora import make_corpus
from tests.made_once import made_once

pytestmark = pytest.mark.django_db

COUNT = 100


@made_once
def corpus():
    return make_corpus()


@pytest.fixture
def path(tmp_path):
    lines = [
        "short" if n % 10 == 0 else f"Dog number {n - n % 10 if n % 10 == 5 else n} runs."
        for n in range(1, COUNT + 1)
    ]
    path = tmp_path / "dogs.txt"
    path.write_text("\n".join(lines))
    return path


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    real = premise_importing.batches
    monkeypatch.setattr(premise_importing, "batches", lambda items: real(items, 7))


def bring(path, **options):
    return run("import_premises", "small", path, **{"genre": "fiction", "json": True, **options})


def everything():
    return (
        list(Premise.objects.order_by("line").values_list("line", "text", "public_id")),
        list(DroppedLine.objects.order_by("line").values_list("line", "text", "filter")),
        WritingSeat.objects.count(),
    )


def stop_after(monkeypatch, batches, problem):
    """Interrupts the import in the transaction of a batch, after it has written."""
    done = []

    def broken(**order):
        result = import_batch(**order)
        done.append(result)
        if len(done) == batches:
            raise problem
        return result

    monkeypatch.setattr(premise_importing, "import_batch", broken)


def test_an_interrupted_import_goes_on_where_it_stopped_and_ends_as_if_it_had_not(corpus, path, monkeypatch):
    with monkeypatch.context() as patch:
        stop_after(patch, 4, KeyboardInterrupt())
        assert "the same command goes on where it stopped" in bring(path).failure
    assert PremiseImport.objects.get().lines_read == 28
    assert PremiseImport.objects.get().finished_at is None
    rest = bring(path).json
    assert (rest["resumed_after"], rest["lines_read"]) == (28, COUNT)
    interrupted = everything()
    assert PremiseImport.objects.get().added == Premise.objects.count()
    WritingSeat.objects.all().delete()
    for table in (PremiseImport, DroppedLine, Premise, Source):
        table.objects.all().delete()
    bring(path)
    assert everything() == interrupted


def test_a_batch_is_written_whole_with_its_progress_or_not_at_all(corpus, path, monkeypatch):
    def broken(*args):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("collection.premises.intake._keep", broken)  # after the premises of the batch are in
        assert bring(path).failure
    assert not Premise.objects.exists()
    assert PremiseImport.objects.get().lines_read == 0
    assert bring(path).json["premises"] == 90


def test_a_second_import_of_the_same_file_at_the_same_time_gives_way(corpus, path, monkeypatch):
    def overtaken(**order):
        PremiseImport.objects.update(lines_read=14)  # the other one was faster
        return import_batch(**order)

    monkeypatch.setattr(premise_importing, "import_batch", overtaken)
    assert "Another import of dogs.txt into fiction is running" in bring(path).failure
    assert not Premise.objects.exists()


def test_a_dry_run_tells_what_an_import_would_do_and_writes_nothing(corpus, path):
    tried = bring(path, dry_run=True, examples=2).json
    assert not any(table.objects.exists() for table in (Source, Premise, DroppedLine, PremiseImport))
    assert (tried["dry_run"], tried["premises"]) == (True, 90)
    assert tried["dropped"]["too_short"] == {
        "reason": "under 8 characters",
        "count": 10,
        "examples": [{"line": 10, "text": "short"}, {"line": 20, "text": "short"}],
    }
    done = bring(path).json
    same = ("premises", "lines_read", "refused_count")
    assert [done[key] for key in same] == [tried[key] for key in same]
    counts = [{name: each["count"] for name, each in one["dropped"].items()} for one in (tried, done)]
    assert counts[0] == counts[1]


def test_a_dry_run_finds_repetitions_far_apart_and_what_the_genre_has(corpus, tmp_path):
    path = tmp_path / "repeated.txt"
    path.write_text("\n".join([*(f"Dog number {n} runs." for n in range(20))] * 2))
    tried = bring(path, dry_run=True).json
    assert (tried["premises"], tried["dropped"]["duplicate"]["count"]) == (20, 20)
    bring(path)
    tried = bring(path, dry_run=True).json
    assert (tried["premises"], tried["dropped"]["duplicate"]["count"]) == (0, 40)


def test_every_filter_is_told_of_also_where_it_dropped_nothing(corpus, path):
    out = bring(path, dry_run=True, json=False).out
    assert out.startswith("small, fiction: 90 premises would be imported from dogs.txt.")
    assert "0 dropped as reference: a bibliographic reference" in out
    assert "10 dropped as too_short" in out


def test_batches_part_no_line(corpus, tmp_path):
    path = tmp_path / "novel.txt"
    path.write_text(
        "She ran. He ran after her. They ran home. The dog ran too. Nobody ran back. All slept.\n" * 9
    )
    bring(path, split=True, alone=True)
    assert Premise.objects.filter(line=1).count() == 6
    assert PremiseImport.objects.get().lines_read == 9


def test_a_language_that_the_detector_does_not_know_is_said_not_to_be_asked(corpus, path):
    corpus.language = "tlh"
    corpus.save()
    assert 'it does not know "tlh"' in bring(path).err


def test_windows_and_utf16_files_are_read_when_their_encoding_is_named(corpus, tmp_path):
    path = tmp_path / "cafe.txt"
    path.write_bytes("She liked the café by the river.\nThe rest is “ordinary” text.\n".encode("cp1252"))
    refused = bring(path)
    assert [each["line"] for each in refused.json["refused"]] == [1, 2]
    assert "--encoding cp1252" in refused.err
    assert bring(path, encoding="cp1252").json["premises"] == 2
    assert Premise.objects.filter(text__contains="café").exists()
    wide = tmp_path / "wide.txt"
    wide.write_text("A line in two bytes a letter.\nÜber all of it.", encoding="utf-16")
    assert bring(wide, encoding="utf-16").json["premises"] == 2


def test_an_encoding_that_is_none_is_refused(corpus, path):
    for name in ("utf-9", "base64"):
        assert f'there is no encoding "{name}"' in bring(path, encoding=name).failure
