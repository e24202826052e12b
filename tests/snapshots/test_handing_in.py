"""Predictions for a withheld partition: what is refused, how they are scored, the leaderboard by page, REST and command."""

import json
from unittest.mock import Mock

import pytest
from django.core.management import CommandError, call_command

from nli.lines import PARTITION_FILES
from shared.figures import FIGURES
from snapshots.handing_in import figures
from snapshots.handing_in.actions import Refused, TooMany, hand_in, predictions_in
from snapshots.models import HandIn
from snapshots.withholding.actions import lift, withhold
from tests.cast import rosa
from tests.snapshots.material import add_genre, add_premise, corpus_of, folder, freeze, lines

pytestmark = pytest.mark.django_db


@pytest.fixture
def snapshot():
    """A withheld test part of two genres with three pairs each, one of them in no train: mismatched."""
    corpus = corpus_of(12)
    add_genre(corpus, "letters", in_training=False)
    for number in range(2):
        add_premise(corpus, f"Dear reader {number}.", genre="letters")
    corpus.row = withhold(corpus=corpus, partition="test", by=rosa())
    found = freeze(corpus)
    found.row = corpus.row
    return found


def gold_of(snapshot):
    path = snapshot.sealed_folder / "test-full.jsonl"
    return {
        row["pairID"]: row["gold_label"]
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines())
    }


def ids_of(snapshot):
    return [line["pairID"] for line in lines(snapshot, "test")]


def handed(snapshot, predictions, name="ours", **more):
    return hand_in(snapshot=snapshot, team="Team", name=name, predictions=predictions, by=rosa(), **more)


def test_predictions_are_scored_by_genre_matched_and_mismatched(snapshot):
    gold = gold_of(snapshot)
    row = handed(snapshot, list(gold.items()), description="all right")
    assert row.scores == {"fiction": [3, 3], "letters": [3, 3]}
    handed(snapshot, [(name, "neutral") for name in gold], "neutral", is_baseline=True)
    table = FIGURES["leaderboard"].table(snapshot)
    rows = {each["system"]: each for each in table.rows}
    assert next(iter(rows)) in ("ours", "single labels of people")
    ours, neutral = rows["ours"], rows["neutral"]
    assert (ours["accuracy"], ours["matched"], ours["mismatched"], ours["pairs"]) == (1, 1, 1, 6)
    assert ours["low"] < 1 == ours["high"]
    assert neutral["accuracy"] == pytest.approx(1 / 3)
    assert [neutral["kind"], ours["kind"]] == ["baseline", "system"]
    assert rows["single labels of people"]["pairs"] == 30
    assert rows["the commonest label of train"]["accuracy"] == pytest.approx(1 / 3)
    genres = FIGURES["leaderboard-genres"].table(snapshot).rows
    assert {each["genre"] for each in genres} == {"fiction", "letters"}


def test_ids_and_labels_that_are_wrong_are_counted(snapshot):
    first, second, *others = ids_of(snapshot)
    given = [(first, "neutral"), (first, "neutral"), (second, "maybe"), ("nowhere", "neutral")]
    with pytest.raises(Refused) as refused:
        handed(snapshot, given)
    said = str(refused.value)
    assert "1 pair not in test of small@1, such as nowhere" in said
    assert f"{len(others)} pairs without a prediction" in said
    assert f"1 pair predicted more than once, such as {first}" in said
    assert (
        f"1 pair with a label that is not one of contradiction, entailment, neutral, such as {second}" in said
    )
    assert not HandIn.objects.exists()


def test_a_team_hands_in_so_often_a_day(snapshot, settings):
    settings.HAND_INS_A_DAY = 2
    given = list(gold_of(snapshot).items())
    handed(snapshot, given, "one")
    with pytest.raises(Refused, match="has handed in a system called one before"):
        handed(snapshot, given, "one")
    handed(snapshot, given, "two")
    with pytest.raises(TooMany, match="Team has handed in 2 times in 24 hours, and 2 are allowed"):
        handed(snapshot, given, "three")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"pairID": "a", "predicted": "neutral", "gold": ""}\n\n', [("a", "neutral")]),
        ("pairID,gold_label\na,neutral\nb,entailment\n", [("a", "neutral"), ("b", "entailment")]),
        ("", "There are no predictions"),
        ("{", "Line 1 is not JSON"),
        ('{"pairID": "a"}', "Line 1 has no pair id and label"),
        ("id,what\na,b", "Line 2 has no pair id and label"),
    ],
)
def test_files_of_predictions(text, found):
    if isinstance(found, list):
        assert predictions_in(text) == found
    else:
        with pytest.raises(Refused, match=found):
            predictions_in(text)


