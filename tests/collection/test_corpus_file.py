"""Corpus files are read strictly: all errors at once, with file, table and key, and what to do."""

import re
import time

import pytest

from collection import corpus_schema
from collection.corpora.corpus_file import BadCorpusFile, read_corpus_file
from collection.models import AdviceSetting, Corpus, Prompt
from nli.gold import RULES
from validation.models import Question

GOOD = """
[corpus]
slug = "small"
name = "Small"

[consent]
title = "Before you start"
text = "You judge sentences."

[question]
wording = "How do they go together?"
[[question.labels]]
label = "entailment"
wording = "Right"
[[question.labels]]
label = "neutral"
wording = "Open"
[[question.labels]]
label = "contradiction"
wording = "Wrong"
[[question.examples]]
premise = "A dog runs."
hypothesis = "A dog moves."
label = "entailment"
[[question.examples]]
premise = "A dog runs."
hypothesis = "A brown dog runs."
label = "neutral"
[[question.examples]]
premise = "A dog runs."
hypothesis = "No dog moves."
label = "contradiction"

[[prompts]]
slug = "fiction"
name = "Fiction"
instructions = "Write."
[[prompts.fields]]
label = "entailment"
wording = "Write what is right."
[[prompts.examples]]
premise = "A dog runs."
hypothesis = "A dog moves."
label = "entailment"

[[genres]]
slug = "fiction"
name = "Fiction"
prompt = "fiction"
"""


@pytest.fixture
def read(tmp_path):
    def read_text(text):
        path = tmp_path / "small.toml"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return read_corpus_file(path)

    return read_text


@pytest.fixture
def errors(read):
    def errors_of(text):
        with pytest.raises(BadCorpusFile) as caught:
            read(text)
        return caught.value.errors

    return errors_of


