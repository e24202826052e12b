"""What an import must never lose in silence: lines, answers, keys, partitions, languages; and what stops it."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from collection.models import Corpus, Pair
from tests.commands import Run, run, write_jsonl
from validation.models import Label

pytestmark = pytest.mark.django_db

E, N, C = "entailment", "neutral", "contradiction"


def brought(path: Path, corpus: str = "new", **options: Any) -> Run:
    return run("import_pairs", corpus, path, **{"format": "jsonl", "json": True, **options})


def table(path: Path, rows: Iterable[Iterable[object]]) -> Path:
    path.write_text("".join("\t".join(map(str, row)) + "\n" for row in rows), encoding="utf-8")
    return path


def lines_add_up(summary: dict[str, Any]) -> bool:
    went = ("rows_in_pairs", "rows_skipped", "rows_of_other_genres", "refused_count")
    return bool(summary["rows"] == sum(summary[key] for key in went))


# Labels


def test_both_spellings_of_scitails_second_class_come_in(tmp_path):
    for name in ("not_entailment", "neutral", "not-entailed", "NO"):
        labels = ["entailment", name]
        rows = [{"sentence1": f"P {n}.", "sentence2": "H.", "gold_label": labels[n % 2]} for n in range(10)]
        path = write_jsonl(tmp_path / f"{name}.jsonl", rows)
        assert brought(path, name.lower(), format="scitail").json["pairs"] == 10
        kinds = Pair.objects.filter(corpus__slug=name.lower()).values_list("published_label", flat=True)
        assert sorted(kinds) == ["entailed"] * 5 + ["not-entailed"] * 5


def test_a_class_that_is_refused_stops_the_import(tmp_path):
    rows = [{"premise": f"P {n}.", "hypothesis": "H.", "label": N if n % 20 else "odd"} for n in range(100)]
    path = write_jsonl(tmp_path / "a.jsonl", rows)
    result = brought(path)
    assert "All 5 lines with the label odd are refused, so nothing is imported." in result.failure
    assert result.failure.startswith("--label-map: ")
    assert "Say what odd means: odd=..." in result.failure
    assert not Corpus.objects.exists()
    assert "All 5 lines" in brought(path, dry_run=True).failure
    assert brought(path, "none", label_map="odd=").json["pairs"] == 100
    assert brought(path, "rest", partly=True).json["pairs"] == 95


def test_an_odd_vote_is_named_with_its_count_and_the_option_that_takes_it(tmp_path):
    def rows(odd: int) -> list[dict[str, object]]:
        votes = ([E, E, "unrelated"] if n < odd else [E, E, N] for n in range(30))
        return [{"premise": f"P {n}.", "hypothesis": "H.", "labels": given} for n, given in enumerate(votes)]

    stopped = brought(write_jsonl(tmp_path / "a.jsonl", rows(4)), protocol="judged").failure
    assert '4 of 30 lines are refused, most of them because: label "unrelated" is none of' in stopped
    assert stopped.startswith("--label-map: ")
    assert "Say what unrelated means: unrelated=..., with nothing after = if" in stopped
    few = write_jsonl(tmp_path / "b.jsonl", rows(2))
    (warning,) = brought(few, "few", protocol="judged").json["warnings"]
    assert warning.startswith(
        "2 lines were refused for the label unrelated: say what it means in the label map, unrelated=..."
    )
    assert warning in brought(few, "seen", protocol="judged", json=False).out
    whole = brought(few, "whole", protocol="judged", label_map="unrelated=").json
    assert (whole["pairs"], whole["labels"], whole["warnings"]) == (30, 88, [])


def test_more_than_a_tenth_that_is_refused_stops_the_import(tmp_path):
    def rows(bad: int) -> list[dict[str, object]]:
        return [
            {"premise": f"P {n}.", "label": N, **({"hypothesis": "H."} if n >= bad else {})}
            for n in range(30)
        ]

    assert brought(write_jsonl(tmp_path / "a.jsonl", rows(3))).json["pairs"] == 27
    path = write_jsonl(tmp_path / "b.jsonl", rows(4))
    failure = brought(path, "b").failure
    assert '4 of 30 lines are refused, most of them because: there is no "hypothesis".' in failure
    assert not Corpus.objects.filter(slug="b").exists()
    assert brought(path, "b", partly=True).json["pairs"] == 26


def test_why_a_file_is_refused_is_said_of_its_own_lines_and_most_is_more_than_half(tmp_path):
    good = [{"premise": f"P {n}.", "label": N, "hypothesis": "H."} for n in range(100)]
    empty = [{**good[0], "premise": ""}] * 6
    numbers = [{**each, "premise": f"Q {n}.", "hypothesis": 7} for n, each in enumerate(good[:2])]
    many = write_jsonl(tmp_path / "many.jsonl", [*good, *empty])
    few = write_jsonl(
        tmp_path / "few.jsonl",
        [*({**each, "premise": f"R {each['premise']}"} for each in good[:8]), *numbers],
    )
    failure = run("import_pairs", "a", many, few, format="jsonl").failure
    assert 'few.jsonl: 2 of 10 lines are refused, most of them because: "hypothesis"' in failure
    odd = [*good[:9], {**good[0], "premise": ""}, {**good[1], "hypothesis": ""}, {**good[2], "label": "odd"}]
    failure = brought(write_jsonl(tmp_path / "odd.jsonl", odd), "b").failure
    assert "2 of 12 lines are refused, 1 of them because: " in failure


def test_an_object_with_a_key_twice_is_refused_and_the_next_is_read(tmp_path):
    twice = '{"premise": "P 0.", "hypothesis": "H.", "label": "neutral", "label": "entailment"}'
    good = [json.dumps({"premise": f"P {n}.", "hypothesis": "H.", "label": N}) for n in range(1, 20)]
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join([twice, *good]))
    told = brought(path, "lines").json
    assert (told["pairs"], told["reasons"]) == (19, {"the key 'label' is there twice: keep one": 1})
    for name, text in (("a_data", json_array(twice, *good)), ("b_data", json_array(*good, twice))):
        path = tmp_path / f"recast_{name}.json"
        path.write_text(text.replace("premise", "context").replace("neutral", "entailed"))
        assert brought(path, name[:1], format="dnc").json["pairs"] == 19


def json_array(*objects: str) -> str:
    return f"[{', '.join(objects)}]"


def test_what_a_file_beside_says_of_no_pair_or_twice_is_refused(tmp_path):
    pairs = [{"context": f"P {n}.", "hypothesis": "H.", "label": "entailed", "pair-id": n} for n in range(30)]
    about = [{"pair-id": n, "corpus": "a"} for n in range(30)]
    (tmp_path / "recast_x_data.json").write_text(json.dumps(pairs))
    (tmp_path / "recast_x_metadata.json").write_text(json.dumps([*about, {"pair-id": 3}, {"pair-id": 99}]))
    told = brought(tmp_path / "recast_x_data.json", format="dnc").json
    reasons = sorted(each["reason"] for each in told["refused"])
    assert told["pairs"] == 30
    assert reasons == [
        "of recast_x_metadata.json: no pair has the pair-id '99'",
        "of recast_x_metadata.json: the pair-id '3' is there twice",
    ]


def test_what_a_file_beside_says_of_no_pair_is_told_in_its_order(tmp_path):
    pairs = [{"context": f"P {n}.", "hypothesis": "H.", "label": "entailed", "pair-id": n} for n in range(90)]
    (tmp_path / "recast_x_data.json").write_text(json.dumps(pairs))
    (tmp_path / "recast_x_metadata.json").write_text(json.dumps([{"pair-id": n} for n in range(98, 89, -1)]))
    told = brought(tmp_path / "recast_x_data.json", format="dnc").json
    assert [each["reason"][-3:-1] for each in told["refused"]] == [str(n) for n in range(98, 89, -1)]


def test_a_column_of_which_most_values_are_partitions_is_asked_about(tmp_path):
    names = ["train"] * 20 + ["dev"] * 5 + ["test"] * 5 + ["extra"] * 2
    rows = [
        {"premise": f"P {n}.", "hypothesis": "H.", "label": N, "part": name} for n, name in enumerate(names)
    ]
    path = write_jsonl(tmp_path / "a.jsonl", rows)
    assert "The column part of a.jsonl names partitions (dev, extra, test, train)" in brought(path).failure
    assert brought(path, split="none").json["pairs"] == 32


def test_what_a_rule_of_the_format_refuses_stops_nothing(tmp_path):
    rows = "".join(f"{2 + n / 5}\tx\tA <b>dog</b>.\tA <b>dog {n}</b>.\n" for n in range(12))
    path = tmp_path / "addone.txt"
    path.write_text(rows)
    summary = brought(path, format="add-one").json
    assert (summary["pairs"], summary["refused_count"], summary["lines_mended"]) == (8, 4, 8)
    assert summary["keys_not_read"] == {"cell 2": 8}
    assert lines_add_up(summary)


# Votes


def chinese(rows: int = 12) -> list[dict[str, object]]:
    """Returns pairs with a label and five votes, in the columns of OCNLI."""
    return [
        {
            "sentence1": f"老师在{n}。",
            "sentence2": f"有人在第{n}间教室里。",
            "label": E,
            **{f"label{k}": (E, E, N, E, C)[k] for k in range(5)},
            "id": n,
        }
        for n in range(rows)
    ]


def test_numbered_columns_beside_the_label_are_votes(tmp_path):
    path = write_jsonl(tmp_path / "dev.jsonl", chinese())
    result = brought(path, format="auto", language="zh")
    assert "labels=label0+label1+label2+label3+label4" in result.err
    summary = result.json
    assert (summary["labels"], summary["split"].startswith("the partitions that the files name;")) == (
        60,
        True,
    )
    assert list(Label.objects.filter(position=1).values_list("label", flat=True)) == [E] * 12


@pytest.mark.parametrize("names", [("judge_1", "judge_2"), ("label_Ja1", "label_Ja2", "label_Ja3")])
def test_votes_of_other_names_are_seen_too(tmp_path, names):
    rows = [
        {
            "premise": f"P {n}.",
            "hypothesis": "H.",
            "label": E,
            "score1": n,
            "score2": n,
            **dict.fromkeys(names, N),
        }
        for n in range(5)
    ]
    summary = brought(write_jsonl(tmp_path / "a.jsonl", rows), format="auto", protocol="judged").json
    assert (summary["labels"], summary["keys_not_read"]) == (5 * len(names), {"score1": 5, "score2": 5})


def test_votes_inside_an_object_are_seen_and_can_be_named(tmp_path):
    rows = [
        {"data": {"premise": f"P {n}.", "hypothesis": "H."}, "metadata": {"votes": [E, N, E], "by": "x"}}
        for n in range(4)
    ]
    path = write_jsonl(tmp_path / "a.jsonl", rows)
    columns = "premise=data.premise,hypothesis=data.hypothesis,labels=metadata.votes"
    summary = brought(path, columns=columns, protocol="judged").json
    assert (summary["pairs"], summary["labels"]) == (4, 12)
    assert summary["keys_not_read"] == {"metadata.by": 4}
    failure = brought(path, "other", columns="premise=data.premis,hypothesis=data.hypothesis").failure
    assert 'no column "data.premis". Did you mean "data.premise"?' in failure
    flat = [{"premise": f"P {n}.", "hypothesis": "H.", "label": E, "meta": {"v": [E, N]}} for n in range(4)]
    result = brought(write_jsonl(tmp_path / "b.jsonl", flat), "flat", format="auto", protocol="judged")
    assert ("labels=meta.v" in result.err, result.json["labels"]) == (True, 8)


def test_the_choices_of_an_annotation_tool_are_votes(tmp_path):
    def item(n: int, *choices: str) -> dict[str, object]:
        answers = [
            {"completed_by": k, "result": [{"value": {"choices": [choice]}}]}
            for k, choice in enumerate(choices)
        ]
        return {"id": n, "data": {"p": f"P {n}.", "h": "H."}, "annotations": answers}

    path = tmp_path / "export.json"
    path.write_text(json.dumps([item(1, E, N, E), item(2, C), item(3)]))
    columns = "premise=data.p,hypothesis=data.h,labels=annotations.result.value.choices,annotators=annotations.completed_by"
    summary = brought(path, format="json", columns=columns, protocol="judged").json
    assert (summary["pairs"], summary["labels"], summary["people"]) == (3, 4, 3)


def test_several_columns_that_look_like_votes_are_asked_about(tmp_path):
    row = {"premise": "P.", "hypothesis": "H.", "label": E, "a1": E, "a2": N, "b1": E, "b2": C}
    failure = brought(write_jsonl(tmp_path / "a.jsonl", [row]), format="auto").failure
    assert "several columns look like votes beside the label (a1+a2; b1+b2)" in failure


def answers(path: Path, person: str = "worker") -> Path:
    given = ((E, N, E), (N, N, N), (C, C, E), (E, E, E), (N, C, N), (C, C, C))
    rows = [
        {
            "premise": f"P {n}.",
            "hypothesis": "H.",
            "label": label,
            **({person: f"w{k}"} if person else {}),
            "id": str(n),
            "why": "so" if k else "",
        }
        for n, labels in enumerate(given)
        for k, label in enumerate(labels)
    ]
    return write_jsonl(path, rows)


def test_a_row_for_each_answer_is_gathered(tmp_path):
    path = answers(tmp_path / "long.jsonl")
    for corpus, options in {
        "auto": {"format": "auto"},
        "named": {"columns": "annotators=worker", "gather": True},
    }.items():
        summary = brought(path, corpus, protocol="judged", **options).json
        assert (summary["pairs"], summary["labels"], summary["people"]) == (6, 18, 3)
        assert (summary["rows"], summary["rows_in_pairs"], summary["refused_count"]) == (18, 18, 0)
        assert summary["keys_not_read"] == {"why": 12}
    assert brought(path, "stopped").failure.startswith("--gather: ")
    nobody = answers(tmp_path / "nobody.jsonl", person="")
    assert "lines with the same texts have other labels" in brought(nobody, "nobody", format="auto").failure
    assert brought(nobody, "nobody", protocol="judged", gather=True).json["labels"] == 18


def test_what_differs_from_an_answers_first_line_is_named(tmp_path):
    """A pair has one genre and one value of a fact; those of its other answers are told as not kept."""
    given = ((E, "w1", 10, "news"), (N, "w2", 20, "news"), (E, "w3", 10, "tales"))
    rows = [
        {
            **{"premise": "It rains.", "hypothesis": "It pours.", "label": label},
            **{"worker": worker, "minutes": minutes, "genre": genre},
        }
        for label, worker, minutes, genre in given
    ]
    path = write_jsonl(tmp_path / "long.jsonl", rows)
    options = {"columns": "annotators=worker,metadata=minutes", "gather": True, "protocol": "judged"}
    summary = brought(path, "new", **options).json
    assert (summary["pairs"], summary["labels"]) == (1, 3)
    assert summary["keys_not_read"] == {"minutes": 1, "genre": 1}


def test_an_answer_of_several_labels_is_told_in_the_same_words_and_its_pair_stays(tmp_path):
    live = tmp_path / "livenli.csv"
    rows = ("true", "true | either", "false", "true | false")
    live.write_text(
        "uid,premise,hypothesis,worker_id,multilabel,explanation\n"
        + "".join(f"{n // 2},P {n // 2}.,H.,w{n % 2},{label},so\n" for n, label in enumerate(rows))
        + "2,P 2.,H.,w0,true | either,so\n"
    )
    ambient = write_jsonl(
        tmp_path / "ambient.jsonl",
        [
            {"id": n, "premise": f"P {n}.", "hypothesis": "H.", "labels": labels, "premise_ambiguous": True}
            for n, labels in enumerate((E, f"{E}, {N}", C))
        ],
    )
    for path, form, expected in ((live, "livenli", (3, 2, 3)), (ambient, "ambient", (3, 2, 1))):
        summary = brought(path, form, format=form).json
        given = summary["labels"] + summary["published_labels"]
        assert (summary["pairs"], given, summary["answers_left_out"], summary["refused"]) == (*expected, [])
        assert lines_add_up(summary)
    pair = Pair.objects.get(corpus__slug="ambient", published_label=None)
    assert pair.metadata["labels"] == f"{E}, {N}"


def test_a_premise_that_came_before_keeps_its_text_and_id_and_the_report_counts_the_others(tmp_path):
    """The first two are in one file, the others in the next: it finds them in the database."""
    given = (("It  rains.", "1"), ("It rains.", "1"), ("It rains.", "2"), ("It  rains.", "1"), ("Sun.", ""))
    rows = [
        {"premise": text, "hypothesis": f"H {n}.", "label": E, "premise_id": name, "id": f"{n}"}
        for n, (text, name) in enumerate(given)
    ]
    told = []
    for name, part in {"a": rows[:2], "b": rows[2:]}.items():
        told.append(brought(write_jsonl(tmp_path / f"{name}.jsonl", part)).json)
    keys = ("pairs", "premises", "premise_texts_merged", "premise_ids_merged")
    assert [tuple(each[key] for key in keys) for each in told] == [(2, 1, 1, 0), (3, 1, 1, 1)]
    assert Pair.objects.get(public_id="2").premise.text == "It  rains."


def test_explanations_of_several_labels_make_no_gold_label(tmp_path):
    rows = [
        {
            "pairID": str(n // 3),
            "premise": f"P {n // 3}.",
            "hypothesis": "H.",
            "gold_label": label,
            "explanation": "so",
            "explanation_category": "x",
        }
        for n, label in enumerate((E, E, N, C, C, C))
    ]
    for order in (rows, rows[::-1]):
        path = write_jsonl(tmp_path / "litex.jsonl", order)
        slug = f"l{order[0]['pairID']}"
        summary = brought(path, slug, format="litex").json
        assert (summary["pairs"], summary["labels_disagree"], summary["rows_in_pairs"]) == (2, 1, 6)
        assert (summary["skipped"], summary["refused"]) == (0, [])
        assert summary["keys_not_read"] == {"explanation": 6, "explanation_category": 6}
        found = dict(Pair.objects.filter(corpus__slug=slug).values_list("public_id", "published_label"))
        assert found == {"0": None, "1": C}


# Partitions


def drawn_again(path: Path, column: str) -> Path:
    head = ("premise", "hypothesis", "label", column)
    parts = ("train",) * 20 + ("test",) * 10
    rows = [(f"A cook waits at door {n}.", f"Somebody waits {n}.", N, part) for n, part in enumerate(parts)]
    return table(path, [head, *rows])


def test_a_column_partition_is_read_in_all_plain_formats(tmp_path):
    path = drawn_again(tmp_path / "a.tsv", "partition")
    rows = [line.split("\t") for line in path.read_text().splitlines()]
    records = [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
    comma = tmp_path / "a.csv"
    comma.write_text(path.read_text().replace("\t", ","))
    array = tmp_path / "a.json"
    array.write_text(json.dumps(records))
    files = {
        "tsv": path,
        "csv": comma,
        "json": array,
        "jsonl": write_jsonl(tmp_path / "a.jsonl", records),
        "auto": path,
    }
    for form, file in files.items():
        assert brought(file, form, format=form).json["partitions"] == {"train": 20, "test": 10}


@pytest.mark.parametrize("column", ["split", "data", "SemEval_set"])
def test_a_column_of_partitions_is_never_drawn_over(tmp_path, column):
    path = drawn_again(tmp_path / "a.tsv", column)
    failure = brought(path, format="tsv").failure
    assert f"The column {column} of a.tsv names partitions (test, train), and is not read." in failure
    assert "the columns partition=" + column in failure
    named = brought(path, format="tsv", columns=f"partition={column}").json
    assert named["partitions"] == {"train": 20, "test": 10}
    assert brought(path, "seen", format="auto").json["partitions"] == {"train": 20, "test": 10}
    drawn = brought(path, "drawn", format="tsv", split="80:10:10").json
    assert drawn["partitions"] != named["partitions"]
    assert brought(path, "none", format="tsv", split="none").json["partitions"] == {"none": 30}


def test_a_file_that_is_named_like_a_partition_is_drawn_with_a_word(tmp_path):
    rows = [{"premise": f"P {n}.", "hypothesis": "H.", "label": N} for n in range(5)]
    path = write_jsonl(tmp_path / "corpus_dev.jsonl", rows)
    warning = (
        "corpus_dev.jsonl is named like the partition dev, but its pairs are drawn into train, dev and test"
    )
    assert brought(path).json["warnings"] == [warning]
    assert f"Look: {warning}." in brought(path, "text", json=False).out
    assert brought(path, "dev", partition="dev").json["warnings"] == []


# Languages


def test_a_file_that_is_not_in_latin_letters_is_not_called_english(tmp_path):
    path = write_jsonl(tmp_path / "a.jsonl", chinese())
    for form in ("auto", "jsonl"):
        options = {"columns": "premise=sentence1,hypothesis=sentence2"} if form == "jsonl" else {}
        failure = brought(path, format=form, **options).failure
        assert "Most letters of a.jsonl are not Latin (such as 老)" in failure
        assert "--language" in failure
    assert not Corpus.objects.exists()
    assert brought(path, format="auto", language="zh").json["language"] == "zh"


def test_the_language_of_a_new_corpus_is_named(tmp_path):
    path = write_jsonl(tmp_path / "a.jsonl", [{"premise": "P.", "hypothesis": "H.", "label": N}])
    assert "language: en (--language names another)" in brought(path, json=False, dry_run=True).out


# Ids and texts


def test_ids_that_repeat_by_design_are_said_once_with_both_ways_out(tmp_path):
    head = ("id", "language", "premise", "hypothesis", "label")
    rows = [
        (n, language, f"{language} premise {n}.", "H.", N) for language in ("xx", "yy") for n in range(10, 16)
    ]
    path = table(tmp_path / "a.tsv", [head, *rows])
    result = brought(path, format="tsv")
    assert (
        "6 of 12 lines are refused, most of them because: its id belongs to another pair." in result.failure
    )
    assert result.failure.startswith("--columns: ")
    assert "the columns id=" in result.failure
    assert "“only genre”" in result.failure
    many = [(n % 30, "xx", f"P {n}.", "H.", N) for n in range(60)]
    told = brought(table(tmp_path / "b.tsv", [head, *many]), "b", format="tsv").err
    assert told.count("its id belongs to another pair") == 1
    assert brought(path, "made", format="tsv", columns="id=").json["pairs"] == 12
    one = brought(path, "one", format="tsv", columns="genre=language", only_genre="xx").json
    assert (one["pairs"], one["rows_of_other_genres"], lines_add_up(one)) == (6, 6, True)


def test_premises_and_hypotheses_become_one_line_by_one_rule_and_it_is_told(tmp_path):
    breaks = ("\n", "\r", "\t", "\u2028", "\u2029", "\u0085", "\v", "\f", "  ", "\u00a0", "\u001b")
    rows = [
        {
            "id": str(n),
            "premise": f"The lamp {n}{each}is on.",
            "hypothesis": f"A light{each}shines.",
            "label": N,
        }
        for n, each in enumerate(breaks)
    ]
    path = write_jsonl(tmp_path / "a.jsonl", rows)
    summary = brought(path, partition="train").json
    assert (summary["pairs"], summary["texts_changed"]) == (11, 18)
    for number, each in enumerate(breaks):
        pair = Pair.objects.select_related("premise").get(public_id=str(number))
        between = "" if each == "\u001b" else each if each in ("  ", "\u00a0") else " "
        assert pair.premise.text == f"The lamp {number}{between}is on."
        assert pair.hypothesis == f"A light{between}shines."
    assert brought(path, partition="train").json["skipped"] == 11
    assert (
        "18 premises and hypotheses had line breaks"
        in brought(path, "text", partition="train", json=False).out
    )


# Votes that nothing names


def voted(**votes: list[object]) -> list[dict[str, object]]:
    return [
        {
            "premise": f"P {n}.",
            "hypothesis": "H.",
            "gold_label": (E, N, C)[n % 3],
            **{key: each[n % len(each)] for key, each in votes.items()},
        }
        for n in range(40)
    ]


def test_the_first_of_several_votes_is_no_authors_unless_a_column_says_so(tmp_path):
    columns = {f"annotator_{k}": [C if k == 1 else N] for k in (1, 2, 3)}
    told = brought(write_jsonl(tmp_path / "a.jsonl", voted(**columns)), format="auto", seats=3).json
    assert (told["labels"], Corpus.objects.get().protocol) == (120, "judged")
    assert "the gold label is not the author" not in run("agreement", "new").out


@pytest.mark.parametrize(
    "votes",
    [
        {"rater_a": [N, E], "rater_b": [N, C]},
        {"votes": [{E: 3, N: 2}]},
        {"annotations": [[{"worker": "w1", "label": E}, {"worker": "w2", "label": N}]]},
        {"majority": [E]},
    ],
    ids=lambda votes: next(iter(votes)),
)
def test_labels_in_a_column_that_is_not_read_stop_auto(tmp_path, votes):
    path = write_jsonl(tmp_path / "a.jsonl", voted(**votes))
    assert (
        f"the column {next(iter(votes))} holds labels, and is not read."
        in brought(path, format="auto").failure
    )
    assert brought(path, format="jsonl", columns="label=gold_label").json["pairs"] == 40


def test_a_copy_of_the_label_decides_nothing(tmp_path):
    rows = [{**row, "copy": row["gold_label"], "note": "seen"} for row in voted()]
    assert brought(write_jsonl(tmp_path / "a.jsonl", rows), format="auto").json["pairs"] == 40
