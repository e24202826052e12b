"""Equal pairs without ids in one file are numbered by their occurrences."""

from collection.imports.pairs import Repeats


def test_each_id_is_counted_by_itself_and_each_file_anew() -> None:
    file = Repeats()
    assert [file.met(each) for each in ("a", "b", "a", "a")] == [0, 0, 1, 2]
    assert Repeats().met("a") == 0
