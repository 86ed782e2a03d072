# make demo   the main job in Rust, C, C++ and Python, on the embedded service or on a real one
# make test   all tests but the long ones
# make test-deep  real TLS servers and proxies, thousands of streams, models, sanitizers, fuzzing
# make tarballs  the C library for Linux (glibc and musl, x86-64 and arm64), Windows and macOS into dist/;
#             TARGETS= chooses
# make deb    the C library as Debian packages, into dist/
# make test-targets  what `make tarballs` packs: built twice, unpacked, linked, and the C and Rust suites on
#             musl and on arm64 under qemu; by hand, last results in docs/testing.md
# make test-deb  what `make deb` packs: lintian, and a program in a Debian that has nothing else of ours
# make test-windows  the core, its scenarios, the packed C library and the C suite for Windows, under Wine;
#             what cannot run there is printed
# make test-macos  the core, the C library and the command, compiled for macOS; the packed C library: what it
#             takes of macOS, built twice, linked; nothing is run
# make release  all that is published, into dist/, with checksums and a manifest; PARTS="crates" for some
# make crates  the Rust crates, into dist/
# make check-crates  those as their users get them: oldest Rust, oldest dependencies, licences, interface
# make test-platforms  what runs the parts of a release and is in no other test; writes the results into
#             docs/platforms.md; CHECKS="check-crates" for some
# make platforms  writes the tables of README.md and docs/platforms.md anew from tests/platforms
# make test-hosts  the examples of event loops and databases, in the real ones; by hand as well
# make test-ray  modelwire.bulk.Rows in a local Ray of two workers, one of which is killed
# make test-bindings  the bindings of ffi-c/bindings for other runtimes, each through one list of
#             scenarios; ARGS="ruby::" chooses
# make test-servers  all clients beside openai-python against real servers and gateways, which it installs;
#             ARGS="fastchat -k stream -v" chooses
# make test-kills  bulk jobs that are killed 400 times at random moments
# make fuzz   FUZZ_SECONDS=90 TARGETS="sse view" to choose
# make wheels  the Python package for each platform, checked, in dist/; NAMES="x86_64 aarch64-musl"
# make free-threaded  a Python without the interpreter's lock, of CPython's sources, which `make test-wheels`
#             tests with
# make sdist   its source archive, with the crates that it is built from, in dist/
# make test-wheels  what is in dist/ where it is to run: other Pythons, another CPU, without a
#             network; ROOMS="native twice"
# make bench  modelwire beside its peers; ARGS="--scenario chunk --client libcurl-jansson" for one
# make mutants  changes the core in one place at a time and sees whether a test notices;
#             FOLDER=protocol|call|driver|delivery|http SHARD=0/8
# make dev    the Python package in a debug build, and the tests that ARGS choose, in seconds:
#             make dev ARGS="tests/python/test_options.py -k retry"
# make stubs  writes the stubs and the Rust tables of py/fields.txt anew
# make install  the C library: PREFIX=/usr/local DESTDIR= LIBDIR=lib TARGET=
# make header writes include/modelwire.* anew from ffi-c/src, adds what is new to tests/c/abi.txt, and
#             writes the raw declarations of the bindings
# make rules  writes docs/options.md and tests/CLOCK.md
# make lint   formatting, clippy and ruff

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

.PHONY: demo test test-deep tarballs deb test-targets test-deb test-windows test-macos test-hosts test-ray test-bindings test-kills wheels sdist check-wheels free-threaded test-wheels fuzz bench picture mutants dev stubs install header rules lint clean

# One debug build for the demo, the tests and `make dev`: always of all default members, for with other
# packages the features of dependencies are other ones, and these are compiled again.
define debug_build
tests/fetch crates && cargo build --quiet --locked --lib --bins --example demo
endef

# The package in .venv is links to its Python sources and to the debug build of the extension.
demo: .venv/bin/python
	@tests/tools cargo cc c++ space:2
	@echo "building (about a minute on two cores where nothing is built yet)"
	@$(debug_build)
	@$(python) py/install_dev.py $(build)/debug/lib_native.so
	@$(call c_program,cc -std=c99,tests/c/demo.c,demo)
	@$(call c_program,c++ -std=c++17,tests/cpp/demo.cpp,demo-cpp)
	@tests/demo/run

