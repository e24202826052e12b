"""`bench pages` measures in a process of its own, which no test database and no settings of pytest help."""

import os
import subprocess
import sys

from bench.__main__ import PAGES


def test_the_measuring_process_finds_all_that_it_imports() -> None:
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "annotation_site.settings"}
    done = subprocess.run([sys.executable, "-c", PAGES, "--help"], env=env, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "PAIRS" in done.stdout
