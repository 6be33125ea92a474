# The list of commands that people need. CI runs these too (.ci/run).

CARGO ?= cargo
# How long `make fuzz` searches, per target.
FUZZ_SECONDS ?= 60
# Arguments for `make run` and `make bench`, for example ARGS=--no-example.
ARGS ?=
# What `make bench` runs, and how: quick, or full as it was published.
PROFILE ?= adobe-single
MODE ?= quick
TARGET = $(or $(CARGO_TARGET_DIR),$(CARGO_BUILD_TARGET_DIR),target)
LAB = $(TARGET)/release/tollgate-lab
# What `make deps` fetches for cargo.
export PATH := $(CURDIR)/.ci/.installed/bin:$(PATH)

.DEFAULT_GOAL := help
# `make deps test` is one after the other, also with -j.
.NOTPARALLEL:
.PHONY: help deps run release test unsteady lint portal portal-dev portal-test portal-check portal-budget shots \
	bench bench-quick bench-call bench-soap bench-mediation \
	bench-cache bench-limits bench-usage bench-check rivals fuzz codegen

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

deps: ## install the Debian packages that tests and benches need and that are missing
	@.ci/deps install

run: ## build and start Tollgate: control plane :9000 and :9443 (HTTPS), gateway :8080 and :8443
	@.ci/deps install run
	@.ci/portal
	@[ -e $(TARGET)/quick-start/tollgate ] || \
		echo 'The first build takes about 4 minutes on two idle cores, later ones seconds.'
	$(CARGO) run --profile quick-start --locked -p tollgate -- certificates $(ARGS)
	$(CARGO) run --profile quick-start --locked -p tollgate -- run --control-https-listen=127.0.0.1:9443 \
		--gateway-https-listen=127.0.0.1:8443 $(ARGS)

release: ## build target/guided/tollgate, optimized for the calls that the lab makes (takes 15 minutes; needs llvm-tools)
	@.ci/release $(ARGS)

test: ## run all tests; names in one line what is missing on this machine
	@.ci/deps missing test
	@.ci/crates restore
	@.ci/phase "build of the portals' pages" .ci/portal
	@.ci/test

unsteady: ## run tests that depend on less than 3 s of the clock 20 times beside two busy loops (takes an hour)
	@.ci/deps missing test
	@.ci/crates restore
	@.ci/unsteady

lint: ## format, clippy, tidy (layers, sizes, names, generated files), cargo-deny
	$(CARGO) fmt --all --check
	@.ci/crates restore
	@.ci/phase "build of the portals' pages" .ci/portal
	@.ci/lint
	@if command -v cargo-deny >/dev/null; \
	then .ci/phase 'cargo deny' $(CARGO) deny --locked check bans licenses sources; \
	else echo 'skipped: cargo deny check bans licenses sources (cargo-deny is not installed)'; fi

portal: ## build the portals' pages, for the next build of the binary
	@.ci/portal

portal-dev: ## the portals' pages at http://localhost:5173, reloaded on save, against a running binary
	@.ci/portal dev

# With the binaries, xtask among them, so that nothing is built twice (.ci/test says why).
PORTAL_BUILD = $(CARGO) test --quiet --workspace --locked --no-run --bins --test product \
	--example seed_usage --example set_status

portal-test: ## the portals' tests, against the debug build: part of `make test`
	@.ci/crates restore
	@.ci/portal
	$(PORTAL_BUILD)
	@.ci/portal test

portal-check: ## every page in the whole matrix: keyboard, 400 px, dark, each role, with nothing (takes minutes)
	@.ci/portal
	$(PORTAL_BUILD)
	@TOLLGATE_PORTAL_MATRIX=whole .ci/portal test

portal-budget: ## sizes and times of the portals, which fail above their bounds
	@.ci/portal
	$(CARGO) build --release --locked -p tollgate -p tollgate-store --bin tollgate --example many_apis
	@TOLLGATE_BINARY=$(abspath $(TARGET))/release/tollgate .ci/portal budget

shots: ## every page as pictures in portal/shots, with an index page
	@.ci/portal
	$(PORTAL_BUILD)
	@.ci/portal shots