# ARGS="python c/" chooses suites.
test: .venv/tools
	@tests/tools cargo cc c++ nm readelf strip valgrind cmake pkg-config openssl space:5
	@echo "building (about three minutes on two cores where nothing is built yet)"
	@$(debug_build)
	@$(python) py/install_dev.py $(build)/debug/lib_native.so
	@MODELWIRE_TESTS_BUILT=1 MODELWIRE_SERVICE=$(build)/debug/modelwire-service $(python) tests/suites.py $(ARGS)

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
	cargo test --quiet --locked -p modelwire-tests --test properties
	ORACLE_CASES=1000000 cargo test --quiet --locked --release -p modelwire-tests --test oracle
	TEST_CALLS=1500 $(c_suite) --test scenarios queue_crowd
	TEST_CALLS=20000 MODELWIRE_TESTS_SANITIZER=address $(c_suite) --test scenarios cancel_storm
	TEST_MS=60000 MODELWIRE_TESTS_SANITIZER=address $(c_suite) --test scenarios -- --skip valgrind::
	TEST_MS=60000 MODELWIRE_TESTS_SANITIZER=thread TSAN_OPTIONS=die_after_fork=0 $(c_suite) --test scenarios -- $(others) --skip fork
	MODELWIRE_TESTS_VALGRIND=1 $(c_suite) --test scenarios -- $(others) --skip fork --skip holds_back --skip timeouts --skip hanging --skip log_queue_full --skip queue_paused
	cargo test --quiet --locked -p modelwire-tests-cpp --test valgrind -- --ignored
	cargo test --quiet --locked --release -p modelwire-bench --test instructions
	$(debug_build)
	$(python) py/install_dev.py $(build)/debug/lib_native.so
	MODELWIRE_SERVICE=$(build)/debug/modelwire-service $(python) -m pytest -m deep
	MODELWIRE_SERVICE=$(build)/debug/modelwire-service $(python) -m pytest tests/python/test_storm.py
	@$(MAKE) --no-print-directory test-kills
	@$(MAKE) --no-print-directory fuzz

# Releases of zig are Python packages.
zig := $(build)/zig/bin
$(zig)/cargo-zigbuild:
	@tests/tools python3 venv
	@echo "installing zig into $(build)/zig"
	@python3 -m venv $(build)/zig
	@$(zig)/python -m pip install --quiet --disable-pip-version-check ziglang==0.17.1 cargo-zigbuild==0.24.0

# Its caches stand there, too.
with_zig := PATH="$(abspath $(zig)):$$PATH" XDG_CACHE_HOME="$(abspath $(build))/cache" PACKAGE_TARGET_DIR="$(abspath $(build))/package"
linux_targets := $(foreach libc,gnu musl,$(foreach cpu,x86_64 aarch64,$(cpu)-unknown-linux-$(libc)))
windows_target := x86_64-pc-windows-gnu
macos_targets := aarch64-apple-darwin x86_64-apple-darwin
packed_targets = $(or $(TARGETS),$(linux_targets) $(windows_target) $(macos_targets))
tarballs: $(zig)/cargo-zigbuild
	@tests/tools cargo rustup strip aarch64-linux-gnu-gcc x86_64-w64-mingw32-gcc
	@rustup --quiet target add $(packed_targets)
	@for target in $(packed_targets); do \
	  $(with_zig) ffi-c/package/tarball $$target dist || exit 1; done

deb: $(zig)/cargo-zigbuild
	@tests/tools cargo strip dh dpkg-buildpackage
	@$(with_zig) ffi-c/package/deb dist

# The C suite against what was packed: for old glibc, and as programs for musl that share nothing. There
# `copies` and `loaded_and_unloaded` have no shared library to load, and `plugins` none to be.
packed_as = $(with_zig) MODELWIRE_TESTS_PACKAGE=dist/modelwire-$(version)-$(1).tar.gz $(c_suite) --test scenarios --test demo -- --skip valgrind::
version = $(shell sed -n 's/^version = "\(.*\)"$$/\1/p' Cargo.toml | head -1)
test-targets: TARGETS := $(linux_targets)
test-targets: tarballs
	@tests/tools cargo rustup cc c++ musl-gcc aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ qemu-aarch64 pkg-config \
	  readelf cmake
	$(with_zig) $(c_suite) --test package -- --ignored --skip debian --skip windows --skip macos
	$(c_suite) --test install -- --ignored targets
	$(call packed_as,x86_64-unknown-linux-gnu)
	$(call packed_as,x86_64-unknown-linux-musl) --skip copies --skip loaded_and_unloaded --skip plugins
	tests/platforms/arm64 c
	tests/platforms/arm64 rust

test-deb: deb
	@tests/tools cargo cc root dpkg-deb lintian mmdebstrap
	$(c_suite) --test package -- --ignored debian

# A release: tests/platforms/artefacts.txt says what it has, and which target makes and runs each file.
.PHONY: release crates check-crates test-platforms platforms
release:
	@tests/tools cargo git python3
	@python3 tests/platforms/release.py $(PARTS)

crates:
	@tests/tools cargo python3
	@tests/platforms/pack-crates dist

