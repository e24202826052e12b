"""Entry links of platforms: people come in under a code, and leave with the completion code."""

import html
import re

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.models import Grant, PlatformIdentity, Qualification, User
from accounts.people import qualifications, registration
from collection.joining.visits import earnings
from collection.models import Corpus, EntryLink, Pair, PromptVersion, Visit, WritingAssignment, WritingSeat
from collection.premises.writing_seats import make_seats
from tests.cast import person
from tests.concurrency.threads import at_once
from tests.corpora import make_corpus, make_link, make_pair, make_premise, pay
from tests.made_once import made_once
from validation.pairs.opening import open_for_validation

pytestmark = pytest.mark.django_db
IDS = {"PROLIFIC_PID": "p-1", "STUDY_ID": "s-1", "SESSION_ID": "x-1"}


@made_once
def link():
    return make_link(make_corpus(), name="first wave", tasks_wanted=2, completion_code="C0DE-77")


def come_in(client, link, ids=IDS, **options):
    query = "&".join(f"{key}={value}" for key, value in ids.items())
    return client.post(f"{reverse('enter', args=[link.token])}?{query}", **options)


def send_a_task(user, key):
    corpus = EntryLink.objects.get().corpus
    make_seats(premises=[make_premise(corpus, f"Premise {key}.")])
    WritingAssignment.objects.create(
        corpus=corpus,
        annotator=user,
        seat=WritingSeat.objects.latest("pk"),
        prompt_version=PromptVersion.objects.get(),
        closed_at=timezone.now(),
        outcome="submitted",
    )


def test_looking_at_the_link_makes_nothing(client, link):
    page = client.get(reverse("enter", args=[link.token]), IDS)
    assert page.status_code == 200
    assert "Prolific" in page.content.decode()
    assert not User.objects.exists()


def test_the_button_lets_somebody_in_under_a_code(client, link):
    page = come_in(client, link, follow=True)
    assert "0 of 2 tasks done" in page.content.decode()
    visit = Visit.objects.get()
    assert (visit.study, visit.session, visit.link) == ("s-1", "x-1", link)
    assert PlatformIdentity.objects.get(user=visit.user).participant == "p-1"
    assert "p-1" not in page.content.decode()


def test_coming_back_on_the_same_device_continues_the_visit(client, link):
    come_in(client, link)
    send_a_task(Visit.objects.get().user, "1")
    assert "1 of 2 tasks done" in come_in(client, link, follow=True).content.decode()  # reloaded
    client.cookies.pop("sessionid")  # the browser was closed for longer than a session lasts
    assert "1 of 2 tasks done" in come_in(client, link, follow=True).content.decode()
    assert Visit.objects.count() == 1


def test_the_code_is_shown_when_enough_is_sent_and_not_before(client, link):
    come_in(client, link)
    user = Visit.objects.get().user
    send_a_task(user, "1")
    assert "C0DE-77" not in client.get(reverse("visit")).content.decode()
    send_a_task(user, "2")
    assert "C0DE-77" in client.get(reverse("visit")).content.decode()


def test_a_link_that_wants_less_by_now_counts_who_had_done_that_much(client, link, browser_of):
    come_in(client, link)
    send_a_task(Visit.objects.get().user, "1")
    EntryLink.objects.update(tasks_wanted=1)
    assert "C0DE-77" in client.get(reverse("visit")).content.decode()
    ask = {"action": "download_earnings", "_selected_action": [link.pk]}
    address = reverse("admin:collection_entrylink_changelist")
    answer = browser_of(person("ada", role="administrator")).post(address, ask)
    assert b"first wave,p-1,1,0" in b"".join(answer.streaming_content)
    assert Visit.objects.get().finished_at is not None


def test_what_was_sent_before_the_visit_does_not_count_for_it(client, link):
    send_a_task(registration.person_from_platform(platform="prolific", participant="p-1"), "early")
    come_in(client, link)
    assert "0 of 2 tasks done" in client.get(reverse("visit")).content.decode()


