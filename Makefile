# Two promises: `make demo` and `make test` work on a fresh machine with Python >= 3.11 and its headers, git, make and a
# C compiler.
PYTHON ?= python3
BIN := .venv/bin
PIP = @$(BIN)/python -m pip install --quiet --disable-pip-version-check
# Who is interrupted while .venv is made has one without pip, or with a part of it.
REPAIR = @$(BIN)/python -m pip --version >/dev/null 2>&1 || { echo "making .venv anew …"; $(PYTHON) -m venv --clear .venv; }
JOBS ?= 2
# Hundreds of short commands are run: each would compile our sources anew where Python may not keep what it compiled.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test lint types unit coverage smoke core words test-slow test-browser fuzz bugs bench bench-libraries bench-quick docs paper-pdf format formal release-check clean

# What is compiled: an editable installation does not see that it has changed, so it is installed again.
KERNELS := setup.py $(wildcard src/deltachain/kernels/*.py*) $(wildcard packages/checker/deltachain_checker/*sums.p*)

BUG := examples/bugs/opendp_2922.py:laplace_threshold --secret count=0 --secret count=1
FIXED := examples/bugs/opendp_2922.py:as_accounted --secret count=0 --secret count=1

# The bug of the README, its fix, and a certificate that is checked.
demo: .venv/installed
	@mkdir -p build
	@for line in \
	    "1 check $(BUG) --epsilon 1 --delta 0.004926 --certificate build/opendp.json --quiet" \
	    "0 check $(FIXED) --epsilon 1 --delta 0.004926 --quiet" \
	    "0 verify $(BUG) build/opendp.json --quiet"; do \
	  echo "$$ deltachain $${line#* }"; $(BIN)/deltachain $${line#* }; test $$? = $${line%% *} || exit 1; echo; done

test: lint types unit

lint: .venv/dev
	$(BIN)/ruff check src packages tests bench docs examples .ci setup.py
	$(BIN)/ruff format --check src packages tests bench docs examples .ci setup.py

types: .venv/dev
	$(BIN)/mypy

# Each process takes a half of the tests in their order, and what modules prepare is prepared once; then they share the rest.
unit: .venv/dev
	$(BIN)/pytest -n $(JOBS) --dist worksteal -m "not slow and not browser"

# The share of lines that the quick tests run, commands in processes of their own included; kernels run compiled, unseen.
coverage: .venv/dev
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n $(JOBS) --dist worksteal -m "not slow and not browser"
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

# A small part of the tests, soon done without machine code too: `CC=false make smoke` on a fresh clone.
smoke: .venv/dev
	$(BIN)/pytest -n $(JOBS) -m "not slow" tests/unit/kernels tests/contract/test_methods.py tests/paper/test_zoo_values.py

# Runs the tests that name a sentence, and pins what is said now: `make words TESTS=tests/cli`, and read the diff.
words: .venv/dev
	$(BIN)/python -m tests.words -n $(JOBS) --dist worksteal -m "not slow and not browser" $(TESTS)

# The core's tests in a copy of the tree that has no satellites.
core: .venv/dev
	$(BIN)/python .ci/core_alone.py $(if $(TESTS),$(TESTS),-n $(JOBS) --dist worksteal -m "not slow and not browser")

test-slow: .venv/dev
	$(BIN)/pytest -n $(JOBS) --dist worksteal -m "slow or hypothesis" --hypothesis-profile thorough

# In a real browser, the system's Chromium; skipped, with a line that says how to get it, where there is none.
test-browser: .venv/dev
	$(BIN)/pytest -m browser -rs tests/browser

# The libraries whose claims docs/bugs.md quotes, each in an environment of its own; a slow test asks them. Pages that run
# code of others need it beside ours.
bugs: .venv/dev build/opendp-0.16.0/ready build/opendp-0.4.0/ready
	$(BIN)/pytest -m slow -rs tests/paper/test_claims.py
	$(PIP) polars==1.36.1 opendp==0.16.0 diffprivlib==0.6.6 "scikit-learn<1.6" pipeline-dp==0.3.1
	$(BIN)/pytest -rs tests/docs/test_pages.py -k "bugs or composing"

build/opendp-%/ready: .venv/bin/python
	$(BIN)/python -m venv build/opendp-$*
	@build/opendp-$*/bin/python -m pip install --quiet --disable-pip-version-check opendp==$*
	@touch $@

# The samplers that bench puts beside ours. This diffprivlib needs a scikit-learn of its own time.
bench-libraries: build/opendp-0.16.0/ready build/diffprivlib-0.6.6/ready

build/diffprivlib-%/ready: .venv/bin/python
	$(BIN)/python -m venv build/diffprivlib-$*
	@build/diffprivlib-$*/bin/python -m pip install --quiet --disable-pip-version-check diffprivlib==$* "scikit-learn<1.6"
	@touch $@

# The differential fuzzers, seeded and resumable: counts add up in build/fuzz.json over all runs.
MINUTES ?= 10
fuzz: .venv/dev
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES)

