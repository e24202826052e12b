"""Writes pairs made by machine: a scene's premise with its drawn hypotheses."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from collection.models import Corpus, Genre, Pair, Premise, Source
from collection.pairing.draw import Hypothesis
from collection.pairing.scenes import Scene
from collection.premise_ids import digest_of, spare_public_id, text_of
from collection.texts import one_line


@dataclass(frozen=True, slots=True)
class PairedScene:
    scene: Scene
    hypotheses: Sequence[Hypothesis]


def paired_already(genre: Genre, scenes: Iterable[Scene]) -> set[str]:
    """Returns the ids of scenes that need no pairs: their premise has machine-made pairs, or is not open."""
    digests = {digest_of(scene.premise): scene.id for scene in scenes}
    paired = Pair.objects.filter(premise=OuterRef("pk")).exclude(construction="")
    done = Premise.objects.filter(
        ~Q(status=Premise.Status.OPEN) | Exists(paired), genre=genre, digest__in=digests
    )
    return {digests[digest] for digest in done.values_list("digest", flat=True)}


@transaction.atomic
def write_paired(*, genre: Genre, source: Source, items: Sequence[PairedScene]) -> Counter[str]:
    """Writes premises and pairs without author; returns how many of each are new.

    Skips scenes that were paired in the meantime. Uses premises that the genre has already.
    """
    # `no_key`: annotators' rows refer to the corpus and must not wait for an import.
    corpus = Corpus.objects.select_for_update(no_key=True).get(pk=genre.corpus_id)
    done = paired_already(genre, (item.scene for item in items))
    items = [item for item in items if item.hypotheses and item.scene.id not in done]
    premises, made = _premises(corpus, genre, source, [item.scene for item in items])
    pairs = [
        Pair(
            corpus=corpus,
            premise_id=premises[digest_of(item.scene.premise)],
            hypothesis=one_line(each.text),
            public_id=_pair_id(genre, item.scene, each.text),
            scheme=corpus.scheme,
            source=source,
            construction=each.construction,
            published_partition=item.scene.partition or None,
        )
        for item in items
        for each in item.hypotheses
    ]
    Pair.objects.bulk_create(pairs)
    return Counter(premises=made, pairs=len(pairs))


def _premises(
    corpus: Corpus, genre: Genre, source: Source, scenes: Sequence[Scene]
) -> tuple[dict[str, int], int]:
    """Returns the ids of the scenes' premises by digest, and how many of them are new."""
    by_digest = {digest_of(scene.premise): scene for scene in scenes}
    there = Premise.objects.filter(genre=genre, digest__in=by_digest).values_list("digest", "pk")
    ids = dict(there)
    new = {digest: scene for digest, scene in by_digest.items() if digest not in ids}
    taken = set(
        Premise.objects.filter(corpus=corpus, public_id__in=[scene.id for scene in new.values()]).values_list(
            "public_id", flat=True
        )
    )
    made = Premise.objects.bulk_create(
        Premise(
            corpus=corpus,
            genre=genre,
            source=source,
            document=scene.id,
            line=scene.line,
            public_id=spare_public_id(scene.id, genre.slug, digest) if scene.id in taken else scene.id,
            group=scene.id,
            text=text_of(scene.premise),
            sentence_count=len(scene.premise),
            digest=digest,
        )
        for digest, scene in new.items()
    )
    return ids | {premise.digest: premise.pk for premise in made}, len(made)


def _pair_id(genre: Genre, scene: Scene, hypothesis: str) -> str:
    """Returns an id made from the content. It does not show annotators where the hypothesis came from."""
    content = "\n".join((genre.slug, digest_of(scene.premise), hypothesis))
    return f"paired-{hashlib.sha256(content.encode()).hexdigest()[:20]}"
