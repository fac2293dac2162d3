# Every target can be the first command that you run on a machine with Python 3.10 or later, pip and
# make. Dependencies are installed into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
N ?= 200
VERSION ?= 2.4.0
SOURCE ?= npm:@agentclientprotocol/sdk@$(VERSION)
TESTS ?=
# Names from tests/tools/reality/programs.toml, each in quotes. By default, all programs are run.
PROGRAMS ?=
# Two workers per processor, since many tests wait for other processes.
WORKERS ?= $(shell expr 2 \* $$(getconf _NPROCESSORS_ONLN))
SECONDS ?= 60

# Allow bytecode files. Otherwise, each process would compile all modules again.
BYTECODE = PYTHONDONTWRITEBYTECODE=
# One worker runs all tests in an xdist_group. Short tests run last, to keep all workers busy.
PYTEST = $(BYTECODE) $(BIN)/python -m pytest -q -n $(WORKERS) --dist loadgroup --no-loadscope-reorder

.DEFAULT_GOAL := all
.PHONY: all help generate check test test-slow laws evolve interop reality fuzz chaos lint bench sync bump docs docs-serve history clean

all: lint generate check test  ## lint, generate, check and test, in this order

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(READY): pyproject.toml
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[generator,dev]'
	touch $(READY)

generate: $(READY)  ## generate generated/acp_bindings from schema/
	$(BIN)/acpgen generate

check: $(READY)  ## check whether generated/acp_bindings is up to date
	$(BIN)/acpgen check --full

test: $(READY)  ## run all tests except the slow ones, or only TESTS
	$(PYTEST) $(or $(TESTS),-m 'not slow')

test-slow: $(READY)  ## run the slow tests: complete packages, examples, browsers, type checkers, SDKs (needs npm)
	$(PYTEST) -m slow

laws: $(READY)  ## run the property tests with N instances of each type and N conversations (default 200)
	LAWS_N=$(N) BRIDGE_N=$(N) $(PYTEST) tests/package/laws tests/package/bridge

evolve: $(READY)  ## run the property tests on N randomly edited schemas (default 200)
	$(BIN)/python tests/tools/evolution/run_evolution.py $(N) --workers $(WORKERS)

interop: $(READY)  ## test with the official SDKs in both roles (needs npm)
	ACP_REQUIRE_INTEROP=1 $(PYTEST) tests/interop

reality: $(READY)  ## run complete turns with real agents and clients, or only with PROGRAMS (needs npm)
	$(BYTECODE) $(BIN)/python tests/tools/reality/run_reality.py $(PROGRAMS)

fuzz: $(READY)  ## fuzz the connection for SECONDS (default 60)
	test -d $(VENV)/fuzz || $(PYTHON) -m venv $(VENV)/fuzz
	$(VENV)/fuzz/bin/python -m pip install --quiet --disable-pip-version-check atheris --editable .
	$(VENV)/fuzz/bin/python tests/package/jsonrpc/fuzz_connection.py -max_total_time=$(SECONDS)

chaos: $(READY)  ## break connections at random for SECONDS (default 60), on two event loops
	$(BIN)/python tests/tools/chaos/run_chaos.py --seconds $(SECONDS)
	$(BIN)/python tests/tools/chaos/run_chaos.py --seconds $(SECONDS) --loop uvloop

lint: $(READY)  ## run ruff, black, mypy and pyright
	$(BIN)/ruff check .
	$(BIN)/ruff check --ignore-noqa generated/acp_bindings/v* generated/acp_bindings/bridge
	$(BIN)/black --quiet --check generator generated templates tests
	$(BIN)/mypy
	$(BIN)/pyright

bench: $(READY)  ## run benchmarks against the official SDK; write RESULTS.md and .svg in tests/tools/bench
	$(BIN)/python tests/tools/bench/run.py

sync: $(READY)  ## vendor the schema of VERSION from npm (needs npm)
	$(BIN)/acpgen sync $(SOURCE)

# `make bump` stops when a manual decision is needed. Add the decision to schema/overlay and run it
# again. When it is done, it repeats all notes.
SKELETON = overlay-missing.toml
NOTES = $(VENV)/bump-notes.txt
GUIDE = templates/reference/guides/maintainers.md
DECIDE = { echo 'make bump stopped: resolve the problems listed above in schema/overlay, then run it again'; exit 2; }

bump: $(READY)  ## move to the schema of VERSION: sync, update CHANGELOG.md, generate and test
	$(BIN)/acpgen sync $(SOURCE) --changelog CHANGELOG.md 2> $(NOTES) \
		|| { cat $(NOTES) >&2; $(DECIDE); }
	@cat $(NOTES) >&2
	$(BIN)/acpgen generate --skeleton $(SKELETON) || $(DECIDE)
	@rm -f $(SKELETON)
	@$(MAKE) --keep-going test $(if $(TESTS),,test-slow) && code=0 || code=$$?; \
	echo 'make bump: generated. Remaining tasks, by file:'; \
	sed 's/^/  /' $(NOTES); \
	test $$code = 0 || echo '  tests: fix the failures above; see $(GUIDE)'; \
	echo '  schema/, generated/, CHANGELOG.md: review the differences and commit them together'; \
	exit $$code

docs: $(READY)  ## build the reference into .venv/docs/site
	$(BYTECODE) $(BIN)/acpgen docs $(VENV)/docs
	@echo 'run `make docs-serve` to read it; if you open it as a file, the search does not work'

docs-serve: docs  ## build the reference and show it at http://localhost:8000
	$(BIN)/python -m http.server --bind localhost --directory $(VENV)/docs/site 8000

history: $(READY)  ## generate from every schema version published on npm (needs npm)
	$(PYTEST) tests/project/run_history.py

clean:  ## remove installed dependencies, caches and build output
	rm -rf $(VENV) .hypothesis .mypy_cache .pytest_cache .ruff_cache build dist
