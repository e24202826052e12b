"""Makes the result tables of the papers, from runs on one's own snapshots."""
