"""Which labels of a published pair are stored: as author's label, votes, or published label."""

from collection.formats.lines import BadLine
from collection.formats.records import ImportedPair
from collection.imports.pair_plans import AUTHOR, PlannedPair, Rules, Vote, pair_id_of, plan_pair

LABELS = ("entailment", "neutral", "contradiction")
ELICITED = Rules("nli3", LABELS, elicited=True)
JUDGED = Rules("nli3", LABELS, elicited=False)


def planned(item, rules) -> PlannedPair:
    plan = plan_pair(item, rules)
    assert isinstance(plan, PlannedPair)
    return plan


def pair(*labels, **fields):
    defaults = {"line": 4, "premise": ("A dog runs.",), "hypothesis": "A dog moves.", "has_author": True}
    return ImportedPair(**{**defaults, "labels": labels, **fields})


def test_in_an_elicited_corpus_the_first_label_is_the_authors():
    plan = planned(pair("neutral", "entailment"), ELICITED)
    assert plan.author_label == "neutral"
    assert plan.votes == (Vote(1, "neutral"), Vote(2, "entailment"))


def test_in_a_judged_corpus_no_label_is_the_authors():
    plan = planned(pair("neutral"), JUDGED)
    assert plan.author_label is None
    assert plan.votes == (Vote(1, "neutral"),)


def test_the_authors_label_alone_is_no_vote():
    plan = planned(pair("neutral"), ELICITED)
    assert (plan.author_label, plan.votes) == ("neutral", ())


def test_a_missing_label_leaves_its_place_empty():
    plan = planned(pair("neutral", None, "entailment"), ELICITED)
    assert [vote.position for vote in plan.votes] == [1, 3]


def test_a_missing_authors_label_makes_nobody_the_author():
    plan = planned(pair(None, "entailment"), ELICITED)
    assert plan.author_label is None
    assert plan.votes == (Vote(2, "entailment"),)


def test_a_gold_label_is_kept_only_without_its_votes():
    assert planned(pair(published_label="neutral"), ELICITED).published_label == "neutral"
    assert planned(pair("neutral", "neutral", published_label="neutral"), ELICITED).published_label is None
    assert planned(pair("neutral", published_label="neutral"), ELICITED).published_label is None
    assert planned(pair("neutral", published_label="entailment"), ELICITED).published_label == "entailment"


def test_with_the_authors_labels_alone_nothing_else_comes_along():
    rules = Rules("nli3", LABELS, elicited=True, take=AUTHOR)
    plan = planned(pair("neutral", "entailment", published_label="entailment"), rules)
    assert (plan.author_label, plan.votes, plan.published_label) == ("neutral", (), None)


def test_the_first_annotator_is_the_author():
    plan = planned(pair("neutral", "neutral", annotators=("W1", "V1")), ELICITED)
    assert plan.author == "W1"
    assert plan.votes[1].annotator == "V1"


def test_an_author_who_is_not_the_first_annotator_is_refused():
    found = plan_pair(pair("neutral", "neutral", author="W2", annotators=("W1", "V1")), ELICITED)
    assert found == BadLine(4, 'the author is "W2", but the first annotator is "W1"')


def test_labels_outside_the_scheme_are_refused_wherever_they_stand():
    for bad in (pair("neutral", "maybe"), pair(published_label="maybe")):
        assert plan_pair(bad, ELICITED) == BadLine(
            4, 'label "maybe" is none of entailment, neutral, contradiction'
        )


def test_ids_from_content_are_stable_and_tell_repetitions_and_partitions_apart():
    plan = planned(pair("neutral"), ELICITED)
    first = pair_id_of("dev", "all", plan, 0)
    assert first == pair_id_of("dev", "all", planned(pair("entailment"), ELICITED), 0)
    assert len({first, pair_id_of("dev", "all", plan, 1), pair_id_of("test", "all", plan, 0)}) == 3
