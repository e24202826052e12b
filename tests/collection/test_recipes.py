"""Each recipe makes the pairs that its paper describes."""

import shutil
from collections import Counter
from pathlib import Path

import pytest

from collection.formats.lines import BadLine
from collection.formats.records import ImportedPair
from collection.recasting.recipe_format import recast_format
from tests.collection.recast import EXAMPLES, RECIPES, made, named, recast_text, told


def test_a_review_is_liked_or_not_by_what_its_file_is_about() -> None:
    files = [f"sentiment/{name}_labelled.txt" for name in ("amazon_cells", "imdb", "yelp")]
    pairs, refused, _ = made("sentiment", *files)
    assert (len(pairs), refused) == (16, [])
    rows = named(pairs)
    context = "When asked about the product, NAME said, 'The handle broke off on the second day.'."
    assert rows[:2] == [
        (context, "NAME liked the product.", "not-entailed"),
        (context, "NAME did not like the product.", "entailed"),
    ]
    assert [row[1:] for row in rows[8:10]] == [
        ("NAME liked the movie.", "entailed"),
        ("NAME did not like the movie.", "not-entailed"),
    ]
    assert pairs[0].metadata == {
        "corpus": "Kotzias et. al. 2015",
        "corpus-sent-id": "amazon_cells_labelled.txt 1",
        "corpus-license": "",
        "creation-approach": "automatic",
        "misc": None,
    }


def test_puns_of_both_sources() -> None:
    pairs, refused, _ = made("puns-semeval", "puns/subtask1-homographic-test.xml")
    assert (len(pairs), refused) == (6, [])
    assert named(pairs)[:3] == [
        ("NAME heard that the baker quit because he made no dough", "NAME heard a pun", "entailed"),
        (
            "NAME heard that the baker quit because he made no dough",
            "NAME did not hear a pun",
            "not-entailed",
        ),
        ("NAME heard that slow feet see more road", "NAME heard a pun", "not-entailed"),
    ]
    assert pairs[0].metadata["corpus-license"] == "CC BY-NC"
    assert pairs[0].metadata["corpus-sent-id"] == "hom_1"
    pairs, refused, _ = made("puns-yang", "puns/puns_pos_neg_data.csv")
    context = "NAME heard that my clock is always hungry, it goes back four seconds"
    assert named(pairs)[0] == (context, "NAME heard a pun", "entailed")
    assert [label for *_, label in named(pairs)[2:]] == ["not-entailed", "entailed"]


def test_events_of_three_corpora_happened_or_not() -> None:
    pairs, refused, passed = made("factuality-decomp", "factuality/it-happened_eng_ud1.2_07092017.tsv")
    assert told(pairs) == [
        ("She opened the shop .", "The opening happened", "entailed"),
        ("She opened the shop .", "The opening did not happen", "not-entailed"),
        ("They could not visit our town", "The visiting happened", "not-entailed"),
        ("They could not visit our town", "The visiting did not happen", "entailed"),
    ]
    assert {pair.partition for pair in pairs} == {"train"}
    assert pairs[0].metadata["corpus-split"] == "train"
    assert [item.line for item in refused] == [6]
    assert refused[0].reason == (
        'the sentence "en-ud-dev.conllu 9" is in no file en-ud-dev.conllu beside the source'
    )
    assert passed == {"no annotator took it for an understandable predicate with an answer": 1}

    pairs, refused, passed = made("factuality-uw", "factuality/dev.conll")
    assert told(pairs)[::2] == [
        ("The mayor promised to resign .", "The promising happened", "entailed"),
        ("The mayor promised to resign .", "The resigning happened", "not-entailed"),
    ]
    assert ({pair.partition for pair in pairs}, refused, passed) == (
        {"dev"},
        [],
        {"the sentence has no event": 1},
    )

    pairs, refused, passed = made("factuality-meantime", "factuality/meantime.xml")
    context = "The yard launched two ferries and will hire sailors"
    assert told(pairs)[::2] == [
        (context, "The launching happened", "entailed"),
        (context, "The hiring happened", "not-entailed"),
    ]
    assert (refused, passed.total()) == ([], 1)


