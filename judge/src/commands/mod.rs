//! One file for each subcommand, and the dispatcher, which turns errors into text and exit codes.

mod about;
mod baseline;
mod best;
mod check;
mod compare;
mod completion;
mod exec;
mod find;
mod gate;
mod generate;
mod history;
mod import;
mod merge;
mod new;
mod new_cases;
mod power;
mod rank;
mod reduce;
mod run;
mod sealed;
mod serve;
mod site;
mod tune;
mod verify;
mod view;
mod watch;
mod work;

use judge_cli::{Cli, Command};
use judge_journal::{Journal, JournalError, ReadableRows};
use judge_problem::{Exit, counted};
use judge_run::program::hide_journal;
use judge_run::{command, executor};
use judge_session::failure::move_away;
use judge_session::{Failure, GlobalArgs, load, recorder};
use std::process::ExitCode;

pub use completion::complete_if_asked;

/// Runs the subcommand of the command line, and returns the exit code.
pub fn dispatch(cli: Cli) -> ExitCode {
    let Cli { problems, journal, command: subcommand } = cli;
    let into = if let Command::Merge(args) = &subcommand { args.into.clone() } else { None };
    let (catalogue, journal) = (problems.as_deref(), into.as_deref().or(journal.as_deref()));
    let global = GlobalArgs { catalogue, journal, bundled: generate::bundled() };
    journal.into_iter().for_each(hide_journal);
    let result = match subcommand {
        Command::Run(args) if args.watch => watch::watch(global, &args),
        Command::Run(args) if args.sealed.is_some() => sealed::run(global, &args),
        Command::Run(args) => run::run(global, &args),
        Command::Check(args) => check::check(global, &args),
        Command::Gen(args) => generate::generate(global, &args),
        Command::Doctor { json } => about::doctor(json.as_deref()),
        Command::Exec(args) => exec::exec(&args),
        Command::History(args) => history::history(global, &args),
        Command::Best(args) => best::best(global, &args),
        Command::Rescore(args) => best::rescore(global, &args),
        Command::Merge(args) => merge::merge(global, &args),
        Command::Compare(args) => compare::compare(global, &args),
        Command::Rank(args) => rank::rank(global, &args),
        Command::Baseline(args) => baseline::baseline(global, &args),
        Command::Gate(args) => gate::gate(global, &args),
        Command::Power(args) => power::power(global, &args),
        Command::Find(args) => find::find(global, &args),
        Command::Reduce(args) => reduce::reduce(global, &args),
        Command::Tune(args) => tune::tune(global, &args),
        Command::Import(args) => import::import(&args),
        Command::List => about::list(global),
        Command::Show { problem, rules: false } => about::show(global, &problem),
        Command::Show { problem, rules: true } => about::rules(global, &problem),
        Command::Solve { solver } => return generate::solve(&solver),
        Command::Ui(args) => serve::ui(global, &args),
        Command::Site(args) => site::site(global, &args),
        Command::Serve(args) => serve::serve(global, args.into_inner()),
        Command::Mcp(args) => serve::mcp(global, *args.into_inner()),
        Command::View(args) => view::view(global, &args),
        Command::Schema { of } => about::schema(&of),
        Command::Completions { shell } => completion::script(shell),
        Command::Languages { json } => about::languages(global, json.as_deref()),
        Command::Cache { action } => about::cache(action.as_ref()),
        Command::New(args) => new::new(&args),
        Command::Verify(args) => verify::verify(global, &args),
        Command::Work { folder } => work::work(&folder),
        Command::Man => completion::man(),
    };
    let exit = result.unwrap_or_else(|failure| show(failure, global));
    let exit = if recorder::is_lost() { Exit::Fault } else { exit };
    // The sandbox's helpers wait for the next program.
    command::dismiss_workers();
    command::dismiss_supervisors();
    executor::DISMISSED.wait();
    ExitCode::from(exit.code())
}

/// Shows a failure, and returns the exit code.
fn show(failure: Failure, global: GlobalArgs<'_>) -> Exit {
    let failure = explain(failure, global);
    judge_report::note_lines(&failure.render(judge_report::Style::of_stderr()));
    failure.exit()
}

/// Adds hints to a failure about the damaged journal of this catalogue: which part can still be read, and how to begin
/// a new journal.
fn explain(failure: Failure, global: GlobalArgs<'_>) -> Failure {
    if !failure.journal_error().is_some_and(JournalError::is_damage) {
        return failure;
    }
    let Ok(catalogue) = load::catalogue_without_note(global) else { return failure };
    let path = recorder::path(&catalogue);
    let readable_rows = match Journal::readable_rows(&path) {
        Some(ReadableRows { runs, results }) => {
            let counted = |count, what| counted(usize::try_from(count).unwrap_or(usize::MAX), what);
            format!("{} and {} of it can still be read", counted(runs, "run"), counted(results, "result"))
        }
        None => "nothing of it can be read".to_owned(),
    };
    failure.with_hint(format!("{readable_rows}; this makes room for a new one: {}", move_away(&path)))
}
