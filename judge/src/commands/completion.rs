//! Shell completion: the script of a shell, and the candidates that the script requests from this program. Also the manual page.

use super::generate;
use clap::{Arg, Command, CommandFactory, ValueHint};
use clap_complete::env::Shells;
use clap_complete::{ArgValueCandidates, CompleteEnv, CompletionCandidate, Shell};
use judge_cli::Cli;
use judge_problem::{Exit, Problem};
use judge_sandbox::Tier;
use judge_session::{Failure, GlobalArgs, Result, load};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The variable by which a completion script requests candidates.
const VARIABLE: &str = "JUDGE_COMPLETE";

/// Prints a shell's completion script. It calls this program by the path that it was started by.
pub(super) fn script(shell: Shell) -> Result<Exit> {
    let shells = Shells::builtins();
    let completer = shells.completer(&shell.to_string()).ok_or_else(|| Failure::fault("this shell has no script"))?;
    let mut script = Vec::new();
    completer.write_registration(VARIABLE, "judge", "judge", &program(), &mut script).map_err(Failure::fault)?;
    judge_report::print_bytes(&script)?;
    Ok(Exit::Success)
}

/// Returns `judge`, or its absolute path if it was started by a path.
fn program() -> String {
    let started = std::env::args_os().next().map_or_else(|| PathBuf::from("judge"), PathBuf::from);
    let is_path = started.components().count() > 1;
    let absolute = if is_path { std::path::absolute(&started).unwrap_or(started) } else { started };
    absolute.to_string_lossy().into_owned()
}

/// Prints candidates if a completion script requests them. Returns the exit code, or `None` without such a request.
pub fn complete_if_asked() -> Option<ExitCode> {
    let folder = std::env::current_dir().ok();
    let completion = CompleteEnv::with_factory(with_candidates).var(VARIABLE).bin("judge");
    match completion.try_complete(std::env::args_os(), folder.as_deref()) {
        Ok(asked) => asked.then_some(ExitCode::SUCCESS),
        Err(error) => {
            judge_report::note_lines(&error.to_string());
            Some(ExitCode::from(Exit::Usage.code()))
        }
    }
}

/// Returns the grammar with the candidates that depend on the catalogue.
fn with_candidates() -> Command {
    let solvers = || generate::ids().into_iter().map(CompletionCandidate::new).collect::<Vec<_>>();
    let tiers = || Vec::from(Tier::ALL.map(|tier| CompletionCandidate::new(tier.to_string())));
    let mut grammar = Cli::command();
    // The arguments of subcommands are there only then.
    grammar.build();
    grammar.mut_subcommands(|command| {
        let is_solve = command.get_name() == "solve";
        command.mut_args(|arg: Arg| match arg.get_id().as_str() {
            "problem" | "id" => arg.add(ArgValueCandidates::new(problems)),
            "solver" if is_solve => arg.add(ArgValueCandidates::new(solvers)),
            "tier" | "require_tier" => arg.add(ArgValueCandidates::new(tiers)),
            // They are texts, but most of them name files.
            "solver" | "solvers" | "submissions" | "words" | "against" | "inputs" | "visible" | "files" | "command" => {
                arg.value_hint(ValueHint::AnyPath)
            }
            _ => arg,
        })
    })
}

fn problems() -> Vec<CompletionCandidate> {
    let given = given_catalogue();
    let global = GlobalArgs { catalogue: given.as_deref(), ..GlobalArgs::default() };
    let Ok(catalogue) = load::catalogue_without_note(global) else { return Vec::new() };
    let candidate = |problem: &Problem| CompletionCandidate::new(&problem.id).help(Some(problem.title.clone().into()));
    catalogue.problems.iter().map(candidate).collect()
}

/// Returns the value of `--problems` on the line that is completed.
fn given_catalogue() -> Option<PathBuf> {
    let words: Vec<_> = std::env::args_os().collect();
    let after = words.iter().position(|word| word == "--problems")?;
    words.get(after + 1).map(|path| Path::new(path).to_owned())
}

/// Prints the manual page: the program's, then each command's.
pub(super) fn man() -> Result<Exit> {
    let page = man_page().map_err(Failure::fault)?;
    judge_report::print_bytes(&page)?;
    Ok(Exit::Success)
}

fn man_page() -> std::io::Result<Vec<u8>> {
    let mut page = Vec::new();
    let mut cli = Cli::command();
    clap_mangen::Man::new(cli.clone()).render(&mut page)?;
    // A single command would lack the global options.
    cli.build();
    for command in cli.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help") {
        let named = command.clone().display_name(format!("judge {}", command.get_name()));
        let man = clap_mangen::Man::new(named);
        man.render_synopsis_section(&mut page)?;
        man.render_description_section(&mut page)?;
        man.render_options_section(&mut page)?;
        man.render_extra_section(&mut page)?;
    }
    Ok(page)
}
