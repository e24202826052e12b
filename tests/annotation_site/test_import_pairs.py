"""`import_pairs`: pairs, premises, people and labels of published files; bad lines by number."""

import pytest
from django.db import connection
from django.db.utils import ConnectionHandler

from accounts.models import User
from annotation_site.intake import pairs as importing
from annotation_site.intake.files import PORTION
from collection.models import Corpus, Genre, Pair, Parse, Premise, Source, querysets
from tests.annotation_site.imported_lines import C, E, N, bring_lines, record, snli  # noqa: F401  (a fixture)
from tests.commands import run
from tests.conftest import REPOSITORY
from tests.corpora import make_corpus
from validation.models import Label, Question

pytestmark = pytest.mark.django_db

DEMO = REPOSITORY / "examples" / "demo"


# The corpus


def test_a_corpus_that_is_missing_is_made_with_question_and_wordings(bring):
    bring([snli()], format="snli")
    corpus = Corpus.objects.get(slug="new")
    assert (corpus.scheme, corpus.protocol) == ("nli3", "elicited")
    question = Question.objects.get(corpus=corpus, is_main=True)
    assert (question.seats, question.threshold, question.scheme) == (5, 3, "nli3")
    assert [wording.label for wording in question.label_wordings.all()] == [E, N, C]
    assert Genre.objects.get().slug == "captions"


def test_labels_of_a_published_corpus_keep_the_names_that_its_paper_gave_them(bring):
    """Nobody chose "Definitely correct" for SNLI; people who are to choose here get words for people."""
    bring([snli()], format="snli", unlabelled=False)
    question = Question.objects.get(is_main=True)
    assert [each.wording for each in question.label_wordings.all()] == [E, N, C]
    bring([record()], into="open", open=True, scheme="nli3")
    opened = Question.objects.get(corpus__slug="open")
    assert [each.wording for each in opened.label_wordings.all()] == [
        "Definitely correct", "Could be either", "Definitely wrong",
    ]  # fmt: skip


def test_scheme_and_protocol_of_a_new_corpus_can_be_named(bring):
    bring([record(labels=[1, 2, 5])], scheme="ordinal5", protocol="judged")
    corpus = Corpus.objects.get()
    assert (corpus.scheme, corpus.protocol) == ("ordinal5", "judged")
    assert set(Label.objects.values_list("scheme", "label")) == {("ordinal5", label) for label in "125"}


def test_a_corpus_of_another_kind_is_not_mixed_with_the_file(bring):
    make_corpus(slug="new", protocol="judged")
    failure = bring([snli()], format="snli").failure
    assert 'Files of the format snli have the protocol "elicited", but new has "judged".' in failure
    assert "--scheme: new has" in bring([record()], scheme="entailed2").failure
    assert not Pair.objects.exists()


def test_no_corpus_is_left_behind_when_no_line_is_good(bring):
    result = bring([{"premise": "A dog."}, "{"])
    assert result.failure == "2 lines were refused. Nothing was imported into new."
    assert not Corpus.objects.exists()


@pytest.mark.parametrize("slug", ["a b", "ä", "x" * 61, "a/b"])
def test_a_corpus_cannot_have_any_name(bring, slug):
    assert "cannot name a corpus" in bring([record()], into=slug).failure


def test_seats_threshold_and_language_of_a_new_corpus_can_be_named(bring):
    """The pairs have three votes: with five seats, two equal votes of three would give no gold label."""
    summary = bring([record(labels=[E, E, N])], protocol="judged", seats=3, language="zh-Hant").json
    question = Question.objects.get()
    assert (question.seats, question.threshold, question.corpus.language) == (3, 2, "zh-Hant")
    assert (summary["fewer_labels"], summary["gold_differs"]) == (0, 0)


@pytest.mark.parametrize("rule", [{"seats": 0}, {"seats": 4, "threshold": 2}, {"seats": 3, "threshold": 4}])
def test_a_rule_that_decides_nothing_is_refused(bring, rule):
    why = "a whole number from 1" if rule == {"seats": 0} else "more than half of the seats"
    assert why in bring([record(labels=[E])], **rule).failure


