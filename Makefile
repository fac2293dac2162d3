# Every target works as the first command on a machine with Python 3.10 or later, pip and make; its
# dependencies are installed into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
N ?= 200
VERSION ?= 2.4.0
SOURCE ?= npm:@agentclientprotocol/sdk@$(VERSION)
TESTS ?=
# Names from tests/tools/reality/programs.toml, each in quotes; all of them by default.
PROGRAMS ?=
# Twice as many as there are processors: many tests wait for other processes.
WORKERS ?= $(shell expr 2 \* $$(getconf _NPROCESSORS_ONLN))
SECONDS ?= 60

# Without bytecode, each process would compile all modules again.
BYTECODE = PYTHONDONTWRITEBYTECODE=
# One worker runs the tests of an xdist_group; the quick ones come last and fill the gaps.
PYTEST = $(BYTECODE) $(BIN)/python -m pytest -q -n $(WORKERS) --dist loadgroup --no-loadscope-reorder

.DEFAULT_GOAL := all
.PHONY: all help generate check test laws evolve interop reality fuzz chaos lint bench sync bump docs docs-serve history clean

all: lint generate check test  ## lint, generate, check and test, in this order

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(READY): pyproject.toml
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[generator,dev]'
	touch $(READY)

generate: $(READY)  ## write generated/acp_bindings from schema/
	$(BIN)/acpgen generate

check: $(READY)  ## fail if generated/acp_bindings is not what would be generated
	$(BIN)/acpgen check --full

test: $(READY)  ## run all tests
	$(PYTEST) $(TESTS)

laws: $(READY)  ## the property tests with N instances of each type, and N conversations (default 200)
	LAWS_N=$(N) BRIDGE_N=$(N) $(PYTEST) tests/package/laws tests/package/bridge

evolve: $(READY)  ## edit the schemas at random, N times (default 200), and hold the packages to the laws
	$(BIN)/python tests/tools/evolution/run_evolution.py $(N) --workers $(WORKERS)

interop: $(READY)  ## talk to the official SDKs, in both roles (needs npm)
	ACP_REQUIRE_INTEROP=1 $(PYTEST) tests/interop

reality: $(READY)  ## play complete turns with real agents and clients, or only with PROGRAMS (needs npm)
	$(BYTECODE) $(BIN)/python tests/tools/reality/run_reality.py $(PROGRAMS)

fuzz: $(READY)  ## fuzz the connection for SECONDS (default 60)
	test -d $(VENV)/fuzz || $(PYTHON) -m venv $(VENV)/fuzz
	$(VENV)/fuzz/bin/python -m pip install --quiet --disable-pip-version-check atheris --editable .
	$(VENV)/fuzz/bin/python tests/package/jsonrpc/fuzz_connection.py -max_total_time=$(SECONDS)

chaos: $(READY)  ## break connections at random for SECONDS (default 60), on two event loops
	$(BIN)/python tests/tools/chaos/run_chaos.py --seconds $(SECONDS)
	$(BIN)/python tests/tools/chaos/run_chaos.py --seconds $(SECONDS) --loop uvloop

lint: $(READY)  ## ruff, black, mypy and pyright
	$(BIN)/ruff check .
	$(BIN)/ruff check --ignore-noqa generated/acp_bindings/v* generated/acp_bindings/bridge
	$(BIN)/black --quiet --check generator generated templates tests
	$(BIN)/mypy
	$(BIN)/pyright

bench: $(READY)  ## measure against the official SDK; writes tests/tools/bench/RESULTS.md and RESULTS.svg
	$(BIN)/python tests/tools/bench/run.py

sync: $(READY)  ## vendor the schema of VERSION from npm (needs npm)
	$(BIN)/acpgen sync $(SOURCE)

# `make bump` stops where a person has to decide; the decision goes into schema/overlay, for the next
# run. At its end it repeats what it noted on the way.
SKELETON = overlay-missing.toml
NOTES = $(VENV)/bump-notes.txt
GUIDE = templates/reference/guides/maintainers.md
DECIDE = { echo 'make bump stopped: settle what is listed above in schema/overlay, then run it again'; exit 2; }

bump: $(READY)  ## move to the schema of VERSION: sync, diff into CHANGELOG.md, generate, test
	$(BIN)/acpgen sync $(SOURCE) --changelog CHANGELOG.md 2> $(NOTES) \
		|| { cat $(NOTES) >&2; $(DECIDE); }
	@cat $(NOTES) >&2
	$(BIN)/acpgen generate --skeleton $(SKELETON) || $(DECIDE)
	@rm -f $(SKELETON)
	@$(MAKE) test && code=0 || code=$$?; \
	echo 'make bump: generated. What is left, by file:'; \
	sed 's/^/  /' $(NOTES); \
	test $$code = 0 || echo '  tests: those listed above fail; $(GUIDE) says what each asks for'; \
	echo '  schema/, generated/, CHANGELOG.md: look at the differences, and commit them together'; \
	exit $$code

docs: $(READY)  ## build the reference into .venv/docs/site
	$(BYTECODE) $(BIN)/acpgen docs $(VENV)/docs
	@echo 'run `make docs-serve` to read it: opened as a file, the site has no search'

docs-serve: docs  ## build the reference and show it at http://localhost:8000
	$(BIN)/python -m http.server --bind localhost --directory $(VENV)/docs/site 8000

history: $(READY)  ## generate from every schema ever published on npm (needs npm)
	$(PYTEST) tests/project/run_history.py

clean:  ## remove what the targets installed and cached
	rm -rf $(VENV) .hypothesis .mypy_cache .pytest_cache .ruff_cache build dist
