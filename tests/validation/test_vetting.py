"""Vetting withdraws pairs by the answers to a question or by a list, after a preview, and can be undone."""

import csv
import io
import json
from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation_site.researchers.corpus_bias import bias_of
from collection.models import Corpus, Pair, Vetting
from snapshots.verify import verify
from tests.cast import ana, rosa, vera
from tests.commands import run, write_jsonl
from tests.concurrency.threads import crossing
from tests.corpora import add_label, ask, make_corpus, make_pair, make_premise
from tests.made_once import made_once
from tests.snapshots.material import folder, freeze, manifest, where
from tests.validation.votes import vote
from validation.annotators.exclusion import exclude, undo_exclusion
from validation.errors import AlreadyDecided, ReasonMissing, ValidationError
from validation.models import Label
from validation.pairs.opening import open_for_validation
from validation.pairs.vetting import (
    ANY,
    Choice,
    preview_vetting,
    undo_vetting,
    vet,
    vetted_rows,
)
from validation.statistics import cached
from validation.statistics.cached import Kind, carry_out, current, request_statistics
from validation.statistics.cross_table import cross_table

pytestmark = pytest.mark.django_db


@made_once
def corpus() -> Corpus:
    """Six pairs, published in two partitions; the hypothesis of every third has major errors."""
    corpus = make_corpus()
    ask(corpus, "grammar", scheme="grammar3", seats=1, wording="Errors?", hides_premise=True)
    for number in range(6):
        premise = make_premise(corpus, f"Premise {number}.")
        make_pair(
            corpus,
            premise,
            f"Hypothesis {number}.",
            public_id=f"p{number}",
            published_label="entailment" if number % 2 else "neutral",
            published_partition="train" if number < 4 else "test",
        )
    question = corpus.questions.get(slug="grammar")
    for number, pair in enumerate(Pair.objects.order_by("pk")):
        add_label(
            question,
            pair,
            ("major", "none", "minor")[number % 3],
            position=1,
            origin="imported",
            cast_at=timezone.now(),
        )
    return corpus


def major(corpus: Corpus, **more) -> Choice:
    return Choice(question=corpus.questions.get(slug="grammar"), labels=("major",), **more)


def standing() -> set[str]:
    return set(Pair.objects.standing().values_list("public_id", flat=True))


def test_a_preview_says_how_many_of_what_and_writes_nothing(corpus):
    seen = preview_vetting(corpus=corpus, choice=major(corpus)).as_json()
    assert seen == {
        "pairs": 2,
        "by_genre": {"fiction": 2},
        "by_gold_label": {"neutral": 1, "entailment": 1},
        "by_partition": {"train": 2},
        "labels": 2,
        "seats": 0,
        "unknown": [],
        "gone": 0,
    }
    assert preview_vetting(corpus=corpus, choice=major(corpus, partition="test")).pairs == 0
    assert len(standing()) == 6


def test_withdrawn_pairs_are_in_no_new_snapshot_and_come_back_as_they_were(corpus):
    question = corpus.questions.get(is_main=True)
    open_for_validation(question=question, pairs=Pair.objects.filter(public_id="p0"))
    before = list(Label.objects.order_by("pk").values())
    made = vet(corpus=corpus, choice=major(corpus), by=rosa(), reason="B.4")
    assert (made.pairs_withdrawn, made.chosen_by) == (2, "the answer to “grammar” is major")
    assert standing() == {"p1", "p2", "p4", "p5"}
    assert not Label.objects.seats().filter(pair__public_id="p0", label=None).exists()
    snapshot = freeze(corpus)
    assert manifest(snapshot)["withdrawn"]["pairs"] == {"set aside by a researcher": 2}
    assert "B.4" not in (folder(snapshot) / "manifest.json").read_text()
    assert verify(folder(snapshot)).ok
    assert undo_vetting(vetting=made, by=rosa()) == 2
    assert len(standing()) == 6
    assert list(Label.objects.order_by("pk").values()) == before
    with pytest.raises(AlreadyDecided):
        undo_vetting(vetting=made, by=rosa())


def test_a_premise_that_a_snapshot_holds_out_of_train_is_in_dev_everywhere(corpus):
    """The choice by partition, what the preview counts, and the rows to publish read one rule; so does the look at bias."""
    snapshot = freeze(corpus, dev_from_train=1)
    held = next(name for name, part in where(snapshot).items() if part == "dev")
    choice = Choice(question=corpus.questions.get(slug="grammar"), labels=("none", "minor", "major"))
    in_dev, in_train = (replace(choice, partition=name) for name in ("dev", "train"))
    assert preview_vetting(corpus=corpus, choice=in_dev).as_json()["by_partition"] == {"dev": 1}
    assert preview_vetting(corpus=corpus, choice=in_train).as_json()["by_partition"] == {"train": 3}
    by_partition = bias_of(corpus.questions.get(is_main=True), "partition")["groups"]
    assert {row["group"]: row["pairs"] for row in by_partition} == {
        **{None: 6, "dev": 1, "test": 2, "train": 3}
    }
    made = vet(corpus=corpus, choice=in_dev, by=rosa(), reason="B.4")
    assert [row[:3] for row in vetted_rows(made)][1:] == [(held, "fiction", "dev")]


