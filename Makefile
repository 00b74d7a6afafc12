# One command each, from a fresh clone, safe to repeat. PYTHON= chooses the interpreter that makes .venv.
PYTHON ?= $(or $(shell for name in python3 python3.13 python3.12 python3.11 python; do command -v $$name && break; done),python3)
PORT ?= 8000
ARGS ?=
SECONDS ?= 60
BOOTSTRAP = @$(PYTHON) scripts/bootstrap.py
VENV_PYTHON = .venv/bin/python
export PORT

.PHONY: help run test test-next lint fuzz bench scoreboard peers screenshots local-llm clean
.DEFAULT_GOAL := help

help:
	@echo "make run        install, migrate, load the demo, serve on http://127.0.0.1:$(PORT) (PORT=)"
	@echo "make test       the whole suite (ARGS= for pytest, CI=true: what is missing is a failure)"
	@echo "make test-next  the same on the newest Python and Django, without browser and live sites"
	@echo "make lint       ruff and mypy"
	@echo "make fuzz       the decoders against whatever comes, SECONDS=3600 for an hour (SEED= for the same again)"
	@echo "make bench      the benchmarks: a table, and bench/results.json"
	@echo "make scoreboard  inputs that broke clients in public, put through ours and the libraries of others"
	@echo "make peers      install those libraries in an environment of their own, for bench, scoreboard and tests"
	@echo "make screenshots  the pictures of the README, from a site of their own (needs Chromium)"
	@echo "make local-llm  serve a small real model as provider 'local' (TOOLS=1, MODEL=FILE.gguf, DEFAULT=1, LLM_PORT=)"
	@echo "make clean      remove .venv and caches; data and keys stay"

run:
	$(BOOTSTRAP)
	@exec $(VENV_PYTHON) -m scripts.serve

test:
	$(BOOTSTRAP) test
	@exec $(VENV_PYTHON) -m scripts.test $(ARGS)

test-next:
	$(BOOTSTRAP) test
	@exec $(VENV_PYTHON) -m scripts.next $(ARGS)

lint:
	$(BOOTSTRAP) test lint
	$(VENV_PYTHON) -m ruff check .
	$(VENV_PYTHON) -m ruff format --check .
	# The plugin of Django reads the settings; types need no keys.
	SECRET_KEY=types DEBUG=1 $(VENV_PYTHON) -m mypy

fuzz:
	$(BOOTSTRAP) test
	@exec $(VENV_PYTHON) -m tests.fuzz --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))

bench:
	$(BOOTSTRAP)
	@exec $(VENV_PYTHON) -m bench $(ARGS)

scoreboard:
	$(BOOTSTRAP)
	@exec $(VENV_PYTHON) -m bench.robustness

peers:
	$(BOOTSTRAP)
	@exec $(VENV_PYTHON) -m scripts.peers

screenshots:
	$(BOOTSTRAP) test
	@exec $(VENV_PYTHON) -m scripts.screenshots

local-llm:
	$(BOOTSTRAP)
	@exec $(VENV_PYTHON) -m scripts.local_llm $(if $(TOOLS),--tools) $(if $(MODEL),--model "$(MODEL)") \
		$(if $(LLM_PORT),--port $(LLM_PORT)) $(if $(DEFAULT),--default)

clean:
	rm -rf .venv .venv-next .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
