//! The binary: parse, dispatch, exit code.

use judge_cli::Cli;
use std::process::ExitCode;

fn main() -> ExitCode {
    judge_sandbox::reset_inherited_signals();
    judge_sandbox::become_helper_if_asked();
    judge::commands::complete_if_asked().unwrap_or_else(|| judge::commands::dispatch(Cli::read()))
}
