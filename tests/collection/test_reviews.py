"""Reviews of written sentences: the draw, the queue, what writers read before they go on, and levels that rise and fall."""

from hashlib import sha256

import pytest
from django.db import IntegrityError, transaction

from accounts.models import Grant, Qualification, User
from accounts.people.qualifications import grant, revoke
from annotation_site.intake.corpus_files import load
from annotation_site.intake.corpus_text import text_of
from annotation_site.personal_data.records import erase, everything_about
from annotation_site.researchers.feedback_figures import COMPARED, KINDS, SHARES, judged_in
from collection.corpora.corpus_file import BadCorpusFile, corpus_file_in
from collection.errors import NotPossible, NotQualified, RemarksToRead
from collection.joining import exams
from collection.joining.exams import send_exam
from collection.models import (
    Corpus,
    Exam,
    ExamItem,
    LedgerEntry,
    Level,
    LevelChange,
    Pair,
    Prompt,
    PromptReading,
    PromptVersion,
    Review,
)
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing
from collection.writing.levels import standing_of
from collection.writing.reviews import claim_review, judge_review, read_reviews
from collection.writing.submitting import submit_writing
from shared.figures import shown
from tests.cast import ana, person, rosa, signed_in, stan, vera, with_token
from tests.corpora import make_arm, make_corpus, make_premises

pytestmark = pytest.mark.django_db
NEXT = "/c/small/reviews/next/"


@pytest.fixture
def corpus() -> Corpus:
    corpus = make_corpus()
    make_seats(premises=make_premises(corpus, [f"Premise number {number}." for number in range(60)]))
    Prompt.objects.update(review_percent=100)
    PromptVersion.objects.update(feedback=True)
    return corpus


def write(corpus: Corpus, writer: User, tasks: int = 1) -> list[Pair]:
    pairs = []
    for _ in range(tasks):
        task = claim_writing(corpus=corpus, annotator=writer)
        texts = {label: f"{label} to {task.token}." for label in task.labels}
        pairs += submit_writing(annotator=writer, token=task.token, texts=texts, key=task.token).pairs
    return pairs


def judge(corpus: Corpus, *verdicts: str, remark: str = "") -> list[LevelChange | None]:
    """Judges the next sentences of the queue."""
    found = []
    for verdict in verdicts:
        review = claim_review(corpus=corpus, reviewer=rosa())
        assert review is not None
        found.append(judge_review(review=review, by=rosa(), verdict=verdict, remark=remark))
    return found


def read_all(writer: User) -> None:
    read_reviews(writer=writer, reviews=[each.pk for each in Review.objects.unread(writer)])


def test_a_share_is_drawn_that_anybody_can_draw_again(corpus):
    Prompt.objects.update(review_percent=30)
    pairs = write(corpus, ana(), 40)
    drawn = set(Review.objects.values_list("pair__public_id", flat=True))
    again = {
        pair.public_id
        for pair in pairs
        if int(sha256(f"review:{pair.public_id}".encode()).hexdigest()[:16], 16) / 2**64 < 0.3
    }
    assert drawn == again
    assert 15 < len(drawn) < 60
    assert set(Review.objects.values_list("percent", "is_sample", "is_feedback")) == {(30, True, True)}


def test_each_arm_has_its_share_and_its_writers_read_or_do_not(corpus):
    make_arm(corpus, "plain", review_percent=0)
    arms = {}
    for number in range(4):
        (pair, *_) = write(corpus, person(f"w{number}"))
        arms[pair.author] = pair.arm
    assert set(Review.objects.values_list("writer", flat=True)) == {
        writer.pk for writer, arm in arms.items() if arm == "fiction"
    }
    Prompt.objects.filter(slug="plain").update(review_percent=100)
    for writer in arms:
        write(corpus, writer)
    judge(corpus, *["language"] * Review.objects.waiting().count())
    for writer, arm in arms.items():
        if arm == "fiction":
            with pytest.raises(RemarksToRead):
                claim_writing(corpus=corpus, annotator=writer)
            assert signed_in(writer).get("/work/writing/small/").url == "/work/writing/small/remarks/"
        else:
            assert write(corpus, writer)
            assert signed_in(writer).get("/work/writing/small/remarks/").status_code == 302


