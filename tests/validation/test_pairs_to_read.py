"""The list of pairs: filters, pages by key; and the page of a pair with its whole history."""

import csv
import io
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from lxml import html

from collection.models import Corpus, Genre, Pair
from collection.templatetags.labels import vote_marks
from tests.cast import ana, person, vera
from tests.corpora import LABELS, make_corpus, make_pair, make_premise
from tests.listed import all_pages, is_sorted_by, listed
from tests.made_once import made_once
from tests.validation.votes import vote
from validation.annotators.exclusion import exclude
from validation.labelling.claiming import claim_batch
from validation.labelling.submitting import submit_batch
from validation.models import Label, Question
from validation.pairs import listing as reading
from validation.pairs.adjudication import adjudicate
from validation.pairs.listing import Wanted, pairs_to_read
from validation.pairs.opening import open_for_validation
from validation.quality_control.control_items import label_as_expert
from validation.quality_control.model_labels import keep_model_labels
from validation.statistics import cached
from validation.statistics.cached import Kind

pytestmark = pytest.mark.django_db

LIST = "/corpora/small/pairs/"
VOTES = {"one": "eeeee", "two": "eeenc", "three": "eenn.", "four": "eennc", "five": ""}


@made_once
def corpus() -> Corpus:
    """Five pairs, each of its own premise: unanimous, split, not complete, disputed, and never opened."""
    corpus = make_corpus()
    Genre.objects.create(corpus=corpus, slug="letters", name="Letters")
    for name, letters in VOTES.items():
        premise = make_premise(corpus, f"About {name}.", genre="letters" if name == "one" else "fiction")
        pair = make_pair(
            corpus,
            premise,
            f"A sentence, {name}.",
            public_id=name,
            author=ana() if name in ("one", "two") else None,
            author_label="neutral" if name == "five" else "entailment",
        )
        vote(pair, corpus.questions.get(), letters)
    return corpus


def names(**wanted: object) -> list[str]:
    found, more = pairs_to_read(Question.objects.get(), Wanted(**wanted))
    assert more is None
    return [pair.public_id for pair in found]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({}, list(VOTES)),
        ({"votes": "complete"}, ["one", "two", "four"]),
        ({"votes": "unanimous"}, ["one"]),
        ({"votes": "split"}, ["two", "four"]),
        ({"votes": "disputed"}, ["four"]),
        ({"votes": "open"}, ["three"]),
        ({"votes": "unopened"}, ["five"]),
        ({"gold": "entailment"}, ["one", "two", "three"]),
        ({"gold": "-"}, ["four"]),
        ({"source": "voted"}, ["one", "two"]),
        ({"source": "author"}, ["three", "five"]),
        ({"genre": "letters"}, ["one"]),
        ({"author_label": "neutral"}, ["five"]),
        ({"text": "TWO"}, ["two"]),
        ({"votes": "split", "gold": "entailment"}, ["two"]),
        ({"skipped": True}, []),
    ],
)
def test_each_filter_lets_through_what_it_says(corpus, wanted, found):
    assert names(**wanted) == found


def test_an_author_is_known_by_the_code(corpus):
    assert names(author=ana().code) == ["one", "two"]


def test_a_withdrawn_pair_is_not_among_them(corpus):
    Pair.objects.filter(public_id="one").update(
        withdrawn_at="2026-01-01T00:00Z", withdrawn_because="set aside by a researcher"
    )
    assert "one" not in names()


def test_pages_go_on_where_the_last_one_ended_whatever_the_filter_leaves(corpus, monkeypatch):
    monkeypatch.setattr(reading, "MOST_EXAMINED", 2)
    question, pages = Question.objects.get(), []
    after: int | None = 0
    while after is not None:
        found, after = pairs_to_read(question, Wanted(gold="entailment"), after=after, size=2)
        pages.append([pair.public_id for pair in found])
    assert pages == [["one", "two"], ["three"], []]
    found, after = pairs_to_read(question, Wanted(), size=2)
    assert ([pair.public_id for pair in found], after) == (["one", "two"], found[-1].pk)


