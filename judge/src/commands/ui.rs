//! `judge ui`: past and running runs in a browser.

use judge_cli::UiArgs;
use judge_problem::Exit;
use judge_session::failure::Failure;
use judge_session::load::{self, Given};
use judge_ui::{Server, Starter};

/// Serves the page until Ctrl-C.
pub(super) fn ui(catalogue: Given<'_>, args: &UiArgs) -> Result<Exit, Failure> {
    let starter = args.allow_run.then(|| Starter::new(words(catalogue)));
    let catalogue = load::catalogue(catalogue)?;
    let catalogue = if args.read_only { catalogue.read_only() } else { catalogue };
    let server = Server::bind(args.port, catalogue, starter)?;
    let url = server.url();
    judge_report::print_line(&url)?;
    judge_report::note("Ctrl-C ends it");
    if args.open
        && let Err(error) = judge_ui::open(&url)
    {
        judge_report::note(&format!("warning: no browser can be started: {error}"));
    }
    server.run()?;
    Ok(Exit::Success)
}

/// Returns the words with which another judge has the same catalogue and journal.
fn words(given: Given<'_>) -> Vec<String> {
    let flags = [("--problems", given.catalogue), ("--journal", given.journal)];
    let given = flags.into_iter().filter_map(|(flag, file)| Some((flag, file?)));
    given.flat_map(|(flag, file)| [flag.to_owned(), file.to_string_lossy().into_owned()]).collect()
}
