"""An id of a platform is no password: what people can do who know an id, or invent ids."""

import hashlib
import hmac
import io
import json
import time
from urllib.error import URLError
from urllib.request import OpenerDirector

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from accounts.models import Grant, Qualification, SignInAttempt, User
from accounts.people.qualifications import grant
from accounts.sign_in import throttle
from collection.errors import NotByThisLink
from collection.joining import signatures
from collection.joining.entry_links import Arrival, Entry, EntryRefused, digest_of_browser, enter
from collection.joining.exams import standing_of
from collection.models import Corpus, EntryLink, Exam, Pair, Visit
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing
from collection.writing.who_may_write import may_write
from tests.cast import PASSWORD, person
from tests.concurrency.threads import at_once
from tests.corpora import make_corpus, make_pair, make_premise
from tests.made_once import made_once
from validation.annotators.membership import invite
from validation.errors import NotInPool
from validation.labelling.claiming import claim_batch
from validation.models import Question
from validation.pairs.opening import open_for_validation
from validation.start_page.offers import offers_for

pytestmark = pytest.mark.django_db
IDS = {"PROLIFIC_PID": "p-1", "STUDY_ID": "s-1", "SESSION_ID": "x-1"}
SECOND_STUDY = {"PROLIFIC_PID": "p-1", "STUDY_ID": "s-2", "SESSION_ID": "x-2"}


@made_once
def link():
    return make_link(make_corpus())


def make_link(corpus, **fields):
    given = {"proof": "none", "completion_code": "C0DE", **fields}
    return EntryLink.objects.create(corpus=corpus, platform="prolific", name="wave", tasks_wanted=1, **given)


def come_in(client, link, ids=IDS, **options):
    query = "&".join(f"{key}={value}" for key, value in ids.items())
    return client.post(f"{reverse('enter', args=[link.token])}?{query}", **options)


def personal_pages(client):
    asked = [
        client.get(reverse("my-data")),
        client.get(reverse("background")),
        client.post(reverse("make-token"), {"name": "mine now", "days": "0"}),
    ]
    return {answer.status_code for answer in asked}


def erase(client):
    code = User.objects.get(username__startswith="prolific-").code
    return client.post(reverse("erase-me"), {"code": code}).status_code


def test_a_second_browser_with_the_same_ids_gets_nothing(client, link):
    come_in(client, link)
    thief = Client()
    page = come_in(thief, link)
    assert page.status_code == 403
    assert "continue where you began" in page.content.decode()
    assert thief.get(reverse("my-data")).status_code == 302
    assert come_in(client, link).status_code == 302


def test_without_a_proof_an_id_stays_with_the_first_browser_whatever_the_session(client, link):
    come_in(client, link)
    thief = Client()
    for again in (link, make_link(make_corpus(slug="other"))):
        page = come_in(thief, again, SECOND_STUDY)
        assert page.status_code == 403
        assert "write to the researchers" in page.content.decode()
    assert not thief.session.get("_auth_user_id")
    assert Visit.objects.count() == 1
    assert come_in(client, link, SECOND_STUDY).status_code == 302
    assert personal_pages(client) == {200}
    assert erase(client) == 302


def test_what_a_proof_let_in_elsewhere_is_that_persons_browser_too(client, link):
    come_in(client, link)
    proving = make_link(link.corpus, proof=EntryLink.Proof.SIGNATURE)
    phone = Client()
    assert come_in(phone, proving, signed(proving, SECOND_STUDY)).status_code == 302
    assert come_in(phone, link, {**IDS, "SESSION_ID": "x-3"}).status_code == 302
    assert come_in(client, link).status_code == 302


def test_each_browser_sees_how_far_its_own_visit_is(client, link):
    EntryLink.objects.update(proof=EntryLink.Proof.SIGNATURE)
    come_in(client, link, signed(link, IDS))
    come_in(Client(), link, signed(link, SECOND_STUDY))
    Visit.objects.filter(session="x-1").update(finished_at="2026-01-01T00:00Z")
    assert "C0DE" in client.get(reverse("visit")).content.decode()