def test_decomp_is_read_in_the_words_of_its_file_and_of_its_description(tmp_path) -> None:
    for path in (EXAMPLES / "factuality").iterdir():
        shutil.copy(path, tmp_path)
    path = tmp_path / "it-happened_eng_ud1.2_07092017.tsv"
    text = path.read_text()
    found, _ = recast_text("factuality-decomp", path, text)
    described = text.replace("True", "true").replace("\ttrue\t4", "\tyes\t4").replace("\tfalse\t4", "\tno\t4")
    assert recast_text("factuality-decomp", path, described)[0] == found
    left_out = text.replace("4\tTrue", "4\tFalse").replace("3\tTrue", "3\tFalse")
    pairs, passed = recast_text("factuality-decomp", path, left_out)
    assert (pairs, passed.total()) == ([], 4)


def test_meantime_is_read_in_the_columns_of_the_unified_corpus_too(tmp_path) -> None:
    text = (
        "0\tIt\t_\tPRP\t1\tnsubj\t-PRON-\n1\trose\t3.0\tVBD\t1\tROOT\trise\n2\tfast\t_\tRB\t1\tadvmod\tfast\n"
    )
    pairs, _ = recast_text("factuality-meantime", tmp_path / "dev.conll", text)
    assert told(pairs) == [
        ("It rose fast", "The rising happened", "entailed"),
        ("It rose fast", "The rising did not happen", "not-entailed"),
    ]
    assert {(pair.partition, pair.metadata["corpus"]) for pair in pairs} == {("dev", "MeanTime")}


def test_bad_rows_of_decomp_are_refused_and_the_others_recast(tmp_path) -> None:
    for path in (EXAMPLES / "factuality").iterdir():
        shutil.copy(path, tmp_path)
    path = tmp_path / "it-happened_eng_ud1.2_07092017.tsv"
    head, first, *_ = path.read_text().splitlines()
    columns = head.split("\t")
    cells = first.split("\t")

    def with_lemma(lemma: str) -> str:
        changed = {"Pred.Lemma": lemma, "Pred.Token": f"7{lemma}"}
        return "\t".join(changed.get(name, cell) for name, cell in zip(columns, cells, strict=True))

    text = "\n".join([head, with_lemma(""), with_lemma("%"), first])
    (bad, *pairs), passed = recast_text("factuality-decomp", path, text)
    assert bad == BadLine(2, '"Pred.Lemma" is empty')
    assert len(pairs) == 2
    assert passed == {"the event has no letters": 1}

    for column in ("Pred.Lemma", "Pred.Token", "Sentence.ID"):
        found, _ = recast_text("factuality-decomp", path, f"{head.replace(column, 'Other')}\n{first}")
        assert [(item.line, item.reason) for item in found] == [(2, f'there is no "{column}"')]


@pytest.mark.parametrize(
    ("given", "gerund"),
    [("bent", "bending"), ("left", "leaving"), ("'s", "being"), ("found", "founding"), ("vlog", "vlogging")],
)
def test_a_verb_that_the_source_names_by_a_past_form_has_its_own_gerund(given, gerund, tmp_path) -> None:
    for path in (EXAMPLES / "factuality").iterdir():
        shutil.copy(path, tmp_path)
    path = tmp_path / "it-happened_eng_ud1.2_07092017.tsv"
    (yes, _), _ = recast_text(
        "factuality-decomp",
        path,
        "\n".join(path.read_text().splitlines()[:2]).replace("\topen\t", f"\t{given}\t"),
    )
    assert yes.hypothesis == f"The {gerund} happened"


