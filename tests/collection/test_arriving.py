"""From a platform's link to its return address: the welcome with consent, minutes and money, and how a visit can end."""

from datetime import timedelta
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Consent, ConsentForm, Qualification, User
from accounts.people.qualifications import grant
from collection.joining import visits
from collection.joining.estimates import count_words
from collection.models import (
    Corpus,
    EntryLink,
    Exam,
    ExamAttempt,
    ExamItem,
    Pair,
    PromptVersion,
    Visit,
    WritingSeat,
)
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing
from collection.writing.submitting import skip_writing
from tests.addresses import writes
from tests.cast import person
from tests.corpora import make_corpus, make_link, make_pair, make_premise
from tests.made_once import made_once
from validation.pairs.opening import open_for_validation

pytestmark = pytest.mark.django_db


@made_once
def link():
    corpus = make_corpus(with_consent=True)
    make_seats(premises=[make_premise(corpus, f"The ferry leaves at {hour}.") for hour in range(4)])
    return make_link(
        corpus,
        work="writing",
        tasks_wanted=2,
        completion_code="C0DE-77",
        no_work_code="N0-W0RK",
        screened_out_code="SCR33N",
        timed_out_code="T1ME",
    )


def address_of(link, participant="5f0c"):
    query = f"PROLIFIC_PID={participant}&STUDY_ID=st&SESSION_ID=se-{participant}"
    return f"{reverse('enter', args=[link.token])}?{query}"


def agree(client, link, participant="5f0c"):
    return client.post(address_of(link, participant), {"agree": link.corpus.consent_form.digest})


def write_one(client, slug):
    work = reverse("writing", args=[slug])
    form = client.get(work).context["form"]
    texts = {f"text-{label}": f"Somebody says {label}." for label in form.assignment.labels}
    sent = client.post(work, {"token": form["token"].value(), "key": form["key"].value(), **texts})
    return client.get(sent.url, follow=True)


def test_from_the_platforms_link_to_its_return_address(client, browser_of, rosa, link):
    """The platform's side is played: it fills its placeholders into the address that the site shows, and reads the
    code in the address to which the person comes back."""
    shown = browser_of(rosa).get(reverse("entry-link", args=[link.corpus.slug, link.pk])).context["address"]
    ids = {"PROLIFIC_PID": "5f0c", "STUDY_ID": "64aa", "SESSION_ID": "77bb"}
    for name, value in ids.items():
        assert "{{%" + name + "%}}" in shown
        shown = shown.replace("{{%" + name + "%}}", value)
    screens = []
    page = client.get(shown)
    screens.append("welcome")
    text = page.content.decode()
    assert "We collect sentences." in text, "the consent is part of the welcome"
    assert "2 tasks" in text
    assert "about 5 minutes" in text
    assert "$0.60" in text
    assert not User.objects.filter(platform_identities__isnull=False).exists()
    client.post(reverse("entry-opened", args=[link.token]))
    page = client.post(shown, {"agree": link.corpus.consent_form.digest}, follow=True)
    screens.append("instructions")
    assert page.templates[0].name == "collection/writing/prompt.html"
    page = client.post(page.request["PATH_INFO"], {"agree": "yes"}, follow=True)
    screens.append("task")
    assert page.templates[0].name == "collection/writing/writing.html"
    assert screens == ["welcome", "instructions", "task"]
    left = '{0} of 2 left in this visit</span><span class="if-narrow">{0} left</span> · <bdi>{1}</bdi>'
    assert left.format(2, "$0.00") in page.text
    page = write_one(client, link.corpus.slug)
    assert left.format(1, "$0.30") in page.text
    page = write_one(client, link.corpus.slug)
    assert page.templates[0].name == "collection/joining/visit.html"
    assert "C0DE-77" in page.content.decode()
    client.post(reverse("visit-returned"))
    back = urlsplit(page.context["way_back"].address)
    assert f"{back.scheme}://{back.netloc}{back.path}" == "https://app.prolific.com/submissions/complete"
    assert parse_qs(back.query) == {"cc": ["C0DE-77"]}
    visit = Visit.objects.get()
    assert (visit.study, visit.session, visit.ended_as) == ("64aa", "77bb", "finished")
    funnel = browser_of(rosa).get(reverse("entry-link", args=[link.corpus.slug, link.pk])).context["funnel"]
    assert funnel.steps == {"opened": 1, "began": 1, "read": 1, "sent": 1, "finished": 1, "returned": 1}


