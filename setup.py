"""Refuses `pip install .`: a checkout is the installation."""

raise SystemExit(
    "Quintet runs from its checkout, with the exact versions of constraints.txt: `make demo` or `make env` installs it. It"
    " is no package for pip."
)