bench: .venv/bench
	$(BIN)/python -m bench

bench-quick: .venv/bench
	$(BIN)/python -m bench --quick

# Everything that a page is made from: where nothing of it changed, the site is not built again.
PAGES := mkdocs.yml $(shell find docs packages src/deltachain -type f -not -name '*.pyc' -not -name '*.so')

docs: build/site-built

build/site-built: .venv/dev $(PAGES)
	$(BIN)/python docs/generate.py
	$(BIN)/python docs/prepare.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	@touch $@

# The theory pages as one document, build/theory.pdf; printed by the system's Chromium.
paper-pdf: .venv/dev
	$(BIN)/python -m docs.theory_pdf

format: .venv/dev
	$(BIN)/ruff check --fix src packages tests bench docs examples .ci setup.py
	$(BIN)/ruff format src packages tests bench docs examples .ci setup.py

# The certificate rules, proved in Coq, and the checker that is extracted from them (formal/README.md).
formal:
	$(MAKE) -C formal

# The archives as they are published: built apart from this environment, checked, and tried in an empty one.
RELEASE := build/release
release-check:
	rm -rf $(RELEASE)
	@mkdir -p $(RELEASE)
	$(PYTHON) -m venv $(RELEASE)/tools
	@$(RELEASE)/tools/bin/python -m pip install --quiet --disable-pip-version-check build twine 'readme-renderer[md]' auditwheel
	$(RELEASE)/tools/bin/python -m build --outdir $(RELEASE)/dist
	$(RELEASE)/tools/bin/python -m twine check --strict $(RELEASE)/dist/*
	if [ "$$(uname)" = Linux ]; then $(RELEASE)/tools/bin/python -m auditwheel show $(RELEASE)/dist/*.whl; fi
	$(PYTHON) -m venv $(RELEASE)/empty
	@$(RELEASE)/empty/bin/python -m pip install --quiet --disable-pip-version-check $(RELEASE)/dist/*.whl
	cd $(RELEASE) && empty/bin/deltachain --version && \
	  empty/bin/deltachain delta example:coin --exp-epsilon 11/10 --certificate proof.json --brief && \
	  empty/bin/deltachain verify example:coin proof.json && \
	  empty/bin/python -c "from deltachain import kernels; assert kernels.COMPILED"

clean:
	$(MAKE) -s -C formal clean
	rm -rf .venv build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis .cache
	rm -f src/deltachain/kernels/_compiled.c src/deltachain/kernels/_compiled.*.so
	rm -f packages/checker/deltachain_checker/sums.c packages/checker/deltachain_checker/_sums.*.so
	rm -rf packages/checker-v1/build
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/bin/python:
	@echo "making .venv …"
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "deltachain needs Python 3.11 or newer; set PYTHON=…")'
	$(PYTHON) -m venv --clear .venv

.venv/installed: .venv/bin/python pyproject.toml $(KERNELS)
	@echo "installing deltachain with numpy, python-flint and jinja2 into .venv (about a minute) …"
	$(REPAIR)
	$(PIP) -e .
	@touch $@

.venv/dev: .venv/bin/python pyproject.toml $(KERNELS)
	@echo "installing deltachain, every extra that is tested, and the tools into .venv (a few minutes) …"
	$(REPAIR)
	$(PIP) -e '.[dev]'
	@touch .venv/installed $@

.venv/bench: .venv/dev
	@echo "installing the baselines of the benchmarks …"
	$(PIP) -e '.[bench]'
	@touch $@