def test_what_does_not_count_is_not_drawn(corpus):
    task = claim_writing(corpus=corpus, annotator=ana())
    task.seat.is_pilot = True
    task.seat.save()
    texts = {label: f"A pilot's {label}." for label in task.labels}
    submit_writing(annotator=ana(), token=task.token, texts=texts, key="k")
    assert not Review.objects.exists()


def test_the_queue_leaves_out_withdrawn_pairs(corpus):
    (first, *_) = write(corpus, ana())
    Pair.objects.filter(pk=first.pk).update(withdrawn_at=first.created_at, withdrawn_because="withheld")
    review = claim_review(corpus=corpus, reviewer=rosa())
    assert review is not None
    assert review.pair != first
    assert Review.objects.waiting(corpus).count() == 2


def test_a_researcher_keeps_what_is_in_hand_and_another_gets_the_next(corpus):
    write(corpus, ana())
    other = person("otto", role="researcher")
    mine = [claim_review(corpus=corpus, reviewer=rosa()) for _ in range(2)]
    assert mine[0] == mine[1] != claim_review(corpus=corpus, reviewer=other)


def test_a_sentence_is_judged_once_and_for_a_reason(corpus):
    write(corpus, ana())
    review = claim_review(corpus=corpus, reviewer=rosa())
    assert review is not None
    for verdict, remark in (("", ""), ("awful", ""), ("other", "  "), ("fine", "x" * 2001)):
        with pytest.raises(NotPossible):
            judge_review(review=review, by=rosa(), verdict=verdict, remark=remark)
    judge_review(review=review, by=rosa(), verdict="other", remark=" Too grand. ")
    with pytest.raises(NotPossible, match="meanwhile"):
        judge_review(review=review, by=rosa(), verdict="fine")
    review.refresh_from_db()
    assert (review.verdict, review.remark, review.judged_by, review.held_by) == (
        "other",
        "Too grand.",
        rosa(),
        None,
    )


@pytest.mark.parametrize(
    "change",
    [
        {"verdict": "fine"},
        {"remark": "Without a verdict."},
        {"verdict": "awful"},
        {"percent": 101},
        {"held_until": "2026-01-01T00:00Z"},
        {"read_at": "2026-01-01T00:00Z"},
    ],
)
def test_the_database_refuses_what_makes_no_sense(corpus, change):
    write(corpus, ana())
    with pytest.raises(IntegrityError), transaction.atomic():
        Review.objects.update(**change)


def test_a_researcher_judges_on_the_page_and_learns_neither_writer_nor_arm(corpus):
    make_arm(corpus, "plain", review_percent=100)
    write(corpus, ana())
    page = signed_in(rosa()).get(NEXT).text
    review = Review.objects.get(held_by=rosa())
    assert review.pair.hypothesis in page
    assert ana().code not in page
    assert "plain" not in page
    client = signed_in(rosa())
    refused = client.post(NEXT, {"review": review.pk, "verdict": "other", "remark": ""})
    assert refused.status_code == 422
    assert "Say in a remark" in refused.text
    assert client.post(NEXT, {"review": review.pk, "verdict": "label", "remark": "No."}).url == NEXT
    again = client.post(NEXT, {"review": review.pk, "verdict": "fine"}, follow=True)
    assert "their judgement stands" in again.text
    assert signed_in(rosa()).head(NEXT).content == b""


def test_remarks_come_before_the_next_text_and_once(corpus):
    write(corpus, ana())
    judge(corpus, "giveaway", "fine", remark="“Nobody” gives it away.")
    client = signed_in(ana())
    page = client.get("/work/writing/small/", follow=True)
    text = " ".join(page.text.split())
    assert "Sentences of yours that the researchers read: 2. Good ones: 1." in text
    assert "The answer can be guessed without the text" in text
    assert "“Nobody” gives it away." in text
    with pytest.raises(RemarksToRead):
        claim_writing(corpus=corpus, annotator=ana())
    judge(corpus, "copied")  # comes while she reads: it is read another time
    assert client.post(
        page.redirect_chain[-1][0], {"review": [each.pk for each in page.context["reviews"]]}
    ).url
    assert Review.objects.unread(ana()).count() == 1
    read_all(ana())
    assert claim_writing(corpus=corpus, annotator=ana()).closed_at is None
    assert "“Nobody” gives it away." in client.get("/work/mine/writing/").text


