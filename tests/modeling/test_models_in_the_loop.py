"""Runs that answer writers: which may, how they are frozen, and a trained one that answers through the page."""

import json
import subprocess
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings as site

from annotation_site.intake.corpus_files import load
from annotation_site.intake.corpus_text import text_of
from collection.answering import CannotAnswer, answers_to
from collection.corpora.corpus_file import BadCorpusFile, corpus_file_in
from collection.corpora.loading import LoadRefused
from collection.models import Corpus, Guidance, Pair, PromptVersion, WritingAssignment
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing
from modeling.folders import folder_of
from modeling.models import TrainingRun
from modeling.running import asking, runner
from nli.run_files import MODEL_FILES, model_sha256
from schemas.toml_text import toml_of
from snapshots.models import Snapshot
from tests.cast import ana, signed_in
from tests.collection.test_arms import make_some_seats, with_arm
from tests.collection.test_ways_of_writing import PREMISE, draft_of
from tests.corpora import make_premise
from tests.modeling.material import SMALL, a_run, claimed, done_run, small_snapshot, vectors_for

pytestmark = pytest.mark.django_db


def weights(run: TrainingRun) -> TrainingRun:
    """Gives a run files, as a training leaves them."""
    folder_of(run).mkdir(parents=True, exist_ok=True)
    for name in MODEL_FILES:
        (folder_of(run) / name).write_text(f"{name} of run {run.pk}")
    return run


@pytest.fixture
def snapshot() -> Snapshot:
    return small_snapshot()


@pytest.fixture
def run(snapshot: Snapshot) -> TrainingRun:
    weights(done_run(snapshot, regime={"hypothesis_only": True}))
    return weights(done_run(snapshot))


def loaded(**keys: object) -> Corpus:
    load(corpus_file_in(toml_of(with_arm(**keys)), "file"))
    return Corpus.objects.get(slug="captions")


def test_a_file_names_a_run_and_its_twin_and_their_hashes_are_frozen(run):
    corpus = loaded(mode="model", run=run.pk, bonus_cents=20)
    twin = TrainingRun.objects.exclude(pk=run.pk).get()
    version = PromptVersion.objects.get(prompt__slug="edited")
    assert (version.run, version.twin, version.run_name) == (run.pk, twin.pk, "cbow on small@1")
    assert version.run_sha256 == model_sha256(folder_of(run)) != version.twin_sha256
    corpus.texts.all().delete()
    (said,) = (each for each in tomllib.loads(text_of(corpus).text)["prompts"] if each["slug"] == "edited")
    assert (said["mode"], said["run"], said["bonus_cents"]) == ("model", run.pk, 20)
    assert load(corpus_file_in(text_of(corpus).text, "file"), dry_run=True).lines == []


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ({"mode": "model"}, "run: is missing"),
        ({"run": 3}, 'is for mode = "model" or coach = true'),
        ({"bonus_cents": 3}, 'bonus_cents: is for mode = "model"'),
    ],
)
def test_a_file_says_which_run_and_what_for(keys, says):
    with pytest.raises(BadCorpusFile, match=says):
        loaded(**keys)


def test_what_cannot_answer_is_refused_with_a_reason(snapshot):
    def refused(number: int, **more: object) -> str:
        with pytest.raises(LoadRefused) as found:
            loaded(**{"mode": "model", "run": number, **more})
        return str(found.value)

    assert '[[prompts]] "edited" run: there is no finished run 999' in refused(999)
    queued = a_run(snapshot)
    assert f"there is no finished run {queued.pk}" in refused(queued.pk)
    alone = done_run(snapshot)
    assert "has no hypothesis-only twin: train one" in refused(alone.pk)
    twin = done_run(snapshot, regime={"hypothesis_only": True})
    assert "is not on this machine" in refused(alone.pk)
    assert f"run {twin.pk} reads no premise" in refused(twin.pk)
    Corpus.objects.filter(pk=snapshot.corpus_id).update(scheme="entailed2")
    assert "gives labels of entailed2, and the corpus has nli3" in refused(alone.pk)
    assert not PromptVersion.objects.filter(run__gt=0).exists()


