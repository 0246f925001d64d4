# One line of help each; `make` with no target prints them. Only python3 (3.11+) and make are needed.
PYTHON ?= python3
HOST ?= 127.0.0.1
PORT ?= 8000
WORKERS ?= 2

BIN := .venv/bin
STAMP := .venv/.installed
PYTEST := $(BIN)/python -m pytest -q -n $(WORKERS)

.DEFAULT_GOAL := help
.PHONY: help demo test check unit-sqlite unit-postgres bench messages pictures clean

help:  ## print this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' Makefile

demo: .venv/.demo  ## migrate, seed and serve the travel desk (PORT=8000, HOST=127.0.0.1)
	@$(BIN)/python manage.py demo --host $(HOST) --port $(PORT)

test: check unit-sqlite unit-postgres  ## everything: style, types, layers, migrations, tests on SQLite and on PostgreSQL

check: $(STAMP)  ## ruff, mypy, import-linter, migrations
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python manage.py makemigrations --check --dry-run

unit-sqlite: $(STAMP)  ## the tests on SQLite
	TURNFRAME_TEST_DATABASE=sqlite $(PYTEST)

unit-postgres: $(STAMP)  ## the tests that touch rows on a PostgreSQL of their own
	TURNFRAME_TEST_DATABASE=postgres $(PYTEST)

bench: $(STAMP)  ## time and count turns beside two baselines, on both databases
	$(BIN)/python -m tests.benchmarks

messages: $(STAMP)  ## collect and compile the translations (needs GNU gettext)
	cd turnframe_django && ../$(BIN)/django-admin makemessages -l it --no-location --no-wrap --settings tests.settings --pythonpath ..
	cd demo_project && ../$(BIN)/django-admin makemessages -l it --no-location --no-wrap --settings tests.settings --pythonpath ..
	cd turnframe_django && ../$(BIN)/django-admin compilemessages -l it --settings tests.settings --pythonpath ..
	cd demo_project && ../$(BIN)/django-admin compilemessages -l it --settings tests.settings --pythonpath ..

pictures: $(STAMP)  ## take the README's pictures of the demo (needs Chromium)
	$(BIN)/python docs/pictures.py

clean:  ## remove what make and the demo made
	rm -rf .venv var build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed; set PYTHON=")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@ .venv/.demo

# The demo needs less than the tests do, and a newcomer should not wait for the rest.
.venv/.demo: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed; set PYTHON=")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[demo]'
	touch $@