def test_fewer_labels_than_seats_everywhere_is_worth_a_word(bring):
    told = bring([record(labels=[E, E, N])], protocol="judged", json=False).out
    assert "No pair has more than 3 labels." in told
    assert "--seats 3" in told


def test_a_format_can_be_of_another_protocol_if_that_is_said(bring):
    make_corpus(slug="new", protocol="judged")
    assert bring([snli(genre="fiction")], format="snli", protocol="judged").json["author_labels"] == 0


# Wrong formats


def test_pairs_without_any_label_are_refused_unless_meant(bring):
    records = [record(n, label0=E) for n in range(3)]
    failure = bring(records, unlabelled=False).failure
    assert "none of the first 3 pairs has a label" in failure
    assert "not read: label0" in failure
    assert not Corpus.objects.exists()
    assert bring(records, unlabelled=False, open=True).json["opened"] == 3


def test_one_reason_for_all_lines_is_said_once(bring):
    result = bring([{"Premise": "A dog.", "Label": E}] * 30)
    assert result.err.count("there is no") == 1
    assert '30 lines, first pairs.jsonl, line 1: there is no "premise".' in result.err
    assert "The keys or columns of the file are: Premise, Label." in result.err


def test_a_few_reasons_for_many_lines_are_said_once_each(bring):
    result = bring([record(n, label="E" if n % 3 else "N") for n in range(30)])
    assert '20 lines, first pairs.jsonl, line 2: label "E" is none of' in result.err
    assert '10 lines, first pairs.jsonl, line 1: label "N" is none of' in result.err
    assert result.err.count("is none of") == 2


# Labels


def test_snli_brings_premise_pair_labels_and_parses(bring):
    summary = bring([snli(1), snli(2)], format="snli").json
    assert (summary["pairs"], summary["premises"], summary["labels"]) == (2, 1, 10)
    premise = Premise.objects.get()
    assert (premise.public_id, premise.group, premise.text) == ("24.jpg#1", "24.jpg", "A man stands.")
    pair = Pair.objects.get(public_id="24.jpg#1r1n")
    assert (pair.author_label, pair.published_label, pair.author) == (N, None, None)
    first, *others = Label.objects.filter(pair=pair).order_by("position")
    assert (first.position, first.origin, first.label) == (1, "author", N)
    assert [(label.position, label.origin, label.label) for label in others] == [
        (2, "imported", E),
        (3, "imported", N),
        (4, "imported", N),
        (5, "imported", C),
    ]
    assert Parse.objects.get(pair=pair).hypothesis_parse == "(ROOT 2)"


def test_captions_of_one_image_share_a_group(bring):
    bring([snli(1), snli(2, captionID="24.jpg#4", sentence1="A man waits.")], format="snli")
    assert set(Premise.objects.values_list("group", flat=True)) == {"24.jpg"}


def test_a_pair_with_the_authors_label_alone_needs_no_label_rows(bring):
    bring([snli(annotator_labels=[N])], format="snli")
    assert Pair.objects.get().author_label == N
    assert not Label.objects.exists()


def test_four_labels_go_in_and_the_fifth_seat_is_not_opened(bring):
    result = bring([snli(annotator_labels=[N, N, N, E])], format="snli", open=True, json=False)
    assert [label.position for label in Label.objects.order_by("position")] == [1, 2, 3, 4]
    assert "1 pairs have fewer labels than seats" in result.out


def test_a_gold_label_without_votes_becomes_the_published_label(bring):
    summary = bring([record(label=C)]).json
    pair = Pair.objects.get()
    assert (pair.published_label, pair.author_label) == (C, None)
    assert (summary["labels"], summary["published_labels"]) == (0, 1)


def test_a_gold_label_that_is_not_the_majority_is_reported(bring):
    records = [
        snli(1, gold_label=E),
        snli(2, gold_label="-"),
        snli(3, annotator_labels=[N, N, E, E, C], gold_label="-"),
        snli(4),
    ]
    result = bring(records, format="snli", json=False)
    assert "another gold label in the file, the first: 24.jpg#1r1n" in result.out
    assert not Pair.objects.exclude(published_label=None).exists()


