"""Looks up the snapshot that a command names."""

from snapshots.statistics.scope import SNAPSHOT

frozen_snapshot = SNAPSHOT.named
