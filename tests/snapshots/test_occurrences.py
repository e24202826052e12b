"""Names of a snapshot that the checker stores on disk to compare them."""

import pytest

from snapshots.verification.lines import Occurrences


def noted(*rows):
    seen = Occurrences()
    for partition, name, line in rows:
        seen.note("pair", partition, [(name, line)])
    return seen


def test_a_name_in_two_partitions_is_told_with_both_in_order():
    with noted(("train", b"b", 1), ("train", b"a", 2), ("dev", b"b", 1), ("test", b"c", 1)) as seen:
        assert list(seen.in_several("pair")) == [(b"b", ["dev", "train"])]
        assert seen.number_in_several("pair") == 1
        assert seen.number_in_several("premise") == 0


def test_different_names_are_counted_by_partition():
    with noted(("train", b"a", 1), ("train", b"a", 2), ("train", b"b", 3), ("dev", b"a", 1)) as seen:
        assert seen.by_partition("pair") == {"train": 2, "dev": 1}


def test_every_occurrence_but_the_first_is_told_with_its_line():
    with noted(("dev", b"a", 7), ("test", b"b", 8), ("train", b"a", 3), ("train", b"a", 4)) as seen:
        assert sorted(seen.again("pair")) == [("train", 3, b"a"), ("train", 4, b"a")]


@pytest.mark.thorough
def test_the_names_of_many_pairs_stand_on_the_disk(monkeypatch):
    monkeypatch.setattr("snapshots.verification.lines.MEMORY_KIB", 100)
    with Occurrences() as seen:
        seen.note("pair", "train", ((b"%020d" % number, number) for number in range(100_000)))
        seen.note("pair", "dev", [(b"%020d" % 99_999, 1)])
        pages, size = (
            seen.database.execute(f"PRAGMA {what}").fetchone()[0] for what in ("page_count", "page_size")
        )
        assert pages * size > 2_000_000  # twenty times as many as the memory holds
        assert seen.number_in_several("pair") == 1
