"""People consent before they work, and can withdraw their consent."""

from functools import partial

import pytest
from django.urls import reverse

from accounts.models import Consent, ConsentForm
from accounts.people import consents
from tests.cast import ana as make_ana
from tests.concurrency.threads import at_once


def make_form(title="Before you begin", text="We collect **sentences**."):
    return ConsentForm.objects.create(title=title, text=text, digest=ConsentForm.digest_of(title, text))


def url(form):
    return reverse("consent", args=[form.pk])


@pytest.mark.django_db
def test_stranger_is_sent_to_sign_in_and_back(client):
    form = make_form()
    assert client.get(url(form))["Location"] == f"{reverse('sign-in')}?next=/consent/{form.pk}/"
    assert client.post(url(form)).status_code == 302
    assert not Consent.objects.exists()


@pytest.mark.django_db
def test_form_is_read_before_it_is_given(browser_of, ana):
    page = browser_of(ana).get(url(make_form())).content.decode()
    assert "<strong>sentences</strong>" in page
    assert "I have read this, and I agree" in page
    assert not Consent.objects.exists()


@pytest.mark.django_db
def test_facts_are_in_sight_and_the_rest_is_folded_under_them(browser_of, ana):
    facts = [["**Pay.** Each task is paid.", "Also if you *stop*."], ["You may stop.", ""]]
    form = make_form(text="whole")
    ConsentForm.objects.filter(pk=form.pk).update(facts=facts)
    page = browser_of(ana).get(url(form)).text
    assert page.count("<details>") == 1  # it opens without scripts
    assert '<strong>Pay.</strong> Each task is paid. <span class="more">more</span></span></summary>' in page
    assert "Also if you <em>stop</em>." in page.partition("</summary>")[2].partition("</details>")[0]
    assert '<span class="fact">You may stop.</span>' in page


@pytest.mark.django_db
def test_agreeing_is_recorded_and_leads_on(browser_of, ana):
    form = make_form()
    answer = browser_of(ana).post(url(form), {"next": "/mine/"})
    assert answer["Location"] == "/mine/"
    assert Consent.objects.given_by(ana).filter(form=form).count() == 1
    assert "You agreed to this on" in browser_of(ana).get(url(form)).content.decode()


@pytest.mark.django_db
def test_a_new_wording_says_that_it_is_another_text(browser_of, ana):
    agreed = make_form()
    changed = ConsentForm.objects.create(title=agreed.title, text="Other words.", digest="0" * 64)
    browser, said = browser_of(ana), "This one is different"
    assert said not in browser.get(url(changed)).text
    consents.give_consent(user=ana, form=agreed)
    assert said in browser.get(url(changed)).text
    assert said not in browser.get(url(agreed)).text
    waits = "There is a newer consent text with this title."
    assert waits in browser.get(reverse("mine")).text
    consents.give_consent(user=ana, form=changed)
    assert waits not in browser.get(reverse("mine")).text


@pytest.mark.django_db
def test_agreeing_never_leads_off_this_site(browser_of, ana):
    answer = browser_of(ana).post(url(make_form()), {"next": "https://evil.example/"})
    assert answer["Location"] == reverse("start")


@pytest.mark.django_db
def test_withdrawn_consent_stays_in_the_record_and_can_be_given_again(browser_of, ana):
    form = make_form()
    consents.give_consent(user=ana, form=form)
    browser = browser_of(ana)
    page = browser.post(reverse("withdraw-consent", args=[form.pk]), follow=True).content.decode()
    assert "You took back your consent" in page
    assert not Consent.objects.given_by(ana).exists()
    assert not consents.withdraw_consent(user=ana, form=form)
    consents.give_consent(user=ana, form=form)
    assert Consent.objects.filter(user=ana).count() == 2


@pytest.mark.django_db
def test_one_person_cannot_withdraw_for_another(browser_of, ana, stan):
    form = make_form()
    consents.give_consent(user=ana, form=form)
    browser_of(stan).post(reverse("withdraw-consent", args=[form.pk]))
    assert Consent.objects.given_by(ana).exists()


@pytest.mark.django_db
def test_unknown_form_is_a_kind_404(browser_of, ana):
    answer = browser_of(ana).get(reverse("consent", args=[999]))
    assert answer.status_code == 404
    assert "There is nothing here" in answer.content.decode()


@pytest.mark.django_db(transaction=True)
def test_agreeing_in_many_tabs_at_once_is_agreeing_once():
    form, user = make_form(), make_ana()
    given = at_once([partial(consents.give_consent, user=user, form=form)] * 12)
    assert len({consent.pk for consent in given}) == 1


@pytest.mark.django_db
def test_a_text_with_a_place_to_fill_in_reaches_nobody(browser_of, ana):
    form = make_form(text="Questions go to *[name and address of the group]*.")
    for page in (browser_of(ana).get(url(form)), browser_of(ana).post(url(form), {"agree": "yes"})):
        assert page.status_code == 503
        assert "This study is not open yet" in page.content.decode()
        assert "[name and" not in page.content.decode()
    assert not Consent.objects.exists()
