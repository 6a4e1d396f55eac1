# make demo   a first look: installs into .venv, then the built-in arm jpl-rrp: its dynamics, and a report on it
# make test   every check: ruff, mypy, the import contract, pytest
# make site   the documentation as a site, in build/site; open build/site/index.html
# make coverage  the tests once more, and which lines and branches they ran: build/coverage/html/index.html
# make release-check  builds wheel and sdist, and tries both in clean environments of every Python that is found
# make clean  removes .venv and all caches
PYTHON ?= python3
VENV   ?= .venv
JOBS   ?= auto

BIN := $(VENV)/bin
# -qq keeps pip to its errors.
PIP_INSTALL = $(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt
# One thread for each worker of pytest: the workers fill the machine already.
ONE_THREAD = OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1

.PHONY: demo test coverage site release-check clean
.DELETE_ON_ERROR:

demo: $(VENV)/.demo-ready
	@$(BIN)/dalembert demo

test: $(VENV)/.test-ready
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet || { echo "these files are not formatted; run: $(BIN)/ruff format"; $(BIN)/ruff format --check; exit 1; }
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(ONE_THREAD) HYPOTHESIS_PROFILE=$${HYPOTHESIS_PROFILE:-ci} $(BIN)/python -m pytest -n $(JOBS) --maxprocesses 8

# What other processes of a test run (workers of studies, commands) is not seen; TESTS="tests/fmu" looks at a part. The
# floor is what a third of the tests was measured to run of lines and branches, 76 percent.
coverage: $(VENV)/.test-ready
	@mkdir -p build/coverage
	@$(ONE_THREAD) HYPOTHESIS_PROFILE=ci $(BIN)/python -m pytest -q -n $(JOBS) --maxprocesses 8 --cov --cov-report=html --cov-report=term:skip-covered --cov-fail-under=$(if $(TESTS),0,75) $(TESTS)

site: $(VENV)/.test-ready
	@$(BIN)/python scripts/site_pages.py
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo "the site is in build/site: open build/site/index.html"

release-check: $(VENV)/.test-ready
	@$(BIN)/python scripts/check_release.py --keep dist

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "dalembert needs Python 3.11 or newer, but '$(PYTHON)' is" \
	    "$$($(PYTHON) -c 'import platform; print(platform.python_version())' 2>/dev/null || echo 'not there');" \
	    "name another one, as in: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@touch $@

# The order-only $(VENV)/.python makes the environment once; only a change of what is installed installs again.
$(VENV)/.demo-ready: pyproject.toml constraints.txt src/dalembert/version.py | $(VENV)/.python
	@echo "installing dalembert into $(VENV) (only the first time)" >&2
	@$(PIP_INSTALL) -e .
	@touch $@

$(VENV)/.test-ready: pyproject.toml constraints.txt src/dalembert/version.py | $(VENV)/.python
	@echo "installing dalembert and its test tools into $(VENV) (only the first time)" >&2
	@$(PIP_INSTALL) -e '.[test]'
	@touch $@ $(VENV)/.demo-ready

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
