# ravel with what it needs at run time: a C preprocessor with its headers, and Z3's library.
FROM rust:1.88-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends g++ libz3-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /ravel
COPY . .
RUN cargo build --release --locked --package ravel

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev libz3-4 && rm -rf /var/lib/apt/lists/*
COPY --from=build /ravel/target/release/ravel /usr/local/bin/ravel
COPY LICENSE LICENSE-MIT LICENSE-APACHE /usr/share/doc/ravel/
WORKDIR /work
ENTRYPOINT ["ravel"]