@pytest.mark.parametrize("order", ["", "newest", "random"])
def test_a_filter_that_few_of_many_pairs_pass_asks_as_many_queries(corpus, browser_of, rosa, order):
    browser, premise = browser_of(rosa), corpus.premises.earliest("pk")

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            page = browser.get(LIST, {"gold": "contradiction", "order": order})
        assert page.context["pairs"] == []
        return len(captured)

    before = queries()
    Pair.objects.bulk_create(
        Pair(
            corpus=corpus, premise=premise, hypothesis=f"It is {n}.", public_id=f"many-{n}", scheme="nli3",
            author_label="neutral",
        )
        for n in range(600)
    )  # fmt: skip
    assert queries() == before


def test_a_gold_label_that_is_called_none_is_not_the_lack_of_one(browser_of, rosa):
    corpus = make_corpus(scheme="grammar3", protocol="judged")
    Question.objects.update(scheme="grammar3")
    question, premise = Question.objects.select_related("corpus").get(), make_premise(corpus, "A man waits.")
    for name, letters in (("faultless", "nnnnn"), ("bad", "mmmmm"), ("undecided", "nnmm")):
        pair = make_pair(corpus, premise, name, public_id=name)
        for place, letter in enumerate(letters, start=1):
            label = {"n": "none", "m": "major"}[letter]
            Label.objects.create(
                **{"question": question, "pair": pair, "premise": premise, "scheme": "grammar3"},
                **{"position": place, "origin": "imported", "label": label},
            )
    browser = browser_of(rosa)
    for gold, expected in (("none", ["faultless"]), ("-", ["undecided"]), ("major", ["bad"])):
        page = browser.get(LIST, {"gold": gold})
        assert [pair.public_id for pair in page.context["pairs"]] == expected
        (chosen,) = (each for facet in listed(page).facets for each in facet.values if each.is_chosen)
        assert chosen.link == LIST


def test_the_list_keeps_its_filters_from_page_to_page(corpus, browser_of, rosa, monkeypatch):
    monkeypatch.setattr("shared.lists.USUAL_SIZE", 1)
    browser = browser_of(rosa)
    page = browser.get(LIST, {"votes": "split", "text": "sentence"})
    assert [pair.public_id for pair in page.context["pairs"]] == ["two"]
    assert "A <mark>sentence</mark>, two." in page.content.decode()
    rest = browser.get(listed(page).next)
    assert [pair.public_id for pair in rest.context["pairs"]] == ["four"]
    assert "No pair fits all filters" in browser.get(LIST, {"text": "nowhere"}).content.decode()
    assert browser.get(LIST, {"after": "x", "gold": "odd"}).status_code == 200


def share(cells) -> float:
    votes = cells["votes"][0]
    return max(votes.values(), default=0) / (votes.total() or 1)


@pytest.mark.parametrize("way", ["", "-"])
@pytest.mark.parametrize(
    ("order", "value"),
    [
        ("genre", lambda cells: cells["pair"][2]),
        ("author", lambda cells: cells["author"]),
        ("gold", lambda cells: cells["gold"][0]),
        ("agreement", share),
    ],
)
def test_every_order_holds_each_pair_once(corpus, browser_of, rosa, monkeypatch, order, value, way):
    monkeypatch.setattr("shared.lists.USUAL_SIZE", 2)
    Pair.objects.filter(public_id="two").update(author=person("other"))
    vote(Pair.objects.get(public_id="five"), corpus.questions.get(), "ccccc")
    rows = all_pages(browser_of(rosa), LIST, f"{way}{order}")
    assert sorted(name for name, _ in rows) == sorted(VOTES)
    if order == "gold":  # a pair without one is last, whatever the direction
        assert rows.pop()[0] == "four"
    assert is_sorted_by(rows, f"{way}{order}", value)


