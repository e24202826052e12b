# Everything that a person types. Needs make, Python 3.11 or newer, and its venv module; no root, nothing else.
# Names of programs are relative, so that the checkout may lie anywhere, spaces and all.

# The Python that the environment in .venv/ is made with; unset: the first good one of python3, python3.14, ...
PYTHON ?=
PORT ?= 8000
ARGS ?=
export PYTHON
# Python stores compiled code beside the sources, even on machines that are set not to: a process that compiles
# Django again starts in twice the time, and the tests start hundreds. `make clean` removes it.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test quick lint bench env env-dev clean
.DEFAULT_GOAL := help

help: ## print this list
	@echo "Quintet. In this folder:"
	@sed -n 's/^\([a-z-]*\):[^#]*## /  make \1	/p' Makefile
	@echo "Choices: PORT=8001 for another port, PYTHON=python3.12 for another Python,"
	@echo "ARGS=... for more words to pytest or bench, QUINTET_VAR=DIR for data elsewhere than in var/."

demo: env ## start Quintet with the example corpus; Ctrl-C stops it all (PORT=8000)
	@exec .venv/bin/python manage.py demo --port "$(PORT)"

test: env-dev ## all checks and all tests, on PostgreSQL and Redis (ARGS="tests/accounts -x")
	@exec .venv/bin/python -m scripts.test $(ARGS)

quick: env-dev ## the same without the long tests, while you work
	@exec .venv/bin/python -m scripts.test --quick

lint: env-dev ## check without running: style, types, imports, migrations, settings
	@exec .venv/bin/python -m scripts.lint

bench: env-dev ## measure speeds on this machine (minutes)
	@exec .venv/bin/python -m bench $(ARGS)

env: ## make or update the environment in .venv/, nothing more
	@sh scripts/env.sh train

env-dev:
	@sh scripts/env.sh train dev

clean: ## remove caches and the environment; var/ with its data stays
	@rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis build quintet.egg-info
	@find . -name __pycache__ -type d -not -path './var/*' -prune -exec rm -rf {} +
