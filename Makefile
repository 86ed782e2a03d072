# `make help` says what there is. What is tried by hand for a release are the scripts of tests/release.

.DEFAULT_GOAL := help

build := $(or $(CARGO_TARGET_DIR),target)
python := .venv/bin/python
# The extension finds its Python when it is loaded; set for all, so that no command builds PyO3 again.
export PYO3_BUILD_EXTENSION_MODULE := 1

soname := libmodelwire.so.0.1

# A program linked against the debug build of the library: compiler and flags, source, name.
define c_program
mkdir -p $(build)/c && ln -sf libmodelwire.so $(build)/debug/$(soname) && \
$(1) -Wall -Wextra -pedantic -Iinclude $(2) -o $(build)/c/$(3) \
   -L$(build)/debug -lmodelwire -Wl,-rpath,'$$ORIGIN/../debug'
endef

.PHONY: help demo test test-deep test-bindings test-servers lint dev bench fuzz docs install generate release

help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST)

# One debug build for the demo, the tests and `make dev`: always of all default members, for with other
# packages the features of dependencies are other ones, and these are compiled again.
define debug_build
tests/fetch crates && cargo build --quiet --locked --lib --bins --example demo
endef

## make demo            the main job in Rust, C, C++ and Python, on the embedded service or on a real one
# The package in .venv is links to its Python sources and to the debug build of the extension.
demo: .venv/bin/python
	@tests/tools cargo cc c++ space:2
	@echo "building (one to three minutes on two cores where nothing is built yet)"
	@$(debug_build)
	@$(python) py/install_dev.py $(build)/debug/lib_native.so
	@$(call c_program,cc -std=c99,tests/c/demo.c,demo)
	@$(call c_program,c++ -std=c++17,tests/cpp/demo.cpp,demo-cpp)
	@tests/demo/run

## make test            all tests but the long ones; ARGS="python c/" chooses suites
# ARGS="python c/" chooses suites.
test: .venv/tools
	@tests/tools cargo cc c++ nm readelf strip rust-objcopy valgrind cmake pkg-config openssl space:5
	@echo "building (about three minutes on two cores where nothing is built yet)"
	@$(debug_build)
	@$(python) py/install_dev.py $(build)/debug/lib_native.so
	@MODELWIRE_TESTS_BUILT=1 MODELWIRE_SERVICE=$(build)/debug/modelwire-service $(python) tests/suites.py $(ARGS)

## make test-deep       real TLS servers and proxies, thousands of streams, models, sanitizers, killed jobs, fuzzing
# Real TLS, proxies, thousands of streams; loom models; the C suite under both sanitizers and
# valgrind; and some seconds of fuzzing per target. What is skipped: ThreadSanitizer knows no thread
# after a fork; and under valgrind a child leaves alone what is its parent's, memory and timeouts
# are other ones, and a thread that hangs is not waited for.
# Random inputs are those of a seed; `make test` always has the same ones, these runs new ones.
test-deep: export TEST_SEED := $(or $(TEST_SEED),$(shell date +%s))
test-deep: .venv/tools
	@echo "TEST_SEED=$(TEST_SEED)"
	@tests/tools cargo nginx openssl tinyproxy microsocks c++ python3 valgrind rust-src
	cargo test --quiet --locked -p modelwire-tests-deep
	RUSTFLAGS='--cfg modelwire_loom' cargo test --quiet --locked --release -p modelwire --lib --target-dir $(build)/loom models
	cargo test --quiet --locked --release -p modelwire --lib -- --ignored
	cargo test --quiet --locked --release -p modelwire-bulk --lib -- --ignored --nocapture a_thousand_damages
	cargo test --quiet --locked -p modelwire-tests --test properties
	ORACLE_CASES=1000000 cargo test --quiet --locked --release -p modelwire-tests --test oracle
	TEST_CALLS=1500 $(c_suite) --test scenarios queue_many_threads
	TEST_CALLS=20000 MODELWIRE_TESTS_SANITIZER=address $(c_suite) --test scenarios cancel_storm
	TEST_MS=60000 MODELWIRE_TESTS_SANITIZER=address $(c_suite) --test scenarios -- --skip valgrind::
	TEST_MS=60000 MODELWIRE_TESTS_SANITIZER=thread TSAN_OPTIONS=die_after_fork=0 $(c_suite) --test scenarios -- $(others) --skip fork
	MODELWIRE_TESTS_VALGRIND=1 $(c_suite) --test scenarios -- $(others) --skip fork --skip backpressure --skip timeouts --skip hanging --skip log_queue_full --skip queue_paused
	cargo test --quiet --locked -p modelwire-tests-cpp --test valgrind -- --ignored
	cargo test --quiet --locked --release -p modelwire-bench --test instructions
	$(debug_build)
	$(python) py/install_dev.py $(build)/debug/lib_native.so
	MODELWIRE_SERVICE=$(build)/debug/modelwire-service $(python) -m pytest -m deep
	MODELWIRE_SERVICE=$(build)/debug/modelwire-service $(python) -m pytest tests/python/test_storm.py
	tests/torture/run --most 3
	# What each killed job leaves is compared with what the service saw.
	cargo test --quiet --locked -p modelwire-cli --test bulk_kills -- --ignored --nocapture --test-threads 1
	cargo test --quiet --locked -p modelwire-cli --test bulk_exact -- --ignored --nocapture
	@$(MAKE) --no-print-directory fuzz