def test_votes_sort_no_more_pairs_than_a_page_may_count(corpus, browser_of, rosa, monkeypatch):
    monkeypatch.setattr("validation.pairs.listing.MOST_EXAMINED", 4)
    page = browser_of(rosa).get(LIST, {"order": "gold"})
    assert (listed(page).view.order, listed(page).names) == ("", list(VOTES))
    assert "sort up to" in page.content.decode()
    assert {"", "random", "genre"} < listed(page).view.orders.keys(), "the others can still be chosen"
    few = browser_of(rosa).get(LIST, {"order": "-gold", "genre": "fiction"})
    assert listed(few).view.order == "-gold"


def test_a_corpus_without_pairs_says_where_they_come_from(browser_of, rosa):
    make_corpus()
    assert "has no pairs yet" in browser_of(rosa).get(LIST).content.decode()


def test_a_pair_is_shown_with_everything_that_was_said_of_it(browser_of, rosa):
    corpus = make_corpus()
    question = corpus.questions.get()
    pair = make_pair(
        corpus, make_premise(corpus, "A dog barks."), "It is loud.", author_label="neutral", public_id="a/b#1"
    )
    open_for_validation(question=question, pairs=Pair.objects.all())
    for who, sent in (
        (vera(), {"labels": "contradiction", "reasons": "Barking is loud."}),
        (person("skips"), {"skips": "upsetting"}),
    ):
        batch = claim_batch(question=question, annotator=who)
        (slot,) = (item.seat.token for item in batch.items)
        answers = {"labels": {}, **{name: {slot: value} for name, value in sent.items()}}
        submit_batch(annotator=who, token=batch.assignment.token, key="one", **answers)
    exclude(corpus=corpus, annotator=vera(), by=rosa, reason="Never read.")
    label_as_expert(question=question, pair=pair, label="entailment", by=rosa)
    keep_model_labels(question=question, model="some-model 1", labels={pair: ("entailment", "")})
    page = browser_of(rosa).get(f"{LIST}a/b%231/").content.decode()
    for said in (
        "Barking is loud.",
        "its annotator was excluded",
        "control item",
        "some-model 1 (a model)",
        "It is loud.",
    ):
        assert said in page
    assert "I would rather not read this" in page
    for answer in ("Maybe correct", "Definitely incorrect", "Definitely correct"):
        assert f"</svg><bdi>{answer}</bdi></span>" in page  # in the corpus's words, not by the scheme's names
    assert "</svg><bdi>neutral</bdi></span>" not in page
    assert f"{person('skips').code}, " in page
    assert names(skipped=True) == ["a/b#1"]


def test_a_decision_is_marked_with_its_reason(browser_of, rosa):
    corpus = make_corpus()
    Question.objects.update(gold_rule="adjudicated")
    pair = make_pair(corpus, make_premise(corpus, "A dog barks."), "It is loud.", public_id="one")
    vote(pair, Question.objects.get(), "eeecc")
    adjudicate(
        question=Question.objects.get(), pair=pair, label="entailment", reason="Dogs are loud.", by=rosa
    )
    page = browser_of(rosa).get(f"{LIST}one/").content.decode()
    assert "from a researcher&#x27;s decision" in page
    assert "Dogs are loud." in page
    assert names(source="adjudicated") == ["one"]


def test_the_pages_are_for_researchers_and_of_one_corpus(corpus, browser_of, rosa):
    make_corpus(slug="other")
    assert browser_of(vera()).get(LIST).status_code == 403
    assert browser_of(vera()).get(f"{LIST}one/").status_code == 403
    assert browser_of(rosa).get("/corpora/other/pairs/one/").status_code == 404
    assert browser_of(rosa).get(f"{LIST}nobody/").status_code == 404


def test_a_page_of_the_list_asks_a_few_questions_however_many_pairs_it_shows(
    corpus, browser_of, rosa, django_assert_max_num_queries
):
    browser = browser_of(rosa)
    with django_assert_max_num_queries(19):
        browser.get(LIST)


