//! The solution of `square-remover`: a case on standard input, the answer on standard output.

fn main() -> std::process::ExitCode {
    solutions::main_of("square-remover")
}