def test_in_a_judged_corpus_all_labels_are_votes(bring):
    bring([record(labels=[N, E])], protocol="judged")
    assert Pair.objects.get().author_label is None
    assert set(Label.objects.values_list("origin", flat=True)) == {"imported"}


# People


def test_annotators_of_the_file_become_people_who_cannot_sign_in(bring):
    labels = {"labels": [N, N, E], "author": "W1", "annotators": ["W1", "V1", "V2"]}
    bring([record(1, **labels), record(2, **labels)])
    users = User.objects.order_by("code")
    assert [user.code for user in users] == ["new:V1", "new:V2", "new:W1"]
    assert {user.kind for user in users} == {"imported"}
    assert not any(user.has_usable_password() for user in users)
    pair = Pair.objects.get(public_id="p1")
    assert pair.author == User.objects.get(code="new:W1")
    first, second, _ = Label.objects.filter(pair=pair).order_by("position")
    assert first.annotator == first.author == pair.author
    assert second.annotator == User.objects.get(code="new:V1")
    assert second.author == pair.author


def test_equal_codes_of_two_corpora_are_two_people(bring):
    for corpus in ("one", "two"):
        bring([record(labels=[N, N], annotators=["7", "8"])], into=corpus)
    assert User.objects.count() == 4


def test_a_long_code_is_cut_and_stays_unique(bring):
    codes = ["x" * 60 + "1", "x" * 60 + "2"]
    bring([record(labels=[N, N], annotators=codes)])
    assert User.objects.count() == 2
    assert all(len(user.code) <= 40 for user in User.objects.all())


def test_an_author_who_validates_an_own_pair_is_kept_as_the_file_has_it(bring):
    bring([record(labels=[N, N, E], annotators=["W1", "W1", "V1"])])
    assert Label.objects.filter(annotator__code="new:W1").count() == 2


# Premises


def test_pairs_of_one_premise_share_it_whatever_its_white_space(bring):
    summary = bring([record(1), record(2, premise=" A  dog runs.")]).json
    assert summary["premises"] == 1
    assert Premise.objects.get().text == "A dog runs."


def test_a_premise_that_the_corpus_has_is_used(bring):
    bring([record(1)])
    summary = bring([record(2)], name="more.jsonl").json
    assert (summary["pairs"], summary["premises"]) == (1, 0)


def test_one_premise_id_for_two_texts_does_not_lose_the_second(bring):
    summary = bring([record(1, premise_id="7"), record(2, premise_id="7", premise="A cat sleeps.")]).json
    assert (summary["pairs"], summary["premise_ids_changed"]) == (2, 1)
    ids = sorted(Premise.objects.values_list("public_id", flat=True))
    assert ids[0] == "7"
    assert ids[1].startswith("7~")


def test_several_sentences_are_one_premise(bring):
    bring([record(premise=["A boy rides.", "A horse walks."])])
    assert Premise.objects.get().sentences == ["A boy rides.", "A horse walks."]


def test_genres_come_from_the_lines_or_the_option(bring):
    bring(
        [record(1, genre="face-to-face"), record(2), record(3, genre="9/11"), record(4, genre="소설")],
        genre="news",
    )
    assert set(Genre.objects.values_list("name", flat=True)) == {"face-to-face", "news", "9/11", "소설"}
    assert all(slug.isascii() and slug for slug in Genre.objects.values_list("slug", flat=True))


def test_a_corpus_that_people_write_in_gets_no_genre_by_an_import(bring):
    make_corpus(slug="new")
    result = bring([record(1, genre="fiction"), record(2, genre="fictoin")])
    assert result.json["refused"] == [
        {
            "file": "pairs.jsonl",
            "line": 2,
            "reason": 'there is no genre "fictoin" in new; its genres are: fiction',
        }
    ]
    assert (
        bring([record(3)], genre="news").failure
        == '--genre: new has no genre "news"; its genres are: fiction.'
    )


def test_pairs_without_a_genre_belong_to_the_only_one_there_is(bring):
    make_corpus(slug="new")
    assert bring([record(1)]).json["genres_made"] == []
    assert Pair.objects.get().premise.genre.slug == "fiction"
    assert bring([record(1)], into="other").json["genres_made"] == ["all"]