def test_nobody_comes_in_without_the_consent_that_was_shown(client, link):
    page = client.post(address_of(link), {"agree": "of another wording"})
    assert page.status_code == 422
    assert "We collect sentences." in page.content.decode()
    assert "has changed while this page was open" in page.text
    assert "has changed" not in client.get(address_of(link)).text
    assert not Visit.objects.exists()
    assert not Consent.objects.exists()
    agree(client, link)
    assert Consent.objects.get().user == Visit.objects.get().user


def test_who_comes_back_is_not_asked_again(client, link):
    agree(client, link)
    EntryLink.objects.update(minutes_allowed=60)
    Visit.objects.update(arrived_at=timezone.now() - timedelta(minutes=20))
    page = client.get(address_of(link)).content.decode()
    assert "We collect sentences." not in page
    assert "0 of 2 tasks done. 40 minutes of your visit are left." in " ".join(page.split())
    assert "from the moment you press" not in page
    assert client.post(address_of(link)).status_code == 302
    assert "We collect sentences." in client.get(address_of(link, "other")).content.decode()
    Consent.objects.update(withdrawn_at=timezone.now())
    assert "We collect sentences." in client.get(address_of(link)).content.decode()
    assert client.post(address_of(link)).status_code == 422


def test_another_browser_is_refused_before_anybody_consents(client, link):
    agree(client, link)
    elsewhere = Client()
    page = elsewhere.get(address_of(link))
    assert page.status_code == 403
    assert "You began this study in another browser" in page.text
    assert "We collect sentences." not in page.text
    assert elsewhere.get(address_of(link, "other")).status_code == 200
    assert client.get(address_of(link)).status_code == 200


def test_where_the_work_of_a_link_is_gone_other_work_is_named(client, link):
    agree(client, link)
    make_pair(link.corpus, make_premise(link.corpus, "A bell rings."), "It is loud.")
    WritingSeat.objects.all().delete()
    page = client.get(reverse("visit")).text
    assert "There is no more work for you at the moment." in page
    open_for_validation(question=link.corpus.questions.get(), pairs=Pair.objects.all())
    page = client.get(reverse("visit")).text
    assert "There is no more work of this kind for you" in page
    assert f'href="{reverse("start")}">See the other work' in page


def test_a_consent_with_a_placeholder_lets_nobody_in(client, link):
    ConsentForm.objects.update(text="Write to [name of the group].")
    assert client.get(address_of(link)).status_code == 503
    assert agree(client, link).status_code == 503
    assert not Visit.objects.exists()


def test_labelling_begins_with_its_instructions(client, link):
    corpus = link.corpus
    pair = make_pair(corpus, make_premise(corpus, "A dog barks."), "It is loud.", author=person("a"))
    open_for_validation(question=corpus.questions.get(), pairs=Pair.objects.filter(pk=pair.pk))
    EntryLink.objects.update(work="labelling", tasks_wanted=3)
    shown = client.get(address_of(link)).context["estimate"]
    assert (shown.tasks, shown.cents) == (3, 3 * 5 * 5)  # batches of five, five cents each
    page = client.post(address_of(link), {"agree": corpus.consent_form.digest}, follow=True)
    assert page.templates[0].name == "validation/labelling/instructions.html"
    page = client.post(page.request["PATH_INFO"], {"agree": "yes"}, follow=True)
    assert "validation/labelling/labelling.html" in [template.name for template in page.templates]


def ends(client):
    page = client.get(reverse("visit"))
    return page.context["end"], page.context["way_back"].code