def test_a_task_in_hand_is_finished_first(corpus):
    write(corpus, ana())
    task = claim_writing(corpus=corpus, annotator=ana())
    judge(corpus, "fine")
    assert claim_writing(corpus=corpus, annotator=ana()) == task


def test_nobody_reads_for_another(corpus):
    write(corpus, ana())
    judge(corpus, "fine")
    (review,) = Review.objects.unread(ana())
    signed_in(vera()).post("/work/writing/small/remarks/", {"review": review.pk})
    assert with_token(vera()).post(
        "/api/v1/work/writing/read", {"reviews": [review.pk]}, format="json"
    ).json() == {"read": 0}
    assert Review.objects.unread(ana()).exists()


def test_the_same_over_rest(corpus):
    write(corpus, ana())
    judge(corpus, "language", remark="A word is missing.")
    client = with_token(ana())
    task = client.post("/api/v1/work/writing/next", {"corpus": "small"}, format="json").json()
    assert task["assignment"] is None
    assert "read what the researchers say" in task["why"]
    (remark,) = client.get("/api/v1/work/writing/remarks/").json()["results"]
    assert (remark["verdict"], remark["remark"]) == ("language", "A word is missing.")
    for news in (1, 0):
        sent = client.post("/api/v1/work/writing/read", {"reviews": [remark["review"]]}, format="json")
        assert sent.json() == {"read": news}
    assert client.post("/api/v1/work/writing/next", {"corpus": "small"}, format="json").json()["assignment"]
    rows = with_token(rosa()).get("/api/v1/corpora/small/reviews/").json()["results"]
    assert len(rows) == 3
    assert (rows[0]["writer"], rows[0]["arm"], rows[0]["is_sample"]) == (ana().code, "fiction", True)
    assert client.get("/api/v1/corpora/small/reviews/").status_code == 403


def levels(corpus: Corpus, *, falls_below: int = 0) -> None:
    made = [("learner", 4, 75, falls_below, 0, 0), ("writer", 4, 0, 50, 0, 7)]
    for order, (slug, of, rises, falls, percent, pay) in enumerate(made):
        Level.objects.create(
            corpus=corpus,
            order=order,
            slug=slug,
            name=slug.title(),
            of=of,
            rises_from=rises,
            falls_below=falls,
            review_percent=percent,
            pay_cents=pay,
        )


def level(corpus: Corpus) -> str:
    return str(standing_of(corpus, ana()).level)


def test_levels_rise_and_fall_and_pay(corpus):
    levels(corpus)
    write(corpus, ana(), 2)
    assert judge(corpus, "fine", "label", "fine") == [None] * 3
    assert level(corpus) == "Learner"
    (change,) = judge(corpus, "fine")
    assert (change.level, change.good, change.of) == (1, 3, 4)
    assert level(corpus) == "Writer"
    judge(corpus, "label", "label")  # were sent before: they do not count for the new level
    assert level(corpus) == "Writer"
    read_all(ana())
    task = claim_writing(corpus=corpus, annotator=ana())
    passed = {"version": task.prompt_version, "annotator": ana(), "passed_at": task.created_at}
    PromptReading.objects.create(**passed)
    assert "$0.37" in signed_in(ana()).get("/work/writing/small/").text
    Level.objects.filter(slug="writer").update(pay_cents=0)  # what was promised holds
    texts = {label: f"{label} of hers." for label in task.labels}
    assert submit_writing(annotator=ana(), token=task.token, texts=texts, key="k").cents == 37
    assert LedgerEntry.objects.get(key=f"writing:{task.token}").cents == 37
    write(corpus, ana())
    judge(corpus, "label", "fine", "label")
    (fall,) = judge(corpus, "copied")
    assert (fall.level, fall.good, level(corpus)) == (0, 1, "Learner")


def test_a_level_looks_at_its_latest_reviews(corpus):
    levels(corpus)
    write(corpus, ana(), 3)
    changes = judge(corpus, "label", "label", "fine", "fine", "fine")
    assert [bool(change) for change in changes] == [False] * 4 + [True]