def test_published_labels_that_differ_from_the_authors_are_counted(bring):
    records = [
        {**snli(1), "gold_label": N, "annotator_labels": [E]},
        {**snli(2), "gold_label": E, "annotator_labels": [E]},
    ]
    result = bring(records, format="snli", json=False)
    assert "1 of them have another label from their author" in result.out


# Ids that stand for several pairs


def lingnli(hypothesis: str, *labels: str) -> dict[str, object]:
    return {
        "pairID": "139089n",
        "promptID": "139089",
        "premise": "A dog runs.",
        "hypothesis": hypothesis,
        "annotator_ids": [str(n) for n in range(len(labels))],
        "annotator_labels": list(labels),
    }


def test_pairs_that_share_an_id_are_numbered_and_others_keep_theirs(bring):
    """LingNLI's ids end in the majority's letter, so two authors who wrote for one prompt can share an id."""
    records = [
        lingnli("One.", N, N, N),
        lingnli("Two.", E, N, N),
        lingnli("Three.", N, N, N),
        lingnli("One.", N, E, E),  # judged twice
        {**lingnli("Other.", E, N, N), "pairID": "7n"},
    ]
    result = bring(records, format="lingnli", json=False)
    ids = ["139089n", "139089n~2", "139089n~3", "139089n~4", "7n"]
    assert sorted(Pair.objects.values_list("public_id", flat=True)) == ids
    assert Label.objects.count() == 15
    assert "3 pair ids stood for several pairs" in result.out
    assert "139089n~2, 139089n~3, 139089n~4" in result.out
    again = bring(records, format="lingnli").json
    assert (again["pairs"], again["skipped"], again["refused_count"]) == (0, 5, 0)


# Repeating, and what is there already


def test_the_same_file_again_is_passed_over(bring):
    records = [snli(1), snli(2)]
    bring(records, format="snli")
    again = bring(records, format="snli")
    assert again.failure == ""
    assert (again.json["pairs"], again.json["skipped"], again.json["refused_count"]) == (0, 2, 0)
    assert (Pair.objects.count(), Label.objects.count(), Source.objects.count()) == (2, 10, 1)


def test_an_import_that_broke_off_is_taken_up(bring):
    bring([record(1)])
    result = bring([record(1), record(2)], name="whole.jsonl").json
    assert (result["pairs"], result["skipped"]) == (1, 1)


@pytest.mark.parametrize(
    ("second", "options", "reason"),
    [
        ({"hypothesis": "Another."}, {}, 'the id "p1" belongs to another pair'),
        ({"premise": "A cat sleeps."}, {}, 'the id "p1" belongs to another pair'),
        ({"label": C}, {}, 'pair "p1" is there already, with another label'),
        ({}, {"partition": "dev"}, 'pair "p1" is there already, without a partition'),
    ],
)
def test_another_pair_of_the_same_id_is_refused(bring, second, options, reason):
    bring([record(1, label=N)])
    result = bring([record(1, **{"label": N, **second}), record(2)], name="more.jsonl", **options).json
    assert result["pairs"] == 1
    assert [each["reason"] for each in result["refused"]] == [reason]


@pytest.mark.parametrize("between", [0, PORTION])
def test_ids_that_come_twice_in_one_file_are_found_within_a_portion_and_across(bring, between):
    others = [record(n) for n in range(3, 3 + between)]
    result = bring([record(1), record(2), *others, record(1, hypothesis="Another."), record(2)]).json
    assert (result["pairs"], result["skipped"], result["refused_count"]) == (2 + between, 1, 1)


def test_pairs_without_ids_get_one_that_finds_them_again(bring):
    plain = {"premise": "A dog runs.", "hypothesis": "A dog moves.", "label": E}
    records = [plain, {**plain, "hypothesis": "A cat."}, plain]  # published files repeat some pairs
    assert bring(records, partition="dev").json["pairs"] == 3
    assert bring(records, partition="dev").json["skipped"] == 3
    assert bring(records, partition="test").json["pairs"] == 3
    assert set(Pair.objects.values_list("published_partition", flat=True)) == {"dev", "test"}


