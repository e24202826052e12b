"""Every address of the site, filled with a small site's own objects: for tests that must hold everywhere.

    site = sample_site()
    for address in addresses(site):
        client.get(address.url)

`addresses` asks Django for every pattern, those of the admin and of REST included. If `sample_site` has no value for
a place in a pattern, or no row of a model of the admin, the test fails and says what to add here.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import URLResolver, get_resolver
from django.utils import timezone

from accounts.models import ConsentForm, Qualification, SignedIn, User
from accounts.people.consents import give_consent
from accounts.people.qualifications import grant
from accounts.sign_in.passwords import reset_link
from accounts.sign_in.tokens import create_api_token
from collection.models import (
    Corpus,
    CorpusText,
    DroppedLine,
    Exam,
    ExamAttempt,
    ExamItem,
    Invitation,
    Pair,
    PairImportJob,
    PilotWriter,
    ProblemReport,
    Prompt,
    ReturnedText,
    Review,
    Source,
    Vetting,
    Visit,
    WritingAssignment,
    WritingSeat,
)
from modeling.marking.actions import begin_marking
from modeling.models import Worker
from shared.prepared_statements import _prepared
from snapshots.exports.job import carry_out_export, request_export
from snapshots.models import Snapshot
from snapshots.statistics.job import compute_statistics, request_statistics
from snapshots.withholding.actions import withhold
from tests.cast import ana, person, rosa, stan, vera
from tests.corpora import make_link, pay
from tests.modeling.material import done_run
from tests.snapshots.material import add_premise, corpus_of, freeze
from validation.annotators.membership import invite
from validation.models import Assignment, CalibrationItem, Question
from validation.pairs.opening import open_for_validation

PLACE = re.compile(r"<(?:\w+:)?(\w+)>")
GROUP = re.compile(r"\(\?P(<\w+>)[^()]*\)")


# Of a prepared statement only the name is sent.
EXECUTE = re.compile(r"EXECUTE (own_\d+)")
WRITE = re.compile(
    r"(^|[;(])\s*(INSERT|UPDATE|DELETE|TRUNCATE|LOCK|CREATE|DROP)\b|\bFOR (NO KEY |KEY )?(UPDATE|SHARE)\b|\bpg_advisory"
)


@dataclass(frozen=True)
class Address:
    """One pattern of the site with one of its URLs. `name` is empty if the pattern has none."""

    route: str
    name: str
    url: str


@dataclass(frozen=True)
class Site:
    """People and objects of `sample_site`, and `places`: start of a route -> place in it -> value.

    Of several starts that name the place, the longest counts. `queries`: route -> the query that it requires.
    """

    corpus: Corpus
    snapshot: Snapshot
    people: dict[str, User]
    places: dict[str, dict[str, Any]]
    queries: dict[str, str]


def sample_site(withheld: str = "") -> Site:
    """Makes a corpus with everything that an address can name, frozen once, and a person in each role.

    withheld: a partition whose labels nobody sees but the administrator.

    `people`: "annotator" labels and writes for the corpus, "stranger" may nothing, "researcher", "administrator".
    """
    corpus = corpus_of(4)
    question = Question.objects.get(corpus=corpus)
    form = ConsentForm.objects.create(title="Before you begin", text="Read this.", digest="1")
    corpus.consent_form, corpus.sign_up = form, True
    corpus.save()
    people = {
        "annotator": vera(),
        "stranger": stan(),
        "researcher": rosa(),
        "administrator": person("adam", role="administrator"),
    }
    for who in (ana(), vera()):
        give_consent(user=who, form=form)
        invite(question=question, annotator=who)
    if withheld:
        withhold(corpus=corpus, partition=withheld, by=people["administrator"])
    snapshot = freeze(corpus)
    export = carry_out_export(export_id=request_export(snapshot=snapshot, format_name="snli_txt").pk)
    figures = request_statistics(snapshot=snapshot, kind="corpus")
    compute_statistics(statistics_id=figures.pk)
    run = done_run(snapshot, "majority")
    run.lines.create(step=1, epoch=1, dev_accuracy=0.5)
    Worker.objects.create(name="w@here", queues="gpu", started_at=timezone.now(), seen_at=timezone.now())
    premise = add_premise(corpus, "A line that nobody has labelled.", validated=False)
    open_for_validation(question=question, pairs=Pair.objects.filter(premise=premise))
    pilot = Prompt.objects.get(corpus=corpus)
    version = pilot.versions.get()
    PilotWriter.objects.create(prompt=pilot, annotator=vera())
    create_api_token(user=vera(), name="script")
    token = vera().api_tokens.get()
    browser = SignedIn.objects.create(user=vera(), session_key="sample")
    qualification = Qualification.objects.create(slug="careful", name="Careful readers")
    grant(user=vera(), qualification=qualification, how="invitation", by=rosa())
    pay(vera(), cents=5, key="labels:sample", corpus=corpus)
    link = make_link(corpus, name="first wave")
    Visit.objects.create(link=link, user=vera(), session="s")
    exams = [
        Exam.objects.create(corpus=corpus, slug="writing", qualification=qualification),
        Exam.objects.create(
            corpus=corpus,
            slug=f"label-{question.slug}",
            qualification=Qualification.objects.create(slug="labellers", name="Labellers"),
        ),
    ]
    for exam in exams:
        ExamItem.objects.create(
            exam=exam, order=0, premise="A cat sleeps.", hypothesis="It rests.", label="neutral"
        )
    ExamAttempt.objects.create(exam=exams[0], annotator=vera())
    CalibrationItem.objects.create(
        question=question, digest="1", premise="A.", hypothesis="B.", scheme="nli3", label="neutral"
    )
    source = Source.objects.create(corpus=corpus, name="stories.txt", sha256="0" * 64)
    DroppedLine.objects.create(
        source=source, genre=premise.genre, line=1, text="No.", filter="short", public_id="dropped"
    )
    seat = WritingSeat.objects.create(premise=premise, position=1, genre=premise.genre, turn=1)
    task = WritingAssignment.objects.create(
        corpus=corpus,
        annotator=vera(),
        seat=seat,
        prompt_version=version,
        outcome="reported",
        closed_at=timezone.now(),
    )
    ProblemReport.objects.create(assignment=task, text="It is cut off.")
    returned = ReturnedText.objects.create(
        pair=Pair.objects.latest("pk"), remark="Please mend this.", by=rosa()
    )
    now = timezone.now()
    drawn = {"corpus": corpus, "writer": vera(), "percent": 10, "is_sample": True, "is_feedback": False}
    waiting, judged = Pair.objects.order_by("pk")[:2]
    Review.objects.create(pair=waiting, **drawn)
    Review.objects.create(pair=judged, **drawn, verdict="copied", judged_by=rosa(), judged_at=now)
    batch = Assignment.objects.create(question=question, annotator=vera(), leased_until=now, closed_at=now)
    imported = PairImportJob.objects.create(
        by=rosa(), corpus_slug=corpus.slug, files=["a.jsonl"], options={}, status="done", report={"pairs": 0}
    )
    vetting = Vetting.objects.create(
        corpus=corpus, by=rosa(), reason="Errors.", chosen_by="a list", created_at=timezone.now()
    )
    marking = begin_marking(
        snapshot=snapshot, partition="dev", number=1, phenomena=["negation"], seed=1, by=rosa()
    )
    invitation = Invitation.objects.create(corpus=corpus, email="nina@example.org", by=rosa())
    kept = CorpusText.objects.create(corpus=corpus, text=f'[corpus]\nslug = "{corpus.slug}"\nname = "Kept"\n')
    places: dict[str, dict[str, Any]] = {
        "": {"slug": corpus.slug, "corpus": corpus.slug, "snapshot_id": snapshot.pk},
        "consent/": {"form_id": form.pk},
        "sign-in/": {"provider_id": "university"},
        "mine/": {"form_id": form.pk, "token_id": token.pk, "browser_id": browser.pk},
        "work/": {"version": version.pk, "question_slug": question.slug},
        "work/mine/batches/": {"token": batch.token},
        "work/mine/returned/": {"number": returned.pk},
        "enter/": {"token": link.token},
        "come-back/": {"token": "used"},
        "invited/": {"token": invitation.token},
        "new-password/": dict(zip(("uid", "token"), reset_link(vera()), strict=True)),
        "corpora/": {
            "prompt": pilot.slug,
            "code": vera().code,
            "number": vetting.pk,
            "public_id": Pair.objects.earliest("pk").public_id,
        },
        "c/": {"public_id": Pair.objects.earliest("pk").public_id, "number": link.pk, "name": exams[0].slug},
        "c/<slug:slug>/writers/": {"code": vera().code},
        "c/<slug:slug>/settings/file/": {"number": kept.pk},
        "c/<slug:slug>/settings/change/": {"part": "pay"},
        "imports/": {"number": imported.pk},
        "snapshots/": {"pk": snapshot.pk, "format_name": "snli_txt"},
        "snapshots/<int:pk>/exports/": {"name": export.files.earliest("name").name},
        "snapshots/<int:pk>/files/": {"name": "manifest.json"},
        "snapshots/<int:pk>/tables/": {"name": "missed"},
        "snapshots/<int:pk>/files/withheld/": {"name": "test-full.jsonl"},
        "snapshots/<int:pk>/marking/": {"partition": marking.partition},
        "runs/": {"pk": run.pk, "partition": "dev"},
        "runs/start/": {"name": "bias"},
        "admin/": {
            "app_label": "collection",
            "content_type_id": ContentType.objects.get_for_model(Corpus).pk,
            "object_id": corpus.pk,
            "id": vera().pk,
            "url": "nowhere/",
        },
        "api/v1/snapshots/": {"pk": snapshot.pk, "format_name": "snli_txt"},
        "api/v1/corpora/<slug:slug>/figures/": {"name": "overview-seats-now"},
        "api/v1/snapshots/<int:pk>/figures/": {"name": "genres"},
        "api/v1/snapshots/<int:pk>/exports/": {"name": export.files.earliest("name").name},
        "api/v1/snapshots/<int:pk>/files/": {"name": "manifest.json"},
        "api/v1/snapshots/<int:pk>/tables/": {"name": "missed"},
        "api/v1/runs/": {"pk": run.pk, "name": "dev-accuracy"},
        "api/v1/corpora/": {"number": link.pk, "code": vera().code},
        "api/v1/corpora/<slug:slug>/members/": {"code": rosa().code},
        "api/v1/corpora/<slug:slug>/withheld/": {"partition": "test", "code": rosa().code},
    }
    queries = {
        "api/v1/corpora/<slug:slug>/cross-table/": f"?question={question.slug}",
    }
    return Site(corpus, snapshot, people, places, queries)


def addresses(site: Site) -> list[Address]:
    """Returns an address for every pattern of the site, in Django's order; of two with one route the first."""
    found: dict[str, Address] = {}
    for route, name, callback in _patterns(get_resolver().url_patterns, ""):
        values = _places_of(site, route)
        model_admin = getattr(callback, "model_admin", None)
        if model_admin is not None and "object_id" in PLACE.findall(route):
            row = model_admin.model._default_manager.order_by("pk").first()
            assert row is not None, f"{route}: make a {model_admin.model.__name__} in tests/addresses.py"
            values["object_id"] = row.pk
        unknown = set(PLACE.findall(route)) - values.keys()
        assert not unknown, f"{route}: give {unknown} a value in `places` of tests/addresses.py"
        url = PLACE.sub(lambda place, values=values: str(values[place[1]]), route)
        found.setdefault(route, Address(route, name or "", f"/{url}{site.queries.get(route, '')}"))
    return list(found.values())


