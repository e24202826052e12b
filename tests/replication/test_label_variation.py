"""Gold labels and label distributions of corpora of label variation are those of their files, counted here by pandas."""

import gzip
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from collection.models import Corpus, Pair
from modeling.baselines.data import read_pair
from modeling.baselines.scores import distribution_scores
from nli.labels import label_index
from nli.lines import SETS, votes_in
from snapshots.models import Snapshot
from tests.commands import run
from validation.gold.queries import with_gold_label
from validation.models import Label, Question

pytestmark = pytest.mark.django_db
E, N, C = LABELS = ("entailment", "neutral", "contradiction")


def gold_of_pairs() -> dict[str, str | None]:
    pairs = with_gold_label(Pair.objects.all(), Question.objects.get())
    return dict(pairs.values_list("public_id", "gold_label"))


def bring(path: Path, form: str, **options: object) -> dict:
    return run("import_pairs", "here", path, format=form, json=True, **options).json


def by_more_than(answers: pd.Series, least: pd.Series) -> pd.Series:
    """Returns for each pair the label with more than `least` answers, None without one; `answers` has an index of pairs."""
    counts = pd.crosstab(answers.index, answers)
    won = counts.gt(least.reindex(counts.index), axis=0)
    found = won.idxmax(axis=1).where(won.any(axis=1))
    return found.reindex(least.index).astype(object).where(lambda each: each.notna(), None)


def of_all(answers: pd.Series, left_out: pd.Series | int = 0) -> pd.Series:
    """Returns the label of more than half of all answers."""
    return by_more_than(answers, (answers.groupby(level=0).size().add(left_out, fill_value=0)) / 2)


def exploded(frame: pd.DataFrame, column: str) -> pd.Series:
    return frame[column].explode()


def lines_of_snapshot() -> dict[str, dict]:
    run("freeze_snapshot", "here")
    folder = Snapshot.objects.get(corpus__slug="here").folder
    run("verify_snapshot", folder)
    texts = (text for path in folder.glob("*.jsonl") for text in path.read_text().splitlines())
    return {line["pairID"]: line for line in map(json.loads, texts)}


def test_commitmentbank_by_more_than_half_of_all_answers(shared_data):
    (path,) = (shared_data / "commitmentbank").glob("*.csv")
    rows = pd.read_csv(path).set_index("uID")
    given = rows["Reponses"].str.split(r"\s*,\s*").rename("labels").to_frame()
    answers = exploded(given, "labels").astype(int).map(lambda degree: (N, E, C)[np.sign(degree)])
    assert bring(path, "commitmentbank")["labels"] == len(answers)
    expected = of_all(answers)
    assert gold_of_pairs() == expected.to_dict()
    assert not Label.objects.filter(position__gt=Question.objects.get().seats).exists()
    # By the first eight of the file, 73 of the 713 pairs with more had another gold label.
    first = by_more_than(answers[answers.groupby(level=0).cumcount() < 8], pd.Series(4, expected.index))
    more = answers.groupby(level=0).size() > 8
    differ = first.fillna("-") != expected.fillna("-")
    assert (more.sum(), (differ & more).sum(), (differ & ~more).sum()) == (713, 73, 0)


def test_linguists_of_ambient_by_more_than_half_of_all_answers(shared_data):
    (path,) = (shared_data / "ambient").glob("linguist*")
    rows = pd.read_json(path, lines=True)
    summary = bring(path, "ambient-linguists", split="none")
    answers = exploded(rows, "annotations")
    apart = answers.str.contains("|", regex=False)
    left_out = apart.groupby(level=0).sum()
    assert (summary["labels"], summary["answers_left_out"]) == ((~apart).sum(), apart.sum()) == (2855, 1235)
    expected = of_all(answers[~apart], left_out).reindex(rows.index)
    found = with_gold_label(Pair.objects.order_by("pk"), Question.objects.get())
    stored = found.values_list("gold_label", "answers_left_out")
    assert [gold for gold, _ in stored] == [None if pd.isna(each) else each for each in expected]
    assert [number for _, number in stored] == left_out.to_list()


