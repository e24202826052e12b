"""Formats without published files here, tried with small files in their layout; and malicious XML."""

import gzip
import json

import pytest

from collection.formats.lines import MENDED, BadLine
from collection.formats.records import NONE, SEVERAL, UNSURE
from collection.formats.registry import FORMATS

RTE = '<?xml version="1.0"?>{dtd}<entailment-corpus>{pairs}</entailment-corpus>'
PAIR = (
    '<pair id="{n}" entailment="{label}" task="IE"><t>A dog &amp; a cat run.</t>\n<h>A dog runs.</h></pair>'
)


@pytest.fixture
def read(tmp_path):
    def read_text(form: str, text: str):
        path = tmp_path / "file"
        path.write_text(text, encoding="utf-8")
        return list(FORMATS[form].read(path))

    return read_text


def test_rte_has_two_classes_whatever_its_challenge_calls_them(read):
    labels = ("YES", "NO", "UNKNOWN", "CONTRADICTION", "ENTAILMENT")
    pairs = "\n".join(PAIR.format(n=n, label=label) for n, label in enumerate(labels))
    found = read("rte", RTE.format(dtd="", pairs=pairs))
    assert [pair.published_label for pair in found] == [
        "entailed",
        *["not-entailed"] * 3,
        "entailed",
    ]
    assert (found[0].premise, found[0].genre, found[0].line, found[1].line) == (
        ("A dog & a cat run.",),
        "IE",
        1,
        3,
    )


def test_white_space_that_xml_loses_is_counted(read):
    texts = (
        "A  dog runs.",
        " A dog runs.",
        "A dog\nruns. ",
        "A dog runs.",
        "A <i>dog</i> runs<!-- fast -->.",
    )
    pairs = "\n".join(
        PAIR.format(n=n, label="YES").replace("A dog runs.", text) for n, text in enumerate(texts)
    )
    found = read("rte", RTE.format(dtd="", pairs=pairs))
    assert {pair.hypothesis for pair in found} == {"A dog runs."}
    assert [pair.told[MENDED] for pair in found] == [1, 1, 1, 0, 1]


def test_xml_expands_no_entities_and_reads_no_other_files(read, tmp_path):
    (tmp_path / "secret").write_text("SECRET")
    bomb = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    dtd = f'<!DOCTYPE x [<!ENTITY s SYSTEM "file://{tmp_path}/secret"><!ENTITY e0 "ha">{bomb}]>'
    harm = PAIR.format(n=1, label="YES")
    text = RTE.format(dtd=dtd, pairs=harm.replace("runs", "&s;") + PAIR.format(n=2, label="NO"))
    bad, good = read("rte", text)
    assert bad == BadLine(1, "the element holds an entity that the file defines; these are not expanded")
    assert good.pair_id == "2"
    (bomb_found,) = read("rte", RTE.format(dtd=dtd, pairs=harm.replace("runs", "&e9;")))
    assert isinstance(bomb_found, BadLine)


def test_xml_that_breaks_off_ends_with_a_reason(read):
    good, bad = read("rte", RTE.format(dtd="", pairs=PAIR.format(n=1, label="YES"))[:-12])
    assert (good.pair_id, bad.reason.startswith("not valid XML from here on")) == ("1", True)