# Opening for labelling


def test_with_the_authors_labels_alone_pairs_are_opened(bring):
    summary = bring([snli(1), snli(2)], format="snli", labels="author", without_look=True).json
    assert summary["opened"] == 2
    assert Label.objects.filter(origin="author", position=1).count() == 2
    assert Label.objects.open().count() == 8
    assert not Label.objects.filter(origin="imported").exists()


def test_opening_can_be_left_out(bring):
    assert bring([snli(1)], format="snli", labels="author", open=False).json["opened"] == 0
    assert not Label.objects.exists()


def test_imported_corpora_are_not_opened_unless_asked(bring):
    assert bring([record(1, labels=[N])]).json["opened"] == 0
    assert bring([record(1, labels=[N])], open=True, without_look=True).json["opened"] == 1
    assert bring([record(1, labels=[N])], open=True, without_look=True).json["opened"] == 0


def test_pairs_with_all_their_labels_are_not_opened_again(bring):
    records = [record(1, labels=[N] * 5), record(2, labels=[N])]
    assert bring(records, open=True, without_look=True).json["opened"] == 1
    assert Label.objects.filter(pair__public_id="p1").count() == 5


# The demo, and cost


def test_the_demo_comes_in_as_the_readme_says():
    run("load_corpus", DEMO / "corpus.toml")
    how = {"format": "jsonl", "open": True, "without_look": True}
    summary = run("import_pairs", "demo", DEMO / "pairs.jsonl", json=True, **how).json
    assert (summary["pairs"], summary["premises"], summary["labels"]) == (108, 36, 330)
    assert (summary["people"], summary["opened"], summary["refused"]) == (12, 42, [])
    total = 0
    for path in sorted((DEMO / "premises").glob("*.txt")):
        report = run("import_premises", "demo", path, genre=path.stem, json=True).json
        assert report["refused_count"] == 0
        total += report["premises"]
    assert total == 132
    assert Premise.objects.filter(seats__isnull=True).count() == 36


def test_the_number_of_queries_does_not_grow_with_the_lines(bring, django_assert_max_num_queries):
    bring([record(0, labels=[N, N], annotators=["a", "b"])])
    records = [
        record(n, premise=f"Dog {n} runs.", labels=[N, E], annotators=["a", f"v{n % 50}"])
        for n in range(1, 400)
    ]
    with django_assert_max_num_queries(38):
        assert bring(records, name="many.jsonl").json["pairs"] == 399


def test_after_a_large_import_the_database_counts_anew(bring, monkeypatch):
    monkeypatch.setattr(importing, "MANY", 2)
    bring([snli(n) for n in range(2)], format="snli", unlabelled=False)
    with connection.cursor() as cursor:
        cursor.execute("SELECT DISTINCT tablename FROM pg_stats")
        tables = {name for (name,) in cursor.fetchall()}
    assert {model._meta.db_table for model in (Premise, Pair, Label)} <= tables


def test_sqlite_is_told_as_well(monkeypatch):
    """Without statistics, SQLite needs minutes to find the pairs that are not open yet."""
    lite = ConnectionHandler({"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}})[
        "default"
    ]
    monkeypatch.setattr(querysets, "connection", lite)
    with lite.cursor() as cursor:
        cursor.execute(f"CREATE TABLE {Pair._meta.db_table} (id INTEGER PRIMARY KEY, n INTEGER)")
        cursor.execute(f"CREATE INDEX of_n ON {Pair._meta.db_table} (n)")
        cursor.execute(f"INSERT INTO {Pair._meta.db_table} VALUES (1, 1)")
        querysets.refresh_planner(Pair)
        assert cursor.execute("SELECT tbl FROM sqlite_stat1").fetchall() == [(Pair._meta.db_table,)]
    lite.close()


def test_one_genre_of_a_file_can_be_imported_alone(bring):
    told = bring(
        [record(n, label=E, genre="AGCI" if n else "COPA") for n in range(3)], only_genre="AGCI"
    ).json
    assert (told["pairs"], told["other_genres"]) == (2, 1)
    assert set(Pair.objects.values_list("premise__genre__slug", flat=True)) == {"agci"}
