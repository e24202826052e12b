"""Hypothesis-only, section 6.3, from end to end on the demo's pairs: train without premises, draw from a cell of the
predictions, have the grammar judged, and count the answers by gold label and by prediction."""

import json

import pytest

from accounts.models import User
from annotation_site.management.commands.demo import DEMO
from collection.models import Pair
from modeling.folders import folder_of
from modeling.running import runner
from tests.annotation_site.test_questions_beside_the_main_one import GRAMMAR
from tests.commands import run
from tests.modeling.material import SMALL, a_run, claimed, vectors_for
from tests.snapshots.material import freeze
from tests.validation.test_acting_on_pairs import done
from validation.models import Label, Question

DRAWN = 4
UNCHECKED = GRAMMAR.partition("[[questions.check]]")[0]


@pytest.mark.django_db(transaction=True)
def test_grammar_is_judged_for_a_random_sample_of_a_cell(live_server, browser_of, tmp_path):
    corpus_file = tmp_path / "corpus.toml"
    corpus_file.write_text((DEMO / "corpus.toml").read_text() + UNCHECKED)
    assert run("load_corpus", corpus_file).failure == ""
    assert run("import_pairs", "demo", DEMO / "pairs.jsonl", format="jsonl", without_look=True).failure == ""
    researcher = User.objects.create_user("rosa", role="researcher")
    grammar = Question.objects.select_related("corpus").get(slug="grammar")
    snapshot = freeze(grammar.corpus)
    vectors = vectors_for(snapshot, tmp_path / "vectors.txt")
    small = {**SMALL, "epochs": "1"}
    trained = runner.carry_out(claimed(a_run(snapshot, "hypothesis_only", vectors=vectors, config=small)))
    assert (trained.status, trained.error) == ("done", "")

    file = folder_of(trained) / "predictions-test.jsonl"
    said = {line["pairID"]: line for line in map(json.loads, file.read_text().splitlines())}
    gold, predicted = next((each["gold"], each["predicted"]) for each in said.values())
    cell = [name for name, each in said.items() if (each["gold"], each["predicted"]) == (gold, predicted)]
    address = f"/runs/{trained.pk}/predictions/test/?label={gold}&predicted={predicted}"
    drawn = min(DRAWN, len(cell))
    told = done(
        browser_of(researcher), "open", address=address, question="grammar", draw=str(drawn), seed="1"
    )
    assert f"{drawn} pair" in told[0]
    opened = set(Label.objects.filter(question=grammar).values_list("pair__public_id", flat=True))
    assert (len(opened), opened <= set(cell)) == (drawn, True)

    crowd = run("simulate", "demo", f"--url={live_server.url}", "--annotators=3", "--at-once=2", "--json")
    assert (crowd.failure, crowd.json["labels"]) == ("", 3 * drawn)
    table = run("cross_table", "demo", "grammar", "--predicted", file, "--json").json
    assert set(table["standing"]) == {f"predicted {predicted}"}
    counted = {
        label: sum(row[place] for row in table["standing"][f"predicted {predicted}"])
        for place, label in enumerate(table["gold_labels"])
    }
    assert counted == {**dict.fromkeys(counted, 0), gold: drawn}
    whole = run("cross_table", "demo", "grammar", "--json").json["standing"][""]
    assert whole == table["standing"][f"predicted {predicted}"]
    assert Pair.objects.filter(public_id__in=opened).count() == drawn
