# make league   set up and play the Taroky league      make test    set up and run the tests
# make lint     style and types                        make bench   speed on this machine
# make soak     long-running tests                     make docs    rewrite the tables of the rules pages
# make bench-compare REV=main~5 [GAMES="flip7"]   what this tree and another commit differ in, by speed
# make bench-peers   other projects' libraries beside this one; needs the extra `bench`

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
export PIP_DISABLE_PIP_VERSION_CHECK = 1

.PHONY: league test lint bench bench-compare bench-peers soak docs clean

league: $(READY)
	$(BIN)/arena league run taroky

test: $(READY)
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(READY)
	$(BIN)/arena bench

bench-compare: $(READY)
	$(if $(REV),,$(error which commit? make bench-compare REV=main~5))
	$(BIN)/python -m benchmarks.compare $(REV) $(GAMES)

bench-peers: $(READY)
	$(BIN)/python -m benchmarks.peers

soak: $(READY)
	$(BIN)/python -m pytest -m soak

docs: $(READY)
	$(BIN)/python -m engines.pages docs/rules
	$(BIN)/python -m tests.test_architecture

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