@pytest.mark.django_db(transaction=True)
def test_of_browsers_that_bring_one_id_at_one_moment_one_is_let_in():
    """Each with a session of its own, so that no constraint of visits stops them."""
    wave = link.make()

    def arrive(number):
        came = Arrival("p-1", session=f"s-{number}")
        return lambda: enter(link=wave, arrival=came, browser=digest_of_browser(str(number)))

    outcomes = at_once([arrive(number) for number in range(8)])
    assert sum(isinstance(each, Entry) for each in outcomes) == 1
    assert sum(isinstance(each, EntryRefused) for each in outcomes) == 7
    assert len(set(Visit.objects.exclude(browser="").values_list("browser", flat=True))) == 1


def test_the_database_takes_no_link_that_does_not_say_what_it_proves(link):
    with pytest.raises(IntegrityError, match="entry_proof_is_known"), transaction.atomic():
        EntryLink.objects.create(corpus=link.corpus, platform="prolific", name="wave", completion_code="C")


def test_nobody_gets_a_link_without_proof_unasked(link, browser_of, rosa):
    address = reverse("admin:collection_entrylink_add")
    page = browser_of(rosa).get(address).content.decode()
    assert '<option value="" selected>' in page.split('name="proof"')[1].split("</select>")[0]
    form = {"corpus": link.corpus_id, "platform": "connect", "name": "second", "participant_key": "who"}
    form |= {"tasks_wanted": 1, "completion_code": "X"}
    assert "This field is required" in browser_of(rosa).post(address, form).content.decode()
    said = browser_of(rosa).post(address, {**form, "proof": "none"}, follow=True).content.decode()
    assert "This link proves nothing" in said
    said = browser_of(rosa).post(address, {**form, "name": "third", "proof": "signature"}, follow=True)
    assert "This link proves nothing" not in said.content.decode()


def test_no_link_opens_an_account_that_may_do_more_or_has_a_password(client, link):
    come_in(client, link)
    user = User.objects.get()
    user.role = User.Role.RESEARCHER
    user.save()
    thief = Client()
    page = come_in(thief, link, SECOND_STUDY)
    assert page.status_code == 403
    assert "annotators only" in page.content.decode()
    assert thief.get(reverse("snapshots")).status_code == 302
    user.role = User.Role.ANNOTATOR
    user.set_password(PASSWORD)
    user.save()
    assert "has a password" in come_in(thief, link, SECOND_STUDY).content.decode()
    thief.force_login(user)
    assert come_in(thief, link, SECOND_STUDY).status_code == 302


def test_invented_ids_are_counted_by_address_as_sign_ins_are(link, monkeypatch):
    monkeypatch.setattr(throttle, "FAILURES_BY_ADDRESS", 5)
    answers = [
        come_in(Client(), link, {"PROLIFIC_PID": f"invented-{number}"}, REMOTE_ADDR="192.0.2.1")
        for number in range(6)
    ]
    assert [answer.status_code for answer in answers] == [302] * 5 + [429]
    assert "Please wait" in answers[-1].content.decode()
    assert int(answers[-1]["Retry-After"]) > 0
    assert User.objects.count() == 5
    elsewhere = come_in(Client(), link, {"PROLIFIC_PID": "p-1"}, REMOTE_ADDR="198.51.100.7")
    assert elsewhere.status_code == 302


def test_who_comes_back_in_the_same_browser_is_not_counted(client, link):
    assert {come_in(client, link).status_code for _ in range(8)} == {302}
    assert SignInAttempt.objects.count() == 1


