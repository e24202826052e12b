"""The filters for new premises, one by one, and their report."""

from collection.filters import DUPLICATE, FILTERS, TOO_SHORT, Dropped, PremiseFilter, candidate, sift


def drops(rule, text, known=()):
    return rule.drops(candidate(1, [text]), set(known))


def test_under_eight_characters_is_too_short():
    assert drops(TOO_SHORT, "1234567")
    assert not drops(TOO_SHORT, "12345678")


def test_white_space_does_not_make_a_premise_longer():
    assert drops(TOO_SHORT, "a     \t   b")


def test_a_text_that_the_genre_has_is_a_duplicate():
    there = candidate(1, ["A dog runs."]).digest
    assert drops(DUPLICATE, "A  dog runs. ", [there])
    assert not drops(DUPLICATE, "A dog ran.", [there])


def test_every_filter_has_a_name_of_its_own_and_a_reason():
    assert len({rule.name for rule in FILTERS}) == len(FILTERS)
    assert all(rule.reason for rule in FILTERS)


def test_the_report_counts_and_shows_the_first_three():
    texts = ["A dog runs.", "short", *["A dog runs."] * 5, "A cat sleeps."]
    report: dict[str, Dropped] = {}
    kept = sift([candidate(line, [text]) for line, text in enumerate(texts, start=1)], set(), report)
    assert [each.line for each in kept] == [1, 8]
    assert report["too_short"].count == 1
    assert report["duplicate"].count == 5
    assert report["duplicate"].examples == [(line, "A dog runs.") for line in (3, 4, 5)]


def test_a_filter_can_be_added_without_touching_the_others():
    shouting = PremiseFilter("shouting", "capitals only", lambda each, known: each.sentences[0].isupper())
    report: dict[str, Dropped] = {}
    assert sift([candidate(1, ["HELLO THERE"])], set(), report, [*FILTERS, shouting]) == []
    assert report["shouting"].count == 1
