"""The protocols in `examples/protocols/`: each is an arm of `captions/`, loads, and gives the pairs that it is for."""

import json
import re
from collections import Counter

import pytest

from collection.corpora.corpus_file import corpus_file_in
from collection.models import Corpus, Pair, PairEdit
from nli.labels import SCHEMES
from tests.commands import run
from tests.conftest import REPOSITORY
from validation.models import Label

CAPTIONS = REPOSITORY / "examples" / "captions"
FOLDER = REPOSITORY / "examples" / "protocols"
ARMS = {path.stem: path for path in sorted(FOLDER.glob("*.toml"))}
PREMISES = (CAPTIONS / "premises" / "captions.txt").read_text().splitlines()
CANDIDATES = FOLDER / "candidates.jsonl"


def study(*names: str) -> str:
    """Returns the text of the corpus file with these protocols behind it."""
    ours = (CAPTIONS / "corpus.toml").read_text().replace("[name and address of the research group]", "us")
    return "\n".join([ours, *(ARMS[name].read_text() for name in names)])


def test_every_protocol_is_known() -> None:
    assert set(ARMS) == {"edit-premise", "edit-other", "contrast", "linguist", "revision"}


@pytest.mark.parametrize("name", ARMS)
def test_a_protocol_says_what_writers_need_and_where_it_comes_from(name: str) -> None:
    (base, arm) = corpus_file_in(study(name), "study").prompts
    assert (arm.slug, arm.arm_of) == (name, base.slug)
    asked = [field.label for field in arm.fields]
    assert asked == [field.label for field in base.fields]
    assert {example.label for example in arm.examples} == set(asked)
    assert sorted(check.label for check in arm.check) == sorted(asked)
    assert len(arm.faq) >= 5
    assert arm.pay_cents * base.seconds >= base.pay_cents * arm.seconds * 0.9, (
        "an hour pays about as much as in the base arm"
    )
    comment = "".join(line for line in ARMS[name].read_text().splitlines() if line.startswith("#"))
    assert re.search(r"et al\.|and .+ \(20\d\d\)", comment)
    assert "https://" in comment
    shown = {pair.premise for pair in (*arm.examples, *arm.check)}
    assert not shown & set(PREMISES)


@pytest.mark.django_db(transaction=True)
def test_a_crowd_writes_under_all_protocols_at_once(live_server, tmp_path) -> None:
    file = tmp_path / "corpus.toml"
    file.write_text(study(*ARMS))
    assert run("load_corpus", file).failure == ""
    run(
        "import_premises",
        "captions",
        CAPTIONS / "premises" / "captions.txt",
        genre="captions",
        licence="CC0-1.0",
    )
    offered = run(
        "offer_texts", "captions", FOLDER / "edit-other.jsonl", origin="another caption", arm="edit-other"
    )
    assert offered.out.startswith(f"{len(PREMISES)} drafts stored")
    told = run(
        "simulate", "captions", f"--url={live_server.url}", "--annotators=12", "--at-once=2", "--texts=3", "--write",
        "--arms=captions=100",
    )  # fmt: skip
    assert told.failure == ""
    assert "figure bias-alone-compared captions by=arm" in told.out
    arms = Counter(Pair.objects.values_list("arm", flat=True))
    assert set(arms) == {"captions", *ARMS}
    assert sum(arms.values()) == 3 * len(PREMISES)
    planted = Counter(
        re.findall(r"word\d", pair.hypothesis)[0] + pair.author_label
        for pair in Pair.objects.filter(arm="captions")
    )
    assert len(planted) == 3, "in the arm that was named, each label has a word of its own"
    starts = {name: set(edits_of(name)) for name in arms}
    assert starts["edit-premise"] <= set(PREMISES)
    assert starts["edit-other"] <= {
        json.loads(line)["text"] for line in (FOLDER / "edit-other.jsonl").read_text().splitlines()
    }
    assert not starts["captions"] | starts["contrast"] | starts["linguist"]
    revised = Pair.objects.filter(arm="revision")
    assert revised.values("family").distinct().count() * 3 == revised.count()


def edits_of(arm: str) -> list[str]:
    return list(PairEdit.objects.filter(pair__arm=arm).values_list("edited_from", flat=True))


@pytest.mark.django_db
def test_candidates_are_an_arm_that_nobody_writes_and_five_people_judge() -> None:
    run("load_corpus", CAPTIONS / "corpus.toml")
    told = run(
        "import_pairs", "captions", CANDIDATES, "--open", "--without-look", format="jsonl", licence="CC0-1.0"
    )
    assert told.failure == ""
    pairs = Pair.objects.filter(corpus=Corpus.objects.get(slug="captions"))
    assert set(pairs.values_list("arm", "author_label")) == {("similar", None)}
    assert [pair.premise.text for pair in pairs.order_by("pk")] == PREMISES
    assert Label.objects.open().count() == 5 * len(PREMISES)
    assert SCHEMES["nli3"] == tuple(Label.objects.open().first().question.labels)
