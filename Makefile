# `make demo` shows a loop being caught; `make test` checks everything. Both need Python 3.10 or newer and make,
# and fetch the rest from the package index into .venv.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check

# The scoreboard has an environment of its own: other detectors bring dependencies of theirs.
QUALITY := .venv-quality
RIVALS  := benchmarks/quality/rivals/requirements.txt

# Files of tests at a time, in their order: those of the pack look at one stretch of time, which passes.
JOBS     := 2
TOGETHER := --numprocesses $(JOBS) --dist loadfile --no-loadscope-reorder

# The benchmark of the cost runs on this source tree.
COST := PYTHONPATH=.:benchmarks $(BIN)/python -m cost

# Lower bounds of pyproject.toml, and SDKs in which what a processor may do changed.
OLDEST_SDK := 1.30.0
OLDEST     := msgspec==0.19.0 pyyaml==6.0.1 xxhash==3.5.0
SDKS       := $(OLDEST_SDK) 1.39.1 1.40.0 1.43.0
COMPAT_TESTS := tests/live tests/cli tests/nocode tests/test_config.py tests/test_config_secret.py tests/test_examples.py

.DEFAULT_GOAL := help
.PHONY: help demo test js-test compat vendors instrumentations frameworks pack-test pack-live worker-test pictures wheel bench bench-fleet bench-check quality rewriting ablation calibration generate clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.installed ## run the offline demo: an agent loops, Loopwatch warns and halts it
	@$(BIN)/otel-loopwatch demo

test: $(VENV)/.tools ## lint, types, wheel, tests on the installed wheel, coverage
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	@$(MAKE) --no-print-directory wheel
	$(PIP) install --quiet --no-deps --force-reinstall dist/*.whl
	LOOPWATCH_TEST_WHEEL=1 $(BIN)/pytest $(TOGETHER) --cov --cov-report=term $(PYTEST_ARGS)

# Node.js is not asked for: who has none has no use for the package either.
js-test: $(VENV)/.installed ## the JavaScript package with real AI SDKs and a real gateway; skipped where there is no Node.js
	@if ! command -v npm >/dev/null; then echo "js-test: skipped, node and npm are not here"; exit 0; fi; \
	$(PIP) install --quiet '.[gateway]' && cd js && npm ci --silent && \
	  LOOPWATCH_TEST_COMMAND=$(abspath $(BIN))/otel-loopwatch npm test --silent

compat: $(SDKS:%=compat-%) ## what meets the SDK, with the oldest dependencies allowed and with SDKs in between

compat-%: $(VENV)/.tools wheel
	@echo "testing with opentelemetry-sdk $*"
	@test -x .venv-sdk-$*/bin/python || $(PYTHON) -m venv .venv-sdk-$*
	@.venv-sdk-$*/bin/python -m pip --disable-pip-version-check install --quiet --upgrade --force-reinstall dist/*.whl \
	  opentelemetry-sdk==$* opentelemetry-exporter-otlp==$* $(if $(filter $(OLDEST_SDK),$*),$(OLDEST)) \
	  hypothesis pytest || { $(NO_INDEX); exit 1; }
	@LOOPWATCH_TEST_WHEEL=1 .venv-sdk-$*/bin/pytest -q $(COMPAT_TESTS) $(PYTEST_ARGS)

# Traceloop is left out: its instrumentations of 0.62 and the newest SDK cannot be installed together.
vendors: $(addprefix vendor-,logfire langfuse arize-phoenix-otel) ## install() on the providers of vendors, each in its own environment

vendor-%: wheel
	@test -x .venv-vendor-$*/bin/python || $(PYTHON) -m venv .venv-vendor-$*
	@.venv-vendor-$*/bin/python -m pip --disable-pip-version-check install --quiet --upgrade --force-reinstall dist/*.whl $* pytest || { $(NO_INDEX); exit 1; }
	@.venv-vendor-$*/bin/pytest -q tests/nocode/test_vendors.py $(PYTEST_ARGS)

instrumentations: $(VENV)/.installed ## real agent packages with a scripted model, offline; see instrumentations/README.md
	@$(PIP) install --quiet --group instrumentations
	@$(BIN)/python instrumentations/run.py $(ARGS)

frameworks: $(VENV)/.installed ## loops told, refused and stopped in real agent frameworks, offline; see docs/control.md
	@$(PIP) install --quiet --group instrumentations
	@$(BIN)/python instrumentations/stop.py $(ARGS)

pack-test: $(VENV)/.tools ## dashboards and alerts: promtool, the dashboard linter's rules, real Prometheus, Alertmanager, VictoriaMetrics
	@$(BIN)/python dashboards/build.py --check
	@$(BIN)/python dashboards/lint.py
	@$(BIN)/pytest tests/pack $(PYTEST_ARGS)

pack-live: $(VENV)/.tools ## a Prometheus with six scripted hours of agents, until interrupted
	@cd dashboards && ../$(BIN)/python -m live $(ARGS)