def test_a_good_file_is_read_without_a_warning(read):
    file = read(GOOD)
    assert file.warnings == ()
    assert (file.corpus.slug, file.corpus.scheme, file.question.seats) == ("small", "nli3", 5)
    assert file.prompts[0].fields[0].label == "entailment"


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ('name = "Small"', "", "[corpus]: name: is missing; add it."),
        ('name = "Small"', 'name = ""', "[corpus]: name: is empty; write something there."),
        ('name = "Small"', "name = 7", "[corpus]: name: must be a text, not a whole number."),
        (
            'name = "Small"',
            f'name = "{"x" * 201}"',
            "[corpus]: name: is 201 characters long; at most 200 are possible.",
        ),
        ('name = "Small"', 'name = "S\\u0000"', "[corpus]: name: contains a NUL character; remove it."),
        (
            'slug = "small"',
            'slug = "Small!"',
            '[corpus]: slug: "Small!" must be small letters, digits and single hyphens',
        ),
        (
            'name = "Small"',
            'name = "Small"\nscheme = "nli4"',
            '[corpus]: scheme: "nli4" is none of nli3, entailed2, ordinal5, grammar3.',
        ),
        (
            'name = "Small"',
            'name = "Small"\nwriters_per_premise = 0',
            "[corpus]: writers_per_premise: is 0; it must be from 1 to 32767.",
        ),
        (
            'name = "Small"',
            'name = "Small"\nwriters_per_premise = true',
            "[corpus]: writers_per_premise: must be a whole number, not true or false.",
        ),
        (
            'name = "Small"',
            'name = "Small"\nmade_for_demo = 1',
            "[corpus]: made_for_demo: must be true or false, not a whole number.",
        ),
        (
            'name = "Small"',
            'name = "Small"\nmin_hypothesis_chars = 9\nmax_hypothesis_chars = 8',
            "[corpus]: max_hypothesis_chars: must not be smaller than min_hypothesis_chars.",
        ),
        (
            'wording = "How do they go together?"',
            'wording = "How?"\nseats = 5\nthreshold = 2',
            "[question]: threshold: must be more than half of the 5 seats, and at most all of them.",
        ),
        (
            'wording = "How do they go together?"',
            'wording = "How?"\nmost_labels = 4',
            "[question]: most_labels: must not be smaller than the 5 seats.",
        ),
        (
            'name = "Small"',
            'name = "Small"\nmax_genre_share = 101',
            "[corpus]: max_genre_share: is 101; it must be from 1 to 100.",
        ),
        (
            'name = "Small"',
            'name = "Small"\nlanguage_models = "never"',
            '[corpus]: language_models: "never" is none of forbidden, declared, allowed.',
        ),
        (
            'name = "Small"',
            'name = "Small"\nwriting = "exam"',
            '[exam]: goes together with writing = "exam" in [corpus]; give both of them or neither.',
        ),
        (
            'name = "Small"',
            'name = "Small"\n[exam]\n[[exam.items]]\npremise = "A dog runs."\nlabel = "neutral"',
            '[exam]: goes together with writing = "exam" in [corpus]; give both of them or neither.',
        ),
        (
            'name = "Small"',
            'name = "Small"\nwriting = "exam"\n[exam]\npass_mark = 101',
            "[exam]: pass_mark: is 101; it must be from 0 to 100.",
        ),
        (
            'name = "Small"',
            'name = "Small"\nwriting = "exam"\n[exam]\ntries = 2',
            "[exam] [[items]]: there is none; add an [[exam.items]] table for each item.",
        ),
        (
            'name = "Small"',
            'name = "Small"\nwriting = "exam"\n[[exam.items]]\npremise = "A dog runs."',
            "[exam] [[items]] 1: label: is missing; add it.",
        ),
        (
            'name = "Small"',
            'name = "Small"\n[advice]\nused_before = "refused"',
            '[advice]: used_before: "refused" is none of off, warn, refuse.',
        ),
        (
            'name = "Small"',
            'name = "Small"\n[advice]\nempty = "off"',
            "[advice]: empty: unknown key; the keys here are: too_short, too_long, same_as_premise",
        ),
        (
            'instructions = "Write."',
            'instructions = "Write."\nstatus = "piloted"',
            '[[prompts]] "fiction": status: "piloted" is none of open, pilot, closed.',
        ),
        (
            'instructions = "Write."',
            'instructions = "Write."\npay_cents = 9\nskip_pay_cents = 10',
            '[[prompts]] "fiction": skip_pay_cents: must not be more than pay_cents, 9: skipping would pay',
        ),
        (
            "[[genres]]",
            '[[prompts.check]]\npremise = "A dog runs."\nhypothesis = "It runs."\nlabel = "entailment"\n[[genres]]',
            '[[prompts]] "fiction" [[check]] 1: explanation: is missing; add it.',
        ),
        (
            "[[genres]]",
            '[[prompts.check]]\npremise = "A dog runs."\nhypothesis = "It is brown."\nlabel = "neutral"\n'
            'explanation = "Dogs differ."\n[[genres]]',
            '[[prompts]] "fiction" [[check]]: "neutral" has no [[prompts.fields]] table, so nobody can choose it.',
        ),
        (
            'label = "contradiction"\nwording = "Wrong"',
            'label = "neutral"\nwording = "Wrong"',
            '[question] [[labels]]: "contradiction" is missing; add a table for it.',
        ),
        (
            'label = "contradiction"\nwording = "Wrong"',
            'label = "neutral"\nwording = "Wrong"',
            '[question] [[labels]]: label "neutral" is there 2 times; once is right.',
        ),
        (
            'label = "entailment"\nwording = "Write what is right."',
            'label = "entailed"\nwording = "Write what is right."',
            '[[prompts]] "fiction" [[fields]] 1: label: "entailed" is none of entailment, neutral,',
        ),
        (
            'label = "entailment"\nwording = "Write what is right."',
            'label = "neutral"\nwording = "Write."',
            '[[prompts]] "fiction" [[examples]]: there is no worked example for "neutral"; add a',
        ),
        (
            'prompt = "fiction"',
            'prompt = "fictoin"',
            'prompt: no prompt has the slug "fictoin" (did you mean "fiction"?); the prompts are: fiction.',
        ),
        (
            'prompt = "fiction"',
            'promt = "fiction"',
            'promt: unknown key; did you mean "prompt"? The keys here are: slug, name, register',
        ),
        ("[[genres]]", "[[genre]]", "there is no [[genres]] table; a corpus needs at least one genre."),
        ("[corpus]", "[korpus]", "there is no [corpus] table; add it."),
        ("[corpus]", "prompts = 3\n[corpus]", "[[prompts]]: must be a list, not a whole number."),
    ],
)
def test_each_fault_names_table_and_key(errors, old, new, error):
    assert old in GOOD
    if new.startswith("prompts = 3"):
        text = GOOD.split("[[prompts]]")[0].replace(old, new)
    else:
        text = GOOD.replace(old, new, 1)
    found = errors(text)
    assert all(re.match(r"small\.toml(, line \d+)?: ", line) for line in found)
    assert any(error in line for line in found), found


