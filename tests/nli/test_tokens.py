"""The language decides what a word is: a character, if there are no spaces between words."""

import subprocess
import sys

import pytest

from nli.tokens import characters, is_english, tokeniser, writes_without_spaces


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("他在WTO工作了5年。", "他 在 WTO 工 作 了 5 年 。"),
        ("我买了5G手机！", "我 买 了 5G 手 机 ！"),
        ("彼はコーヒーを飲んだ。", "彼 は コ ー ヒ ー を 飲 ん だ 。"),
        ("แมวนั่งอยู่", "แ ม ว นั่ ง อ ยู่"),  # vowel signs and tone marks stay with their letter
        ("北京 2008 the end", "北 京 2008 the end"),
        (" \n", ""),
    ],
)
def test_a_sentence_without_spaces_is_cut_into_characters(sentence, wanted):
    assert list(characters(sentence)) == wanted.split()
    assert "".join(characters(sentence)) == "".join(sentence.split())


@pytest.mark.parametrize(
    ("language", "without"),
    [
        ("zh", True),
        ("zh-Hant-TW", True),
        ("ZH_cn", True),
        ("ja", True),
        ("th", True),
        ("ko", False),
        ("de", False),
        ("", False),
    ],
)
def test_the_language_decides(language, without):
    assert writes_without_spaces(language) is without
    assert tokeniser(language, str.split)("他在 家") == (("他", "在", "家") if without else ["他在", "家"])


def test_only_english_is_english():
    assert [tag for tag in ("en", "EN-gb", "en_US", "enm", "de", "") if is_english(tag)] == [
        "en",
        "EN-gb",
        "en_US",
    ]


@pytest.mark.thorough
def test_the_tokenizers_load_no_scikit_learn_and_leave_it_to_whoever_wants_it() -> None:
    program = """
import sys
from nli.tokens import light_nltk
with light_nltk():
    from nltk.tokenize import NLTKWordTokenizer
print(NLTKWordTokenizer().tokenize("He doesn't."), {"sklearn", "scipy", "pandas"} & {*sys.modules})
import scipy.stats
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("['He', 'does', \"n't\", '.'] set()\n", "")