def test_only_arms_with_feedback_have_levels(corpus):
    levels(corpus)
    PromptVersion.objects.update(feedback=False)
    write(corpus, ana(), 2)
    assert judge(corpus, *["fine"] * 6) == [None] * 6


def test_a_level_may_draw_more_which_stays_out_of_the_sample(corpus):
    levels(corpus)
    Prompt.objects.update(review_percent=20)
    Level.objects.update(review_percent=100)
    write(corpus, ana(), 10)
    in_sample = Review.objects.filter(is_sample=True).count()
    assert Review.objects.count() == 30
    assert 0 < in_sample < 20
    judge(corpus, *["fine"] * 30)
    assert len(judged_in(corpus)) == in_sample


@pytest.fixture
def exam(corpus) -> Exam:
    writers = Qualification.objects.create(slug="write-small", name="Writers")
    Corpus.objects.update(writing_qualification=writers)
    made = Exam.objects.create(corpus=corpus, qualification=writers, pass_mark=100, tries=2)
    ExamItem.objects.create(
        exam=made, order=0, premise="A cat sleeps.", hypothesis="An animal rests.", label="entailment"
    )
    corpus.refresh_from_db()
    return made


def test_who_falls_below_the_first_level_takes_the_exam_again_with_all_tries(corpus, exam):
    levels(corpus, falls_below=50)
    send_exam(exam=exam, annotator=ana(), answers={0: "neutral"})
    send_exam(exam=exam, annotator=ana(), answers={0: "entailment"})
    write(corpus, ana(), 2)
    (*_, fall) = judge(corpus, "label", "fine", "label", "copied")
    assert fall.level == -1
    with pytest.raises(RemarksToRead):  # why comes first
        claim_writing(corpus=corpus, annotator=ana())
    page = signed_in(ana()).get("/work/writing/small/", follow=True).text
    assert "please take the exam again" in page
    assert judge(corpus, "label") == [None]  # a sentence from before the fall
    read_all(ana())
    with pytest.raises(NotQualified, match="you must pass the exam"):
        claim_writing(corpus=corpus, annotator=ana())
    assert "You have 2 tries." in signed_in(ana()).get("/work/exam/small/").text
    assert not send_exam(exam=exam, annotator=ana(), answers={0: "neutral"}).passed
    assert send_exam(exam=exam, annotator=ana(), answers={0: "entailment"}).number == 4
    write(corpus, ana())
    assert level(corpus) == "Learner"
    judge(corpus, "fine")
    assert "take the exam again" not in signed_in(ana()).get("/work/writing/small/remarks/").text


def test_without_tries_left_or_after_a_researchers_word_nobody_comes_back(corpus, exam):
    levels(corpus, falls_below=100)
    grant(user=ana(), qualification=exam.qualification, how=Grant.How.INVITATION, by=rosa())
    write(corpus, ana(), 2)
    judge(corpus, *["label"] * 4)
    read_all(ana())
    for _ in range(2):
        send_exam(exam=exam, annotator=ana(), answers={0: "neutral"})
    with pytest.raises(exams.ExamRefused, match="all your tries"):
        send_exam(exam=exam, annotator=ana(), answers={0: "entailment"})
    made = grant(user=stan(), qualification=exam.qualification, how=Grant.How.INVITATION, by=rosa())
    assert made is not None
    revoke(grant=made, because="Copies.", by=rosa())
    with pytest.raises(exams.ExamRefused, match="A researcher ended"):
        send_exam(exam=exam, annotator=stan(), answers={0: "entailment"})


def test_with_the_exam_closed_nobody_falls_out(corpus, exam):
    levels(corpus, falls_below=100)
    Exam.objects.update(is_open=False)
    grant(user=ana(), qualification=exam.qualification, how=Grant.How.INVITATION, by=rosa())
    write(corpus, ana(), 2)
    assert judge(corpus, *["label"] * 4) == [None] * 4


