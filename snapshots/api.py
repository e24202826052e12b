"""What the REST views of all rooms share: a snapshot as JSON, and looking one up."""

from rest_framework import serializers

from accounts.rest.problems import Problem
from snapshots.models import Snapshot


class SnapshotSerializer(serializers.ModelSerializer):
    name = serializers.CharField(source="__str__")
    corpus = serializers.CharField(source="corpus.slug")
    pairs = serializers.IntegerField(source="pair_count")
    retraction = serializers.SerializerMethodField(help_text="null, or when and why it was retracted")
    url = serializers.HyperlinkedIdentityField(view_name="api-snapshot")

    class Meta:
        model = Snapshot
        fields = [
            "id",
            "name",
            "corpus",
            "version",
            "status",
            "sha256",
            "pairs",
            "seed",
            "dev_from_train",
            "author_disjoint",
            "progress",
            "error",
            "requested_at",
            "frozen_at",
            "published_at",
            "retraction",
            "url",
        ]

    def get_retraction(self, snapshot: Snapshot) -> dict[str, str] | None:
        if snapshot.retracted_at is None:
            return None
        return {"at": snapshot.retracted_at.isoformat(), "because": snapshot.retracted_because}


GONE = (
    "There is no such snapshot. If nothing had changed since an earlier snapshot, its freeze made no new one."
)


def known_snapshot(pk: int) -> Snapshot:
    """Returns a snapshot. Raises Problem (404)."""
    found = Snapshot.objects.select_related("corpus").filter(pk=pk).first()
    if found is None:
        raise Problem(status=404, detail=GONE)
    return found


def frozen_snapshot(pk: int) -> Snapshot:
    """Returns a frozen snapshot. Raises Problem (404)."""
    found = Snapshot.objects.frozen().select_related("corpus").filter(pk=pk).first()
    if found is None:
        raise Problem(status=404, detail="There is no such snapshot, or it is not frozen yet.")
    return found