@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_a_damaged_compressed_file_ends_with_a_reason(tmp_path, damage):
    pairs = "".join(PAIR.format(n=n, label="YES") for n in range(2000))
    whole = bytearray(gzip.compress(RTE.format(dtd="", pairs=pairs).encode(), mtime=0))
    if damage == "cut":
        del whole[len(whole) // 2 :]
    else:
        whole[10] = 0xFF  # the first block is of no kind that there is
    path = tmp_path / "file"
    path.write_bytes(whole)
    last = list(FORMATS["rte"].read(path))[-1]
    assert isinstance(last, BadLine)
    assert "damaged" in last.reason


def test_fracas_has_several_premises_and_refuses_what_is_undefined(read):
    problem = (
        '<problem id="{n}" fracas_answer="{answer}"><p idx="1"> One. </p><p idx="2">Two.</p>'
        "<q>Is it?</q><h> It\n is. </h></problem>\n"
    )
    answers = ("yes", "no", "unknown", "undef")
    text = "".join(problem.format(n=n, answer=answer) for n, answer in enumerate(answers))
    *found, bad = read("fracas", f"<fracas-problems>{text}</fracas-problems>")
    assert [pair.published_label for pair in found] == ["entailment", "contradiction", "neutral"]
    assert (found[0].premise, found[0].hypothesis) == (("One.", "Two."), "It is.")
    assert "undefined" in bad.reason


def test_blocks_of_recast_corpora_name_label_and_partition(read):
    block = "provenance: x 1\nindex: {n}\ntext: He ran: fast.\nhypothesis: H.\nentailed: {label}\npartof: {part}\n\n"
    one, two, bad = read(
        "recast-blocks",
        block.format(n=1, label="entailed", part="train")
        + block.format(n=2, label="not-entailed", part="dev")
        + "text: only\n",
    )
    assert (one.premise, one.published_label, one.partition) == (("He ran: fast.",), "entailed", "train")
    assert (two.published_label, two.partition, two.line, two.metadata) == (
        "not-entailed",
        "dev",
        8,
        {"provenance": "x 1"},
    )
    assert bad == BadLine(15, 'there is no "hypothesis"')


def test_add_one_ratings_between_three_and_four_are_refused(read):
    rows = "".join(
        f"{rating}\tx\tA <b>dog</b>.\tA <b><u>big</u> dog</b>.\n" for rating in ("3.0", "3.4", "4")
    )
    low, between, high = read("add-one", rows)
    assert (low.published_label, high.published_label) == ("not-entailed", "entailed")
    assert (low.premise, low.hypothesis, low.metadata) == (("A dog.",), "A big dog.", {"rating": "3.0"})
    assert between.reason == "the mean rating is between those of the two classes (above 3.00 and below 4.00)"


@pytest.mark.parametrize(
    ("form", "text", "expected"),
    [
        ("scitail", "P.\tH.\tentails\n", ("entailed", ())),
        ("scitail", '{"sentence1": "P.", "sentence2": "H.", "gold_label": "neutral"}', ("not-entailed", ())),
        (
            "hans",
            "gold_label\tsentence1\tsentence2\tpairID\theuristic\nnon-entailment\tP.\tH.\tex0\tsubsequence\n",
            ("not-entailed", ()),
        ),
        (
            "breaking-nli",
            '{"sentence1": "P.", "sentence2": "H.", "gold_label": "neutral", "category": "colors", "pairID": 5,'
            ' "annotator_labels": ["neutral", "neutral", "entailment"]}',
            ("neutral", ("neutral", "neutral", "entailment")),
        ),
        ("conj-nli", "Premise\tHypothesis\tLabel\nP.\tH.\tneutral\n", ("neutral", ())),
        ("scitail", "P.\tH.\tneutral\tH<>is<>x\n", ("not-entailed", ())),
        ("rte-glue", "index\tsentence1\tsentence2\tlabel\n0\tP.\tH.\tnot_entailment\n", ("not-entailed", ())),
        (
            "anli",
            '{"uid": "u", "context": "P.", "hypothesis": "H.", "gold_label": "c", "verifier_labels": ["c", "n", "c"]}',
            (None, ("contradiction", "contradiction", "neutral", "contradiction")),
        ),
        ("anli", '{"uid": "u", "context": "P.", "hypothesis": "H.", "label": "e"}', (None, ("entailment",))),
        (
            "imppres-pragmatic",
            '{"sentence1": "P.", "sentence2": "H.", "gold_label_log": "neutral", "gold_label_prag": "entailment"}',
            ("entailment", ()),
        ),
        (
            "new-protocols",
            "index\tpromptID\tpairID\tgenre\tnull\tnull\tnull\tnull\tsentence1\tsentence2\tlabel1\tgold_label\n"
            "1\tp\tpn\twikipedia\t\t\t\t\tP.\tH.\tneutral\tneutral\n",
            ("neutral", ("neutral",)),
        ),
    ],
)
def test_labels_of_a_published_layout_become_ours(read, form, text, expected):
    (pair,) = read(form, text)
    assert (pair.premise, pair.hypothesis) == (("P.",), "H.")
    assert (pair.published_label, pair.labels) == expected
    assert pair.unread.keys() <= {"index", "sentence2_structure"}


@pytest.mark.parametrize("packed", [False, True])
def test_labels_of_anlis_verifiers_are_read_from_their_own_file(tmp_path, packed):
    pair = {"context": "P.", "hypothesis": "H.", "label": "e"}
    pairs = [{**pair, "uid": "u"}, {**pair, "uid": "none"}, {**pair, "uid": "u", "verifier_labels": ["e"]}]
    theirs = [{"uid": "u", "verifier labels": ["e", "n", "e"]}, {"uid": "x"}]
    beside = tmp_path / f"verifier_labels_R1-3.jsonl{'.gz' if packed else ''}"
    text = "\n".join(map(json.dumps, theirs)).encode()
    beside.write_bytes(gzip.compress(text) if packed else text)
    path = tmp_path / "dev.jsonl"
    path.write_text("\n".join(map(json.dumps, pairs)))
    bad, first, second, third = FORMATS["anli"].read(path)
    assert bad == BadLine(2, f'of {beside.name}: a line must have "uid" and "verifier labels"')
    e, n = "entailment", "neutral"
    assert [each.labels for each in (first, second, third)] == [(e, e, n, e), (e,), (e, e)]


def test_answers_of_mega_veridicality_become_pairs_with_ten_labels(read):
    head = "participant,verb,frame,polarity,conditional,sentence,veridicality\n"
    rows = "".join(f"{n},know,that_S,positive,False,Someone knew it.,yes\n" for n in range(10))
    other = "0,try,to_VPeventive,positive,False,Someone tried it.,maybe\n0,try,odd,positive,False,S.,yes\n"
    know, tried, bad = read("mega-veridicality", head + rows + other)
    assert (know.labels, know.hypothesis) == (("entailment",) * 10, "That thing happened.")
    assert (tried.labels, tried.hypothesis) == (("neutral",), "That person did that thing.")
    assert 'the frame "odd"' in bad.reason


def test_mega_veridicality_is_read_as_published(read):
    head = "participant,verb,frame,voice,polarity,conditional,sentence,veridicality,exclude\n"
    said = {
        "active": "A particular person didn\\'t admit to have a particular thing.",
        "passive": "A particular person wasn\\'t admitted to have a particular thing.",
    }
    rows = [
        f"{n},admit,to_VPstative,{voice},negative,False,{sentence},{answer},{n == 2}\n"
        for voice, sentence in said.items()
        for n, answer in enumerate(("no", "NA", "yes"))
    ]
    other = "0,ask,for_NP_to_VP,active,positive,False,Someone asked for a particular thing to happen.,maybe,False\n"
    *excluded, active, passive, asked = read("mega-veridicality", head + "".join(rows) + other)
    assert active.premise == ("A particular person didn't admit to have a particular thing.",)
    assert passive.premise == ("A particular person wasn't admitted to have a particular thing.",)
    assert [(bad.line, bad.meant) for bad in excluded] == [(4, True), (7, True)]
    assert (active.labels, active.annotators) == (("contradiction",), ("0",))
    assert (active.told[NONE], active.told[MENDED], active.rows) == (1, 2, 2)
    assert (active.hypothesis, asked.hypothesis) == ("That person had that thing.", "That thing happened.")
    assert active.metadata["voice"] == "active"
    assert active.unread == {"exclude": 2}


def test_an_answer_of_several_labels_is_counted_and_its_pair_stays(read):
    head = "uid,premise,hypothesis,worker_id,multilabel\n"
    rows = "1,P.,H.,a,true\n1,P.,H.,b,true | either\n1,P.,H.,c,false\n"
    (pair,) = read("livenli", head + rows)
    assert (pair.labels, pair.annotators) == (("entailment", "contradiction"), ("a", "c"))
    assert (pair.left_out, pair.rows, pair.unread) == (1, 3, {})
    assert pair.metadata == {
        "multilabel": ["true", "true | either", "false"],
        "worker_id": ["a", "b", "c"],
    }


def test_degrees_stay_beside_the_labels_that_they_make(read):
    head = "uID,Verb,Context,Target,Prompt,genre,Reponses\n"
    (bank,) = read("commitmentbank", head + '1,know,C.,T.,P.,BNC,"-2, 0, 3"\n')
    assert bank.labels == ("contradiction", "neutral", "entailment")
    assert bank.metadata == {"Verb": "know", "Reponses": "-2, 0, 3"}
    slid = {"premise": "P.", "hypothesis": "H.", "id": "1", "task": "rte2", "labels": [-49.9, 0.2, 50.0]}
    (pair,) = read("nli-variation", json.dumps(slid))
    assert (pair.labels, pair.metadata) == (bank.labels, {"labels": [-49.9, 0.2, 50.0]})


def test_who_gave_an_answer_of_several_labels_to_ambient_stays_beside_it(read):
    record = {"premise": "P.", "hypothesis": "H.", "id": "1"}
    given = {"annotations": ["entailment|neutral", "neutral"], "worker_ids": ["ABC", "DEF"]}
    (pair,) = read("ambient-linguists", json.dumps({**record, **given}))
    assert (pair.labels, pair.left_out, pair.metadata) == ((None, "neutral"), 1, given)


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ('{\n"1": {"text": 3},\n"2": \n', 3, "not valid JSON: Expecting value, at character 6"),
        ('\n[{"id": "1"}]', 1, "a line must hold a JSON object, not a list"),
        ('{\n"1": {"text": 3}}', 1, 'item 1 has no object "text"'),
    ],
)
def test_a_file_of_varierr_that_is_no_object_of_items_is_an_error_with_its_line(read, text, line, reason):
    assert read("varierr", text) == [BadLine(line, reason)]


def test_the_texts_of_the_shared_task_are_read_and_what_else_stands_beside_them_is_named(read):
    texts = {"context": "P.", "statement": "H.", "source": "book"}
    item = {"text": texts, "annotations": {"Ann1": "neutral"}, "lang": "en"}
    (pair,) = read("varierr", json.dumps({"1": item}, indent=0))
    assert (pair.premise, pair.hypothesis, pair.unread) == (("P.",), "H.", {"source": 1, "lang": 1})


def test_an_annotator_of_varierr_with_two_labels_has_no_vote_and_is_counted(read):
    (pair,) = read(
        "varierr",
        '{"id": "1", "context": "P.", "statement": "H.", "entailment": [{"annotator": 0}, {"annotator": 2}],'
        ' "neutral": [{"annotator": 2}], "contradiction": [], "idk": [1]}',
    )
    assert pair.labels == ("entailment", None, None, None)
    assert pair.told == {SEVERAL: 1, UNSURE: 1}
    assert pair.metadata == {"annotations": {"Ann1": "entailment", "Ann3": "entailment,neutral"}, "idk": [1]}
    assert pair.unread == {}