def test_figures_show_what_feedback_does(corpus):
    """Ten writers with feedback write good sentences once they have read it; ten without never do."""
    arm = make_arm(corpus, "plain", review_percent=100)
    make_seats(premises=make_premises(corpus, [f"Another premise, {number}." for number in range(100)]))
    for number in range(20):
        write(corpus, person(f"w{number}"), 1)
    judge(corpus, *["copied"] * 60)
    for number in range(20):
        read_all(person(f"w{number}"))
        write(corpus, person(f"w{number}"), 3)
    for review in list(Review.objects.waiting(corpus).select_related("pair", "corpus", "writer")):
        judge_review(review=review, by=rosa(), verdict="copied" if review.pair.arm == arm.slug else "fine")
    (shares, compared, kinds) = shown((SHARES, COMPARED, KINDS), corpus, judged_in(corpus))
    found = {row["part"]: (row["writers"], row["reviewed"], row["share"]) for row in shares.table.rows}
    assert found == {
        "fiction, before": (10, 30, 0.0),
        "fiction, after": (10, 90, 1.0),
        "plain, no feedback, before": (10, 30, 0.0),
        "plain, no feedback, after": (10, 90, 0.0),
    }
    (row,) = compared.table.rows
    assert (row["pair"], row["points"]) == ("fiction − plain, no feedback", 100)
    assert row["corrected"] < 0.01
    said = {row["kind"]: row["sentences"] for row in kinds.table.rows if row["sentences"]}
    assert said == {"Good": 90, "It is too close to the text": 150}
    assert kinds.table.rows[0]["fiction"] == 0.75
    assert "fiction 0.0% before the first review, 100.0% after the first review; plain" in shares.table.title
    page = signed_in(rosa()).get("/c/small/reviews/").text
    assert "240 sentences drawn so far; 0 wait for a review" in page


FILE = """
[[levels]]
slug = "learner"
name = "Learner"
rises_from = 80

[[levels]]
slug = "writer"
name = "Writer"
falls_below = 50
pay_cents = 5
"""


def with_levels(text: str, more: str = FILE) -> str:
    return text.replace("review_percent = 100", "review_percent = 20") + more


def test_the_corpus_file_says_it_and_reads_it_back(corpus):
    text = with_levels(text_of(corpus).text)
    load(corpus_file_in(text, name="small.toml"))
    assert list(corpus.levels.values_list("slug", "of", "rises_from", "falls_below", "pay_cents")) == [
        ("learner", 10, 80, 0, 0),
        ("writer", 10, 0, 50, 5),
    ]
    assert corpus.prompts.get().review_percent == 20
    corpus.texts.all().delete()
    again = corpus_file_in(text_of(corpus).text, name="small.toml")
    assert again.levels == corpus_file_in(text, name="small.toml").levels


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (FILE.replace("falls_below = 50", "rises_from = 90"), "no level above"),
        (FILE.replace("rises_from = 80", "falls_below = 10"), "takes the \\[exam\\] again"),
        (FILE.replace("rises_from = 80", "rises_from = 40\nfalls_below = 50"), "not be more than rises_from"),
        (FILE.replace('"writer"', '"learner"'), "is there 2 times"),
    ],
)
def test_the_corpus_file_is_told_what_makes_no_sense(corpus, more, why):
    with pytest.raises(BadCorpusFile, match=why):
        corpus_file_in(with_levels(text_of(corpus).text, more), name="small.toml")


def test_levels_want_feedback(corpus):
    PromptVersion.objects.update(feedback=False)
    with pytest.raises(BadCorpusFile, match="feedback = true"):
        corpus_file_in(text_of(corpus).text + FILE, name="small.toml")


def test_a_person_gets_their_reviews_and_takes_remarks_along(corpus):
    levels(corpus)
    write(corpus, ana(), 2)
    judge(corpus, *["other"] * 3, "fine", remark="Ana, no.")
    kinds = [row for row in everything_about(ana()) if row["record"] in ("review", "level")]
    assert [row["remark"] for row in kinds if row["record"] == "review"].count("Ana, no.") == 4
    erase(ana())
    assert not Review.objects.filter(remark__contains="Ana").exists()


def test_what_waits_is_said_and_found_in_the_sections(corpus):
    write(corpus, ana())
    page = signed_in(rosa()).get("/c/small/").text
    assert "3 sentences to review in The small corpus" in page
    assert NEXT in page
