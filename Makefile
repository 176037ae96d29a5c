# make league   set up and play the Taroky league      make test    set up and run the tests
# make lint     style and types                        make bench   speed on this machine
# make soak     long-running tests                     make docs    rewrite the tables of the rules pages
# make site      the documentation as a site in build/site; fails on a broken link
# make test-lowest   the suite with the lowest versions that pyproject.toml allows
# make audit         known faults of the pinned packages, where an index can be asked
# make dist-test     wheel and sdist, installed in an empty folder
# make bench-compare REV=main~5 [GAMES="flip7"]   what this tree and another commit differ in, by speed
# make bench-peers   other projects' libraries beside this one; needs the extra `bench`

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LEAGUE := $(VENV)/.ready-league
TEST := $(VENV)/.ready-test
DOCS := $(VENV)/.ready-docs
LOWEST := .venv-lowest
PIP := $(BIN)/python -m pip install --quiet --constraint constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK = 1

.PHONY: league test test-lowest dist-test lint audit bench bench-compare bench-peers soak docs pictures site clean

league: $(LEAGUE)
	$(BIN)/arena league run taroky

SUITE := -m pytest -n 3 --dist loadfile --no-loadscope-reorder

test: $(TEST)
	$(BIN)/python $(SUITE)

test-lowest: $(LOWEST)/.ready
	$(LOWEST)/bin/python $(SUITE)

dist-test: $(TEST)
	$(BIN)/python -m pytest -m dist tests/test_dist.py

lint: $(TEST)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

audit:
	$(PYTHON) .ci/audit

bench: $(TEST)
	$(BIN)/arena bench

bench-compare: $(TEST)
	$(if $(REV),,$(error which commit? make bench-compare REV=main~5))
	$(BIN)/python -m benchmarks.compare $(REV) $(GAMES)

bench-peers: $(TEST)
	$(BIN)/python -m benchmarks.peers

soak: $(TEST)
	$(BIN)/python -m pytest -m soak

pictures: $(TEST)
	$(BIN)/python -m tests.arena.pictures

docs: $(TEST)
	$(BIN)/python -m engines.pages docs/rules
	$(BIN)/python -m tests.test_architecture

site: $(DOCS)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs --quiet build
	@echo "open build/site/index.html"

$(LEAGUE): pyproject.toml constraints.txt
	@echo "installing what a league needs into $(VENV): 0.8 GB, a minute or two"
	$(PYTHON) -m venv $(VENV)
	$(PIP) --editable .
	touch $@

$(TEST): $(LEAGUE)
	@echo "installing what the tests need into $(VENV): 0.4 GB more"
	$(PIP) --editable '.[dev]'
	touch $@

$(DOCS): $(LEAGUE)
	@echo "installing what the site needs into $(VENV): 60 MB more"
	$(PIP) --editable '.[docs]'
	touch $@

$(LOWEST)/.ready: pyproject.toml
	@echo "installing the lowest versions into $(LOWEST): 0.9 GB"
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet uv
	$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST)/bin/python --resolution lowest-direct --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) $(LOWEST) .venv-audit .pytest_cache .mypy_cache .ruff_cache .hypothesis build *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
