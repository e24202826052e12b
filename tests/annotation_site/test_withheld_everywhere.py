"""Nothing but what is meant to depends on withheld labels: the site is rendered twice, with other labels in between.

A page, file or command that would show a withheld label, count it, or order by it says something else the second time.
"""

import json
import re
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from collection.models import Pair
from modeling.folders import folder_of
from modeling.models import TrainingRun
from nli.labels import SCHEMES
from shared.figures import FIGURES
from snapshots.exports.formats import FORMATS
from snapshots.models import SnapshotStatistics
from tests.addresses import Site, addresses, sample_site
from tests.cast import rosa, signed_in
from tests.counts import usual_by
from tests.made_once import made_once
from tests.snapshots.material import folder, freeze, lines, manifest
from validation.models import Adjudication, Label, Question
from validation.statistics import cached

pytestmark = pytest.mark.django_db

HASH = re.compile(r"[0-9a-f]{64}")
# What differs from one request to the next: tokens of forms, and times.
CHANGING = re.compile(
    r'name="csrfmiddlewaretoken" value="\w+"|"X-CSRFToken": "\w+"|x-csrftoken[^}]*|nonce="\w+"'
    r"|\d\d:\d\d(:\d\d)?(\.\d+)?|\d+(\.\d+)? (micro|milli)?seconds?",
    re.IGNORECASE,
)
MEANT = "leaderboard"  # the scores of what was handed in depend on the labels: in the name of an address or a figure
LARGE = ("agreement", "pairwise", "annotators", "cross", "bias", "overview", "pairs", "finished", "examples")


@made_once
def site() -> Site:
    return made(sample_site(withheld="test"))


def made(site: Site) -> Site:
    """Makes a decision about a withheld pair, and what a run predicts for them; the researcher is not named for it."""
    freeze(site.corpus)
    run = TrainingRun.objects.get()
    folder_of(run).mkdir(parents=True, exist_ok=True)
    ids = [line["pairID"] for line in lines(site.snapshot, "test")]
    said = [{"pairID": name, "predicted": "neutral", "probabilities": {"neutral": 1.0}} for name in ids]
    (folder_of(run) / "unscored-test.jsonl").write_text("".join(json.dumps(each) + "\n" for each in said))
    pair = Pair.objects.withheld().earliest("pk")
    question = Question.objects.get(corpus=site.corpus)
    Adjudication.objects.create(
        question=question, pair=pair, scheme=pair.scheme, label="neutral", reason="x", by=rosa()
    )
    assert Pair.objects.withheld().count() == 3
    return site


def relabel() -> None:
    """Gives every withheld label another value: that of the author, of a published file, of each vote, of a decision."""
    after = dict(zip(SCHEMES["nli3"], (*SCHEMES["nli3"][1:], SCHEMES["nli3"][0]), strict=True))
    pairs = Pair.objects.withheld()
    for pair in pairs:
        pair.author_label = after[pair.author_label]
        pair.published_label = after.get(pair.published_label, "neutral")
        pair.save()
    for rows in (Label.objects.filter(pair__in=pairs), Adjudication.objects.filter(pair__in=pairs)):
        for row in rows.exclude(label=None):
            row.label = after[row.label]
            row.save(update_fields=["label"])


def shown(client: Client, url: str) -> str:
    answer = client.get(url)
    body = answer.getvalue() if answer.streaming else answer.content
    text = body.decode(errors="replace")
    return f"{answer.status_code} {CHANGING.sub('', text)}"


def all_answers(site: Site, client: Client) -> dict[str, str]:
    """Returns what each address says, each figure as CSV, and the page of each withheld pair."""
    cached_now(site)
    urls = [each.url for each in addresses(site)]
    question = Question.objects.select_related("corpus").get(corpus=site.corpus)
    subjects: dict[str, Any] = {"snapshot": site.snapshot, "corpus": question, "question": question}
    for figure in FIGURES.values():
        if subject := subjects.get(figure.scope.name):
            urls += [f"{figure.address(subject)}as={form}" for form in ("csv", "json")]
    base = f"/corpora/{site.corpus.slug}"
    urls += [f"{base}/pairs/{name}/" for name in Pair.objects.withheld().values_list("public_id", flat=True)]
    urls += [f"{base}/pairs/?as=csv", f"/snapshots/{site.snapshot.pk}/pairs/?as=csv"]
    urls += [f"/api/v1{base}/pairs/?as=jsonl", f"/api/v1/snapshots/{site.snapshot.pk}/rows/?partition=test"]
    urls += [f"/api/v1/snapshots/{site.snapshot.pk}/files/{part}.jsonl" for part in ("train", "dev", "test")]
    run = TrainingRun.objects.get().pk
    urls += [f"/runs/{run}/predictions/test/", f"/runs/{run}/predictions/test.csv"]
    urls += [f"/api/v1/runs/{run}/predictions/?partition=test"]
    return {url: shown(client, url) for url in dict.fromkeys(urls) if MEANT not in url}