## make test-bindings   the bindings for other runtimes, each through one list of scenarios; ARGS="ruby::" chooses
# What they need of registries, each `prepare` takes from there: koffi, TypeScript, a Java 25 and its
# compiler, a .NET SDK, Python's cffi and setuptools.
test-bindings:
	@tests/tools cargo cc make pkg-config python3 venv $(binding_tools)
	cargo test --quiet --locked -p modelwire-tests-bindings -- $(ARGS)
binding_tools := go node npm mvn ruby ruby-ffi luajit luarocks php composer unzip elixirc erlang-dev platypus

## make test-servers    all clients beside openai-python against real servers, which it installs; ARGS="fastchat -k stream -v"
test-servers:
	@tests/tools cargo cc node npm python3 venv
	@$(debug_build)
	@cargo build --quiet --locked -p modelwire-tests --example ask
	@$(call c_program,cc -std=c99,tests/servers/ask.c,ask)
	@python3 tests/servers/run.py $(ARGS)

c_suite := cargo test --quiet --locked -p modelwire-tests-c
# What sanitizers and valgrind add nothing to.
others := --skip faults:: --skip key:: --skip records:: --skip replay:: --skip valgrind::

# Seconds for each of the TARGETS; all of them if none is named.
FUZZ_SECONDS := 15
## make fuzz            FUZZ_SECONDS=90 TARGETS="sse view" to choose
fuzz:
	@tests/tools cargo c++ python3
	tests/fuzz/run $(FUZZ_SECONDS) $(TARGETS)

.venv/bin/python:
	@tests/tools python3 venv
	@python3 -m venv .venv

.venv/tools: Makefile | .venv/bin/python
	@echo "installing the test tools into .venv"
	@tests/fetch packages $(python) $(test_tools)
	@touch $@

test_tools := 'pytest>=8' 'mypy>=1.15' 'pyright[nodejs]>=1.1.400' 'ruff>=0.9' uvloop pydantic httpx \
  msgspec trio anyio gevent eventlet typing_extensions build starlette fastapi uvicorn \
  opentelemetry-sdk opentelemetry-instrumentation-openai-v2==2.4b0 \
  opentelemetry-util-genai==0.4b0 openai==3.52.0

## make dev             the Python package in a debug build, and the tests that ARGS choose, in seconds
# The inner loop.
dev: .venv/tools
	@tests/tools cargo cc
	@$(debug_build)
	@$(python) py/install_dev.py $(build)/debug/lib_native.so
	@$(if $(ARGS),MODELWIRE_SERVICE=$(build)/debug/modelwire-service $(python) -m pytest $(ARGS))