def test_the_last_task_leads_to_the_code_and_the_next_ones_do_not(client, link):
    """Sends the task by a form, and by the script, which goes to the writing page by itself."""
    come_in(client, link)
    corpus = link.corpus
    make_seats(premises=[make_premise(corpus, f"The ferry leaves at {hour}.") for hour in range(3)])
    EntryLink.objects.update(tasks_wanted=2)
    work = reverse("writing", args=[corpus.slug])
    client.post(reverse("prompt", args=[corpus.slug, PromptVersion.objects.get().pk]), {"agree": "yes"})
    pages = []
    for number in range(3):
        if number == 2:
            assert client.get(work).url == reverse("visit"), "the way back takes no further text"
            client.post(reverse("visit-more"))
        form = client.get(work).context["form"]
        texts = {f"text-{label}": f"Somebody says {label}." for label in form.assignment.labels}
        sent = client.post(work, {"token": form["token"].value(), "key": form["key"].value(), **texts})
        pages.append(client.get(sent.url, follow=True).content.decode())
    assert ["C0DE-77" in page for page in pages] == [False, True, False]
    assert "Saved. You earned" in pages[1]
    assert 'data-copy="completion-code"' in pages[1]
    assert 'href="https://app.prolific.com/submissions/complete?cc=C0DE-77"' in pages[1]


@pytest.mark.parametrize("by_script", [True, False])
def test_the_last_batch_leads_to_the_code(client, link, by_script):
    EntryLink.objects.update(tasks_wanted=1)
    come_in(client, link)
    pair = make_pair(
        link.corpus, make_premise(link.corpus, "A dog barks."), "It is loud.", author=person("a")
    )
    question = link.corpus.questions.get()
    open_for_validation(question=question, pairs=Pair.objects.filter(pk=pair.pk))
    work = reverse("labelling", args=[link.corpus.slug])
    client.post(reverse("labelling-instructions", args=[link.corpus.slug]), {"agree": "yes"})
    page = client.get(work)
    slot = page.context["batch"].items[0].seat.token
    sent = {
        "assignment": page.context["batch"].assignment.token,
        "key": page.context["key"],
        f"label-{slot}": "neutral",
    }
    answer = client.post(work, sent, headers={"HX-Request": "true"} if by_script else {})
    assert (answer["HX-Redirect"] if by_script else answer.url) == reverse("visit")
    assert "C0DE-77" in client.get(reverse("visit")).content.decode()


def test_a_platform_that_wants_people_back_gets_a_link(client, link):
    EntryLink.objects.update(
        completion_url="https://platform.example/back?cc=1", completion_code="", tasks_wanted=1
    )
    come_in(client, link)
    send_a_task(Visit.objects.get().user, "1")
    assert 'href="https://platform.example/back?cc=1"' in client.get(reverse("visit")).content.decode()


@pytest.mark.parametrize(
    ("ids", "says"),
    [
        ({}, "does not say who you are"),
        ({"PROLIFIC_PID": " "}, "does not say who you are"),
        ({"PROLIFIC_PID": "{{%PROLIFIC_PID%}}"}, "does not say who you are"),
        ({"PROLIFIC_PID": "x" * 201}, "an invalid id"),
        ({"PROLIFIC_PID": "=HYPERLINK(1)"}, "an invalid id"),
        ({"PROLIFIC_PID": "p-1", "SESSION_ID": "a b"}, "an invalid id"),
    ],
)
def test_an_address_without_a_usable_id_is_told_what_to_do(client, link, ids, says):
    page = come_in(client, link, ids)
    assert page.status_code == 403
    assert says in page.content.decode()
    assert not User.objects.exists()


def test_other_platforms_name_their_parameters_otherwise(client, link):
    EntryLink.objects.update(
        participant_key="workerId", study_key="hitId", session_key="assignmentId", platform="mturk"
    )
    come_in(client, link, {"workerId": "W1", "hitId": "H1", "assignmentId": "A1"})
    visit = Visit.objects.get()
    assert (visit.study, visit.session) == ("H1", "A1")