def test_an_event_without_letters_has_no_gerund(tmp_path) -> None:
    text = "0\tIt\t_\n1\trose\t3.0\n2\t%\t3.0\n3\t42\t-1.0\n\n0\t%\t1.0\n"
    pairs, passed = recast_text("factuality-uw", tmp_path / "dev.conll", text)
    assert [pair.hypothesis for pair in pairs] == ["The rising happened", "The rising did not happen"]
    assert passed == {"the sentence has no event with letters": 1}
    (bad,), _ = recast_text("factuality-uw", tmp_path / "dev.conll", "0\trose\tnan\n")
    assert bad == BadLine(1, 'the factuality of "rose" must be a number from -3 to 3 or _, not "nan"')
    xml = (EXAMPLES / "factuality/meantime.xml").read_text().replace(">launched<", ">--<")
    pairs, _ = recast_text("factuality-meantime", tmp_path / "m.xml", xml)
    assert [pair.hypothesis for pair in pairs] == ["The hiring happened", "The hiring did not happen"]


@pytest.mark.parametrize(
    ("recipe", "token"),
    [
        ("entities-conll", "# NN I-NP O"),
        ("entities-gmb", "#\tNN\t#\tO\t0"),
        ("entities-conll", "#1 CD I-NP O"),
    ],
)
def test_a_token_may_begin_with_the_mark_of_a_comment(recipe: str, token: str, tmp_path) -> None:
    name = "Oslo NNP B-NP I-LOC" if recipe == "entities-conll" else "Oslo\tNNP\tOslo\tgeo-nam\t0"
    person = name.replace("Oslo", "Ann").replace("LOC", "PER").replace("geo", "per")
    pairs, _ = recast_text(recipe, tmp_path / "eng.train", f"{name}\n{token}\n{person}\n")
    assert [pair.premise[0] for pair in pairs[:1]] == [f"Oslo {token.split()[0]} Ann"]


def test_a_document_of_the_groningen_meaning_bank_is_named_wherever_it_lies(tmp_path) -> None:
    ids = set()
    for folder in (tmp_path / "data/p00/d0018", tmp_path / "p00/d0018"):
        folder.mkdir(parents=True)
        path = Path(shutil.copy(EXAMPLES / "entities/en.tags", folder))
        (first, *_) = recast_format(RECIPES["entities-gmb"], [path]).read(path)
        ids.add(first.metadata["corpus-sent-id"])
    assert ids == {"p00/d0018/en.tags 1"}


def test_entities_are_what_they_are_and_wrong_labels_are_the_phrases_own() -> None:
    pairs, refused, passed = made("entities-conll", "entities/eng.train")
    assert told(pairs)[:2] == [
        ("Mira Lund left the Azores .", "Mira Lund is a person", "entailed"),
        # The phrase has no other label: drawn from those of all phrases, of which one is left.
        ("Mira Lund left the Azores .", "Mira Lund is a location", "not-entailed"),
    ]
    assert told(pairs)[2][1] == "The Azores are locations"
    assert told(pairs)[4:] == [
        ("Lund has a harbour", "Lund is a location", "entailed"),
        ("Lund has a harbour", "Lund is a person", "not-entailed"),
        ("Lund waved .", "Lund is a person", "entailed"),
        ("Lund waved .", "Lund is a location", "not-entailed"),
    ]
    assert {pair.partition for pair in pairs} == {"train"}
    assert (refused, passed.total()) == ([], 2)
    pairs, refused, _ = made("entities-gmb", "entities/en.tags")
    assert [hypothesis for _, hypothesis, _ in told(pairs)[::2]] == [
        "Tomorrow is a time",
        "Anna Berg is a person",
        "Quito is a location",
    ]
    assert refused == []