def test_each_end_has_its_code(client, link):
    agree(client, link)
    visit = Visit.objects.get()
    assert ends(client)[0] is None
    EntryLink.objects.update(minutes_allowed=20)
    assert ends(client)[0] is None
    Visit.objects.update(arrived_at=timezone.now() - timedelta(minutes=21))
    assert ends(client) == ("timed_out", "T1ME")
    Visit.objects.update(finished_at=timezone.now())
    assert ends(client) == ("finished", "C0DE-77")  # who finished is never out of time
    Visit.objects.update(finished_at=None, arrived_at=timezone.now())
    link.corpus.genres.get().premises.update(status="paused")
    assert ends(client) == ("no_work", "N0-W0RK")
    qualification = person_needs_exam(link, visit.user)
    assert ends(client) == ("screened_out", "SCR33N")
    page = client.get(reverse("visit")).text
    assert "You did not pass the exam" in page
    assert "You sent no paid task, so you earned nothing on this site." in page
    grant(user=visit.user, qualification=qualification, how="invitation")
    assert ends(client) == ("no_work", "N0-W0RK")
    EntryLink.objects.update(no_work_code="https://connect.example/partial")
    page = client.get(reverse("visit"))
    assert (page.context["way_back"].code, page.context["way_back"].address) == (
        "",
        "https://connect.example/partial",
    )


def test_a_visit_without_more_work_says_why(client, link):
    agree(client, link)
    wait = "If you want to wait for tasks"
    link.corpus.genres.get().premises.update(status="paused")
    page = client.get(reverse("visit")).text
    assert "All texts are done." in page
    assert wait in page
    link.corpus.genres.get().premises.update(status="open")
    Corpus.objects.update(max_tasks_per_day=1)
    task = claim_writing(corpus=link.corpus, annotator=Visit.objects.get().user)
    skip_writing(annotator=task.annotator, token=task.token)
    page = client.get(reverse("visit")).text
    assert "You have reached today&#x27;s limit of 1 text. Thank you! Please check again tomorrow." in page
    assert wait not in page, "nobody should wait here until tomorrow"


def test_every_page_says_when_the_time_is_over(client, link):
    asked = client.get(agree(client, link).url, follow=True)
    client.post(asked.request["PATH_INFO"], {"agree": "yes"})
    EntryLink.objects.update(minutes_allowed=20)
    over = "The time for this study is over."
    assert over not in client.get(reverse("start")).text
    Visit.objects.update(arrived_at=timezone.now() - timedelta(minutes=21))
    assert over in client.get(reverse("writing", args=[link.corpus.slug]), follow=True).text
    page = client.get(reverse("start")).text
    assert over in page
    assert "Time is over" in page  # in the head of every page
    assert over in client.get(address_of(link)).text


def person_needs_exam(link, user):
    qualification = Qualification.objects.create(slug="w", name="Writers")
    exam = Exam.objects.create(corpus=link.corpus, qualification=qualification, tries=1)
    ExamAttempt.objects.create(exam=exam, annotator=user, passed=False, judged_at=timezone.now(), number=1)
    return qualification


def test_who_has_no_try_left_is_led_to_the_end_of_the_visit(client, link):
    agree(client, link)
    person_needs_exam(link, Visit.objects.get().user)
    Exam.objects.update(tries=1)
    page = client.get(reverse("exam", args=[link.corpus.slug])).text
    assert "You have used all your tries" in page
    assert f'href="{reverse("visit")}"><span>Finish on' in page
    Corpus.objects.update(writing_qualification=Exam.objects.get().qualification)
    page = client.get(reverse("writing", args=[link.corpus.slug])).text
    assert "<h1>You cannot write here</h1>" in page
    assert "You have used all your tries" in page
    assert "Take the exam" not in page


def test_a_visit_whose_exam_is_still_read_says_that(client, link):
    agree(client, link)
    link.corpus.genres.get().premises.update(status="paused")
    person_needs_exam(link, Visit.objects.get().user)
    ExamAttempt.objects.update(passed=None, judged_at=None)
    page = client.get(reverse("visit")).text
    assert "A researcher is still reading your exam." in page
    assert "Until the result is here you get no tasks" in page
    assert "no more work" not in page
    assert "tasks that other people leave unfinished" not in page


