# The everyday verbs; `make help` lists them. CMake does the building (CMakePresets.json).

BUILD := build/release
JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 60

.DEFAULT_GOAL := help
.PHONY: help setup configure build run test bench docs fuzz asan format lint clean

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /  make \1|/p' Makefile | awk -F'|' '{ printf "%-14s %s\n", $$1, $$2 }'

setup:  ## install what is missing (apt; idempotent)
	@scripts/setup

configure:
	@cmake --preset release >/dev/null

build: setup configure  ## build the program: build/release/bin/paddock
	@ninja -C $(BUILD) -j$(JOBS) paddock

run: build  ## build, then play the tour: real data, then hostile scripts
	@tools/tour

test: setup configure  ## build and run every check and test
	@scripts/setup engines
	@ninja -C $(BUILD) -j$(JOBS) paddock unit_tests
	@scripts/test

bench: build  ## run the benchmarks
	@ninja -C $(BUILD) -j$(JOBS) engine_bench wall_bench egress_bench net_bench
	@bench/run
	@bench/walls
	@$(BUILD)/bin/egress_bench 256 1000
	@$(BUILD)/bin/net_bench
	@bench/daemon --idle 10000
	@bench/containers

docs: build  ## write docs/commands.md, the commands of the virtual shell, from their tables
	@tools/commands_page

fuzz:  ## fuzz each target for FUZZ_SECONDS (60)
	@scripts/setup fuzz
	@scripts/fuzz $(FUZZ_SECONDS)

asan: setup  ## unit tests, spec and security cases under AddressSanitizer and UBSan
	@cmake --preset asan >/dev/null
	@ninja -C build/asan -j$(JOBS) paddock unit_tests
	@ulimit -s unlimited && scripts/test --build build/asan --suites unit,spec,security

format:  ## rewrite the sources in the house format
	@git ls-files '*.cc' '*.h' | xargs clang-format -i

lint:  ## the checks that need no build
	@tools/check_layers
	@tools/check_banned
	@tools/check_sizes

clean:  ## remove what was built
	@rm -rf build
