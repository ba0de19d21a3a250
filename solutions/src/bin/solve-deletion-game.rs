//! The solution of `deletion-game`: a case on standard input, the answer on standard output.

fn main() -> std::process::ExitCode {
    solutions::main_of("deletion-game")
}
