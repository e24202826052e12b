"""Dropped lines are restored as premises, and single premises are dropped with a reason."""

import pytest
from django.utils import timezone

from collection.models import DroppedLine, Premise, WritingSeat
from collection.premises.intake import restore_lines
from collection.premises.status import drop_premises, open_premises
from tests.cast import ana, rosa, signed_in
from tests.commands import run, write_jsonl
from tests.corpora import make_corpus, make_premise

pytestmark = pytest.mark.django_db

TURKS = "The Coming of the Ottoman Turks"
LINES = [
    {"text": "• Bottled water for every guest", "id": "w", "document": "menu"},
    {"text": TURKS},
    {"premise": ["Two dogs run.", "Image: a dog"], "group": "scene"},
    {"text": "A dog runs in the park."},
    {"text": "A dog  runs in the park. "},
]
ADDRESS = "/admin/collection/droppedline/"


@pytest.fixture
def corpus(tmp_path):
    corpus = make_corpus(writers_per_premise=2)
    path = write_jsonl(tmp_path / "lines.jsonl", LINES)
    assert not run("import_premises", "small", path, genre="fiction", licence="CC0").failure
    return corpus


@pytest.fixture
def client():
    return signed_in(rosa())


def line(number):
    return DroppedLine.objects.get(line=number)


def restore(*numbers):
    return restore_lines(lines=DroppedLine.objects.filter(line__in=numbers), by=rosa())


def test_what_was_dropped_is_kept_with_its_filter_and_all_that_the_file_said(corpus):
    kept = [(each.line, each.filter) for each in DroppedLine.objects.order_by("line")]
    assert kept == [(1, "list_or_heading"), (2, "list_or_heading"), (3, "boilerplate"), (5, "duplicate")]
    assert (line(1).public_id, line(1).document) == ("w", "menu")
    assert (line(3).sentence_count, line(3).group) == (2, "scene")


def test_a_restored_line_becomes_the_premise_that_it_would_have_been(corpus):
    (premise,) = restore(3).premises
    assert premise.sentences == ["Two dogs run.", "Image: a dog"]
    assert (premise.line, premise.group, premise.status) == (3, "scene", "open")
    assert premise.source.licence == "CC0"
    assert WritingSeat.objects.filter(premise=premise).count() == 2
    restored = line(3)
    assert (restored.restored_as, restored.restored_by) == (premise, rosa())
    assert restored.restored_at <= timezone.now()


def test_in_a_judged_corpus_a_restored_line_has_no_seats(corpus):
    corpus.protocol = "judged"
    corpus.save()
    restore(1)
    assert not WritingSeat.objects.filter(premise__public_id="w").exists()


def test_a_duplicate_stays_dropped_and_the_premise_that_has_its_text_is_named(corpus):
    result = restore(2, 5)
    assert [premise.line for premise in result.premises] == [2]
    ((refused, why),) = result.refused
    premise = Premise.objects.get(line=4)
    assert (refused.line, why) == (5, f"fiction has this text already, as {premise.public_id}")
    assert line(5).restored_at is None


def test_restoring_twice_makes_one_premise(corpus):
    restore(1)
    result = restore(1)
    assert (result.premises, [why for _, why in result.refused]) == ([], ["it has been restored already"])
    assert Premise.objects.filter(line=1).count() == 1


def test_an_id_that_was_given_away_since_is_changed_a_little(corpus):
    make_premise(corpus, "Another text altogether.", public_id="w")
    (premise,) = restore(1).premises
    assert premise.public_id.startswith("w~")


def test_two_lines_of_one_text_give_one_premise(corpus, tmp_path):
    path = write_jsonl(tmp_path / "more.jsonl", [{"text": TURKS}])
    run("import_premises", "small", path, genre="fiction")
    result = restore_lines(lines=DroppedLine.objects.filter(text=TURKS), by=rosa())
    assert (len(result.premises), len(result.refused)) == (1, 1)


def test_a_later_import_with_other_settings_passes_over_what_was_restored(corpus, tmp_path):
    restore(2)
    again = run("import_premises", "small", tmp_path / "lines.jsonl", genre="fiction", longest=500, json=True)
    assert (again.json["premises"], again.json["present"]) == (0, 2)
    assert line(2).restored_as is not None


def test_lines_are_found_by_filter_genre_and_words_and_restored_by_selection(corpus, client):
    page = client.get(ADDRESS, {"filter": "list_or_heading", "genre__id__exact": corpus.genres.get().pk})
    assert [each.line for each in page.context["cl"].result_list] == [1, 2]
    assert [each.line for each in client.get(ADDRESS, {"q": "ottoman"}).context["cl"].result_list] == [2]
    chosen = [line(2).pk, line(5).pk]
    page = client.post(ADDRESS, {"_selected_action": chosen, "action": "restore"}, follow=True)
    said = page.content.decode()
    assert "1 premise is restored" in said
    assert "lines.jsonl, line 5: fiction has this text already" in said
    unrestored = client.get(ADDRESS, {"restored_at__isempty": "1"}).context["cl"].result_list
    assert [each.line for each in unrestored] == [1, 3, 5]


def test_annotators_cannot_restore(corpus):
    client = signed_in(ana())
    client.post(ADDRESS, {"_selected_action": [line(1).pk], "action": "restore"})
    assert line(1).restored_at is None


def test_the_first_reason_stands(corpus):
    assert drop_premises(premises=Premise.objects.all(), reason="first") == 1
    assert drop_premises(premises=Premise.objects.all(), reason="second") == 0
    assert Premise.objects.get().dropped_because == "first"
    assert open_premises(premises=Premise.objects.all()) == 1
    assert open_premises(premises=Premise.objects.all()) == 0
