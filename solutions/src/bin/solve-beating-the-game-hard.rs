//! The solution of `beating-the-game-hard`: a case on standard input, the answer on standard output.

fn main() -> std::process::ExitCode {
    solutions::main_of("beating-the-game-hard")
}
