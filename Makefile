# Two commands start everything: `make lab` and `make test`. Both set up what is missing and are quick when nothing is.
# A stamp lies inside what it vouches for (.venv, node_modules, the built assets) and is named by, or holds, the hash
# of what that was made from: delete the thing and its stamp is gone too; switch branches and back and it still holds.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory
# Many processes import our modules: none of them is to compile them anew.
export PYTHONDONTWRITEBYTECODE :=

# The Python that .venv was made with, where there is one; `make lab PYTHON=python3.12` makes it anew.
PYTHON ?= $(shell [ -x .venv/bin/python ] && echo .venv/bin/python || echo python3)
# The versions that everything here is tested with; users may have later ones.
TORCH ?= 2.13.*
EXECUTORCH ?= 1.4.*
# Added to what pyproject.toml has: `make test PYTEST_ARGS='-k wire'`, or -n0 for one process.
PYTEST_ARGS ?=
BIN := .venv/bin
DEPENDENCIES := $(shell $(PYTHON) scripts/dependencies.py '$(TORCH)' '$(EXECUTORCH)')
INSTALLED := .venv/installed-$(DEPENDENCIES)
PEERS := .venv/peers-$(DEPENDENCIES)
LAB_EXTENSIONS := .venv/share/jupyter/labextensions
SERVER_CONFIG := .venv/etc/jupyter/jupyter_server_config.d

.PHONY: help setup build lab docs site lite corpus test vitest nightly quick compat check format bench mutants base clean

help: ## this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-8s %s\n", $$1, $$2 }'

setup: $(INSTALLED) ## .venv, Node packages, Chromium and graphviz: what is missing of them
	@scripts/programs.sh
	@$(BIN)/python hatch_build.py packages

$(INSTALLED):
	@scripts/python.sh $(PYTHON) '$(TORCH)' '$(EXECUTORCH)'
	@rm -f .venv/installed-* && touch $@

build: setup ## the front end, when its sources changed
	@$(BIN)/python hatch_build.py build
	@mkdir -p $(LAB_EXTENSIONS) && ln -sfn "$(CURDIR)/exir_viz/labextension" $(LAB_EXTENSIONS)/exir-viz
	@mkdir -p $(SERVER_CONFIG) && ln -sfn "$(CURDIR)/jupyter-config/exir_viz.json" $(SERVER_CONFIG)/exir_viz.json

lab: build ## JupyterLab on the tour
	$(BIN)/jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) notebooks/00-tour.ipynb

docs: build ## dist/docs: the documentation as a site; every warning is an error
	$(BIN)/python -m sphinx -q -W -n --keep-going -c docs -d dist/doctrees . dist/docs

site: build ## dist/site: a static page that opens files in the browser, for any web server
	$(BIN)/python -m scripts.site

lite: build ## dist/lite: JupyterLab in a browser tab, without a server, for any web server
	$(BIN)/python -m scripts.lite

check: build ## ruff, mypy, biome, tsc, plain language, and the schema against the TypeScript made from it
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m exir_viz.typescript --check
	$(BIN)/python scripts/plain_words.py
	cd labextension && npm run --silent check

format: build ## what a formatter or a safe fix can mend
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	cd labextension && npm run --silent format

corpus: build ## the programs that tests and benchmark read
	@$(BIN)/python -m tests.corpus

# Only what drives no browser runs side by side: a browser that waits for a core fails tests.
test: build ## check, vitest and pytest (options: PYTEST_ARGS='-k wire')
	@$(MAKE) -j2 check vitest
	$(BIN)/python -m pytest $(PYTEST_ARGS)

# Its text comes as one block when it has ended, and not between the lines of `check`.
vitest: corpus ## the tests of the front end
	@cd labextension && said=$$(npm run --silent test 2>&1) && echo "$$said" || { echo "$$said"; exit 1; }

nightly: build corpus ## the tests that `make test` leaves out: packages, sites, lessons, large programs
	$(BIN)/python -m pytest -m nightly $(PYTEST_ARGS)

quick: build ## the tests that take seconds, of every part, in less than a minute
	$(BIN)/python -m pytest --quick $(PYTEST_ARGS)

# Not after `build`: that would put these versions, and this Python, into .venv.
compat: ## pytest on other versions: make compat TORCH=2.15.0 EXECUTORCH=1.5.1
	@$(PYTHON) scripts/compat.py --torch '$(TORCH)' --executorch '$(EXECUTORCH)'

bench: build $(PEERS) ## the benchmark table, the peers beside us; its figures go into README and docs
	$(BIN)/python -m tests.bench
	$(BIN)/python -m tests.bench docs

$(PEERS): $(INSTALLED)
	$(BIN)/python -m pip install --quiet --group bench
	@rm -f .venv/peers-* && touch $@

mutants: corpus ## flip 200 operators, one at a time, and list those that no test notices
	$(BIN)/python -m pip install --quiet --group mutants
	$(BIN)/python -m tests.mutants

base: ## the install without extras, in a clean environment
	@$(PYTHON) scripts/base.py

clean: ## everything that was built or installed, the corpus too
	rm -rf .venv .cache dist build labextension/node_modules labextension/lib
	rm -rf exir_viz/widget/static exir_viz/labextension
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
