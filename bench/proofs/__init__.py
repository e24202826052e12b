"""What the baselines reach on published corpora: `python -m bench.proofs` (docs/baselines.md has the results)."""
