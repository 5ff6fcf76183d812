# Two promises: `make demo` and `make test` work on a fresh machine with Python >= 3.11, git and make.
PYTHON ?= python3
BIN := .venv/bin
JOBS ?= 2

.PHONY: demo test lint types unit test-slow bench bench-quick docs format clean

demo: .venv/installed
	@$(BIN)/python -m deltachain.report.demo

test: lint types unit

lint: .venv/dev
	$(BIN)/ruff check src tests bench
	$(BIN)/ruff format --check src tests bench

types: .venv/dev
	$(BIN)/mypy

unit: .venv/dev
	$(BIN)/pytest -n $(JOBS) -m "not slow"

test-slow: .venv/dev
	$(BIN)/pytest -n $(JOBS) -m slow

bench: .venv/dev
	$(BIN)/python -m bench

bench-quick: .venv/dev
	$(BIN)/python -m bench --quick

format: .venv/dev
	$(BIN)/ruff check --fix src tests bench
	$(BIN)/ruff format src tests bench

clean:
	rm -rf .venv build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "deltachain needs Python 3.11 or newer; set PYTHON=…")'
	$(PYTHON) -m venv .venv

.venv/installed: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

.venv/dev: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch .venv/installed $@
