"""The worker's side of a run: files, the training program, what it reports."""
