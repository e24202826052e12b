"""Launching runs: what may be asked for, and stopping and resuming."""