## make bench           modelwire beside its peers; ARGS="--scenario chunk --client libcurl-jansson" for one, --list for names
# ARGS="--scenario chunk --client modelwire-rust", --list for names, --quick, --runs 9.
bench:
	@tests/tools cargo cc python3 venv
	@test -x $(measured) || python3 -m venv $(build)/bench/modelwire
	@echo "installing the Python package as users get it (compiles for some minutes the first time)"
	@$(measured) -m pip install --quiet --disable-pip-version-check '.[pydantic]'
	@PYTHONPATH=tests/bench $(measured) -m harness $(ARGS)
measured := $(build)/bench/modelwire/bin/python

## make docs            the documentation site, into target/site; ARGS=test also tries it in a browser
# RUST=no leaves out the reference of the crate, and so compiles nothing.
docs: $(build)/docs/installed
ifeq ($(RUST),no)
	@echo "RUST=no: the site will have no Rust reference"
else
	@tests/tools cargo
	@cargo doc --quiet --locked --no-deps -p modelwire
endif
	@PATH="$(abspath $(build))/docs/bin:$$PATH" NO_MKDOCS_2_WARNING=1 RUST="$(RUST)" \
	  $(build)/docs/bin/python -m mkdocs build --config-file docs/site/mkdocs.yml --site-dir $(abspath $(build)/site)
	@$(if $(ARGS),tests/site/run)

$(build)/docs/installed: docs/site/requirements.txt
	@tests/tools python3 venv
	@python3 -m venv $(build)/docs
	@tests/fetch packages $(build)/docs/bin/python -r $<
	@touch $@

# TARGET is another machine, aarch64-unknown-linux-gnu for instance, or another C library:
# x86_64-unknown-linux-musl, for which there is no shared library. Compilers have Debian's names.
compiler := $(firstword $(subst -, ,$(TARGET)))-linux-gnu-gcc
linker := CARGO_TARGET_$(shell echo '$(TARGET)' | tr a-z- A-Z_)_LINKER
## make install         the C library: PREFIX=/usr/local DESTDIR= LIBDIR=lib TARGET=
install:
ifeq ($(TARGET),)
	@tests/tools cargo cc nm strip rust-objcopy
	@echo "building libmodelwire"
	@cargo build --quiet --locked --release -p modelwire-ffi
else ifneq ($(filter %-musl,$(TARGET)),)
	@tests/tools cargo cc nm strip rust-objcopy musl-gcc
	@echo "building libmodelwire for $(TARGET)"
	@cargo rustc --quiet --locked --release --target $(TARGET) -p modelwire-ffi --lib --crate-type staticlib
else
	@tests/tools cargo cc rust-objcopy $(compiler)
	@echo "building libmodelwire for $(TARGET)"
	@$(linker)=$${$(linker):-$(compiler)} \
	  cargo build --quiet --locked --release --target $(TARGET) -p modelwire-ffi
endif
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' LIBDIR='$(LIBDIR)' TARGET='$(TARGET)' \
	  ffi-c/install/install $(build)/$(if $(TARGET),$(TARGET)/)release

## make generate        writes anew what is generated: the C header and bindings' raw layers, stubs, tables of documents
# Compiles cbindgen and a small program (ffi-c/header), not the library. `make test` checks that what it writes
# is committed.
generate:
	@cargo run --quiet --locked -p modelwire-header
	@python3 py/stubs/write.py
	@python3 docs/site/chart.py
	@python3 tests/release/artefacts.py
	@UPDATE_RULES=1 cargo test --quiet --locked -p modelwire-tests --test house -- rules options
	@ffi-c/bindings/generate

## make release         all that is published, into dist/, with checksums and a manifest; PARTS="crates" for some
# tests/release/artefacts.txt says what a release has, and what makes and tries each file.
release:
	@tests/tools cargo git python3
	@python3 tests/release/release.py $(PARTS)

## make lint            formatting, clippy and ruff
lint: .venv/tools
	cargo fmt --check
	cargo clippy --quiet --locked --workspace --all-targets -- -D warnings
	cargo clippy --quiet --locked -p modelwire --lib --no-default-features -- -D warnings
	RUSTDOCFLAGS='-D warnings' cargo doc --quiet --locked --no-deps -p modelwire
	$(python) -m ruff check py docs/site tests/python tests/release tests/site
	$(python) -m ruff format --check py docs/site tests/python tests/release tests/site