check-crates:
	@tests/tools cargo rustup python3 rust-oldest rust-nightly cargo-deny cargo-semver-checks
	@tests/platforms/check-crates
	@tests/platforms/test-interface

test-platforms:
	@tests/tools git python3
	@python3 tests/platforms/run.py $(CHECKS)

platforms:
	@tests/tools python3
	@python3 tests/platforms/artefacts.py

# Windows by mingw and Wine; there is no Python package of either.
test-windows: TARGETS := $(windows_target)
test-windows: tarballs
	@tests/tools cargo rustup cc x86_64-w64-mingw32-gcc x86_64-w64-mingw32-gcc-posix x86_64-w64-mingw32-g++-posix \
	  wine pkg-config cmake
	cargo check --quiet --locked --target $(windows_target) -p modelwire -p modelwire-ffi -p modelwire-bulk -p modelwire-cli
	tests/platforms/windows demo
	tests/platforms/windows core
	tests/platforms/windows scenarios
	$(with_zig) tests/platforms/windows package
	tests/platforms/windows c

# zig compiles the C of what the core uses, and nothing here runs what comes of it.
test-macos: TARGETS := $(macos_targets)
test-macos: tarballs
	@tests/tools cargo rustup pkg-config llvm-objdump
	@for target in $(macos_targets); do $(with_zig) cargo-zigbuild check --quiet --locked --target $$target \
	  -p modelwire -p modelwire-ffi -p modelwire-bulk -p modelwire-cli || exit 1; done
	$(with_zig) $(c_suite) --test package -- --ignored macos::

# Built by the commands that their first lines give, against an installed library.
host_tools := make pkg-config strip libuv glib-2.0 libevent Qt5Core asio x11 ncurses python3-dev sqlite3 \
  sqlite3-dev postgres
test-hosts:
	@tests/tools cargo cc c++ $(host_tools)
	cargo test --quiet --locked -p modelwire-tests-hosts

# Ray is heavy: it has an environment of its own.
ray := $(build)/ray/bin/python
test-ray:
	@tests/tools cargo python3 venv cc
	@test -x $(ray) || python3 -m venv $(build)/ray
	@echo "installing Ray and the Python package into $(build)/ray"
	@$(ray) -m pip install --quiet --disable-pip-version-check 'pytest>=8' trio 'ray[data]' pyarrow pandas tqdm .
	cargo build --quiet --locked -p modelwire-service
	MODELWIRE_SERVICE=$(build)/debug/modelwire-service $(ray) -m pytest -m 'deep or not deep' tests/python/test_bulk_ray.py tests/python/test_bulk.py -k 'ray or libraries or parquet or tqdm'

# What they need of registries, each `prepare` takes from there: koffi, a Java 25 and its compiler,
# Python's cffi.
test-bindings:
	@tests/tools cargo cc make pkg-config python3 venv $(binding_tools)
	cargo test --quiet --locked -p modelwire-tests-bindings -- $(ARGS)
binding_tools := go node npm mvn ruby ruby-ffi luajit php elixirc erlang-dev platypus

.PHONY: test-servers
test-servers:
	@tests/tools cargo cc node npm python3 venv
	@$(debug_build)
	@cargo build --quiet --locked -p modelwire-tests --example ask
	@$(call c_program,cc -std=c99,tests/servers/ask.c,ask)
	@python3 tests/servers/run.py $(ARGS)

# What each leaves is compared with what the service saw.
test-kills:
	@tests/tools cargo
	cargo test --quiet --locked -p modelwire-cli --test bulk_kills -- --ignored --nocapture --test-threads 1
	cargo test --quiet --locked -p modelwire-cli --test bulk_exact -- --ignored --nocapture

c_suite := cargo test --quiet --locked -p modelwire-tests-c
# What sanitizers and valgrind add nothing to.
others := --skip faults:: --skip key:: --skip records:: --skip replay:: --skip valgrind::

# Seconds for each of the TARGETS; all of them if none is named.
FUZZ_SECONDS := 15
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

FOLDER := protocol
SHARD := 0/8
mutants:
	@tests/tools cargo cargo-mutants
	tests/mutants/run $(FOLDER) $(SHARD)

test_tools := 'pytest>=8' 'mypy>=1.15' 'pyright[nodejs]>=1.1.400' 'ruff>=0.9' uvloop pydantic httpx \
  msgspec trio anyio gevent eventlet typing_extensions build starlette fastapi uvicorn \
  opentelemetry-sdk opentelemetry-instrumentation-openai-v2==2.4b0 \
  opentelemetry-util-genai==0.4b0 openai==3.52.0