def test_a_list_names_pairs_and_what_is_wrong_with_it_is_said(corpus):
    choice = Choice(names=("p1", "p0", "p9"))
    vet(corpus=corpus, choice=major(corpus), by=rosa(), reason="B.4")
    seen = preview_vetting(corpus=corpus, choice=choice)
    assert (seen.pairs, seen.gone, seen.unknown) == (1, 1, ["p9"])
    assert vet(corpus=corpus, choice=choice, by=rosa(), reason="x").pairs_withdrawn == 1
    with pytest.raises(ValidationError, match="The choice contains no pair"):
        vet(corpus=corpus, choice=choice, by=rosa(), reason="x")
    with pytest.raises(ReasonMissing):
        vet(corpus=corpus, choice=Choice(names=("p2",)), by=rosa(), reason=" ")
    with pytest.raises(ValidationError, match="no label “terrible”; its labels are: none, minor, major"):
        Choice(question=corpus.questions.get(slug="grammar"), labels=("terrible",))


def test_any_label_chooses_pairs_whose_labels_are_divided(corpus):
    """The DNC removed 16 test pairs for which at least one label was 4."""
    question = corpus.questions.get(is_main=True)
    vote(Pair.objects.get(public_id="p4"), question, "eeenn")
    vote(Pair.objects.get(public_id="p5"), question, "eeeee")
    by_any = Choice(question=question, labels=("neutral",), by=ANY)
    assert preview_vetting(corpus=corpus, choice=by_any).pairs == 1


def test_the_gold_of_the_pairs_to_choose_from_is_computed_once(corpus):
    question = corpus.questions.get(slug="grammar")
    open_for_validation(question=corpus.questions.get(is_main=True), pairs=Pair.objects.all())
    with CaptureQueriesContext(connection) as ran:
        vetting = vet(
            corpus=corpus, choice=Choice(question=question, labels=("major",)), by=rosa(), reason="Errors."
        )
    statements = [each["sql"] for each in ran]
    assert sum("validation_gold" in sql for sql in statements) == 1
    locked = [sql for sql in statements if "validation_label" in sql and "FOR UPDATE" in sql]
    assert "ORDER BY" in locked[0]
    assert statements.index(locked[0]) < next(
        n for n, sql in enumerate(statements) if sql.startswith('UPDATE "collection_pair"')
    )
    assert not Label.objects.seats().filter(pair__vetting=vetting, label=None).exists()


def test_pairs_of_an_author_who_was_excluded_since_stay_withdrawn(corpus):
    Pair.objects.filter(public_id="p0").update(author=ana())
    made = vet(corpus=corpus, choice=major(corpus), by=rosa(), reason="B.4")
    exclude(corpus=corpus, annotator=ana(), by=rosa(), reason="guesses", retract_pairs=True)
    assert undo_vetting(vetting=made, by=rosa()) == 1
    gone = Pair.objects.get(public_id="p0")
    assert (gone.withdrawn_because, gone.vetting) == ("its author was excluded", None)
    undo_exclusion(exclusion=gone.exclusion, by=rosa())
    assert len(standing()) == 6


@pytest.mark.django_db(transaction=True)
def test_an_exclusion_takes_pairs_whose_vetting_is_being_undone():
    made_for = corpus.make()
    Pair.objects.filter(public_id="p0").update(author=ana())
    made = vet(corpus=made_for, choice=major(made_for), by=rosa(), reason="B.4")
    waited, _ = crossing(
        lambda: undo_vetting(vetting=made, by=rosa()),
        lambda: exclude(corpus=made_for, annotator=ana(), by=rosa(), reason="guesses", retract_pairs=True),
    )
    assert waited
    assert "p0" not in standing()
    assert "p3" in standing()


def test_the_cross_table_counts_answers_beside_gold_labels(corpus):
    question = corpus.questions.get(slug="grammar")
    vet(corpus=corpus, choice=Choice(names=("p3",)), by=rosa(), reason="x")
    table = cross_table(question)
    assert table["answers"] == ["none", "minor", "major", "-"]
    assert table["gold_labels"] == ["entailment", "neutral", "contradiction", "-"]
    assert table["standing"] == {"": [[1, 1, 0, 0], [1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]]}
    assert table["withdrawn"] == {"": [[0, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]]}
    assert set(cross_table(question, "partition")["standing"]) == {"train", "test"}
    rows = list(csv.reader(io.StringIO(run("cross_table", "small", "grammar", csv=True).out)))
    assert rows[0] == ["group", "answer", "gold_label", "pairs", "share_of_answer"]
    assert ["withdrawn", "major", "entailment", "1", "1.0"] in rows
    request_statistics(question=question, kind=Kind.CROSS_TABLE, by="genre")
    carry_out(statistics_id=question.cached_statistics.get().pk)
    assert current(question, Kind.CROSS_TABLE)[0] == table


