"""Runs all checks that execute no test: `python -m scripts.lint`. Prints one line for each that passes.

`quick` or `slow` after it: these alone. `make test` runs the quick ones first, the slow ones beside the tests.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# import-linter has a script and no module to run; a script's first line breaks in a folder that was moved.
LINT_IMPORTS = "from importlinter.cli import lint_imports_command; lint_imports_command()"
# Two commands of Django in one process: starting takes longer than either.
MANAGE = (
    "from django.core.management import call_command, execute_from_command_line as run;"
    " run(['manage.py', 'makemigrations', '--check', '--dry-run']);"
    " call_command('check', deploy=True, fail_level='ERROR')"
)

QUICK: list[tuple[str, list[str]]] = [
    ("ruff check", ["-m", "ruff", "check", "--quiet", "--output-format=concise", "."]),
    ("landed migrations", ["-m", "scripts.migrations"]),
    ("ruff format", ["-m", "ruff", "format", "--check", "--quiet", "."]),
]
SLOW: list[tuple[str, list[str]]] = [
    ("imports", ["-c", LINT_IMPORTS, "--no-cache"]),
    ("mypy", ["-m", "mypy", "--no-error-summary", "."]),
    ("migrations, settings", ["-c", MANAGE]),
]
CHECKS = {"quick": QUICK, "slow": SLOW, "all": QUICK + SLOW}
# The settings of a site as it would be deployed; nothing listens to them here.
DEPLOYED = {
    "DJANGO_SETTINGS_MODULE": "annotation_site.settings",
    "SECRET_KEY": "only-for-checking-and-long-enough-not-to-be-called-short-0123456789",
    "ALLOWED_HOSTS": "quintet.example",
    "HTTPS": "True",
    "TRUSTED_PROXIES": "1",
    "SECURE_HSTS_SECONDS": "3600",
}


def main(which: str = "all") -> int:
    """Runs every check, the later ones too when one fails. Returns 1 if any failed."""
    with tempfile.TemporaryDirectory(prefix="quintet-lint-") as folder:
        plain = {
            key: value
            for key, value in os.environ.items()
            if key not in ("DATABASE_URL", "CELERY_BROKER_URL")
        }
        env = {**plain, **DEPLOYED, "QUINTET_VAR": folder}
        results = [check(name, [sys.executable, *words], env) for name, words in CHECKS[which]]
    return 0 if all(results) else 1


def check(name: str, command: list[str], env: dict[str, str]) -> bool:
    began = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    print(
        f"{name:20} {'ok' if done.returncode == 0 else 'FAILED':6} {time.monotonic() - began:6.1f} s",
        flush=True,
    )
    if done.returncode != 0:
        print(done.stdout + done.stderr, flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