worker-test: $(VENV)/.tools ## a million spans through three workers of which one is killed every few seconds, on a real broker (minutes)
	@LOOPWATCH_WORKER_SPANS=1000000 $(BIN)/pytest --log-cli-level=INFO tests/worker/test_fleet.py $(PYTEST_ARGS)

pictures: $(VENV)/.tools ## the dashboards as pictures for the documentation, light and dark, over a scripted stretch of time (minutes)
	@PYTHONPATH=.:dashboards $(BIN)/python -m drawing.pictures

wheel: $(VENV)/.tools
	rm -rf build dist
	$(BIN)/python -m build --no-isolation --wheel

# Other packages are measured, and the plot is drawn, where `make quality` has installed what that takes.
bench: $(VENV)/.installed ## what watching costs, against bare spans, no-op processors, mere parsing and other packages (minutes)
	@$(COST) $(if $(wildcard $(QUALITY)/.installed),--rivals $(QUALITY)/bin/python)
	@$(if $(wildcard $(QUALITY)/.installed),PYTHONPATH=.:benchmarks $(QUALITY)/bin/python -m cost.picture)
	@$(BIN)/python benchmarks/sampling.py

bench-fleet: $(VENV)/.tools ## what a gateway and a worker cost, beside plain forwarding and a mere consumer (minutes)
	@PYTHONPATH=. $(BIN)/python -m benchmarks.fleet $(ARGS)

bench-check: $(VENV)/.installed ## whether a call takes 10 % more instructions than the stored baseline; ARGS=--renew stores a new one
	@$(COST).check $(ARGS)

quality: $(QUALITY)/.installed ## loops told from good work, by this package and by others; ARGS=--ours for this one alone
	@$(QUALITY)/bin/python -m benchmarks.quality $(ARGS)

rewriting: $(VENV)/.tools ## every case told in other ways, its verdict unchanged; ARGS=-v names the cases that come out differently
	@$(BIN)/python -m benchmarks.quality.rewriting $(ARGS)

ablation: $(VENV)/.tools ## what each rule solves alone, and what is lost without it; ARGS=-v names the cases
	@$(BIN)/python -m benchmarks.quality.ablation $(ARGS)

$(QUALITY)/.installed: pyproject.toml $(RIVALS)
	@echo "installing the packages that are compared into $(QUALITY)"
	@test -x $(QUALITY)/bin/python || $(PYTHON) -m venv $(QUALITY)
	@{ $(QUALITY)/bin/python -m pip --disable-pip-version-check install --quiet --upgrade 'pip>=25.1' && \
	  $(QUALITY)/bin/python -m pip --disable-pip-version-check install --quiet --editable . --group quality -r $(RIVALS) ; } || { $(NO_INDEX); exit 1; }
	@touch $@

calibration: $(VENV)/.installed ## whether lines learnt from good runs keep their promise, and what they save (minutes)
	@$(BIN)/python -m benchmarks.calibration $(ARGS)

generate: $(VENV)/.installed ## write the names module, the dashboards and the tables of the documentation anew
	@$(BIN)/python docs/generate_names.py
	@$(BIN)/python docs/generate_schema.py
	@$(BIN)/python dashboards/build.py
	@$(BIN)/python docs/generate.py

clean: ## remove everything made here
	rm -rf $(VENV) .venv-sdk-* .venv-vendor-* .venv-instrumentations $(QUALITY) js/node_modules build dist .coverage* .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(BIN)/python:
	@command -v $(PYTHON) >/dev/null 2>&1 || { \
	  echo "'$(PYTHON)' was not found. Install Python 3.10 or newer, or name one: make $(MAKECMDGOALS) PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { \
	  echo "$$($(PYTHON) --version) is too old. Python 3.10 or newer is needed; name one: make $(MAKECMDGOALS) PYTHON=/path/to/python3" >&2; exit 1; }
	@echo "making $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "This Python cannot make virtual environments. On Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }

# pip of an older Python knows no dependency groups, so it comes first.
$(VENV)/.installed: pyproject.toml $(shell find otel_loopwatch -name '*.py' 2>/dev/null) | $(BIN)/python
	@echo "installing otel-loopwatch into $(VENV)"
	@{ $(PIP) install --quiet --upgrade 'pip>=25.1' && $(PIP) install --quiet . ; } || { $(NO_INDEX); exit 1; }
	@touch $@

$(VENV)/.tools: pyproject.toml | $(BIN)/python
	@echo "installing otel-loopwatch and the tools of its tests into $(VENV)"
	@{ $(PIP) install --quiet --upgrade 'pip>=25.1' && $(PIP) install --quiet . --group dev ; } || { $(NO_INDEX); exit 1; }
	@touch $@

NO_INDEX = echo "Installing failed (see above). Dependencies come from the package index: is there a network, or a mirror in pip's configuration?" >&2
