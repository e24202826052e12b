#!/bin/sh
# Finds a Python that will do and hands over to environment.py: `sh scripts/env.sh train dev`.
# In sh, because a Python that is too old could not even read what is written for a newer one.
set -eu

good='import sys; sys.exit(sys.version_info < (3, 11))'

# The everyday case first: the environment is there and its Python works.
if [ -z "${PYTHON:-}" ] && [ -x .venv/bin/python ] && .venv/bin/python -c "$good" 2>/dev/null; then
    exec .venv/bin/python scripts/environment.py "$@"
fi

if [ -n "${PYTHON:-}" ]; then
    if ! command -v "$PYTHON" >/dev/null 2>&1; then
        echo "PYTHON=$PYTHON is not a program on this machine. Name one that is, such as PYTHON=python3.12." >&2
        exit 1
    fi
    if ! "$PYTHON" -c "$good"; then
        echo "Quintet needs Python 3.11 or newer, and $PYTHON is $("$PYTHON" --version 2>&1). Name a newer one: make demo PYTHON=python3.12" >&2
        exit 1
    fi
    exec "$PYTHON" scripts/environment.py "$@"
fi

seen=""
for name in python3 python3.14 python3.13 python3.12 python3.11 python; do
    command -v "$name" >/dev/null 2>&1 || continue
    if "$name" -c "$good" 2>/dev/null; then
        exec "$name" scripts/environment.py "$@"
    fi
    seen="$seen $name is $("$name" --version 2>&1)."
done
echo "Quintet needs Python 3.11 or newer, and none is on this machine's PATH.$seen Install one (Debian: apt-get install python3 python3-venv), or name it: make demo PYTHON=/path/to/python3.12" >&2
exit 1