def test_a_link_opens_its_own_corpus_alone(client, link):
    other = make_corpus(slug="other")
    for corpus in (link.corpus, other):
        premise = make_premise(corpus, f"A dog runs in {corpus.slug}.")
        make_seats(premises=[premise])
        make_pair(corpus, make_premise(corpus, "A cat sleeps."), "An animal rests.", public_id=corpus.slug)
    Question.objects.update(pool_is_open=True)
    for question in Question.objects.all():
        open_for_validation(question=question, pairs=Pair.objects.filter(corpus=question.corpus))
    come_in(client, link)
    user = User.objects.get()
    theirs = Question.objects.get(corpus=other)
    assert [offer.corpus for offer in offers_for(user)] == [link.corpus]
    with pytest.raises(NotByThisLink, match="not the study that you came for"):
        claim_writing(corpus=other, annotator=user)
    with pytest.raises(NotInPool):
        claim_batch(question=theirs, annotator=user)
    for page in ("writing", "labelling"):
        shown = client.get(reverse(page, args=[other.slug])).text
        assert f'href="{reverse("visit")}">Back to my tasks' in shown  # their own visit goes on
        assert "Finish on" not in shown
    assert claim_writing(corpus=link.corpus, annotator=user)
    assert claim_batch(question=Question.objects.get(corpus=link.corpus), annotator=user)
    exam = Exam.objects.create(corpus=other, qualification=Qualification.objects.create(slug="w", name="W"))
    assert "not the study that you came for" in standing_of(exam, user).why_not
    # An invitation by a researcher needs no link, and neither do people whom no platform sent.
    invite(question=theirs, annotator=user)
    assert claim_batch(question=theirs, annotator=user)
    other.writing_qualification = exam.qualification
    other.save()
    grant(user=user, qualification=exam.qualification, how=Grant.How.INVITATION)
    assert Corpus.objects.filter(may_write(user), pk=other.pk).exists()
    assert claim_batch(question=theirs, annotator=person("ana"))


def signed(link, ids, **expires):
    named = {"participant": ids["PROLIFIC_PID"], "study": ids["STUDY_ID"], "session": ids["SESSION_ID"]}
    return {**ids, **expires, "signature": signatures.signature_of(link.secret, **named, **expires)}


def test_a_signature_proves_who_comes_in_any_browser(client, link):
    link.proof = EntryLink.Proof.SIGNATURE
    link.save()
    other = make_link(link.corpus, proof=EntryLink.Proof.SIGNATURE)
    assert other.secret != link.secret
    for ids, says in [
        (IDS, "has no signature"),
        (signed(other, IDS), "does not fit"),
        ({**signed(link, IDS), "PROLIFIC_PID": "p-2"}, "does not fit"),
    ]:
        page = come_in(client, link, ids)
        assert page.status_code == 403
        assert says in page.content.decode()
    assert not User.objects.exists()
    come_in(client, link, signed(link, IDS))
    phone = Client()
    assert come_in(phone, link, signed(link, IDS)).status_code == 302
    assert personal_pages(phone) == {200}


def test_a_signed_address_can_expire(client, link):
    EntryLink.objects.update(proof=EntryLink.Proof.SIGNATURE)
    link.refresh_from_db()
    soon, past = str(int(time.time()) + 600), str(int(time.time()) - 1)
    for ids, says in [
        (signed(link, IDS, expires=past), "has expired"),
        ({**signed(link, IDS, expires=past), "expires": soon}, "does not fit"),
        ({**signed(link, IDS, expires=past), "expires": ""}, "does not fit"),
        (signed(link, IDS) | {"expires": soon}, "does not fit"),
        (signed(link, IDS, expires="tomorrow"), "does not say in seconds"),
        (signed(link, IDS, expires="٣"), "does not say in seconds"),
    ]:
        page = come_in(Client(), link, ids)
        assert (page.status_code, says in page.content.decode()) == (403, True), ids
    assert come_in(client, link, signed(link, IDS, expires=soon)).status_code == 302
    assert come_in(Client(), link, signed(link, IDS, expires="9" * 30)).status_code == 302


def test_the_signature_is_the_one_that_the_docs_describe():
    named = {"participant": "p-1", "study": "s-1", "session": "x-1"}
    # printf 'p-1\ns-1\nx-1' | openssl dgst -sha256 -hmac secret
    assert signatures.signature_of("secret", **named) == (
        "e46938fdc313b73c0dd96e144a45d47021b612fb4d53ea6cc0cb931addb5c7af"
    )
    with_an_end = hmac.new(b"secret", b"p-1\ns-1\nx-1\n1790000000", hashlib.sha256).hexdigest()
    assert signatures.signature_of("secret", **named, expires="1790000000") == with_an_end


