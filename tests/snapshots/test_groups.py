"""Rows of a plan on disk: in the order of turns, complete, and with an error if the disk is full."""

import resource

import pytest

from snapshots.freezing.premise_groups import Groups, Row, turn


def test_groups_come_by_their_turn_as_often_as_asked_and_rows_come_back_as_they_were():
    rows = [
        Row("b", "fiction", 3, validated=True, author=7),
        Row("a", "letters", 1, published="train"),
        Row("b", "letters", 0, placed="test"),
        Row("c", "fiction", 2),
    ]
    with Groups(rows, seed=4) as groups:
        drawn = list(groups)
        assert list(groups) == drawn
        assert groups.genres() == {"fiction", "letters"}
    assert [name for name, _ in drawn] == sorted("abc", key=lambda name: turn(4, name))
    assert {row for _, members in drawn for row in members} == set(rows)
    assert dict(drawn)["b"] == [rows[0], rows[2]]


def test_groups_of_one_author_come_together():
    rows = [Row(f"g{number}", "fiction", 1, author=number % 3) for number in range(30)]
    with Groups(rows, seed=1, by_author=True) as groups:
        authors = [members[0].author for _, members in groups]
    assert authors == sorted(authors, key=authors.index)


def test_a_disk_without_room_is_said():
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    try:
        with pytest.raises(OSError, match="could not be written to disk"):
            Groups((Row(f"group {number}", "fiction", 1) for number in range(60_000)), seed=1)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
