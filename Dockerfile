# The judge with its bundled solvers and problems:
#   docker build -t judge .
#   docker run --rm judge                                    the main job
#   docker run --rm -v "$PWD:/work" judge run -p columns -s bot.py
# The README says which tier of the sandbox a container gets.
# It has a C compiler, too, for SQLite.
FROM rust:1-slim-bookworm AS build
WORKDIR /source
COPY Cargo.toml Cargo.lock problems.toml ./
COPY .cargo .cargo
COPY checkers checkers
COPY judge judge
COPY solutions solutions
COPY tests/fuzz tests/fuzz
RUN cargo build --profile dist --locked && strip target/dist/judge

FROM debian:bookworm-slim
# What solvers are written in most often.
RUN apt-get update && apt-get install --yes --no-install-recommends g++ python3 && rm -rf /var/lib/apt/lists/*
COPY --from=build /source/target/dist/judge /usr/local/bin/judge
WORKDIR /work
ENTRYPOINT ["judge"]
CMD ["run", "--problem", "columns"]