@pytest.fixture(scope="module")
def keys():
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture
def prolific(link, keys, monkeypatch):
    """Plays Prolific: returns a function that signs ids, and lets the site fetch the public key."""
    public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(keys.public_key()))
    published = json.dumps({"keys": [{**public, "kid": "k1", "alg": "RS256", "use": "sig"}]}).encode()
    client = jwt.PyJWKClient("https://prolific.invalid/")
    client.fetches = 0

    def fetch(*args, **options):
        client.fetches += 1
        return io.BytesIO(published)

    monkeypatch.setattr(OpenerDirector, "open", fetch)
    monkeypatch.setattr(signatures, "_prolific_keys", lambda: client)
    link.proof, link.workspace = EntryLink.Proof.PROLIFIC, "our-workspace"
    link.save()

    def sign(ids=IDS, *, key=keys, kid="k1", algorithm="RS256", workspace="our-workspace", **claims):
        body = {
            "iss": "https://www.prolific.com",
            "aud": f"http://testserver{reverse('enter', args=[link.token])}?PROLIFIC_PID=p-1",
            "exp": time.time() + 60,
            "prolific": {**ids, "workspace_id": workspace},
            **claims,
        }
        return {"prolific_token": jwt.encode(body, key, algorithm, headers={"kid": kid})}

    return sign


def test_prolific_proves_who_comes(client, link, prolific):
    come_in(client, link, {**prolific(), "PROLIFIC_PID": "somebody-else"})
    assert Visit.objects.get().session == "x-1"
    assert Visit.objects.get().user.platform_identities.get().participant == "p-1"
    assert personal_pages(client) == {200}
    assert come_in(Client(), link, prolific(aud="testserver")).status_code == 302  # proved: any browser


@pytest.mark.parametrize(
    ("claims", "says"),
    [
        ({"workspace": "another"}, "another workspace"),
        ({"aud": "https://elsewhere.example/"}, "another site"),
        ({"aud": "http://testserver/enter/another/"}, "another site"),
        ({"iss": "https://evil.example"}, "is not Prolific"),
        ({"kid": "k2"}, "is not Prolific"),
        ({"key": "x" * 40, "algorithm": "HS256"}, "is not Prolific"),
        ({"key": "", "algorithm": "none"}, "is not Prolific"),
        ({"exp": time.time() - 3600}, "too old"),
    ],
)
def test_what_is_not_prolifics_word_lets_nobody_in(client, link, prolific, claims, says):
    page = come_in(client, link, {**IDS, **prolific(**claims)})
    assert page.status_code == 403
    assert says in page.content.decode()
    assert not User.objects.exists()


def test_an_old_token_of_prolific_serves_in_the_browser_of_the_visit(client, link, prolific):
    come_in(client, link, prolific())
    old = prolific(exp=time.time() - 3600)
    assert come_in(client, link, old).status_code == 302
    assert come_in(Client(), link, old).status_code == 403


def test_prolific_cannot_be_asked(client, link, prolific, monkeypatch):
    def unreachable(*args, **options):
        raise URLError("no network")

    monkeypatch.setattr(OpenerDirector, "open", unreachable)
    page = come_in(client, link, prolific())
    assert page.status_code == 403
    assert "try again in a few minutes" in page.content.decode()


def test_keys_are_not_fetched_for_every_invented_name(client, link, prolific):
    for number in range(5):
        client.get(reverse("enter", args=[link.token]), prolific(kid=f"invented-{number}"))
    assert signatures._prolific_keys().fetches == 1


def test_the_link_says_what_it_proves(link, browser_of, rosa):
    address = reverse("admin:collection_entrylink_change", args=[link.pk])
    page = browser_of(rosa).get(address).content.decode()
    assert "can come in as any participant" in page
    assert link.secret not in page
    EntryLink.objects.update(proof=EntryLink.Proof.SIGNATURE)
    page = browser_of(rosa).get(address).content.decode()
    assert link.secret in page
    assert "signature=[signature]" in page


@pytest.mark.parametrize("lookup", ["session__startswith=a", "study=s-1", "browser__startswith=a"])
def test_a_filter_tells_researchers_no_ids_of_the_platform(browser_of, rosa, lookup):
    address = f"{reverse('admin:collection_visit_changelist')}?{lookup}"
    assert browser_of(rosa).get(address).status_code == 400
    assert browser_of(person("ada", role="administrator")).get(address).status_code == 200
