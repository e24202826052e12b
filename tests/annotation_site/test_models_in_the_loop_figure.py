"""How often models were wrong: the figure, beside a count by hand, and what the page of arms says."""

import random

import pytest

from collection.models import Guidance, Pair, Prompt, PromptVersion
from tests.cast import ana, rosa, signed_in, with_token
from tests.collection.test_model_in_the_loop import RUN, Model, model  # noqa: F401 a fixture
from tests.corpora import make_arm, make_corpus, make_pair, make_premises
from tests.snapshots.material import LETTERS, label_pair
from validation.quality_control.fooled_models import pay_bonuses

pytestmark = pytest.mark.django_db

FIGURE = "/api/v1/corpora/small/figures/model-in-the-loop"


@pytest.fixture
def written() -> dict[str, list[tuple[str, str, str, str, int]]]:
    """Writes sentences under two arms; returns arm -> (label, model's answer, twin's, letters of all labels, tries)."""
    corpus = make_corpus()
    make_arm(corpus, "second")
    PromptVersion.objects.update(mode="model", bonus_cents=10, **RUN)
    chance, names = random.Random(3), list(LETTERS)
    made: dict[str, list[tuple[str, str, str, str, int]]] = {"fiction": [], "second": []}
    for number, premise in enumerate(make_premises(corpus, [f"Line {k}." for k in range(60)])):
        arm = "second" if number % 3 else "fiction"
        own, answer, twin = (chance.choice(names) for _ in range(3))
        letters = own + "".join(chance.choice(own + "enc") for _ in range(chance.choice((0, 1, 2, 4))))
        tries = chance.randint(1, 5)
        pair = make_pair(
            corpus,
            premise,
            f"Sentence {number}.",
            author=ana(),
            author_label=LETTERS[own],
            arm=arm,
            prompt_version=PromptVersion.objects.get(prompt__slug=arm),
        )
        label_pair(pair, letters)
        Guidance.objects.create(
            pair=pair, model_tries=tries, model_answer=LETTERS[answer], twin_answer=LETTERS[twin]
        )
        made[arm].append((own, answer, twin, letters, tries))
    return made


def test_the_figure_counts_as_a_person_would(written):
    pay_bonuses()
    rows = {row["arm"]: row for row in with_token(rosa()).get(FIGURE).json()["rows"]}
    for arm, pairs in written.items():
        wrong = [each for each in pairs if each[0] != each[1]]
        judged = [each for each in wrong if len(each[3]) > 2]
        upheld = [each for each in wrong if each[3][1:].count(each[0]) >= 2]
        assert upheld, "the test would show nothing"
        assert rows[arm]["pairs"] == len(pairs)
        assert rows[arm]["tries"] == pytest.approx(sum(each[4] for each in pairs) / len(pairs))
        assert rows[arm]["fooled"] == pytest.approx(len(wrong) / len(pairs))
        assert (rows[arm]["judged"], rows[arm]["upheld"]) == (len(judged), len(upheld))
        assert rows[arm]["verified"] == pytest.approx(len(upheld) / len(pairs))
        assert rows[arm]["alone"] == pytest.approx(sum(each[0] == each[2] for each in pairs) / len(pairs))
        assert rows[arm]["bonuses"] == 10 * len(upheld)
        assert rows[arm]["model"] == "run 12, cbow on small@1"


def test_the_page_says_which_run_answers_and_that_few_rounds_may_harm(written, model):  # noqa: F811
    page = signed_in(rosa()).get("/c/small/arms/").content.decode()
    assert "fiction: run 12 (cbow on small@1) answers." in page
    assert "Plan for many rounds, or none" in page
    assert "How often the model was wrong" in page
    model.away = True
    page = signed_in(rosa()).get("/c/small/arms/").content.decode()
    assert "does not answer now, and its writers write without it: The program does not run." in page


def test_a_corpus_without_models_has_no_such_part():
    make_corpus()
    assert "Models in the loop" not in signed_in(rosa()).get("/c/small/arms/").content.decode()
    assert with_token(rosa()).get(FIGURE).json()["rows"] == []
    assert not Pair.objects.exists()
    assert Prompt.objects.exists()
