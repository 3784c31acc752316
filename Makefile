# Two commands do everything on a fresh machine with Python (>= 3.11) and make:
#   make demo    make test
.DEFAULT_GOAL := help
SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DEV_STAMP := $(VENV)/.installed-dev
# The first of these that starts and is new enough; `make PYTHON=...` overrides.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo $$p; break; }; done)

.PHONY: help demo test test-all check lint types contracts bench docs-schema clean

help: ## Say what each target does.
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "make: no Python >= 3.11 found; install one or run make PYTHON=/path/to/python3" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)

# uv installs in seconds what pip installs in a minute; pip does where uv cannot be had.
# Byte code is made now, as pip does: every process would otherwise compile MLflow anew.
define install
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv 2>/dev/null || true
	@if [ -x $(BIN)/uv ]; then $(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python -c constraints.txt -e '$(1)'; \
	else $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '$(1)'; fi
endef

$(STAMP): pyproject.toml constraints.txt | $(BIN)/python
	$(call install,.)
	@touch $@

$(DEV_STAMP): pyproject.toml constraints.txt | $(BIN)/python
	$(call install,.[dev])
	@touch $@ $(STAMP)

demo: $(STAMP) ## Create the environment, run the main job on the embedded default, show the result.
	@$(BIN)/assay demo

test: $(DEV_STAMP) lint types contracts ## Everything CI runs: checks, then all tests but the slow lane.
	@$(BIN)/python -m pytest -m "not slow" -n 2 --dist loadgroup

test-all: $(DEV_STAMP) lint types contracts ## The same with the slow lane (coverage studies, process races).
	@$(BIN)/python -m pytest -n 2 --dist loadgroup

check: $(DEV_STAMP) lint types contracts ## Before every commit: format, lint, types, contracts, fast tests.
	@$(BIN)/python -m pytest -m "not slow and not e2e" -n 2 --dist loadgroup -q

lint: $(DEV_STAMP)
	@$(BIN)/ruff format --check . && $(BIN)/ruff check .

types: $(DEV_STAMP)
	@$(BIN)/pyright

contracts: $(DEV_STAMP)
	@$(BIN)/lint-imports

bench: $(DEV_STAMP) ## Compare speed as ratios within one run.
	@for f in benchmarks/*.py; do echo "== $$f"; $(BIN)/python $$f || exit 1; done

docs-schema: $(DEV_STAMP) ## Write the JSON Schemas of all records to docs/reference/schema.
	@$(BIN)/python -m assay.schema.export docs/reference/schema

constraints: | $(BIN)/python ## Pin every dependency anew.
	@$(BIN)/python -m pip install --quiet uv
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --all-extras --no-emit-index-url --no-header --no-annotate --upgrade pyproject.toml -o constraints.txt

clean: ## Remove the environment and what runs left in this folder.
	rm -rf $(VENV) dist build .pytest_cache .ruff_cache .import_linter_cache