def test_livenli_says_how_many_answers_a_distribution_is_of_and_how_many_are_left_out(shared_data):
    path = shared_data / "livenli" / "livenli.csv"
    rows = pd.read_csv(path, dtype={"uid": str}).set_index("uid")
    said = rows["multilabel"].str.strip()
    apart = said.str.contains("|", regex=False)
    summary = bring(path, "livenli", split="90:5:5")
    assert (summary["rows"], summary["refused_count"], summary["answers_left_out"]) == (
        len(rows),
        0,
        apart.sum(),
    )
    answers = said[~apart].map({"true": E, "either": N, "false": C})
    left_out = apart.groupby(level=0).sum()
    expected = of_all(answers, left_out)
    assert gold_of_pairs() == expected.to_dict()
    counts = pd.crosstab(answers.index, answers)
    lines = lines_of_snapshot()
    assert lines
    for name, line in lines.items():
        assert Counter(line["annotator_labels"]) == Counter(counts.loc[name][lambda each: each > 0].to_dict())
        assert line.get("answers_left_out", 0) == left_out[name]
        assert line["label_distribution"] == pytest.approx(
            (counts.loc[name] / counts.loc[name].sum()).to_dict()
        )
        assert "all_label_counts" not in line, "nobody was asked a second time"
        assert all(answer.get("round", 1) == 1 for answer in line.get("answers", ()))


def test_varierr_has_four_seats_and_says_what_was_left_out(shared_data):
    path = shared_data / "varierr" / "varierr.jsonl"
    rows = pd.read_json(path, lines=True).set_index("id")
    given = pd.concat(
        rows[label].explode().dropna().to_frame("reason").assign(label=label) for label in LABELS
    )
    given["annotator"] = given["reason"].map(lambda reason: reason["annotator"])
    sets = given.groupby([given.index, "annotator"])["label"].agg(lambda each: sorted(set(each)))
    single = sets[sets.map(len) == 1].map(lambda each: each[0])
    summary = bring(path, "varierr", split="none")
    assert (summary["labels"], summary["answers_left_out"]) == (len(single), (sets.map(len) > 1).sum())
    expected = by_more_than(single.droplevel(1), pd.Series(2, rows.index))
    assert gold_of_pairs() == expected.to_dict()
    left_out = (sets.map(len) > 1).groupby(level=0).sum().reindex(rows.index, fill_value=0)
    assert dict(Pair.objects.values_list("public_id", "answers_left_out")) == left_out.to_dict()


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("preprocessed-data.jsonl", marks=pytest.mark.thorough),
        pytest.param("preprocessed-context-data.jsonl", marks=pytest.mark.thorough),
    ],
)
def test_sliders_of_nli_variation_by_more_than_half_of_all(shared_data, name):
    path = shared_data / "nli_variation" / name
    rows = pd.read_json(path, lines=True, dtype={"id": str}).set_index("id")
    degrees = (
        exploded(rows, "labels").astype(float).map(lambda each: np.sign(each) * np.floor(abs(each) + 0.5))
    )
    answers = pd.cut(degrees, [-51, -17, 16, 51], labels=[C, N, E]).astype(str)
    assert bring(path, "nli-variation", split="none")["labels"] == len(answers)
    assert gold_of_pairs() == of_all(answers).to_dict()


def chaos_rows(shared_data: Path) -> pd.DataFrame:
    files = sorted((shared_data / "chaosnli").glob("chaosNLI_*nli*.jsonl"))
    return pd.concat(pd.read_json(path, lines=True) for path in files).set_index("uid")


