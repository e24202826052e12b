"""The worker's side of a run: its files, the training program, and what that reports."""