def test_the_page_of_a_pair_asks_as_many_queries_for_three_people_as_for_two(
    corpus, browser_of, rosa, django_assert_num_queries
):
    client, labels = browser_of(rosa), list(Label.objects.filter(pair__public_id="one").order_by("pk"))
    for number, label in enumerate(labels[:2]):
        Label.objects.filter(pk=label.pk).update(annotator=person(f"reader-{number}"))
    with CaptureQueriesContext(connection) as of_two:
        client.get(f"{LIST}one/")
    Label.objects.filter(pk=labels[2].pk).update(annotator=person("reader-2"))
    with django_assert_num_queries(len(of_two)):
        client.get(f"{LIST}one/")


def test_the_list_turns_around_and_its_pages_follow(corpus, browser_of, rosa, monkeypatch):
    monkeypatch.setattr("shared.lists.USUAL_SIZE", 2)
    client, address, shown = browser_of(rosa), f"{LIST}?order=newest", []
    while address:
        answer = client.get(address)
        shown += [pair.public_id for pair in answer.context["pairs"]]
        address = listed(answer).next
    assert shown == list(VOTES)[::-1]


@pytest.mark.parametrize("order", ["id", "-id", "characters", "-characters"])
def test_each_order_has_every_pair_once_whatever_is_equal(corpus, order):
    question, found = Question.objects.get(), []
    after: int | None = 0
    while after is not None:
        rows, after = pairs_to_read(question, Wanted(), after=after, order=order, size=2)
        found += rows
    keys = [(pair.public_id if "id" in order else len(pair.hypothesis), pair.pk) for pair in found]
    assert len({pair.pk for pair in found}) == len(VOTES)
    assert keys == sorted(keys, reverse=order.startswith("-"))


def test_the_address_has_size_columns_and_order(corpus, browser_of, rosa):
    page = browser_of(rosa).get(f"{LIST}?size=25&column=premise&column=characters&order=-characters")
    heads = html.fromstring(page.content).xpath("//table[contains(@class, 'list-table')]/thead//th")
    assert [head.text_content().strip(" ▼") for head in heads] == [
        "Choose",
        "Pair, genre",
        "Premise",
        "Characters",
    ]
    assert heads[3].get("aria-sort") == "descending"
    assert listed(page).names[0] == "three"
    assert "size=25&column=premise&column=characters" in listed(page).csv


def test_words_are_looked_for_in_premise_and_hypothesis(corpus, browser_of, rosa):
    assert names(text="about two") == ["two"]
    assert names(text="two") == ["two"]
    page = browser_of(rosa).get(LIST, {"text": "ABOUT"})
    assert len(listed(page).names) == 5
    assert "<mark>About</mark> two." in page.content.decode()


def test_the_list_has_a_total(corpus, browser_of, rosa, monkeypatch):
    client = browser_of(rosa)
    assert "<p>5 pairs." in client.get(LIST).content.decode()
    assert "<p>1 pair." in client.get(f"{LIST}?genre=letters").content.decode()
    assert "<p>2 pairs." in client.get(f"{LIST}?votes=split").content.decode()
    monkeypatch.setattr(reading, "MOST_COUNTED", 3)
    monkeypatch.setattr(reading, "MOST_IN_FACETS", 3)
    assert "<p>More than 3 pairs." in client.get(f"{LIST}?text=A").content.decode()


@pytest.mark.parametrize(
    ("query", "found"),
    [("", list(VOTES)), ("&votes=split", ["two", "four"]), ("&premise=nowhere", [])],
)
def test_csv_has_every_pair_that_passes(corpus, browser_of, rosa, monkeypatch, query, found):
    monkeypatch.setattr(reading, "LINES_AT_ONCE", 2)
    answer = browser_of(rosa).get(f"{LIST}?as=csv{query}")
    text = b"".join(answer.streaming_content).decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["id"] for row in rows] == found
    if "two" in found:
        row = next(row for row in rows if row["id"] == "two")
        assert (row["premise"], row["gold_label"]) == ("About two.", "entailment")
        assert row["labels"].split() == ["entailment"] * 3 + ["neutral", "contradiction"]