def cached_now(site: Site) -> None:
    """Lets a worker count again what pages of a large corpus show."""
    question = Question.objects.get(corpus=site.corpus)
    for kind in LARGE:
        row = cached.request_statistics(question=question, kind=kind, by=usual_by(kind))
        cached.carry_out(row.pk)


@pytest.mark.thorough
@pytest.mark.parametrize("role", ["researcher", "annotator"])
@pytest.mark.parametrize("large", [False, True])
def test_no_address_depends_on_a_withheld_label(site, role, large, monkeypatch):
    if large:
        monkeypatch.setattr(cached, "MOST_SEATS_IN_REQUEST", 0)
        monkeypatch.setattr(cached, "MOST_SEATS_ON_DASHBOARD", 0)
    client = signed_in(site.people[role])
    all_answers(site, client)  # opening a working page claims work: once
    first, again = all_answers(site, client), all_answers(site, client)
    restless = {url for url in first if first[url] != again[url]}
    assert len(restless) < 5, restless
    relabel()
    other = all_answers(site, client)
    assert other.keys() == again.keys()
    assert len(again) > 150
    assert {url for url in other if other[url] != again[url]} <= restless


def test_the_proof_finds_a_label_that_is_shown(site):
    """An administrator sees them: so the proof would find a page that shows them to others."""
    client = signed_in(site.people["administrator"])
    pair = Pair.objects.withheld().earliest("pk")
    url = f"/corpora/{site.corpus.slug}/pairs/{pair.public_id}/"
    first = shown(client, url)
    relabel()
    assert shown(client, url) != first


def said(command: str, *words: str) -> str:
    out = StringIO()
    try:
        call_command(command, *words, stdout=out, stderr=out)
    except CommandError as error:
        return str(error)
    return CHANGING.sub("", out.getvalue())


def test_no_command_and_no_export_depends_on_a_withheld_label(site, tmp_path):
    slug, name = site.corpus.slug, str(site.snapshot)
    commands = [
        ("agreement", slug, "--json"),
        ("agreement", slug, "--by", "genre"),
        ("quality", slug),
        ("bias", slug),
        ("verify_snapshot", str(folder(site.snapshot))),
        ("report", name, "snli-2"),
        ("withhold", slug),
        *(
            ("figure", figure.name, name)
            for figure in FIGURES.values()
            if figure.scope.name == "snapshot" and not figure.source and MEANT not in figure.name
        ),
    ]
    first = {words: said(*words) for words in commands}
    for format_name in FORMATS:
        said("export_snapshot", name, "--format", format_name, "--out", str(tmp_path / "one" / format_name))
    relabel()
    assert {words: said(*words) for words in commands} == first
    for format_name in FORMATS:
        said("export_snapshot", name, "--format", format_name, "--out", str(tmp_path / "two" / format_name))
    one, two = (
        {
            path.relative_to(tmp_path / which): path.read_bytes()
            for path in (tmp_path / which).rglob("*")
            if path.is_file()
        }
        for which in ("one", "two")
    )
    assert len(one) > 15
    assert one == two


def test_a_snapshot_depends_on_withheld_labels_by_its_hashes_alone(site):
    """Its statistics, too: they are counted from its files."""
    before = freeze(site.corpus)
    relabel()
    after = freeze(site.corpus)
    assert (folder(before) / "manifest.json").exists()
    assert before.version != after.version
    for path in folder(before).iterdir():
        if path.name != "manifest.json":
            assert path.read_bytes() == (folder(after) / path.name).read_bytes(), path.name
    told = [manifest(each) for each in (before, after)]
    for one in told:
        assert one["withheld"]["test-full.jsonl"].pop("sha256")
        assert one["withheld"]["test-full.jsonl"].pop("bytes")
        for key in ("name", "sha256", "manifest_sha256", "about"):
            del one[key]
    assert told[0] == told[1]
    assert not SnapshotStatistics.objects.filter(snapshot=after).exists()
