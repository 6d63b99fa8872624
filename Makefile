# `make demo` shows what ravel does, `make test` checks everything. Both look for what they need first.

CARGO ?= cargo
# The pages are for people who work on ravel: they show what is private, and link to it.
RUSTDOC = -D warnings -A rustdoc::private_intra_doc_links
RAVEL = $(or $(CARGO_TARGET_DIR),target)/release/ravel

.PHONY: demo test build deb needs needs-test clean

demo: build
	@echo
	@echo "== examples/: programs with known answers"
	@$(RAVEL) bench examples --time-limit 30s --each
	@echo
	@echo "== one of the bad ones: ravel verify examples/lost_update.c"
	@$(RAVEL) verify examples/lost_update.c || test $$? -eq 1

build: needs
	$(CARGO) build --release --package ravel

# A Debian package; needs `cargo install cargo-deb`.
deb: build
	contrib/debian/prepare $(RAVEL) $(or $(CARGO_TARGET_DIR),target)/package
	$(CARGO) deb --no-build --package ravel

test: needs needs-test
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="$(RUSTDOC)" $(CARGO) doc --workspace --no-deps --document-private-items
	$(CARGO) test --workspace

# The system's C compiler preprocesses .c files, and Rust links with it; the solver layer compiles CaDiCaL, which is C++,
# and links the system's Z3.
needs:
	@command -v cc >/dev/null 2>&1 || .ci/install gcc libc6-dev
	@command -v c++ >/dev/null 2>&1 || .ci/install g++
	@echo '#include <z3.h>' | cc -E - >/dev/null 2>&1 || .ci/install libz3-dev
	@command -v $(CARGO) >/dev/null 2>&1 || { \
	  echo "ravel is built with Rust 1.88 or newer; install it with rustup, then run this again"; exit 1; }

needs-test:
	@$(CARGO) fmt --version >/dev/null 2>&1 || rustup component add rustfmt || { \
	  echo "rustfmt is missing; run:  rustup component add rustfmt"; exit 1; }
	@$(CARGO) clippy --version >/dev/null 2>&1 || rustup component add clippy || { \
	  echo "clippy is missing; run:  rustup component add clippy"; exit 1; }

clean:
	$(CARGO) clean