def test_page_rest_and_command_say_the_same(snapshot, browser_of, api_of, tmp_path, capsys, settings):
    settings.HAND_INS_A_DAY = 5
    gold = gold_of(snapshot)
    file = tmp_path / "predictions.csv"
    file.write_text("pairID,predicted\n" + "".join(f"{name},{label}\n" for name, label in gold.items()))
    call_command(
        "hand_in", "small@1", str(file), "--team", "T", "--name", "by command", "--by", "rosa", "--json"
    )
    assert json.loads(capsys.readouterr().out)["accuracy"] == 1
    with pytest.raises(CommandError, match="has handed in a system called by command before"):
        call_command("hand_in", "small@1", str(file), "--team", "T", "--name", "by command", "--by", "rosa")
    browser, page = browser_of(rosa()), f"/snapshots/{snapshot.pk}/leaderboard/"
    form = {"partition": "test", "team": "T", "name": "by page", "predictions": file.read_text()}
    assert browser.post(page, form).status_code == 302
    wrong = browser.post(page, form | {"name": "half", "predictions": "pairID,predicted\nx,neutral\n"})
    assert wrong.status_code == 422
    assert "6 pairs without a prediction" in wrong.text
    assert "by page" in browser.get(page).text
    rest, address = api_of(rosa()), f"/api/v1/snapshots/{snapshot.pk}/hand-ins/"
    sent = {"team": "T", "name": "by REST", "predictions": gold}
    answer = rest.post(address, sent, format="json")
    assert (answer.status_code, answer.json()["scores"]) == (201, {"fiction": [3, 3], "letters": [3, 3]})
    assert rest.post(address, sent | {"predictions": {"x": "neutral"}}, format="json").status_code == 422
    csv = rest.get(f"/api/v1/snapshots/{snapshot.pk}/figures/leaderboard?as=csv").content.decode()
    assert {"by command", "by page", "by REST"} <= {line.split(",")[0] for line in csv.splitlines()}


def test_the_full_file_is_read_once(snapshot, browser_of, monkeypatch):
    handed(snapshot, list(gold_of(snapshot).items()))
    read = Mock(side_effect=figures.gold_lines)
    monkeypatch.setattr(figures, "gold_lines", read)
    for _ in range(2):
        assert "ours" in browser_of(rosa()).get(f"/snapshots/{snapshot.pk}/leaderboard/").text
    assert read.call_count == 1


def test_the_leaderboard_stays_after_the_release(snapshot):
    handed(snapshot, list(gold_of(snapshot).items()))
    lift(withholding=snapshot.row, by=rosa())
    assert len(FIGURES["leaderboard"].table(snapshot).rows) == 3
    assert (folder(snapshot) / PARTITION_FILES["test"]).exists()


def test_without_the_file_of_labels_the_page_opens_and_nothing_is_scored(snapshot, browser_of):
    given = list(gold_of(snapshot).items())
    handed(snapshot, given)
    (snapshot.sealed_folder / "test-full.jsonl").unlink()
    assert "ours" in browser_of(rosa()).get(f"/snapshots/{snapshot.pk}/leaderboard/").text
    with pytest.raises(Refused, match="The labels are missing on the server"):
        handed(snapshot, given, "second")


def test_a_snapshot_that_withholds_nothing_has_no_leaderboard(browser_of):
    snapshot = freeze(corpus_of(4))
    assert browser_of(rosa()).get(f"/snapshots/{snapshot.pk}/leaderboard/").status_code == 404
    with pytest.raises(Refused, match="Name a partition of small@1 whose labels are withheld: none"):
        handed(snapshot, [("a", "neutral")])
