//! One file for each subcommand, and the dispatcher, which turns errors into text and exit codes.

mod baseline;
mod best;
mod check;
mod compare;
mod completion;
mod doctor;
mod exec;
mod gate;
mod generate;
mod history;
mod import;
mod languages;
mod man;
mod merge;
mod new;
mod power;
mod problems;
mod rank;
mod rescore;
mod run;
mod schema;
mod solve;
mod tune;
mod ui;
mod verify;
mod view;
mod watch;
mod work;

use judge_cli::{Cli, Command};
use judge_problem::Exit;
use judge_run::command;
use judge_session::failure::Failure;
use judge_session::load::Given;
use judge_session::{damaged_journal, recorder};
use std::process::ExitCode;

pub use completion::complete_if_asked;

/// Runs the subcommand of the command line, and returns the exit code.
#[must_use]
pub fn dispatch(cli: Cli) -> ExitCode {
    let catalogue =
        Given { catalogue: cli.problems.as_deref(), journal: cli.journal.as_deref(), bundled: solve::bundled() };
    let result = match cli.command {
        Command::Run(args) if args.watch => watch::watch(catalogue, &args),
        Command::Run(args) => run::run(catalogue, &args),
        Command::Check(args) => check::check(catalogue, &args),
        Command::Gen(args) => generate::generate(catalogue, &args),
        Command::Doctor { json } => doctor::doctor(json.as_deref()),
        Command::Exec(args) => exec::exec(&args),
        Command::History(args) => history::history(catalogue, &args),
        Command::Best(args) => best::best(catalogue, &args),
        Command::Rescore(args) => rescore::rescore(catalogue, &args),
        Command::Merge(args) => merge::merge(catalogue, &args),
        Command::Compare(args) => compare::compare(catalogue, &args),
        Command::Rank(args) => rank::rank(catalogue, &args),
        Command::Baseline(args) => baseline::baseline(catalogue, &args),
        Command::Gate(args) => gate::gate(catalogue, &args),
        Command::Power(args) => power::power(catalogue, &args),
        Command::Tune(args) => tune::tune(catalogue, &args),
        Command::Import(args) => import::import(&args, verify::verify),
        Command::List => problems::list(catalogue),
        Command::Show { problem, rules: false } => problems::show(catalogue, &problem),
        Command::Show { problem, rules: true } => problems::rules(catalogue, &problem),
        Command::Solve { solver } => return solve::solve(&solver),
        Command::Ui(args) => ui::ui(catalogue, &args),
        Command::View(args) => view::view(catalogue, &args),
        Command::Schema { of } => schema::schema(of),
        Command::Completions { shell } => completion::script(shell),
        Command::Languages(args) => languages::languages(catalogue, &args),
        Command::Cache { action } => languages::cache(action.as_ref()),
        Command::New(args) => new::new(&args),
        Command::Verify(args) => verify::verify(catalogue, &args),
        Command::Work { folder } => work::work(&folder),
        Command::Man => man::man(),
    };
    let exit = result.unwrap_or_else(|failure: Failure| {
        let failure = damaged_journal::explain(failure, catalogue);
        judge_report::note_lines(&failure.render(judge_report::Style::of_stderr()));
        failure.exit()
    });
    let exit = if recorder::is_lost() { Exit::Fault } else { exit };
    command::dismiss_workers();
    judge_sandbox::dismiss_supervisors();
    judge_sandbox::wait_for_dismissed_workers();
    ExitCode::from(exit.code())
}