# What is published of Python. The tools stand in an environment of their own, with exact versions;
# zig, which links for old C libraries, is one of them.
packaging := $(build)/python/tools/bin/python
$(build)/python/tools/installed: py/package/requirements.txt
	@tests/tools cargo rustup python3 venv
	@test -x $(packaging) || python3 -m venv $(build)/python/tools
	@echo "installing what builds and checks wheels"
	@$(packaging) -m pip install --quiet --disable-pip-version-check -r py/package/requirements.txt
	@touch $@

wheels: $(build)/python/tools/installed
	@tests/tools cargo rustup cc aarch64-linux-gnu-gcc x86_64-w64-mingw32-gcc
	@$(packaging) py/package/wheels.py dist $(NAMES)
	@$(MAKE) --no-print-directory check-wheels

sdist: $(build)/python/tools/installed
	@$(packaging) py/package/sdist.py dist

check-wheels: $(build)/python/tools/installed
	@$(packaging) py/package/check.py dist

# Of CPython's sources, for no package of Debian's has it.
free-threaded:
	@tests/tools python3 cc make libssl libffi zlib liblzma sqlite3-dev
	@python3 py/package/free_threaded.py $(build)/python/free-threaded

# The tests of the checks first: each of them refuses a wheel that is wrong in one way.
test-wheels: $(build)/python/tools/installed free-threaded
	@tests/tools cargo cc qemu-aarch64 mmdebstrap unshare
	@$(packaging) -m pytest py/package/test_check.py
	@cargo build --quiet --locked -p modelwire-service
	@MODELWIRE_SERVICE=$(build)/debug/modelwire-service $(packaging) py/package/test.py dist $(ROOMS)

# The inner loop.
dev: .venv/tools
	@tests/tools cargo cc
	@$(debug_build)
	@$(python) py/install_dev.py $(build)/debug/lib_native.so
	@$(if $(ARGS),MODELWIRE_SERVICE=$(build)/debug/modelwire-service $(python) -m pytest $(ARGS))

stubs:
	@python3 py/stubs/write.py

# The picture of a bulk job in the README, anew.
picture:
	@tests/tools cargo
	@UPDATE_PICTURE=1 cargo test --quiet --locked --release -p modelwire-cli --test picture

# ARGS="--scenario chunk --client modelwire-rust", --list for names, --quick, --runs 9.
bench:
	@tests/tools cargo cc python3 venv
	@test -x $(measured) || python3 -m venv $(build)/bench/modelwire
	@echo "installing the Python package as users get it (compiles for some minutes the first time)"
	@$(measured) -m pip install --quiet --disable-pip-version-check .
	@PYTHONPATH=tests/bench $(measured) -m harness $(ARGS)
measured := $(build)/bench/modelwire/bin/python

# What links the .a keeps it for itself: the script has ffi-c/hide change its symbols.
# TARGET is another machine, aarch64-unknown-linux-gnu for instance, or another C library:
# x86_64-unknown-linux-musl, for which there is no shared library. Compilers have Debian's names.
compiler := $(firstword $(subst -, ,$(TARGET)))-linux-gnu-gcc
linker := CARGO_TARGET_$(shell echo '$(TARGET)' | tr a-z- A-Z_)_LINKER
install:
ifeq ($(TARGET),)
	@tests/tools cargo cc strip
	@echo "building libmodelwire"
	@cargo build --quiet --locked --release -p modelwire-ffi
else ifneq ($(filter %-musl,$(TARGET)),)
	@tests/tools cargo cc strip musl-gcc
	@echo "building libmodelwire for $(TARGET)"
	@cargo rustc --quiet --locked --release --target $(TARGET) -p modelwire-ffi --lib --crate-type staticlib
else
	@tests/tools cargo cc $(compiler)
	@echo "building libmodelwire for $(TARGET)"
	@$(linker)=$${$(linker):-$(compiler)} \
	  cargo build --quiet --locked --release --target $(TARGET) -p modelwire-ffi
endif
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' LIBDIR='$(LIBDIR)' TARGET='$(TARGET)' \
	  ffi-c/install/install $(build)/$(if $(TARGET),$(TARGET)/)release

# Reads source files: compiles cbindgen and a small program (ffi-c/header), not the library, and
# runs no test. `make test` checks that what it writes is committed.
header:
	@cargo run --quiet --locked -p modelwire-header
	@ffi-c/bindings/generate

rules:
	@UPDATE_RULES=1 cargo test --quiet --locked -p modelwire-tests --test house -- options clock_rules

lint: .venv/tools
	cargo fmt --check
	cargo clippy --quiet --locked --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS='-D warnings' cargo doc --quiet --locked --no-deps -p modelwire
	$(python) -m ruff check py tests/python tests/platforms
	$(python) -m ruff format --check py tests/python tests/platforms

clean:
	rm -rf target dist .venv
