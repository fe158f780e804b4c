# One target a habit; `make help` lists them.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --disable-pip-version-check --quiet --require-hashes

# The first of these that is a version we run on; `make run PYTHON=/path/to/python3` names another.
PYTHON ?= $(shell for name in python3 python3.13 python3.12 python3.11; do \
	$$name -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null && echo $$name && break; done)

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | while IFS='|' read -r name text; do printf '  make %-9s %s\n' "$$name" "$$text"; done

run: $(VENV)/requirements.txt ## Start everything and print the address; Ctrl-C stops it
	@exec $(BIN)/python -m reactsql_web.start

ask: $(VENV)/requirements.txt ## Ask the demo database in the terminal: make ask Q="How many orders were cancelled?"
	@test -n "$$Q" || { echo 'Say what to ask: make ask Q="How many customers are there?"' >&2; exit 2; }
	@exec $(BIN)/python -m reactsql_web.start --ask "$$Q"

setup: $(VENV)/requirements.txt $(VENV)/requirements-dev.txt ## Prepare .venv with all packages, start nothing
	@:

test: setup lint types imports tests ## Prepare, then run every check and every test

lint: setup ## Style of the Python code
	$(BIN)/ruff check .

format: setup ## Put imports in order and repair what the linter can
	$(BIN)/ruff check --fix .

types: setup ## mypy, strict
	$(BIN)/mypy

imports: setup ## Who may import whom (pyproject.toml, tool.importlinter)
	$(BIN)/lint-imports

tests: unit browser ## All tests; `make unit ARGS="-k join"` for some

# In two runs: Playwright keeps an event loop in its thread, beside which Django refuses to reach the database, and the
# local model needs both cores for itself.
unit: setup ## The tests without a browser and without the local model
	$(BIN)/pytest -n 2 --dist loadgroup -m "not browser and not local_model" $(ARGS)

browser: setup ## The tests that drive a real Chromium, and one that asks the local model where it is served
	$(BIN)/pytest -m "browser or local_model" $(ARGS)

bench: setup ## Figures of speed and memory; ARGS=--help says which
	$(BIN)/python -m bench $(ARGS)

docs: $(VENV)/requirements.txt ## Write the generated parts of README and docs anew
	$(BIN)/python -m reactsql_web.reference

fuzz: setup ## Long random programs and SQL against all databases
	HYPOTHESIS_PROFILE=fuzz $(BIN)/pytest -m fuzz --timeout 7200 $(ARGS)

demo: $(VENV)/requirements.txt ## Make the demo database again; `make demo URL=postgresql+psycopg://…` elsewhere
	$(BIN)/python manage.py demo_database --force $(if $(URL),--url "$(URL)")

screens: setup ## Photograph all pages of the demo into docs/screens, light and dark, wide and narrow; PAGES="answer trace" for some
	$(BIN)/python -m tests.browser.screens docs/screens $(PAGES)

vendor: setup ## Fetch the front-end packages of static/vendor/manifest.json from npm
	$(BIN)/python static/vendor/refresh.py

lock: setup ## Compile requirements*.in into requirements*.txt with hashes
	$(BIN)/python -m pip install --disable-pip-version-check --quiet uv
	$(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-header requirements.in -o requirements.txt
	$(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-header requirements-dev.in -o requirements-dev.txt

clean: ## Remove what setup and the tests made; the data folder stays
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

.PHONY: help run ask setup test lint format types imports tests unit browser bench docs fuzz demo screens vendor lock clean

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "ReAct-SQL Web needs Python 3.11, 3.12 or 3.13, and none was found ($$(python3 --version 2>&1 || true))." \
		"Install one, or name it: make $(or $(MAKECMDGOALS),run) PYTHON=/path/to/python3" >&2; exit 1; }
	@echo "Making $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "Python's venv module is missing. On Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }

# A copy of the requirements inside the environment tells which packages it holds: the second call does nothing.
$(VENV)/requirements.txt: requirements.txt | $(BIN)/python
	@cmp -s $< $@ || { echo "Installing the packages of $<"; $(PIP) -r $<; }
	@cp $< $@

$(VENV)/requirements-dev.txt: requirements-dev.txt | $(VENV)/requirements.txt
	@cmp -s $< $@ || { echo "Installing the packages of $<"; $(PIP) -r $<; }
	@cp $< $@
