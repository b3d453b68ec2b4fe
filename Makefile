# Everything runs in .venv, which is created when a target first needs it. `make help` lists the targets.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
ARGS   ?=

# Without stored bytecode, every process of the tests compiles its imports anew.
unexport PYTHONDONTWRITEBYTECODE

# Isolated builds read the first variable before pip 25.3, and the second from then on.
PIP := PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt PIP_DISABLE_PIP_VERSION_CHECK=1 \
       $(BIN)/python -m pip install --quiet

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help install dev kernels page page-types play watch test check lint test-page test-quick test-plain test-compiled test-long \
        coverage bench strength positions open-cards tune train exploit format wheel map pictures lock clean

help: ## list the targets
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)/  make \1|\2/p' $(MAKEFILE_LIST) | column -t -s '|' 2>/dev/null \
	 || sed -nE 's/^([a-z-]+):[^#]*## (.*)/  make \1: \2/p' $(MAKEFILE_LIST)

# --- installing ------------------------------------------------------------------------------------------------------

install: $(VENV)/.installed kernels ## install the package and its dependencies into .venv

dev: $(VENV)/.installed-dev ## install the development tools too

APT := DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends

# Debian's python3 lacks ensurepip, which venv needs.
$(VENV)/.tools: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	 || { echo "Northrail needs Python 3.11 or later; $(PYTHON) is $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	 || if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; \
	    then apt-get update -q && $(APT) python3-venv; \
	    else echo "$(PYTHON) has no venv. On Debian: sudo apt-get install python3-venv"; exit 1; fi
	@command -v $${CC:-cc} >/dev/null || command -v gcc >/dev/null \
	 || if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; \
	    then echo "installing gcc"; apt-get update -qq && $(APT) -q gcc libc6-dev >/dev/null; \
	    else echo "Compiling the kernels needs a C compiler. On Debian: sudo apt-get install gcc libc6-dev"; exit 1; fi
	@$(PYTHON) -c 'import os, sys, sysconfig as s; sys.exit(not os.path.exists(s.get_paths()["include"] + "/Python.h"))' \
	 || if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; \
	    then echo "installing Python's headers"; apt-get update -qq && $(APT) -q python3-dev >/dev/null; \
	    else echo "Compiling the kernels needs Python's headers. On Debian: sudo apt-get install python3-dev"; exit 1; fi
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	@echo "installing the build tools"
	@$(PIP) $$($(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"])')
	@touch $@

# The script finds what is missing or out of date by digest; make would compare only file times.
kernels: $(VENV)/.tools ## compile the kernels that changed
	@$(BIN)/python tools/compile_kernels.py

# Compile the kernels first: pip would compile them too, but without showing progress.
$(VENV)/.installed: $(VENV)/.tools | kernels
	@echo "installing northrail into $(VENV)"
	@$(PIP) --no-build-isolation --editable .
	@touch $@

# The tests open drawings in a browser, which needs a font.
$(VENV)/.installed-dev: $(VENV)/.installed
	@echo "installing the development tools"
	@$(PIP) --no-build-isolation --no-compile --editable '.[dev]'
	@command -v chromium >/dev/null \
	 || if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; \
	    then echo "installing chromium"; apt-get update -qq && $(APT) -q chromium fonts-dejavu-core >/dev/null; \
	    else echo "The tests need Chromium. On Debian: sudo apt-get install chromium"; exit 1; fi
	@command -v pg_virtualenv >/dev/null \
	 || if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; \
	    then echo "installing postgresql"; apt-get update -qq && $(APT) -q postgresql postgresql-common >/dev/null; \
	    else echo "Without pg_virtualenv the tests skip PostgreSQL. On Debian: sudo apt-get install postgresql"; fi
	@touch $@

# Only building the page needs Node; a wheel contains the built page.
page/node_modules/.installed: page/package.json page/package-lock.json
	@command -v npm >/dev/null \
	 || if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; \
	    then echo "installing Node"; apt-get update -qq && $(APT) -q nodejs npm >/dev/null; \
	    else echo "Building the page needs Node and npm. On Debian: sudo apt-get install nodejs npm"; exit 1; fi
	@node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a * 100 + b < 2019 ? 1 : 0)' \
	 || { echo "Building the page needs Node 20.19 or later; this is $$(node --version). Install a newer one."; exit 1; }
	@echo "installing the page's build tools"
	@cd page && npm ci --silent
	@touch $@

STATIC := src/northrail/server/static

$(STATIC)/index.html: page/node_modules/.installed $(shell find page/src page/public page/from-server -type f ! -name protocol.d.ts) \
                      page/index.html page/docs.html page/vite.config.ts page/tsconfig.json
	@echo "building the page"
	@cd page && npm run --silent build -- --logLevel warn

page: $(STATIC)/index.html ## build the page into src/northrail/server/static

page-types: $(VENV)/.installed ## export the server's messages and colours to page/from-server
	$(BIN)/python tools/page_types.py

# --- using -----------------------------------------------------------------------------------------------------------

play: ## play in your browser; ARGS="--host 0.0.0.0" lets people on your network join
	@$(MAKE) --no-print-directory -j2 install page
	@$(BIN)/northrail serve --open --quiet $(ARGS)

watch: install ## watch a game in the terminal; ARGS="--board northern-lights --seats 4" for the other board
	@$(BIN)/northrail watch $(ARGS)

bench: install ## measure speed; ARGS=--json for programs
	@$(BIN)/northrail bench $(ARGS)

# Playing everything takes hours. You can stop it at any time; the next run continues.
strength: $(VENV)/.installed-dev kernels ## measure the players and write docs/strength.md; ARGS="--only planner" for a part
	@$(BIN)/python tools/strength.py $(ARGS)

positions: $(VENV)/.installed-dev kernels ## mine test positions; ARGS=--check checks them, ARGS=--shares asks our players
	@$(BIN)/python tools/mine_positions.py $(ARGS)

open-cards: $(VENV)/.installed-dev kernels ## measure what hidden information costs; ARGS="--games 1000" for more games
	@$(BIN)/python tools/open_cards.py $(ARGS)

# Takes an hour or two for each board.
tune: $(VENV)/.installed-dev kernels ## tune the planner's weights; ARGS="--board northern-lights" for another board
	@$(BIN)/python tools/tune.py $(ARGS)

# Takes about half an hour for each board, most of it games between searches. PyTorch is large, so only this and the
# next target install it.
train: $(VENV)/.installed-dev kernels ## train the network that judges situations for the search
	@$(BIN)/python -c 'import torch' 2>/dev/null || $(PIP) --no-build-isolation --editable '.[dev,train]'
	@$(BIN)/python tools/train.py $(ARGS)

# Takes about two hours on two cores.
exploit: $(VENV)/.installed-dev kernels ## find best responses to the players; ARGS="--budget small --only nordic" for a part
	@$(BIN)/python -c 'import sb3_contrib' 2>/dev/null || $(PIP) --no-build-isolation --editable '.[dev,train]'
	@$(BIN)/python tools/exploit.py $(ARGS)

# --- testing ---------------------------------------------------------------------------------------------------------

# In parallel, because much of the suite waits for browsers and bots.
test: ## run everything a change must pass
	@$(MAKE) --no-print-directory -j2 $(VENV)/.installed-dev page
	@$(MAKE) --no-print-directory --output-sync=target -j3 test-compiled test-plain lint test-page

check: $(VENV)/.installed-dev kernels page ## the quick checks while you work: lint, types, page, quick tests
	@$(MAKE) --no-print-directory --output-sync=target -j3 test-quick test-page lint

test-quick: $(VENV)/.installed-dev kernels ## run the tests without browsers, servers, builds and processes, with few games
	NORTHRAIL_TEST_SIZE=small $(BIN)/python -m pytest -q -n 2 -m "not long and not slow" \
	 tests/boards tests/drawing tests/engine tests/kernels tests/players \
	 tests/server/test_match.py tests/server/test_wire.py src $(ARGS)

lint: $(VENV)/.installed-dev kernels ## run ruff and mypy --strict, and check the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

test-page: page ## check the page's types and test its state
	cd page && npm run --silent check && npm test --silent

# Plain Python plays about ten games a second, hence the small size.
test-plain: $(VENV)/.installed-dev ## run the tests of engine and players as plain Python, with coverage
	NORTHRAIL_PLAIN=1 NORTHRAIL_TEST_SIZE=small $(BIN)/coverage run -m pytest -m "engine and not long" \
	 $$(grep -lr 'mark\.engine' tests --include=test_*.py)
	$(BIN)/coverage report
	$(BIN)/coverage report --include='src/northrail/players/*' --fail-under=90

test-compiled: $(VENV)/.installed-dev kernels page ## run the whole suite with compiled kernels
	$(BIN)/python -m pytest --numprocesses=auto --dist=loadgroup $(ARGS)

# Tracing doubles the time of the server's tests, so `make test` leaves it out.
coverage: export COVERAGE_RCFILE = tests/server/coverage.toml
coverage: $(VENV)/.installed-dev kernels ## measure how much of the server its tests reach
	@rm -rf .cache/coverage && mkdir -p .cache/coverage
	$(BIN)/coverage run -m pytest -q --numprocesses=auto --dist=loadgroup tests/server
	@$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

# Some of these tests compile the kernels with clang and with gcc's sanitizers. Hypothesis marks the tests that use it:
# with this size they try new examples.
test-long: $(VENV)/.installed-dev kernels page ## run the long tests, which take minutes or hours
	@command -v clang >/dev/null \
	 || if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; \
	    then echo "installing clang"; apt-get update -qq && $(APT) -q clang >/dev/null; \
	    else echo "The long tests need clang. On Debian: sudo apt-get install clang"; exit 1; fi
	@$(PIP) --no-build-isolation --editable '.[dev,cluster,research,data]'
	NORTHRAIL_TEST_SIZE=long $(BIN)/python -m pytest -m "long or hypothesis" -o faulthandler_timeout=0 $(ARGS)
	@$(MAKE) --no-print-directory coverage

# --- working ---------------------------------------------------------------------------------------------------------

format: $(VENV)/.installed-dev ## format the sources with ruff
	$(BIN)/ruff check --fix --exit-zero .
	$(BIN)/ruff format .

wheel: $(VENV)/.installed-dev page ## build dist/*.tar.gz and, from it, dist/*.whl
	rm -rf dist
	$(BIN)/python -m build --no-isolation

# Rarely needed: coasts do not move. Needs npm, to download the public-domain data.
map: $(VENV)/.installed ## make src/northrail/boards/map.json, the coasts under the boards
	$(BIN)/python tools/map.py

pictures: install ## draw the README's boards into docs/pictures
	mkdir -p docs/pictures .cache
	$(BIN)/northrail show nordic-countries -o docs/pictures/nordic-countries.svg
	$(BIN)/northrail show northern-lights --theme dark -o docs/pictures/northern-lights.svg
	$(BIN)/northrail watch --players simple --board nordic-countries --seats 3 --seed 2 --speed 0 --record .cache/nordic.json >/dev/null
	$(BIN)/northrail show .cache/nordic.json -o docs/pictures/nordic-countries-end.svg
	$(BIN)/northrail watch --players simple --board northern-lights --seats 4 --seed 1 --speed 0 --record .cache/lights.json >/dev/null
	$(BIN)/northrail show .cache/lights.json --theme dark -o docs/pictures/northern-lights-end.svg

# Names and versions only: where to download from is your own setting.
lock: ## update constraints.txt to the newest versions
	rm -rf .cache/lock
	$(PYTHON) -m venv .cache/lock
	.cache/lock/bin/python -m pip install --quiet --disable-pip-version-check '.[dev,cluster,research,data]'
	{ echo "# The versions we test with; written by \`make lock\`."; \
	  .cache/lock/bin/python -m pip freeze --disable-pip-version-check --all --exclude northrail --exclude pip; } > .cache/lock/constraints.txt
	! grep -nE '@|://' .cache/lock/constraints.txt
	mv .cache/lock/constraints.txt constraints.txt
	rm -rf .cache/lock

clean: ## remove everything that make has built
	rm -rf page/node_modules page/src/protocol.d.ts $(STATIC)
	find src/northrail/compiled -type f ! -name __init__.py -delete
	rm -rf $(VENV) .cache dist .coverage .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find src tests -name __pycache__ -prune -exec rm -rf {} +