def test_all_faults_come_at_once(errors):
    found = errors(GOOD.replace('name = "Small"', "names = 1").replace('prompt = "fiction"', 'prompt = "x"'))
    assert len(found) == 3


def test_faults_come_with_their_lines_and_in_their_order(errors):
    text = GOOD.replace("[consent]", 'description = """Two\nlines [here]"""\nwritten_by = 1\n\n[consent]')
    text = text.replace('wording = "Open"', "wording = [\n1,\n2]").replace(
        'prompt = "fiction"', 'prompt = "x"'
    )
    text = text.replace('title = "Before you start"\n', "")
    lines = text.splitlines()
    told = [
        (int(found[1]), found[2])
        for found in (re.match(r"small.toml, line (\d+): (.*)", line) for line in errors(text))
    ]
    assert [what.split(":")[0] for _, what in told] == [
        "[corpus]",
        "[consent]",
        "[question] [[labels]] 2",
        '[[genres]] "fiction"',
    ]
    wanted = ["written_by = 1", "[consent]", "wording = [", 'prompt = "x"']
    assert [lines[number - 1] for number, _ in told] == wanted


def test_a_fault_in_one_key_does_not_hide_what_two_others_say_together(errors):
    text = GOOD.replace('name = "Small"', "name = 1\nmin_hypothesis_chars = 9\nmax_hypothesis_chars = 8")
    told = " ".join(errors(text))
    assert "[corpus]: name: must be a text" in told
    assert "max_hypothesis_chars: must not be smaller" in told


@pytest.mark.parametrize(
    "key", ["a." * 50_000 + "a = 1", "[" + "a." * 50_000 + "a]", 'x = { "a"' + ' . "a"' * 9_000 + " = 1 }"]
)
def test_a_key_of_thousands_of_dots_is_refused_before_it_is_read(errors, key):
    began = time.thread_time()  # of this thread alone, however busy the machine is
    (error,) = errors(f"{GOOD}\n{key}\n")
    assert time.thread_time() - began < 2
    assert (
        error
        == f"small.toml, line {GOOD.count(chr(10)) + 2}: a key with more than 20 dots; write a table instead."
    )


def test_a_file_that_is_far_too_large_is_refused_before_it_is_read(errors):
    (error,) = errors(GOOD + "# " + "x" * 1_000_000)
    assert "is larger than 1,000,000 bytes" in error


def test_dots_in_texts_and_comments_are_no_keys(read):
    dots = "So. " * 50
    read(f"# {dots}\n" + GOOD.replace('instructions = "Write."', f'instructions = """{dots}\n{dots}"""'))


def test_what_is_no_toml_is_told_with_its_place(errors):
    (error,) = errors("[corpus\n")
    assert error.startswith("small.toml: not valid TOML: ")
    assert "line 1" in error


def test_a_number_of_thousands_of_digits_is_told(errors):
    assert errors(f"{GOOD}\nnumber = {'9' * 5000}\n") == [
        "small.toml: a number has thousands of digits; shorten it."
    ]


def test_bad_bytes_are_told_with_their_line(errors):
    assert errors(b"[corpus]\nname = 'caf\xe9'\n") == [
        "small.toml, line 2: not UTF-8. Save the file as UTF-8."
    ]


def test_an_empty_file_says_what_is_missing(errors):
    assert "there is no [corpus] table; add it." in " ".join(errors(""))


