# Everything runs in .venv, which the first target that needs it builds. `make help` lists the targets.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
ARGS   ?=

# Both names: pip before 25.3 reads the first for its isolated builds too, later ones the second.
PIP := PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt PIP_DISABLE_PIP_VERSION_CHECK=1 \
       $(BIN)/python -m pip install --quiet

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help install dev kernels page page-types play watch test check lint test-page test-quick test-plain test-compiled test-long \
        bench strength tune format wheel map pictures lock clean

help: ## this list
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)/  make \1|\2/p' $(MAKEFILE_LIST) | column -t -s '|' 2>/dev/null \
	 || sed -nE 's/^([a-z-]+):[^#]*## (.*)/  make \1: \2/p' $(MAKEFILE_LIST)

# --- installing ------------------------------------------------------------------------------------------------------

install: $(VENV)/.installed kernels ## the package and what it needs, into .venv

dev: $(VENV)/.installed-dev ## the same with the tools for working on it

APT := DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends

# Debian's python3 comes without ensurepip, and venv does not work without it.
$(VENV)/.tools: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	 || { echo "northrail needs Python 3.11 or later, $(PYTHON) is $$($(PYTHON) --version 2>&1); try make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	 || if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; \
	    then apt-get update -q && $(APT) python3-venv; \
	    else echo "$(PYTHON) has no venv; on Debian: sudo apt-get install python3-venv"; exit 1; fi
	@command -v $${CC:-cc} >/dev/null || command -v gcc >/dev/null \
	 || if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; \
	    then echo "installing gcc"; apt-get update -qq && $(APT) -q gcc libc6-dev >/dev/null; \
	    else echo "compiling the kernels needs a C compiler; on Debian: sudo apt-get install gcc libc6-dev"; exit 1; fi
	@$(PYTHON) -c 'import os, sys, sysconfig as s; sys.exit(not os.path.exists(s.get_paths()["include"] + "/Python.h"))' \
	 || if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; \
	    then echo "installing Python's headers"; apt-get update -qq && $(APT) -q python3-dev >/dev/null; \
	    else echo "compiling the kernels needs Python's headers; on Debian: sudo apt-get install python3-dev"; exit 1; fi
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	@echo "installing what northrail is built with"
	@$(PIP) $$($(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"])')
	@touch $@

# The script itself knows what has changed, or is missing, or does not fit; make would go by times alone.
kernels: $(VENV)/.tools ## compile the kernels that changed
	@$(BIN)/python tools/compile_kernels.py

# pip would compile the kernels too, in silence; once they are there, it has nothing left to do.
$(VENV)/.installed: $(VENV)/.tools | kernels
	@echo "installing northrail into $(VENV)"
	@$(PIP) --no-build-isolation --editable .
	@touch $@

# The drawings are looked at in a browser, which needs a font to write with.
$(VENV)/.installed-dev: $(VENV)/.installed
	@echo "installing the tools for working on it"
	@$(PIP) --no-build-isolation --no-compile --editable '.[dev]'
	@command -v chromium >/dev/null \
	 || if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; \
	    then echo "installing chromium"; apt-get update -qq && $(APT) -q chromium fonts-dejavu-core >/dev/null; \
	    else echo "the tests need chromium; on Debian: sudo apt-get install chromium"; exit 1; fi
	@command -v pg_virtualenv >/dev/null \
	 || if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; \
	    then echo "installing postgresql"; apt-get update -qq && $(APT) -q postgresql postgresql-common >/dev/null; \
	    else echo "without pg_virtualenv the tests skip PostgreSQL; on Debian: sudo apt-get install postgresql"; fi
	@touch $@

# Only building the page asks for Node; a wheel carries it built.
page/node_modules/.installed: page/package.json page/package-lock.json
	@command -v npm >/dev/null \
	 || if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; \
	    then echo "installing Node"; apt-get update -qq && $(APT) -q nodejs npm >/dev/null; \
	    else echo "the page is built with Node and npm; on Debian: sudo apt-get install nodejs npm"; exit 1; fi
	@node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a * 100 + b < 2019 ? 1 : 0)' \
	 || { echo "the page is built with Node 20.19 or later, this is $$(node --version); nodejs.org has newer ones"; exit 1; }
	@echo "installing what the page is built with"
	@cd page && npm ci --silent
	@touch $@

STATIC := src/northrail/server/static

$(STATIC)/index.html: page/node_modules/.installed $(shell find page/src page/public page/from-server -type f ! -name protocol.d.ts) \
                      page/index.html page/vite.config.ts page/theme-css.ts page/tsconfig.json
	@echo "building the page"
	@cd page && npm run --silent build -- --logLevel warn

page: $(STATIC)/index.html ## the page people play on, into src/northrail/server/static

page-types: $(VENV)/.installed ## page/from-server: what the page takes from the server, its messages and its colours
	$(BIN)/python tools/page_types.py

# --- using -----------------------------------------------------------------------------------------------------------

play: ## play in the browser, with friends and bots; ARGS="--host 0.0.0.0" lets the house join
	@$(MAKE) --no-print-directory -j2 install page
	@$(BIN)/northrail serve --open --quiet $(ARGS)

watch: install ## watch a whole game in the terminal; ARGS="--board northern-lights --seats 4" for another
	@$(BIN)/northrail watch $(ARGS)

bench: install ## speed figures; ARGS=--json for programs
	@$(BIN)/northrail bench $(ARGS)

# The players' figures and their picture; for hours if all is to be played, and it goes on where it was stopped.
strength: $(VENV)/.installed-dev kernels ## play what docs/strength.md tells, and write it; ARGS="--only planner" for a part
	@$(BIN)/python tools/strength.py $(ARGS)

# What the planner believes; an hour or two for each board.
tune: $(VENV)/.installed-dev kernels ## tune the planner's weights; ARGS="--board northern-lights" for another board
	@$(BIN)/python tools/tune.py $(ARGS)

# --- testing ---------------------------------------------------------------------------------------------------------

# All at once: much of the suite waits, for browsers and for bots that take their time.
test: ## everything a change must pass
	@$(MAKE) --no-print-directory -j2 $(VENV)/.installed-dev page
	@$(MAKE) --no-print-directory --output-sync=target -j3 test-compiled test-plain lint test-page

check: $(VENV)/.installed-dev kernels page ## lint, types, the page's state and the quick half of the tests, while you work
	@$(MAKE) --no-print-directory --output-sync=target -j3 test-quick test-page lint

test-quick: $(VENV)/.installed-dev kernels ## the tests that take no browser, server, build or process, with few games
	NORTHRAIL_TEST_SIZE=small $(BIN)/python -m pytest -q -m "not long and not slow" \
	 tests/boards tests/drawing tests/engine tests/kernels tests/players tests/tools \
	 tests/server/test_match.py tests/arena/test_ratings.py src $(ARGS)

lint: $(VENV)/.installed-dev kernels ## ruff, mypy --strict, and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

test-page: page ## the page: its types, and its state
	cd page && npm run --silent check && npm test --silent

# Plain Python plays some ten games a second, hence the small sizes.
test-plain: $(VENV)/.installed-dev ## the tests of engine and players as plain Python, and their coverage
	NORTHRAIL_PLAIN=1 NORTHRAIL_TEST_SIZE=small $(BIN)/coverage run -m pytest -m "engine and not long" \
	 $$(grep -lr 'mark\.engine' tests --include=test_*.py)
	$(BIN)/coverage report
	$(BIN)/coverage report --include='src/northrail/players/*' --fail-under=90

test-compiled: $(VENV)/.installed-dev kernels page ## the whole suite, compiled
	$(BIN)/python -m pytest --numprocesses=auto --dist=loadgroup $(ARGS)

# clang and its sanitizers: the engine's tests are run with what each of them compiles.
test-long: $(VENV)/.installed-dev kernels page ## the long runs, for minutes or hours
	@command -v clang >/dev/null \
	 || if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; \
	    then echo "installing clang"; apt-get update -qq && $(APT) -q clang >/dev/null; \
	    else echo "the long tests need clang; on Debian: sudo apt-get install clang"; exit 1; fi
	@$(PIP) --no-build-isolation --editable '.[dev,cluster]'
	NORTHRAIL_TEST_SIZE=long $(BIN)/python -m pytest -m long -o faulthandler_timeout=0 $(ARGS)

# --- working ---------------------------------------------------------------------------------------------------------

format: $(VENV)/.installed-dev ## let ruff put the sources in order
	$(BIN)/ruff check --fix --exit-zero .
	$(BIN)/ruff format .

wheel: $(VENV)/.installed-dev page ## dist/*.tar.gz, and from it dist/*.whl
	rm -rf dist
	$(BIN)/python -m build --no-isolation

# Seldom: coasts do not move. Asks for npm, which fetches the public domain data the coast is made of.
map: $(VENV)/.installed ## src/northrail/boards/map.json, the coast boards are drawn on
	$(BIN)/python tools/map.py

pictures: install ## docs/pictures, which the README shows
	mkdir -p docs/pictures .cache
	$(BIN)/northrail show nordic-countries -o docs/pictures/nordic-countries.svg
	$(BIN)/northrail show northern-lights --theme dark -o docs/pictures/northern-lights.svg
	$(BIN)/northrail watch --players simple --board nordic-countries --seats 3 --seed 2 --speed 0 --record .cache/nordic.json >/dev/null
	$(BIN)/northrail show .cache/nordic.json -o docs/pictures/nordic-countries-end.svg
	$(BIN)/northrail watch --players simple --board northern-lights --seats 4 --seed 1 --speed 0 --record .cache/lights.json >/dev/null
	$(BIN)/northrail show .cache/lights.json --theme dark -o docs/pictures/northern-lights-end.svg

# Names and versions only: where to download from is the reader's own setting.
lock: ## the newest versions of everything, into constraints.txt
	rm -rf .cache/lock
	$(PYTHON) -m venv .cache/lock
	.cache/lock/bin/python -m pip install --quiet --disable-pip-version-check '.[dev,cluster]'
	{ echo "# The versions everything is tested with; made by \`make lock\`."; \
	  .cache/lock/bin/python -m pip freeze --disable-pip-version-check --all --exclude northrail --exclude pip; } > .cache/lock/constraints.txt
	! grep -nE '@|://' .cache/lock/constraints.txt
	mv .cache/lock/constraints.txt constraints.txt
	rm -rf .cache/lock

clean: ## remove all that make made
	rm -rf page/node_modules page/src/protocol.d.ts $(STATIC)
	find src/northrail/compiled -type f ! -name __init__.py -delete
	rm -rf $(VENV) .cache dist .coverage .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find src tests -name __pycache__ -prune -exec rm -rf {} +