def test_the_cross_table_goes_by_what_a_run_predicts(corpus, tmp_path):
    """Hypothesis-only, section 6.3: grammar by gold label and by predicted label."""
    given = [{"pairID": f"p{n}", "predicted": "neutral" if n < 2 else "entailment"} for n in range(5)]
    path = write_jsonl(tmp_path / "predictions-test.jsonl", given)
    rows = run("cross_table", "small", "grammar", "--predicted", path, "--json").json["standing"]
    assert {name: sum(map(sum, cells)) for name, cells in rows.items()} == {
        "predicted entailment": 3,
        "predicted neutral": 2,
    }
    whole = cross_table(corpus.questions.get(slug="grammar"))["standing"][""]
    together = cross_table(
        corpus.questions.get(slug="grammar"), predicted={f"p{n}": "neutral" for n in range(6)}
    )["standing"]
    assert together == {"predicted neutral": whole}
    bad = write_jsonl(tmp_path / "bad.jsonl", [{"pairID": "p0"}])
    assert "line 1: it has no pairID" in run("cross_table", "small", "grammar", "--predicted", bad).failure


def test_the_command_previews_withdraws_lists_and_undoes(corpus, tmp_path):
    rosa()
    asked = {"question": "grammar", "labels": "major"}
    assert "2 pairs would be withdrawn; nothing was written" in run("vet_pairs", "small", **asked).out
    assert "There is no researcher" in run("vet_pairs", "small", **asked, reason="B.4").failure
    done = run("vet_pairs", "small", **asked, reason="B.4", by=rosa().username, json=True).json
    assert done["withdrawn"] == 2
    rows = list(csv.reader(io.StringIO(run("vet_pairs", "small", pairs=done["withdrawal"]).out)))
    assert [row[0] for row in rows] == ["pair_id", "p0", "p3"]
    assert "2 pairs, the answer to “grammar” is major: B.4" in run("vet_pairs", "small").out
    assert "has no withdrawal 0" in run("vet_pairs", "small", undo=0).failure
    back = run("vet_pairs", "small", undo=done["withdrawal"], by=rosa().username)
    assert back.out == "2 pairs count again.\n"
    listed = tmp_path / "ids.txt"
    listed.write_text("p1\np1\n\nnone\n")
    assert "1 id is not in the corpus: none" in run("vet_pairs", "small", list=listed).out


def test_the_page_shows_withdraws_and_gives_back(corpus, browser_of):
    browser = browser_of(rosa())
    address = "/corpora/small/vetting/?question=grammar"
    listed = browser.post(address, {"do": "preview", "names": "p1\nnone"}).text
    assert "1 id is not in this corpus: none" in listed
    page = browser.get(address)
    assert page.status_code == 200
    assert "Answers beside gold labels" in page.text
    assert "Withdraw 2 pairs" not in page.text
    asked = {"do": "preview", "label": ["major"], "by": "gold"}
    page = browser.post(address, asked)
    assert "Withdraw 2 pairs" in page.text
    assert len(standing()) == 6
    asked["do"] = "withdraw"
    assert "Please give a reason" in browser.post(address, asked).text
    assert browser.post(address, {**asked, "reason": "B.4"}).status_code == 302
    assert len(standing()) == 4
    made = Vetting.objects.get()
    answer = browser.get(f"/corpora/small/vetting/{made.pk}.csv")
    assert b"".join(answer.streaming_content).startswith(b"pair_id,genre,")
    assert browser.post(address, {"do": "undo", "number": made.pk}).status_code == 302
    assert len(standing()) == 6
    assert browser_of(vera()).get(address).status_code in (302, 403)


def test_of_a_large_corpus_a_worker_counts_the_cross_table(corpus, browser_of, sent, monkeypatch):
    monkeypatch.setattr(cached, "MOST_SEATS_IN_REQUEST", 0)
    browser, address = browser_of(rosa()), "/corpora/small/vetting/?question=grammar"
    assert "not counted yet" in browser.get(address).text
    browser.post(address, {"what": "cross"})
    assert "waiting for a worker" in browser.get(f"{address}&part=cross").text
    browser.post(address, {"what": "cross", "do": "stop"})
    assert "not counted yet" in browser.get(address).text
    browser.post(address, {"what": "cross"})
    carry_out(statistics_id=sent[-1])
    assert "Pairs that count" in browser.get(address).text


def test_rest_answers_the_cross_table(corpus, api_of):
    found = api_of(rosa()).get("/api/v1/corpora/small/cross-table/?question=grammar&by=partition")
    assert found.status_code == 200
    assert json.loads(found.content)["standing"]["test"][0] == [0, 1, 0, 0]
    as_csv = api_of(rosa()).get("/api/v1/corpora/small/cross-table/?question=grammar&as=csv")
    assert as_csv.content.decode().startswith("group,answer,gold_label,pairs")
    assert api_of(rosa()).get("/api/v1/corpora/small/cross-table/").status_code == 422