def test_a_coach_needs_the_twin_alone(snapshot):
    twin = weights(done_run(snapshot, regime={"hypothesis_only": True}))
    loaded(coach=True, run=twin.pk)
    version = PromptVersion.objects.get(prompt__slug="edited")
    assert (version.run, version.twin) == (twin.pk, twin.pk)


def test_a_model_does_not_change_within_an_arm_and_its_files_are_hashed_once(run, snapshot):
    corpus = loaded(mode="model", run=run.pk)
    first = PromptVersion.objects.get(prompt__slug="edited")
    (seat,) = make_some_seats(corpus)[:1]
    WritingAssignment.objects.create(corpus=corpus, annotator=ana(), seat=seat, prompt_version=first)
    newer = weights(done_run(snapshot, seed=2))
    weights(done_run(snapshot, seed=2, regime={"hypothesis_only": True}))
    with pytest.raises(LoadRefused, match=f"with run {run.pk}, and a model does not change within an arm"):
        loaded(mode="model", run=newer.pk)
    loaded()  # the arm goes on without a model,
    with pytest.raises(LoadRefused, match="does not change within an arm"):
        loaded(mode="model", run=newer.pk)  # and not with another one
    (folder_of(run) / MODEL_FILES[0]).write_text("changed since")
    loaded(mode="model", run=run.pk, pay_cents=1)
    newest = PromptVersion.objects.filter(prompt__slug="edited").order_by("-number").first()
    assert newest.number > first.number
    assert newest.frozen_run == first.frozen_run


def test_a_site_without_the_program_says_so(run):
    frozen = asking.freeze(run.pk, "nli3", False)
    with pytest.raises(CannotAnswer, match="does not run on this machine"):
        answers_to(frozen, ["A dog."], {"neutral": "It runs."})


@pytest.fixture
def program(tmp_path: Path, settings) -> Iterator[None]:
    settings.ANSWERS_SOCKET = tmp_path / "s"
    command = [*asking.ANSWER, str(settings.ANSWERS_SOCKET), str(settings.RUN_ROOT)]
    with subprocess.Popen(command, cwd=site.BASE_DIR, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield
        process.terminate()


@pytest.mark.usefixtures("programs_start_at_once", "program")
@pytest.mark.django_db(transaction=True)
def test_a_trained_run_and_its_twin_answer_a_writer(tmp_path):
    snapshot = small_snapshot()
    config = {**SMALL, "epochs": "2", "look_up": "false"}
    vectors = vectors_for(snapshot, tmp_path / "vectors.txt")
    for regime in ({"hypothesis_only": True}, {}):
        run = runner.carry_out(
            claimed(a_run(snapshot, "cbow", vectors=vectors, config=config, regime=regime))
        )
        assert run.error == ""
    frozen = asking.freeze(run.pk, "nli3", False)
    corpus = snapshot.corpus
    PromptVersion.objects.update(
        mode="model",
        **{name: getattr(frozen, name) for name in ("run", "twin", "run_sha256", "twin_sha256")},
    )
    make_seats(premises=[make_premise(corpus, PREMISE)])
    client = signed_in(ana())
    client.post(f"/work/writing/small/prompt/{PromptVersion.objects.get().pk}/", {"agree": "yes"})
    until = time.monotonic() + 60
    while client.get("/work/writing/small/").context["is_model_away"] and time.monotonic() < until:
        time.sleep(0.2)  # it is read into memory; meanwhile the page works as ever
    token = claim_writing(corpus=corpus, annotator=ana()).token
    said = draft_of(client, token, neutral="It barks.").json()["answers"]
    assert "The model chose" in said["neutral"]
    kept = Guidance.objects.get()
    assert {kept.model_answer, kept.twin_answer} <= set(corpus.labels)
    lines = (folder_of(run) / "predictions-test.jsonl").read_text().splitlines()
    for line in map(json.loads, lines):
        pair = Pair.objects.get(public_id=line["pairID"])
        answers = answers_to(frozen, pair.premise.sentences, {"x": pair.hypothesis})["x"]
        assert answers.run.label == line["predicted"]