def test_a_wrong_label_is_drawn_from_the_phrases_own_prior(tmp_path) -> None:
    path = tmp_path / "eng.train"
    others = ["LOC"] * 3 + ["ORG"]
    path.write_text("".join(f"Lund NNP B-NP B-{kind}\n\n" for kind in ["PER"] * 400 + others * 100))
    form = recast_format(RECIPES["entities-conll"], [path])
    pairs = [item for item in form.read(path) if isinstance(item, ImportedPair)]
    wrong = Counter(
        b.hypothesis
        for a, b in zip(pairs[::2], pairs[1::2], strict=True)
        if a.hypothesis == "Lund is a person"
    )
    assert wrong.total() == 400
    assert 260 <= wrong["Lund is a location"] <= 340
    assert wrong["Lund is an organization"] == 400 - wrong["Lund is a location"]


def test_winogender_takes_hypotheses_from_the_file_beside_it() -> None:
    pairs, refused, passed = made("winogender", "winogender/all_sentences.tsv")
    context = "The tailor told the guest that he could take the coat home."
    assert told(pairs)[4:6] == [
        (context, "The tailor could take the coat home.", "not-entailed"),
        (context, "The guest could take the coat home.", "entailed"),
    ]
    assert (len(pairs), {pair.partition for pair in pairs}, passed.total()) == (8, {"test"}, 1)
    assert len({pair.group for pair in pairs}) == 1
    assert [(item.line, item.reason) for item in refused] == [
        (7, "hypotheses.tsv has no hypothesis with $NP for smith, boy, 1")
    ]


def test_relations_have_a_template_a_predicate_and_wait_for_peoples_labels() -> None:
    pairs, refused, _ = made("relations", "relations/triples.tsv")
    assert [(pair.hypothesis, pair.published_label, pair.labels) for pair in pairs] == [
        ("Ada Moor was born in Turku.", None, ("5", "5", "4")),
        ("Ada Moor was born in Turku.", "3", ("3", "3", "3")),
        ("Ada Moor was married to Leo Hart.", None, ()),
        ("Henry is the patron of Turku.", "5", ()),
    ]
    assert [item.line for item in refused] == [5, 7]
    assert refused[0].reason.endswith('for the relation "demographics1Info"')
    assert refused[1].reason == 'the sentence does not name "Turku"'


def test_megaveridicality_has_three_hypotheses_a_sentence_by_its_frame() -> None:
    pairs, refused, passed = made("megaveridicality", "veridicality/megaveridicality-v2.csv")
    entailed = [(context, hypothesis) for context, hypothesis, label in told(pairs) if label == "entailed"]
    assert entailed == [
        ("Someone noticed that a particular thing happened.", "That thing happened"),
        ("Someone guessed that a particular thing happened.", "That thing might or might not have happened"),
        ("A particular person declined to do a particular thing.", "That person didn't do that thing"),
        ("Someone ordered for a particular thing to happen.", "That thing might or might not have happened"),
    ]
    assert (len(pairs), len(refused), passed) == (12, 1, {"the sentence is a condition": 1})


def test_megaveridicality_knows_both_spellings_of_maybe_and_refuses_any_other_answer(tmp_path) -> None:
    path = tmp_path / "mv.csv"
    head = "participant,verb,frame,voice,polarity,conditional,sentence,veridicality,exclude"
    thing = "guess,that S,active,positive,False,Someone guessed that a particular thing happened."
    answers = ["maybe or maybe not,False", "maybe,False", "perhaps,False", "NA,True"]
    path.write_text("\n".join([head, *(f"{at},{thing},{answer}" for at, answer in enumerate(answers))]))
    form = recast_format(RECIPES["megaveridicality"], [path])
    found = list(form.read(path))
    assert [item for item in found if isinstance(item, BadLine)] == [
        BadLine(4, '"veridicality" is "perhaps"; it must be one of: yes, no, maybe, maybe or maybe not')
    ]
    pairs = [item for item in found if isinstance(item, ImportedPair)]
    assert [pair.published_label for pair in pairs] == ["not-entailed", "entailed", "not-entailed"]
    assert pairs[0].metadata["misc"] == {"answers": ["maybe", "maybe"]}


