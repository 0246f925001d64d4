# Needs make and a python3 of 3.11 or newer; everything else goes into .venv.

PYTHON3 ?= python3
VENV ?= .venv
PYTHON := $(VENV)/bin/python
HOST ?= 127.0.0.1
PORT ?= 8000
WORKERS ?= 2
ROUNDS ?= 10
ARGS ?=

# Each file records what is installed; it is made anew when pyproject.toml changes.
DEMO := $(VENV)/.installed-demo
DEV := $(VENV)/.installed-dev
INSTALL := $(PYTHON) -m pip --disable-pip-version-check install --quiet
CATALOGUE := --no-wrap --no-location --no-obsolete

# Served to other machines, the demo answers to whatever name they call it by.
ANY_NAME := $(if $(filter-out 127.0.0.1 localhost,$(HOST)),TURNFRAME_ALLOWED_HOSTS='*')

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test check test-sqlite test-postgres coverage bench soak format messages tables pictures wheel clean

help: ## Print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(PYTHON):
	@$(PYTHON3) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed, this is " + sys.version)'
	$(PYTHON3) -m venv $(VENV)

$(DEMO): pyproject.toml | $(PYTHON)
	$(INSTALL) --editable '.[demo]'
	@touch $@

$(DEV): pyproject.toml | $(PYTHON)
	$(INSTALL) --editable '.[dev]'
	@touch $@

demo: $(DEMO) ## Serve the demo on SQLite: HOST=127.0.0.1 PORT=8000
	@$(ANY_NAME) $(PYTHON) manage.py demo --host $(HOST) --port $(PORT)

test: check test-sqlite test-postgres ## Run everything, on SQLite and on PostgreSQL

check: $(DEV) ## Lint, types, floors and migrations, without the tests
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check --quiet .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports --no-logo
	TURNFRAME_DATABASE_URL=sqlite:///:memory: $(PYTHON) manage.py makemigrations --check --dry-run

test-sqlite: $(DEV) ## Run the tests on SQLite: ARGS=tests/runtime
	TURNFRAME_TEST_DATABASE=sqlite $(PYTHON) -m pytest --numprocesses $(WORKERS) --dist worksteal $(ARGS)

test-postgres: $(DEV) ## Run those that touch rows on a PostgreSQL of their own
	TURNFRAME_TEST_DATABASE=postgres $(PYTHON) -m pytest --numprocesses $(WORKERS) --dist worksteal $(ARGS)

coverage: $(DEV) ## Say which lines and branches the SQLite pass does not reach
	$(PYTHON) -m coverage erase
	TURNFRAME_TEST_DATABASE=sqlite $(PYTHON) -m coverage run -m pytest $(ARGS)
	$(PYTHON) -m coverage combine --quiet
	$(PYTHON) -m coverage report

bench: $(DEV) ## Measure turns, pages and lists beside two baselines
	$(PYTHON) -m tests.benchmarks $(ARGS)

soak: $(DEV) ## Run the races again and again on both databases: ROUNDS=10
	@for round in $$(seq $(ROUNDS)); do for database in sqlite postgres; do \
		echo "round $$round on $$database"; \
		TURNFRAME_TEST_DATABASE=$$database $(PYTHON) -m pytest --quiet tests/races || exit 1; \
	done; done

format: $(DEV) ## Sort imports and format the code
	$(VENV)/bin/ruff check --fix-only --quiet .
	$(VENV)/bin/ruff format .

messages: $(DEV) ## Collect and compile the translations (needs gettext)
	cd turnframe_django && ../$(PYTHON) -m django makemessages --locale it $(CATALOGUE)
	$(PYTHON) manage.py makemessages --locale it $(CATALOGUE) $(foreach folder,build dist docs tests turnframe_django var,--ignore $(folder))
	cd turnframe_django && ../$(PYTHON) -m django compilemessages --locale it
	cd demo_project && ../$(PYTHON) -m django compilemessages --locale it

tables: $(DEV) ## Write the tables of docs/ that repeat the code
	$(PYTHON) docs/tables.py

pictures: $(DEV) ## Take the pictures of docs/ (needs chromium)
	$(PYTHON) docs/pictures.py

wheel: $(DEV) ## Build the wheel into dist/
	$(PYTHON) -m build --wheel --no-isolation .

clean: ## Remove the environment, the demo's rows and everything built
	rm -rf $(VENV) var build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .benchmarks
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
