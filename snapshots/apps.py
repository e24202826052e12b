from django.apps import AppConfig


class SnapshotsConfig(AppConfig):
    name = "snapshots"

    def ready(self) -> None:
        from collection.members.gate import GONE, PLACES
        from collection.writing.prompts import FREEZES
        from shared.figures import register
        from snapshots import api
        from snapshots.browsing import changed_pairs, contents, pair_numbers
        from snapshots.handing_in import figures as handed_in
        from snapshots.statistics import agreement, corpus_figures, label_figures, tag_figures, word_figures

        for room in (
            agreement,
            corpus_figures,
            label_figures,
            word_figures,
            tag_figures,
            changed_pairs,
            contents,
            pair_numbers,
            handed_in,
        ):
            register(*room.FIGURES)
        FREEZES.append(is_being_made)
        PLACES["snapshots/", "pk"], GONE["snapshots"] = "snapshots", api.GONE


def is_being_made(corpus: int) -> bool:
    """Returns whether a snapshot of this corpus waits or is being frozen."""
    from snapshots.models import Snapshot

    found: bool = Snapshot.objects.under_way().filter(corpus=corpus).exists()
    return found