def test_megaveridicality_is_read_as_published(tmp_path) -> None:
    said = "Someone didn\\'t guess that a particular thing happened"
    head = ("participant", "verb", "frame", "polarity", "conditional", "sentence", "veridicality", "exclude")
    row = ("0", "guess", "that_S", "negative", "False", said, "no", "False")
    pairs, _ = recast_text("megaveridicality", tmp_path / "v2.1.tsv", "\t".join(head) + "\n" + "\t".join(row))
    assert [pair.premise[0] for pair in pairs] == [
        "Someone didn't guess that a particular thing happened"
    ] * 3
    without = "participant,verb,veridicality\n0,guess,no\n1,guess,no\n"
    refused, _ = recast_text("megaveridicality", tmp_path / "v1.csv", without)
    why = 'there is no "sentence"; version 1 has none, so take version 2'
    assert refused == [BadLine(2, why), BadLine(3, why)]


def test_ordinal_normalisation_takes_a_persons_leaning_out() -> None:
    survey = RECIPES["megaveridicality"].survey
    assert survey
    # Four people tell the sentences apart. Six say yes to each and are the majority everywhere.
    rows = [
        {
            "sentence": f"s{n}",
            "answers": [[f"a{p}", answer] for p in range(4)] + [[f"b{p}", "yes"] for p in range(6)],
        }
        for n in range(30)
        for answer in [("no", "maybe", "yes")[n % 3]]
    ]
    found = survey(rows)
    assert found["s0"] != "yes"
    assert found["s2"] == "yes"
    assert survey([{"sentence": "s", "answers": []}]) == {}


def test_verbcorner_has_the_hypotheses_of_six_properties() -> None:
    pairs, refused, passed = made("verbcorner", "verbcorner/verbcorner.csv")
    assert told(pairs)[:2] == [
        ("Nora carried Ben to the boat.", "Someone moved from their location", "entailed"),
        ("Nora carried Ben to the boat.", "Someone did not move from their location", "not-entailed"),
    ]
    assert Counter(label for *_, label in told(pairs)) == {"entailed": 6, "not-entailed": 7}
    assert [item.reason[:30] for item in refused] == [
        'the property "colour" is none ',
        'the answer "perhaps" is none o',
    ]
    assert passed == {"as many people gave one answer as another": 1}


def test_verbcorner_is_read_as_published(tmp_path) -> None:
    text = (
        '"","question_id","question","answer","user","oversampled","comments"\n'
        '"1",7,"Sally rolled the dax.","Yes","a",0,""\n"2",7,"Sally rolled the dax.","yes","b",0,""\n'
        '"3",7,"Sally rolled the dax.","I cannot say","c",0,""\n"4",8,"Sally dreamt.","I cannot say","c",0,""\n'
    )
    (yes, no, bad), _ = recast_text("verbcorner", tmp_path / "Simon_Says_Freeze.csv", text)
    assert (yes.hypothesis, yes.published_label) == ("Someone moved from their location", "entailed")
    assert (no.premise, no.published_label) == (("Sally rolled the dax.",), "not-entailed")
    assert bad == BadLine(5, 'the answer "i cannot say" is none of yes, no')


def test_verbnet_fills_roles_that_the_parser_finds_rightly_and_wrongly() -> None:
    pairs, refused, passed = made("verbnet", "verbnet/press-99.xml")
    assert told(pairs)[:4] == [
        ("Nora squashed the boxes.", "Nora caused the squashing.", "entailed"),
        ("Nora squashed the boxes.", "The boxes caused the squashing.", "not-entailed"),
        ("Nora squashed the boxes.", "The boxes were destroyed.", "entailed"),
        ("Nora squashed the boxes.", "Nora was destroyed.", "not-entailed"),
    ]
    entailed = [hypothesis for _, hypothesis, label in told(pairs)[4:] if label == "entailed"]
    assert entailed == [
        "She caused the pounding.",
        "At the end of the pounding, a hammer was in contact with the door.",
        "The pounding happened in a forceful manner.",
        "During the pounding, she used a hammer.",
        "She used something.",
        "A hammer was used.",
    ]
    assert {pair.group for pair in pairs} == {"VerbNet press-99"}
    assert pairs[-1].metadata["corpus-sent-id"] == "press-99-1_NP V NP PP.instrument"
    assert pairs[-1].metadata["misc"]["secondary"] == "NP-PP; Instrument-PP"
    assert (refused, passed.total()) == ([], 1)


