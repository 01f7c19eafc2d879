# Needs make and Python 3.11 or newer; another interpreter: make run PYTHON=python3.13
# ARGS goes to the program that a target ends in:      make test ARGS="-k swiss"

PYTHON ?= python3
CHROMIUM ?= $(shell command -v chromium || command -v chromium-browser || command -v google-chrome)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check

# .whole is written when an install has ended and holds the folder it was made in. While it is missing (an install was
# cut short), names another folder (the checkout was moved or copied) or the interpreter is gone, all starts anew.
IS_WHOLE := [ "$$(cat $(VENV)/.whole 2>/dev/null)" = "$(CURDIR)" ] && $(BIN)/python -c "" 2>/dev/null
ANEW := $(shell $(IS_WHOLE) || echo anew)

.DEFAULT_GOAL := help
.PHONY: help setup run test test-browser lint bench clauses crash lock clean anew

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(firstword $(MAKEFILE_LIST)) | awk -F'|' '{printf "%-20s %s\n", $$1, $$2}'

setup: $(VENV)/.dev ## Create the virtual environment with everything for development
	@echo "$(VENV) is up to date."

run: $(VENV)/.run ## Start the bot; without a DISCORD_TOKEN, the sandbox in the browser
	@$(BIN)/acwc-bot run --or-sandbox $(ARGS)

test: lint ## Run the linters and the whole test suite
	$(BIN)/python -m pytest -n auto $(ARGS)

test-browser: $(VENV)/.dev ## Drive the sandbox page in Chromium
	@[ -n "$(CHROMIUM)" ] || { \
	    echo "The browser tests need Chromium, e.g. apt-get install chromium; elsewhere: CHROMIUM=/path make test-browser"; \
	    exit 1; }
	CHROMIUM="$(CHROMIUM)" $(BIN)/python -m pytest -m browser $(ARGS)

lint: $(VENV)/.dev ## Check style, types and who imports whom
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/lint-imports

bench: $(VENV)/.bench ## Print how fast and how large it is
	@$(BIN)/python -m tests.bench $(ARGS)

clauses: $(VENV)/.dev ## Print clause -> rule -> function -> tests, and break each rule once
	@$(BIN)/python -m tests.clauses $(ARGS)

crash: $(VENV)/.dev ## Kill the real process 2,000 times; ARGS="--kills 100" for fewer
	@$(BIN)/python -m tests.crash $(ARGS)

# Keeps the pinned releases; to move on: make lock ARGS=--upgrade, or ARGS="--upgrade-package berserk"
COMPILE = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest --generate-hashes \
	--no-emit-index-url --custom-compile-command "make lock" pyproject.toml requirements/build.in --extra sandbox
lock: $(VENV)/.dev ## Pin the dependencies of pyproject.toml again, with hashes
	$(COMPILE) $(ARGS) --output-file requirements/run.txt
	$(COMPILE) $(ARGS) --extra dev --constraints requirements/run.txt --output-file requirements/dev.txt
	$(COMPILE) $(ARGS) --extra dev --extra bench --constraints requirements/dev.txt --output-file requirements/bench.txt

clean: ## Remove the virtual environment and all caches; databases stay
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.run: requirements/run.txt pyproject.toml $(ANEW)
	$(call install,requirements/run.txt)
	@touch $@

$(VENV)/.dev: requirements/dev.txt pyproject.toml $(ANEW)
	$(call install,requirements/dev.txt)
	@touch $(VENV)/.run $@

# Without it the bench still runs and says what it could not compare with.
$(VENV)/.bench: requirements/bench.txt $(VENV)/.dev
	@$(PIP) install --require-hashes --requirement $< && touch $@ || echo "Not everything to compare with could be installed."

define install
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	    echo "This needs Python 3.11 or newer, and $(PYTHON) is: $$($(PYTHON) --version 2>&1)"; \
	    echo "With another interpreter: make $(MAKECMDGOALS) PYTHON=python3.11"; exit 1; }
	@{ $(IS_WHOLE); } || $(PYTHON) -m venv --clear $(VENV) || { \
	    echo "Python could not make a virtual environment; on Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
	@rm -f $(VENV)/.whole
	@echo "Installing $(1) into $(VENV) ..."
	@$(PIP) install --require-hashes --requirement $(1)
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@printf '%s\n' "$(CURDIR)" > $(VENV)/.whole
endef
