"""The baselines of the NLI papers, trained from a snapshot's files. Runs alone: no Django, no database.

Entry points: `python -m modeling.baselines.train RUN.json`, `... .evaluate RUN_FOLDER EVAL.json`, `...
.catalogue`. These three import torch only once their input is known to be sound, so that a wrong key is
answered at once.
"""