def test_the_hundred_of_chaosnli_are_a_set_of_their_own(shared_data, tmp_path):
    rows = chaos_rows(shared_data).groupby(lambda uid: "#" in uid).head(60)
    path = tmp_path / "chaos.jsonl"
    rows.reset_index().to_json(path, orient="records", lines=True)
    bring(path, "chaosnli", split="0:50:50")
    lines = lines_of_snapshot()
    assert lines.keys() == set(rows.index)
    index = label_index(LABELS)
    for name, line in lines.items():
        row = rows.loc[name]
        extra = dict(zip(LABELS, row["label_count"], strict=True))
        old = Counter(row["old_labels"][:5])
        assert line["extra_label_counts"] == extra
        assert line["all_label_counts"] == {label: extra[label] + old[label] for label in LABELS}
        assert votes_in(line, "seats") == old
        shares = dict(zip(LABELS, row["label_dist"], strict=True))
        assert {label: extra[label] / 100 for label in LABELS} == pytest.approx(shares)
        assert sum(answer.get("round") == 2 for answer in line["answers"]) == sum(row["label_count"])
    pairs = [
        pair
        for line in lines.values()
        if (pair := read_pair(json.dumps(line).encode(), index, index)) is not None
    ]
    predicted = np.full((len(pairs), 3), 1 / 3, dtype=np.float32)
    scores = distribution_scores(pairs, predicted)
    assert scores is not None
    assert (scores["labels"], scores["pairs"], set(scores["sets"])) == ("extra", len(pairs), set(SETS))
    people = np.array([rows.loc[pair.pair_id]["label_dist"] for pair in pairs])
    logs = np.log(3 * people, where=people > 0, out=np.zeros_like(people))
    assert scores["kl"] == pytest.approx((people * logs).sum(axis=1).mean(), rel=1e-5)
    assert scores["kl"] != pytest.approx(scores["sets"]["all"]["kl"], rel=1e-5)


def test_pooling_chaosnlis_old_labels_moves_the_commonest_label_of_37_pairs(shared_data):
    """So a soft label must say of which labels it is."""
    rows = chaos_rows(shared_data)
    differ = 0
    for counts, old in zip(rows["label_count"], rows["old_labels"], strict=True):
        line = {
            "extra_label_counts": dict(zip(LABELS, counts, strict=True)),
            "all_label_counts": {
                label: count + old[:5].count(label) for label, count in zip(LABELS, counts, strict=True)
            },
        }
        extra, pooled = (
            {label for label, number in votes.items() if number == max(votes.values())}
            for votes in (votes_in(line, "extra"), votes_in(line, "all"))
        )
        differ += extra != pooled
    assert (len(rows), differ) == (2044, 37)


def test_five_labels_of_snli_decide_by_three(files, tmp_path):
    path = tmp_path / "first.jsonl"
    lines = files[0].read_text().splitlines()[:300]
    path.write_text("\n".join(lines) + "\n")
    rows = pd.read_json(path, lines=True).set_index("pairID")
    bring(path, "snli", split="none")
    answers = exploded(rows, "annotator_labels")
    assert gold_of_pairs() == by_more_than(answers[answers != ""], pd.Series(2, rows.index)).to_dict()
    assert not Pair.objects.exclude(answers_left_out=0).exists()


def test_published_labels_of_multinli_stay_without_votes(shared_data, tmp_path):
    path = tmp_path / "matched.jsonl"
    with gzip.open(shared_data / "multinli_dev_matched_gold" / "dev_matched.jsonl.gz", "rt") as file:
        lines = [line for line, _ in zip(file, range(200), strict=False)]
    path.write_text("".join(lines))
    rows = pd.read_json(path, lines=True)
    label = "gold_label" if "gold_label" in rows else "label"
    summary = bring(path, "auto", split="none")
    assert (summary["pairs"], summary["labels"]) == (200, 0)
    found = Counter(gold_of_pairs().values())
    assert sorted(found.values()) == sorted(rows[label].value_counts())
    assert Corpus.objects.get().scheme == "nli3"