def test_a_closed_link_and_an_ended_account_are_told_so(client, link):
    come_in(client, link)
    User.objects.update(is_active=False)
    assert "was ended" in come_in(client, link).content.decode()
    EntryLink.objects.update(closed_at="2026-01-01T00:00Z")
    seen = client.get(reverse("enter", args=[link.token]), IDS)  # before anybody reads and agrees for nothing
    assert (seen.status_code, "This study is closed" in seen.content.decode()) == (403, True)
    assert "closed" in come_in(client, link, {"PROLIFIC_PID": "p-2"}).content.decode()
    assert not PlatformIdentity.objects.filter(participant="p-2").exists()


def test_a_paused_study_is_told_before_the_consent_and_those_who_began_come_back(client, link):
    Corpus.objects.update(paused_at=timezone.now())
    seen, sent = client.get(reverse("enter", args=[link.token]), IDS), come_in(client, link)
    assert (seen.status_code, sent.status_code) == (403, 403)
    assert "paused this study" in seen.content.decode()
    assert not Visit.objects.exists()
    assert not PlatformIdentity.objects.exists()
    Corpus.objects.update(paused_at=None)
    come_in(client, link)
    Corpus.objects.update(paused_at=timezone.now())
    assert come_in(client, link).status_code == 302


def test_the_link_gives_its_qualification_but_not_again_after_it_was_taken_back(client, link, rosa):
    writers = Qualification.objects.create(slug="write-small", name="Writers")
    EntryLink.objects.update(grants=writers)
    come_in(client, link)
    held = Grant.objects.get()
    assert held.how == Grant.How.LINK
    qualifications.revoke(grant=held, because="Random sentences.", by=rosa)
    come_in(client, link)
    assert not Grant.objects.standing().exists()


def test_a_researcher_only_looks(browser_of, rosa, link):
    page = come_in(browser_of(rosa), link)
    assert "signed in as a researcher" in page.content.decode()
    assert not Visit.objects.exists()


def test_every_page_of_a_visit_shows_the_way_to_the_code(client, link, browser_of, ana):
    come_in(client, link)
    way = f'href="{reverse("visit")}"'
    assert way in client.get(reverse("mine")).content.decode()
    assert way not in browser_of(ana).get(reverse("mine")).content.decode()
    assert browser_of(ana).get(reverse("visit")).url == reverse("start")


def test_an_unknown_link_is_not_found(client):
    assert client.get(reverse("enter", args=["nothing"])).status_code == 404


def test_a_researcher_makes_a_link_and_reads_its_address(browser_of, rosa, link):
    form = {
        "corpus": link.corpus_id,
        "platform": "connect",
        "name": "second wave",
        "participant_key": "participantId",
        "study_key": "",
        "session_key": "",
        "proof": "none",
        "workspace": "",
        "tasks_wanted": 3,
        "completion_code": "",
        "completion_url": "",
    }
    refused = browser_of(rosa).post(reverse("admin:collection_entrylink_add"), form)
    assert refused.status_code == 200
    assert not EntryLink.objects.filter(name="second wave").exists()
    assert (
        browser_of(rosa)
        .post(reverse("admin:collection_entrylink_add"), {**form, "completion_code": "X"})
        .status_code
        == 302
    )
    made = EntryLink.objects.get(name="second wave")
    page = browser_of(rosa).get(reverse("admin:collection_entrylink_change", args=[made.pk])).content.decode()
    assert f"http://testserver/enter/{made.token}/</code>" in page  # Connect adds its ids by itself
    EntryLink.objects.filter(pk=made.pk).update(platform="mturk", participant_key="workerId")
    page = browser_of(rosa).get(reverse("admin:collection_entrylink_change", args=[made.pk])).content.decode()
    assert f"http://testserver/enter/{made.token}/?workerId=[workerId]</code>" in page
    assert "Replace the names in square brackets" in page


