# Every target sets up .venv by itself when it is missing or older than pyproject.toml.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
DEMO := demo-$(shell date +%Y%m%d-%H%M%S)

SEED ?= 0
COUNT ?= 1000000

.PHONY: setup demo test canaries fuzz test-long test-plain test-bounds lint bench book clean

setup: $(STAMP)

$(STAMP): pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev,train]'
	touch $(STAMP)

demo: setup  ## train on 5×5 Hex, hold the tournament of its networks, draw the curve
	$(BIN)/tengen train on-policy --name $(DEMO)
	$(BIN)/tengen topp $(DEMO) --games 100
	$(BIN)/tengen curve $(DEMO) --against uct,simulations=100

test: setup  ## the tests
	$(BIN)/pytest -n 2 -m "not slow"

test-long: setup  ## the tests that take minutes
	$(BIN)/pytest -m slow

canaries: setup  ## plant classic bugs in a copy, one at a time: do the tests catch each?
	$(BIN)/python tests/canaries.py

fuzz: setup  ## a million changed inputs for every parser: make fuzz COUNT=50000 SEED=7
	$(BIN)/python tests/fuzz/run.py --count $(COUNT) --seed $(SEED)

test-plain: setup  ## rules and search as plain Python, without the compiler
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest -n 2 -m "not slow and not jit" tests/games tests/search

test-bounds: setup  ## rules and search compiled with a check of every index
	NUMBA_BOUNDSCHECK=1 $(BIN)/pytest -n 2 -m "not slow" tests/games tests/search

lint: setup  ## style and types
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

bench: setup  ## speed beside OpenSpiel
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev,train,peers]'
	$(BIN)/tengen bench

book: setup  ## the documents as a website: site/index.html
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict  # without its advertisement for a successor

clean:
	rm -rf .venv build dist site
