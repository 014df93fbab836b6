# make up · make test · make check · make lock
PYTHON ?= python3
PORT ?= 8000
ARGS ?=
WORKERS ?= 3
BIN := .venv/bin
export PORT
# The suite starts hundreds of processes: each would compile the project anew, and each that collects also the tests.
unexport PYTHONDONTWRITEBYTECODE
# Any values that production mode accepts: `check --deploy` looks at the settings and connects to nothing.
DEPLOYMENT = HEADROOM_MODE=production ALLOWED_HOSTS=headroom.example MAIL_FROM=headroom@headroom.example \
	DATABASE_URL=postgresql://headroom@db/headroom REDIS_URL=redis://redis:6379/0 MAIL_URL=smtp+tls://mail.example:587 \
	SECRET_KEY=$$($(BIN)/python -c 'import secrets; print(secrets.token_urlsafe(60))')

.DEFAULT_GOAL := help
.PHONY: help python dev up test test-all coverage check selfcheck chaos bench gpu format lock assets shots lighthouse

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## /make \1\t/p' Makefile

python:
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "headroom needs Python 3.11 or later and $(PYTHON) is " + sys.version.split()[0] + "; name another with PYTHON=/path/to/python3.")'

dev: python
	@$(PYTHON) headroom/install.py requirements-dev.lock

up: python ## Install, load the curriculum, serve at http://127.0.0.1:$PORT/ (8000); Ctrl-C ends everything
	@exec $(PYTHON) -m headroom.up

# A file's tests stay together: several share a running site or a browser. Tests of figures exact to the byte have a
# process of their own: what other tests leave in torch shows in them.
PYTEST = $(BIN)/python -m pytest -q -n $(WORKERS) --dist loadfile --no-loadscope-reorder

define suite
	HEADROOM_TEST_DATABASE=postgres $(PYTEST) -m "(postgres or django_db) and not browser and not stack and not long" $(ARGS)
	$(PYTEST) $(1) --ignore-glob='*/grader/test_meter*.py' --ignore-glob='*/grader/test_frontier*.py' $(ARGS)
	$(BIN)/python -m pytest -q tests/grader/test_meter*.py tests/grader/test_frontier*.py $(ARGS)
endef

test: dev ## Run the suite: the database tests on PostgreSQL, then everything on SQLite but what is marked long
	$(call suite,-m "not long")

test-all: dev ## Run it with what takes minutes: a clone under make up, every page in a browser, known attacks, machines cut off
	$(call suite)

COVERED = --cov --cov-report=
coverage: dev ## Run the suite once on SQLite and print what share of each package it ran; ARGS="tests/grader" for a part
	rm -rf var/coverage && mkdir -p var/coverage
	-$(PYTEST) $(COVERED) -m "not long" $(ARGS)
	$(BIN)/python -m tests.coverage_by_package

check: dev ## Style, types, import contracts, migrations, deployment check, licences, content check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy headroom telemetry accounts billing courses practice labs pages notes discussion search grader
	$(BIN)/lint-imports
	$(BIN)/python manage.py makemigrations --check --dry-run
	$(DEPLOYMENT) $(BIN)/python manage.py check --deploy --fail-level WARNING
	$(BIN)/python -m headroom.licences --check
	$(BIN)/python manage.py content check

selfcheck: dev ## Play every lab's solutions and every attack, and compare the verdicts with what they must be
	$(BIN)/python -m grader selfcheck $(ARGS)
	$(BIN)/python -m grader selfcheck --attacks tests/attacks

chaos: dev ## Send 300 submissions of 30 people through two workers while everything dies, twice
	HEADROOM_CHAOS=300 $(BIN)/python -m pytest -q -s tests/chaos/test_chaos.py

bench: dev ## Time what matters beside its peers and limits, compare with what was kept, write docs/benchmarks.md; ARGS=--quick for a look
	@status=0; for subject in verdicts throughput meter_cost grading latency pages growth content solver; do \
		echo; echo "== $$subject"; $(BIN)/python -m bench.$$subject $(ARGS) || status=1; done; \
		echo; $(BIN)/python -m bench.ratios || status=1; $(BIN)/python -m bench.report || status=1; exit $$status

gpu: dev ## Every check that needs a CUDA device, in under four minutes
	$(BIN)/python -m bench.gpu_check

assets: ## Build the browser code and styles anew (needs Node)
	$(MAKE) -C assets

shots: dev ## Take pictures of a running site, wide and narrow, light and dark, into var/shots
	$(BIN)/python bench/shots.py http://127.0.0.1:$(PORT) $(ARGS)

lighthouse: dev ## Score pages as production serves them with Lighthouse, three runs each (needs Node); ARGS=--quick for one
	$(BIN)/python -m bench.lighthouse $(ARGS)

format: dev ## Rewrite the code in the house style
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

lock: python ## Resolve requirements.in and requirements-dev.in anew into the lock files
	$(PYTHON) -m venv var/lock-venv
	var/lock-venv/bin/pip install --quiet pip-tools
	var/lock-venv/bin/pip-compile --quiet --upgrade --strip-extras --no-emit-index-url --no-header -o requirements.lock requirements.in
	var/lock-venv/bin/pip-compile --quiet --upgrade --strip-extras --no-emit-index-url --no-header --constraint requirements.lock -o requirements-dev.lock requirements-dev.in
	var/lock-venv/bin/pip-compile --quiet --upgrade --strip-extras --no-emit-index-url --no-header --constraint requirements-dev.lock -o bench/peers/requirements.lock bench/peers/requirements.in
	rm -rf var/lock-venv