def test_who_must_pass_an_exam_before_writing_reads_that(client, link):
    agree(client, link)
    qualification = Qualification.objects.create(slug="w", name="Writers")
    Corpus.objects.update(writing_qualification=qualification)
    page = client.get(reverse("writing", args=[link.corpus.slug])).text
    assert "To write here you need a qualification" in page
    Exam.objects.create(corpus=link.corpus, qualification=qualification)
    page = client.get(reverse("writing", args=[link.corpus.slug])).text
    assert "Before you can write here, you must pass the exam." in page
    assert "Take the exam" in page


def test_who_has_earned_here_reads_that_it_stays_when_an_exam_comes_up(client, link):
    asked = client.get(agree(client, link).url, follow=True)
    client.post(asked.request["PATH_INFO"], {"agree": "yes"})
    write_one(client, link.corpus.slug)
    qualification = Qualification.objects.create(slug="w", name="Writers")
    Corpus.objects.update(writing_qualification=qualification)
    Exam.objects.create(corpus=link.corpus, qualification=qualification)
    words = "To write more, you must pass the exam. What you earned stays yours."
    assert words in client.get(reverse("writing", args=[link.corpus.slug])).text
    assert words in client.get(reverse("my-writing")).text


def test_after_the_last_task_the_own_page_leads_to_the_end_of_the_visit(client, link):
    asked = client.get(agree(client, link).url, follow=True)
    client.post(asked.request["PATH_INFO"], {"agree": "yes"})
    assert "Finish on" not in client.get(reverse("my-writing")).text
    EntryLink.objects.update(tasks_wanted=1)
    write_one(client, link.corpus.slug)
    assert "Finish on" in client.get(reverse("my-writing")).text


def test_the_clock_of_a_visit_is_explained(client, link):
    words = "minutes from the moment you press the button to begin; breaks count, too."
    assert words not in client.get(address_of(link)).text
    EntryLink.objects.update(minutes_allowed=20)
    assert f"You have 20 {words}" in client.get(address_of(link)).text
    agree(client, link)
    Visit.objects.update(arrived_at=timezone.now() - timedelta(minutes=8, seconds=-30))
    page = client.get(reverse("visit")).text
    assert words not in page
    assert "of your visit are left. Breaks count, too." in page
    assert "Do not cancel (“return”) the study yet." in page
    Visit.objects.update(finished_at=timezone.now())
    assert "of your visit are left. Go back to" in client.get(reverse("visit")).text
    Visit.objects.update(arrived_at=timezone.now() - timedelta(minutes=20))
    assert "The time of your visit is over: go back to" in client.get(reverse("visit")).text


@pytest.mark.parametrize(("seconds", "left"), [(0, 20), (90, 19), (1199, 1), (1200, 0), (9999, 0)])
def test_the_minutes_that_are_left_are_rounded_up(client, link, monkeypatch, seconds, left):
    EntryLink.objects.update(minutes_allowed=20)
    agree(client, link)
    now = timezone.now()
    Visit.objects.update(arrived_at=now - timedelta(seconds=seconds), finished_at=now)
    monkeypatch.setattr(visits, "timezone", SimpleNamespace(now=lambda: now))
    assert client.get(reverse("visit")).context["minutes_left"] == left


def test_who_came_through_a_link_needs_no_address(client, link):
    agree(client, link)
    page = client.get(reverse("my-email"))
    assert page.status_code == 200
    assert "You need no e-mail address" in page.text
    assert "<input" not in page.text.partition("<main")[2]
    assert client.post(reverse("my-email"), {"email": "a@example.org"}).status_code == 403