def writes(asked: CaptureQueriesContext) -> list[str]:
    """Returns the statements that wrote or locked rows."""
    # Only connections to PostgreSQL prepare statements; SQLite's cannot be keys of a weak mapping.
    prepared = _prepared.get(connection.connection, {}) if connection.vendor == "postgresql" else {}
    known = {name: text for text, name in prepared.items()}
    said = [EXECUTE.sub(lambda call: f"{known[call[1]]}; ", query["sql"]) for query in asked.captured_queries]
    return [text for text in said if WRITE.search(text)]


def finish(answer: Any) -> None:
    """Reads a streamed response to its end, which closes its file. Not by `close()`: that ends the
    test's connection to the database.
    """
    if answer.streaming:
        for _ in answer.streaming_content:
            pass


def _places_of(site: Site, route: str) -> dict[str, Any]:
    starts = sorted((start for start in site.places if route.startswith(start)), key=len)
    return {name: value for start in starts for name, value in site.places[start].items()}


def _patterns(patterns: Any, before: str) -> Iterator[tuple[str, str | None, Any]]:
    for pattern in patterns:
        text = str(pattern.pattern)
        if text.startswith("^") or "(?P<" in text:
            text = GROUP.sub(r"\1", text).strip("^$").removesuffix("?")
        if isinstance(pattern, URLResolver):
            yield from _patterns(pattern.url_patterns, before + text)
        else:
            yield before + text, pattern.name, pattern.callback
