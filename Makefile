# Everything a newcomer or CI types. Each target makes the virtual environment it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LANGGRAPH_VENV := .venv-langgraph
PIP_FLAGS := --quiet --disable-pip-version-check
# The tests start the program hundreds of times: compiled modules are kept, as they are where it is installed.
export PYTHONDONTWRITEBYTECODE :=
# Twice as many as cores: many tests wait for a process or a server rather than compute.
WORKERS := $(shell expr 2 \* $$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2))

.PHONY: help demo test lint format bench langgraph clean

help:
	@echo "make demo    run the example campaign against the embedded offline target"
	@echo "make test    run the whole test suite"
	@echo "make lint    ruff and mypy"
	@echo "make bench   measure throughput, CPU, memory and start-up"

$(VENV)/.runtime: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install $(PIP_FLAGS) -e .
	@touch $@

$(VENV)/.development: $(VENV)/.runtime
	$(BIN)/pip install $(PIP_FLAGS) -e '.[test,lint]'
	@touch $@

# A real LangGraph Agent Server for one story, apart from our own packages.
$(LANGGRAPH_VENV)/.installed:
	$(PYTHON) -m venv $(LANGGRAPH_VENV)
	$(LANGGRAPH_VENV)/bin/pip install $(PIP_FLAGS) 'langgraph-cli[inmem]'
	@touch $@

langgraph: $(LANGGRAPH_VENV)/.installed

demo: $(VENV)/.runtime
	$(BIN)/sensei-kumite --run-from-yaml examples/pizza-order

test: $(VENV)/.development
	$(BIN)/python -m pytest -n $(WORKERS)

lint: $(VENV)/.development
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.development
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.development
	$(BIN)/python -m bench
	$(BIN)/python -m bench.dynamic

clean:
	rm -rf $(VENV) $(LANGGRAPH_VENV)