def test_verbnet_has_clauses_tenses_roles_that_are_not_expressed_and_the_beginning_and_end_of_an_event() -> (
    None
):
    pairs, refused, passed = made("verbnet", "verbnet/inform-98.xml")
    entailed = [hypothesis for _, hypothesis, label in told(pairs) if label == "entailed"]
    assert entailed == [
        "The guard transfers information to Omar about the train is late.",
        "The guard transfers information.",
        "Omar receives information.",
        "Information about the train is late is transferred.",
        "Lena transferred information.",
        "Someone received information.",
        "Some information was transferred.",
        "At the beginning of the lending, we had possession of the map.",
        "The map moved.",
        "We moved.",
        "At the end of the lending, Omar had possession of the map.",  # ours: the DNC tells of the start alone
    ]
    wrong = [hypothesis for _, hypothesis, label in told(pairs) if label == "not-entailed"]
    assert "Omar transfers information to the guard about the train is late." in wrong
    assert "The guard receives information." in wrong
    assert not set(wrong) & set(entailed)
    assert (refused, passed.total()) == ([], 0)


VERSION_3_3 = """<!DOCTYPE VNCLASS SYSTEM "vn_class-3.dtd">
<VNCLASS ID="announce-97"><FRAMES><FRAME>
<DESCRIPTION descriptionNumber="" primary="NP V NP PP.recipient" secondary="" xtag=""/>
<EXAMPLES><EXAMPLE>
     The clerk announced the delay to the crowd.
    </EXAMPLE></EXAMPLES>
<SYNTAX><NP value="Agent"/><VERB/><NP value="Topic"/><PREP value="to"/><NP value="Recipient"/></SYNTAX>
<SEMANTICS>
<PRED bool="!" value="has_information"><ARGS><ARG type="ThemRole" value="Recipient"/></ARGS></PRED>
<PRED value="transfer_info"><ARGS><ARG type="Event" value="\u00eb2"/><ARG type="ThemRole" value="Agent"/>
<ARG type="ThemRole" value="Topic"/><ARG type="ThemRole" value="Recipient"/></ARGS></PRED>
<PRED value="manner"><ARGS><ARG type="Constant" value="directedmotion"/><ARG type="ThemRole" value="Agent"/></ARGS></PRED>
<PRED value="cause"><ARGS><ARG type="Event" value="e2"/><ARG type="Event" value="e3"/></ARGS></PRED>
</SEMANTICS></FRAME></FRAMES></VNCLASS>"""


def test_verbnet_3_3_has_its_roles_in_another_order_and_manners_that_are_no_english(tmp_path) -> None:
    found, _ = recast_text("verbnet", tmp_path / "announce-97.xml", VERSION_3_3)
    assert [pair.hypothesis for pair in found if pair.published_label == "entailed"] == [
        "The clerk transferred information to the crowd about the delay.",
        "The clerk transferred information.",
        "The crowd received information.",
        "Information about the delay was transferred.",
    ]


def test_xml_that_is_not_whole_is_refused_where_it_breaks(tmp_path) -> None:
    path = tmp_path / "a.xml"
    path.write_text((EXAMPLES / "verbnet/press-99.xml").read_text()[:900])
    (only,) = recast_format(RECIPES["verbnet"], [path]).read(path)
    assert only.reason.startswith("not well-formed XML from here on")
