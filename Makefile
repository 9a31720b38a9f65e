PYTHON ?= python3
VENV ?= .venv
PORT ?= 8000
# More arguments for pytest, as in: make test ARGS="-k token -x"
ARGS ?=

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: demo serve test check benchmark relevance conformance clients fuzz faults apps clean

# From a fresh clone: an order is proposed, confirmed and refused a second time, over real HTTP.
demo: $(VENV)/.demo
	$(BIN)/python manage.py demo

# The same coffee shop in db.sqlite3, on 127.0.0.1 (PORT=8000).
serve: $(VENV)/.demo
	$(BIN)/python manage.py demo --serve --port $(PORT)

# SQLite and local memory; TEST_DATABASE_URLS, TEST_REDIS_URL and other TEST_ variables name what else to use.
test: $(VENV)/.test
	$(BIN)/python -m pytest $(ARGS)

check: $(VENV)/.check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict django_mcp
	$(BIN)/lint-imports
	$(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/python -m build

benchmark: $(VENV)/.test
	$(BIN)/python -m tests.benchmarks $(ARGS)

# How well search finds things, beside BM25, on public APIs that npm fetches.
relevance: $(VENV)/.test
	$(PIP) --group benchmark
	$(BIN)/python -m tests.benchmarks.relevance $(ARGS)

# MCP's official suite, under gunicorn and uvicorn. Node and the suite come from npm.
conformance: $(VENV)/.test
	$(BIN)/python -m tests.e2e.conformance $(ARGS)

# Real clients from PyPI and npm (2 GB in .cache) place an order; ARGS=--readme writes what came of it into the README.
clients: $(VENV)/.test
	$(BIN)/python -m tests.e2e.clients $(ARGS)

# 100,000 hostile requests to 127.0.0.1, in about four minutes.
fuzz: $(VENV)/.test
	$(BIN)/python -m tests.e2e.fuzz $(ARGS)

# A hundred thousand redemptions in races, a million mutated tokens, and all that can fail in the middle of a redemption:
# half an hour. Needs redis-server, and TEST_DATABASE_URLS with PostgreSQL and MariaDB; ARGS="--only races --scale 0.1".
faults: $(VENV)/.test
	$(BIN)/python -m tests.faults $(ARGS)

# Public applications from PyPI get django_mcp; the large one needs PostgreSQL and Redis on 127.0.0.1. ARGS=small
apps: $(VENV)/.test
	$(BIN)/python -m tests.e2e.apps $(ARGS)

clean:
	rm -rf .cache $(VENV) build dist .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache

# The pip that comes with Python 3.11 does not know --group.
$(VENV)/.pip:
	$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed: make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade 'pip>=25.1'
	touch $@

$(VENV)/.demo: $(VENV)/.pip pyproject.toml
	$(PIP) --editable '.[demo,redis]'
	touch $@

$(VENV)/.test: $(VENV)/.pip pyproject.toml
	$(PIP) --editable '.[demo,redis]' --group test --group services
	touch $@

$(VENV)/.check: $(VENV)/.pip pyproject.toml
	$(PIP) --editable '.[demo,redis]' --group dev
	touch $@
