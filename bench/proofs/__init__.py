"""Measures the baselines on published corpora: `python -m bench.proofs` (results in docs/baselines.md)."""