def test_a_pair_leads_to_its_neighbours_its_siblings_and_what_can_be_done(corpus, browser_of, rosa):
    two = Pair.objects.get(public_id="two")
    make_pair(corpus, two.premise, "Another one.", public_id="six", author_label="neutral")
    client = browser_of(rosa)
    page = client.get(f"{LIST}two/").content.decode()
    assert f'rel="prev" href="{LIST}one/"' in page
    assert f'rel="next" href="{LIST}three/"' in page
    assert f'<a href="{LIST}six/">six</a>' in page
    assert "Open this pair for labelling" not in page
    last = client.get(f"{LIST}six/").content.decode()
    assert 'rel="next"' not in last
    assert "Open this pair for labelling" in last
    opened = client.post("/corpora/small/open/", {"how": "pairs", "pairs": "six"})
    assert opened.status_code == 302
    assert "Open this pair for labelling" not in client.get(f"{LIST}six/").content.decode()
    seen = client.post("/corpora/small/vetting/", {"names": "two", "do": "preview"})
    assert seen.context["seen"].pairs == 1
    assert not Pair.objects.exclude(withdrawn_at=None).exists()


def test_lengths_are_those_of_hypotheses(corpus):
    # "A sentence, one." has 16 characters, "A sentence, three." has 18.
    assert names(shortest=17) == ["three", "four", "five"]
    assert names(shortest=17, longest=17) == ["four", "five"]


def test_a_random_sample_is_of_what_passes_and_the_same_for_a_seed(corpus, browser_of, rosa, monkeypatch):
    question = Question.objects.get()
    drawn = [
        [pair.public_id for pair in reading.sample_of(question, Wanted(), seed)] for seed in (1, 1, 2, 3, 4)
    ]
    assert drawn[0] == drawn[1]
    assert {frozenset(each) for each in drawn} == {frozenset(VOTES)}
    assert len({tuple(each) for each in drawn}) > 1
    assert {pair.public_id for pair in reading.sample_of(question, Wanted(votes="split"), 1)} == {
        "two",
        "four",
    }
    monkeypatch.setattr("shared.lists.USUAL_SIZE", 2)
    client = browser_of(rosa)
    first = client.get(f"{LIST}?order=random&genre=fiction")
    assert len(first.context["pairs"]) == 2
    assert "genre=fiction" in listed(first).another
    assert listed(client.get(listed(first).another)).another.endswith("seed=3")


def test_votes_are_counted_and_drawn_for_each_pair(corpus, browser_of, rosa):
    page = browser_of(rosa).get(LIST).content.decode()
    assert "3 Definitely correct, 1 Maybe correct, 1 Definitely incorrect" in page
    shapes = re.findall(r'<svg class="label-(.)"', page)
    assert "".join(shapes).startswith("eeeeeeeenceenneennc")
    many = vote_marks({"entailment": 970, "neutral": 29, "contradiction": 1}, LABELS, {})
    assert [many.count(f"label-{letter}") for letter in "enc"] == [19, 1, 1]
    assert "4 of 5" in page


def test_values_of_a_filter_have_their_numbers_and_a_chosen_one_can_be_left_out(
    corpus, browser_of, rosa, monkeypatch
):
    client = browser_of(rosa)
    facets = {each.name: each.values for each in listed(client.get(f"{LIST}?genre=letters")).facets}
    # Of one value a filter says nothing; who skipped is not counted.
    assert list(facets) == ["Votes", "Genre", "Skips"]
    genres = facets["Genre"]
    assert [(each.value, each.number, each.is_chosen) for each in genres] == [
        ("Fiction", 4, False),
        ("Letters", 1, True),
    ]
    left_out = next(each.link for each in genres if each.is_chosen)
    assert len(client.get(left_out).context["pairs"]) == 5
    monkeypatch.setattr(reading, "MOST_IN_FACETS", 4)
    uncounted = listed(client.get(f"{LIST}?text=A")).facets
    assert {each.number for facet in uncounted for each in facet.values} == {None}