def test_the_welcome_tells_of_the_exam_that_comes_first(client, link):
    writers = Qualification.objects.create(slug="w", name="Writers")
    exam = Exam.objects.create(corpus=link.corpus, qualification=writers)
    ExamItem.objects.create(
        exam=exam, order=0, premise="It rains.", hypothesis="It is wet.", label="entailment"
    )
    words = "First you take an exam of 1 question. Only people who pass it get tasks. The exam is not paid"
    assert words not in client.get(address_of(link)).text  # nobody must pass it in order to write
    Corpus.objects.filter(pk=link.corpus_id).update(writing_qualification=writers)
    assert words in client.get(address_of(link)).text
    EntryLink.objects.update(grants=writers)
    assert words not in client.get(address_of(link)).text
    EntryLink.objects.update(grants=None)
    Exam.objects.update(is_open=False)
    assert words not in client.get(address_of(link)).text


def test_a_closed_study_says_what_to_do_on_the_platform(client, link):
    EntryLink.objects.update(closed_at=timezone.now())
    assert "please cancel (“return”) it on" in client.get(address_of(link)).text


def test_only_the_first_way_back_is_noted_and_only_at_an_end(client, link):
    agree(client, link)
    client.post(reverse("visit-returned"))
    assert Visit.objects.get().returned_at is None
    link.corpus.genres.get().premises.update(status="paused")
    client.post(reverse("visit-returned"))
    Visit.objects.update(finished_at=timezone.now())
    client.post(reverse("visit-returned"))
    assert Visit.objects.get().ended_as == "no work"


def test_looking_writes_nothing(client, link, django_assert_max_num_queries):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as asked:
        client.get(address_of(link))
    assert writes(asked) == []
    agree(client, link)
    with CaptureQueriesContext(connection) as asked:
        client.get(reverse("visit"))
    assert writes(asked) == []


def test_the_wizard_makes_a_link_by_the_platforms_book(browser_of, rosa, link):
    client, slug = browser_of(rosa), link.corpus.slug
    form = {"name": "Wave 2", "work": "writing", "tasks_wanted": "3"}
    page = client.post(reverse("entry-links", args=[slug]), {**form, "platform": "connect"})
    assert page.status_code == 422
    assert "People need a code" in page.content.decode()
    assert "proof" in page.context["form"].errors  # nobody gets a link without one unasked
    page = client.post(
        reverse("entry-links", args=[slug]), {**form, "completion_code": "C", "proof": "prolific"}
    )
    assert "give the id of your workspace there" in page.content.decode()
    form["proof"] = "none"
    back = "https://connect.cloudresearch.com/participant/project/7DE64B7FBE/complete"
    page = client.post(
        reverse("entry-links", args=[slug]),
        {**form, "platform": "connect", "completion_url": back},
        follow=True,
    )
    made = EntryLink.objects.get(name="Wave 2")
    assert (made.participant_key, made.study_key, made.session_key) == (
        "participantId",
        "projectId",
        "assignmentId",
    )
    assert page.context["address"] == f"http://testserver/enter/{made.token}/"
    estimate = page.context["estimate"]
    assert (estimate.cents, estimate.minutes, estimate.reading_minutes) == (90, 7, 1)
    assert estimate.hourly_cents == 771  # the hour has the minutes of reading, too
    arrived = {"participantId": "c1", "projectId": "p", "assignmentId": "a1"}
    assert client.get(f"/enter/{made.token}/", arrived).status_code == 200
    page = client.post(reverse("entry-link", args=[slug, made.pk]), {"do": "close"}, follow=True)
    assert page.context["link"].closed_at is not None
    page = client.post(
        reverse("entry-link", args=[slug, made.pk]),
        {**form, "tasks_wanted": "0", "completion_code": "X"},
    )
    assert page.status_code == 422


def test_the_time_of_a_visit_has_that_of_reading(link, client):
    page = client.get(address_of(link))
    assert (
        "The time includes 1 minute to read this page and the instructions. This reading is not paid."
        in page.text
    )
    before = page.context["estimate"].minutes
    ConsentForm.objects.update(text="word " * 300)
    PromptVersion.objects.update(instructions="word " * 450)
    page = client.get(address_of(link))
    reading = page.context["estimate"].reading_minutes
    assert 5 <= reading <= 6
    assert page.context["estimate"].minutes == before - 1 + reading
    PromptVersion.objects.update(reading_pay_cents=15)
    assert "instructions is not paid" not in client.get(address_of(link)).text
    EntryLink.objects.update(minutes=12)
    page = client.get(address_of(link))
    assert (page.context["estimate"].minutes, page.context["estimate"].reading_minutes) == (12, 0)
    assert "The time includes" not in page.text