def test_a_prompt_that_no_genre_uses_is_only_a_warning(read):
    file = read(GOOD.replace('prompt = "fiction"\n', ""))
    assert any('[[prompts]] "fiction": no genre uses this prompt' in warning for warning in file.warnings)
    assert any("nobody can write for it" in warning for warning in file.warnings)


def test_the_digest_of_a_prompt_is_over_its_content_and_not_its_name(read):
    prompt = read(GOOD).prompts[0]
    assert read(GOOD.replace('name = "Fiction"', 'name = "Stories"')).prompts[0].digest == prompt.digest
    assert read(GOOD.replace("Write what is right.", "Write!")).prompts[0].digest != prompt.digest


def test_the_adjudicated_rule_is_for_three_labels_alone(errors):
    text = GOOD.replace('name = "Small"', 'name = "Small"\nscheme = "entailed2"')
    found = errors(
        text.replace('wording = "How do they go together?"', 'wording = "?"\ngold_rule = "adjudicated"')
    )
    assert any('[question]: gold_rule: "adjudicated" is for the scheme nli3 alone.' in line for line in found)


def test_a_file_without_consent_is_warned_that_nobody_is_told_anything(read):
    start, end = GOOD.index("[consent]"), GOOD.index("[question]")
    (warning,) = read(GOOD[:start] + GOOD[end:]).warnings
    assert "there is no [consent] table, so nobody is told what is collected" in warning


def test_a_consent_text_with_a_place_to_fill_in_brings_a_warning(read):
    (warning,) = read(GOOD.replace("You judge sentences.", "Write to *[name and e-mail address]*.")).warnings
    assert "[consent]: [name and e-mail address] is still to be filled in" in warning
    assert read(GOOD.replace("You judge sentences.", "Look [at this](https://a.example).")).warnings == ()


def test_a_consent_is_one_text_or_a_list_of_facts(read, errors):
    text = 'text = "You judge sentences."'
    facts = '[[consent.facts]]\nfact = "**What you do.** You judge."\nmore = "One by one."\n'
    assert "facts" not in read(GOOD).consent.model_fields_set
    consent = read(GOOD.replace(text, facts)).consent
    assert consent.text_under("forbidden").startswith(
        "**What you do.** You judge.\n\nOne by one.\n\n**Language models.**"
    )
    assert consent.facts_under("declared")[0] == ["**What you do.** You judge.", "One by one."]
    (both,) = errors(GOOD.replace(text, f"{text}\n{facts}"))
    assert "give either text or [[consent.facts]] tables, not both" in both
    (neither,) = errors(GOOD.replace(text, ""))
    assert "give either text or [[consent.facts]] tables" in neither
    (long,) = errors(GOOD.replace(text, facts.replace("You judge.", "\\nYou judge.")))
    assert "[consent] [[facts]] 1: fact: must be one line" in long


def test_care_check_and_paid_skips_are_part_of_the_digest_and_the_status_is_not(read):
    first = read(GOOD).prompts[0]
    paid = 'instructions = "Write."\npay_cents = 5'
    cared = read(GOOD.replace('instructions = "Write."', 'instructions = "Write."\ncare = "Mind yourself."'))
    skipping = read(GOOD.replace('instructions = "Write."', f"{paid}\nskip_pay_cents = 5"))
    without = read(GOOD.replace('instructions = "Write."', paid))
    closed = read(GOOD.replace('instructions = "Write."', 'instructions = "Write."\nstatus = "closed"'))
    assert cared.prompts[0].digest != first.digest
    assert skipping.prompts[0].digest != without.prompts[0].digest
    assert closed.prompts[0].digest == first.digest


def test_the_file_knows_the_choices_that_the_database_knows():
    assert tuple(Corpus.LanguageModels.values) == tuple(corpus_schema.LANGUAGE_MODELS)
    assert tuple(Corpus.Protocol.values) == corpus_schema.PROTOCOLS
    assert tuple(Prompt.Status.values) == corpus_schema.STATUSES
    assert tuple(AdviceSetting.Level.values) == corpus_schema.LEVELS
    assert tuple(Question.GoldRule.values) == RULES