bench-quick: PROFILE = quick
bench-quick: bench ## what a call costs beside nginx and HAProxy, under 3 minutes once built

bench-call: PROFILE = call
bench-call: bench ## user and system time of a call beside nginx, at 100 to 5,000 connections, 10 minutes once built

bench-soap: PROFILE = soap
bench-soap: bench ## what SOAP costs beside REST, and SOAP as REST, under 4 minutes once built

bench-mediation: PROFILE = mediation
bench-mediation: bench ## what policies cost beside pass-through, about 2 minutes once built

bench-cache: ## what a stored response costs beside one from the back end and beside nginx's cache, under 3 minutes once built
	$(MAKE) bench PROFILE=cold-key
	$(MAKE) bench PROFILE=cache

bench-limits: PROFILE = limits
bench-limits: bench ## what each kind of limit costs beside three plain ones, about 5 minutes once built

bench-usage: ## questions of usage at 50 million calls of seven days; the first run takes 15 minutes to count them
	$(CARGO) run --release --locked -p tollgate-analytics --example bench_usage -- $(TARGET)/bench-usage $(ARGS)

bench: ## run a test plan: PROFILE=adobe-single MODE=quick (bench/profiles has them all)
	@TOLLGATE_REQUIRE_SERVICES=1 .ci/deps missing bench
	$(CARGO) build --release --locked -p tollgate -p tollgate-lab
	PATH="$$PATH:/usr/sbin" $(LAB) run $(PROFILE) --mode $(MODE) $(ARGS)

bench-check: ## check the lab itself: its generator beside wrk and h2load, on a quiet machine
	@TOLLGATE_REQUIRE_SERVICES=1 .ci/deps missing check
	$(CARGO) test --release --locked -p tollgate-lab --test generator \
		-- --ignored --nocapture --test-threads 1

rivals: ## install the gateways that the lab measures beside ours (Debian, PyPI, Maven Central; takes minutes)
	@bench/rivals/install

fuzz: ## search for what breaks http1, xml, soap's import and transcoders, expressions, steps on bodies, tokens, the cache, the spool, pages of usage, FUZZ_SECONDS=60 a target (takes minutes)
	FUZZ_SECONDS=$(FUZZ_SECONDS) $(CARGO) test -p tollgate-http1 --release --locked --test fuzz -- --nocapture
	FUZZ_SECONDS=$(FUZZ_SECONDS) $(CARGO) test -p tollgate-soap --release --locked --test import fuzz -- --nocapture
	FUZZ_SECONDS=$(FUZZ_SECONDS) $(CARGO) test -p tollgate-soap --release --locked --test fuzz -- --nocapture
	FUZZ_SECONDS=$(FUZZ_SECONDS) $(CARGO) test -p tollgate-xml --release --locked --test fuzz -- --nocapture
	FUZZ_SECONDS=$(FUZZ_SECONDS) $(CARGO) test -p tollgate-soap --release --locked --test requests of_any -- --nocapture
	FUZZ_SECONDS=$(FUZZ_SECONDS) $(CARGO) test -p tollgate-mediation --release --locked --test expressions fuzz -- --nocapture
	FUZZ_SECONDS=$(FUZZ_SECONDS) $(CARGO) test -p tollgate-mediation --release --locked --test bodies fuzz -- --nocapture
	FUZZ_SECONDS=$(FUZZ_SECONDS) $(CARGO) test -p tollgate-tokens --release --locked --test fuzz -- --nocapture
	FUZZ_SECONDS=$(FUZZ_SECONDS) $(CARGO) test -p tollgate-cache --release --locked --test fuzz -- --nocapture
	FUZZ_SECONDS=$(FUZZ_SECONDS) $(CARGO) test -p tollgate-spool --release --locked --lib fuzz -- --nocapture
	FUZZ_SECONDS=$(FUZZ_SECONDS) $(CARGO) test -p tollgate-analytics --release --locked --lib fuzz -- --nocapture

codegen: ## write the generated files again (xtask/src/generated.toml lists them)
	@.ci/crates restore
	$(CARGO) xtask codegen