def test_the_first_screen_has_minutes_pay_and_pay_an_hour(link, client):
    page = client.get(address_of(link))
    task = page.context["estimate"].task
    assert task.hourly_cents == task.cents * 3600 // task.seconds
    hour, *before = (page.text.index(f"<dt>{name}") for name in ("Pay an hour", "Time", "Pay in all"))
    assert max(before) < hour < page.text.index('<div class="prose"')
    whole = page.context["estimate"].hourly_cents
    assert f"over the whole time it is <bdi>${whole / 100:.2f}</bdi>" in page.text
    ConsentForm.objects.update(text="word " * 600, facts=[["word", "word " * 599]])
    assert (
        client.get(address_of(link)).context["estimate"].hourly_cents == whole
    )  # only what is in sight counts


def test_words_are_counted_in_scripts_without_spaces_too():
    assert count_words(["Two words.", "", "読んでください"]) == 2 + 4


def test_reading_pay_belongs_to_a_visit(link, client):
    PromptVersion.objects.update(reading_pay_cents=15)
    assert client.get(address_of(link)).context["estimate"].cents == 2 * 30 + 15


def test_researchers_see_each_end_and_send_nothing(browser_of, rosa, link):
    client = browser_of(rosa)
    for end, code in (("finished", "C0DE-77"), ("screened_out", "SCR33N"), ("timed_out", "T1ME")):
        page = client.get(reverse("preview-end", args=[link.corpus.slug, link.pk]), {"end": end})
        assert code in page.content.decode()
        assert "connect-src 'none'" in page["Content-Security-Policy"]
    client.post(reverse("entry-opened", args=[link.token]))
    assert EntryLink.objects.get().opened == 0


def test_a_trial_says_first_that_nothing_is_paid(client, link):
    told = "This is a trial run: no money is paid."
    agree(client, link)
    assert told not in client.get(reverse("visit")).text
    Corpus.objects.update(made_for_demo=True)
    assert told in client.get(reverse("visit")).text
    assert told in client.get(reverse("mine")).text, "before anything is earned, too"


@pytest.mark.parametrize("is_trial", [False, True])
def test_what_a_trial_would_pay_is_no_promise(client, link, is_trial):
    Corpus.objects.update(made_for_demo=is_trial)
    EntryLink.objects.update(minutes_allowed=60)
    pages = [client.get(address_of(link)).text]
    agree(client, link)
    pages.append(client.get(reverse("visit")).text)
    promises = (
        "then pays you",
        "What you earned is paid.",
        "What you earned is paid also without a code:",
        "They pay",
    )
    assert [words for words in promises if any(words in page for page in pages)] == (
        [] if is_trial else list(promises)
    )
    assert ("In a real study" in pages[0], "In a real study" in pages[1]) == (is_trial, is_trial)


def test_an_early_end_names_what_was_earned(client, link):
    asked = client.get(agree(client, link).url, follow=True)
    client.post(asked.request["PATH_INFO"], {"agree": "yes"})
    write_one(client, link.corpus.slug)
    EntryLink.objects.update(tasks_wanted=9, minutes_allowed=1)
    Visit.objects.update(arrived_at=timezone.now() - timedelta(minutes=2))
    page = client.get(reverse("visit")).text
    assert "The time for this study is over." in page
    assert "What you earned so far, <bdi>$0.30</bdi>, will be paid." in page
    Corpus.objects.update(made_for_demo=True)
    told = client.get(reverse("visit")).text
    assert "In a real study, the <bdi>$0.30</bdi> that you earned so far would be paid." in told
    assert "will be paid." not in told
