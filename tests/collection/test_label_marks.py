"""A label is a word and a shape; never colour alone."""

import pytest
from django.template import Context, Template

from collection.templatetags.labels import MARKS, label_mark
from nli.labels import SCHEMES


def test_mark_has_word_letter_and_shape():
    html = label_mark("contradiction")
    assert 'class="label label-c"' in html
    assert ">C</text>" in html
    assert "<path" in html
    assert html.endswith("<bdi>contradiction</bdi></span>")


def test_a_mark_with_the_words_of_a_corpus_has_no_letter():
    """ "E" beside "Definitely correct" says nothing to people who never heard of entailment."""
    html = label_mark("entailment", "Definitely correct")
    assert "<text" not in html
    assert "<circle" in html


def test_marks_of_one_scheme_never_share_their_letter():
    for labels in SCHEMES.values():
        assert len({MARKS[label][1] for label in labels}) == len(labels)


def test_marks_of_three_labels_differ_in_shape_too():
    assert len({MARKS[label][2] for label in SCHEMES["nli3"]}) == 3


@pytest.mark.parametrize("label", [None, ""])
def test_no_label_is_said(label):
    assert "no label" in label_mark(label)


def test_words_of_a_corpus_are_escaped():
    template = Template('{% load labels %}{% label_mark "entailment" word %}')
    html = template.render(Context({"word": "<b>Yes</b>"}))
    assert "&lt;b&gt;Yes&lt;/b&gt;" in html