@pytest.mark.parametrize(
    "chosen", [{}, {"gold": "entailment"}, {"votes": "split"}, {"text": "t"}, {"source": "voted"}]
)
def test_each_number_is_that_of_the_list_behind_it(corpus, browser_of, rosa, chosen):
    client = browser_of(rosa)
    page = client.get(LIST, chosen)
    assert page.context["numbers"].total == (len(page.context["pairs"]), False)
    counted = [facet.values for facet in listed(page).facets if facet.values[0].number is not None]
    assert counted
    for values in counted:
        beside = sum(each.number for each in values if each.is_chosen)
        for each in (each for each in values if not each.is_chosen):
            # A value joins those that are chosen in the same filter; of votes, a pair may have several.
            found = len(client.get(each.link).context["pairs"])
            assert max(each.number, beside) <= found <= each.number + beside, each


def test_of_a_large_corpus_a_worker_counts_and_the_list_says_when(corpus, browser_of, rosa, monkeypatch):
    monkeypatch.setattr(cached, "MOST_SEATS_ON_DASHBOARD", 0)
    client, now = browser_of(rosa), timezone.now()
    question = corpus.questions.get()
    assert "A worker counts the pairs" in client.get(LIST).content.decode()
    assert client.get(f"{LIST}?votes=split").context["numbers"].total is None
    assert cached.stale_overviews(now, Kind.PAIRS) == [question]
    cached.carry_out(statistics_id=cached.request_statistics(question=question, kind=Kind.PAIRS).pk)
    page = client.get(f"{LIST}?votes=split")
    assert page.context["numbers"].total == (2, False)
    assert "Counted" in page.content.decode()
    counted = {each.name for each in listed(client.get(LIST)).facets if each.values[0].number is not None}
    assert counted >= {"Gold label", "Votes"}


def test_a_pair_is_withdrawn_on_its_page_and_comes_back(corpus, browser_of, rosa):
    client, vetting = browser_of(rosa), "/corpora/small/vetting/"
    sent = {"do": "withdraw", "names": "one", "from_pair": "one", "reason": "Two sentences."}
    page = client.post(vetting, sent, follow=True)
    assert page.redirect_chain == [(f"{LIST}one/", 302)]
    assert "because: Two sentences." in page.content.decode()
    assert "one" not in names()
    number = Pair.objects.get(public_id="one").vetting_id
    page = client.post(vetting, {"do": "undo", "number": number, "from_pair": "one"}, follow=True)
    assert page.redirect_chain == [(f"{LIST}one/", 302)]
    assert "1 pair counts again." in page.content.decode()
    assert "one" in names()


def test_for_a_drawer_the_page_comes_without_the_workspace_around_it(corpus, browser_of, rosa):
    browser = browser_of(rosa)
    whole, part = (
        browser.get(f"{LIST}one/", headers=sent).content.decode() for sent in ({}, {"HX-Request": "true"})
    )
    assert '<nav id="sections"' in whole
    assert "<nav id=" not in part
    assert 'id="pair-name">one</h1>' in part


def test_a_pair_that_is_opened_from_its_page_leads_back_to_it(browser_of, rosa):
    corpus = make_corpus()
    make_pair(
        corpus, make_premise(corpus, "A dog barks."), "It is loud.", author_label="neutral", public_id="one"
    )
    sent = {"how": "pairs", "pairs": "one", "from_pair": "one"}
    answer = browser_of(rosa).post("/corpora/small/open/", sent, follow=True)
    assert answer.redirect_chain == [(f"{LIST}one/", 302)]
    assert "1 pair is open" in answer.content.decode()


@pytest.mark.parametrize(
    "page", [LIST, f"{LIST}?gold=neutral", "/corpora/small/pairs/two/", "/corpora/small/bias/"]
)
def test_labels_are_named_by_the_words_of_the_corpus_alone(corpus, browser_of, rosa, page):
    cached.store(question=Question.objects.get(), kind=Kind.BIAS)
    shown = html.fromstring(browser_of(rosa).get(page).content).xpath("//main")[0]
    for script in shown.xpath(".//script"):
        script.drop_tree()
    said = shown.text_content()
    assert "Definitely correct" in said
    for name in LABELS:
        assert not re.search(rf"\b{name}\b", said), "the name in the scheme is for files"