@pytest.mark.parametrize(
    "fields", [{}, {"participant_key": "who", "study_key": "", "proof": "prolific", "workspace": "w"}]
)
def test_the_address_shown_works_when_it_is_pasted_into_prolific(client, browser_of, rosa, link, fields):
    EntryLink.objects.update(**fields)
    page = browser_of(rosa).get(reverse("admin:collection_entrylink_change", args=[link.pk])).content.decode()
    shown = re.search(r"<code>(http://testserver/enter/[^<]+)</code>", page)
    assert shown
    address = html.unescape(shown[1])
    # What Prolific does with it, as its documentation of a study's address says.
    for name, value in IDS.items():
        address = address.replace("{{%" + name + "%}}", value)
    assert "{" not in address
    if not fields:
        assert "Begin" in client.get(address).content.decode()
    else:
        assert address.endswith("?who=p-1&SESSION_ID=x-1")


def test_only_administrators_download_who_earned_what(browser_of, rosa, client, link):
    come_in(client, link)
    user = Visit.objects.get().user
    pay(user, cents=30, key="1", corpus=link.corpus)
    pay(user, cents=12, key="2", corpus=link.corpus)
    registration.person_from_platform(platform="prolific", participant="never came")
    ask = {"action": "download_earnings", "_selected_action": [link.pk]}
    address = reverse("admin:collection_entrylink_changelist")
    ada = browser_of(person("ada", role="administrator"))
    lines = b"".join(ada.post(address, ask).streaming_content).decode().splitlines()
    assert lines == ["link,participant,finished_visits,earned_cents", "first wave,p-1,0,42"]
    assert not browser_of(rosa).post(address, ask).streaming


def test_what_somebody_earned_is_in_the_list_of_one_link(link, client):
    """Otherwise people who came through several links would be paid several times for the same work."""
    second = make_link(link.corpus, name="second wave")
    elsewhere = make_link(make_corpus(slug="elsewhere"), name="elsewhere")
    come_in(client, link)
    user = Visit.objects.get().user
    for number, (through, cents) in enumerate([(link, 30), (elsewhere, 500), (second, 7), (second, 5)]):
        come_in(client, through, {**IDS, "SESSION_ID": f"x-{number}"})
        pay(user, cents=cents, key=str(number), corpus=through.corpus)
    pay(user, cents=1000, key="late", corpus=link.corpus)
    earned = {each: [person.cents for person in earnings(each)] for each in (link, second, elsewhere)}
    assert earned == {link: [30], second: [7 + 5 + 1000], elsewhere: [500]}


@pytest.mark.django_db(transaction=True)
def test_two_first_visits_at_one_moment_make_one_account():
    link.make()

    def arrive():
        return registration.person_from_platform(platform="prolific", participant="p-9").pk

    assert len(set(at_once([arrive] * 8))) == 1
    assert PlatformIdentity.objects.count() == User.objects.count() == 1


@pytest.mark.parametrize("done", [0, 1])
def test_a_visitor_for_whom_work_runs_out_is_told_how_to_end(client, link, done):
    come_in(client, link)
    user = Visit.objects.get().user
    if done:
        send_a_task(user, "1")
    page = client.get(reverse("visit")).content.decode()
    assert f"{done} of 2 tasks done" in page
    assert "no more work for you" in page
    assert "C0DE-77" not in page
    assert f"<code>{user.code}</code>" in page
    EntryLink.objects.update(no_work_code="N0-W0RK")
    page = client.get(reverse("visit")).content.decode()
    assert '<code id="completion-code">N0-W0RK</code>' in page
    assert 'href="https://app.prolific.com/submissions/complete?cc=N0-W0RK"' in page
    assert Visit.objects.get().finished_at is None


def test_pages_without_work_lead_a_visitor_to_the_end_of_the_visit(client, link, browser_of):
    come_in(client, link)
    client.post(reverse("labelling-instructions", args=[link.corpus.slug]), {"agree": "yes"})
    for address in (
        reverse("start"),
        reverse("labelling", args=[link.corpus.slug]),
        reverse("writing", args=[link.corpus.slug]),
    ):
        assert "Finish on" in client.get(address).content.decode()
    assert "Finish on" not in browser_of(person("vera")).get(reverse("start")).content.decode()


def test_a_visit_with_work_left_goes_on(client, link):
    come_in(client, link)
    make_seats(premises=[make_premise(link.corpus, "Rain falls.")])
    page = client.get(reverse("visit")).content.decode()
    assert "no more work" not in page
    assert "Begin" in page
