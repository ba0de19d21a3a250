//! The servers: `judge serve` and `judge mcp` evaluate solvers for other programs, `judge ui` serves the page.

use judge_cli::{EvaluatorArgs, ServeArgs, UiArgs};
use judge_problem::{Catalogue, Exit};
use judge_serve::{Client, Evaluator, MAX_MESSAGE, Mcp, Methods, serve_stdio};
use judge_session::{Failure, GlobalArgs, Result, load, recorder};
use judge_ui::{Endpoint, Server};
use std::io::{stdin, stdout};
use std::net::SocketAddr;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Answers requests until the end of standard input, or over HTTP until a signal.
pub(super) fn serve(global: GlobalArgs<'_>, args: Box<ServeArgs>) -> Result<Exit> {
    let ServeArgs { listen, sealed, evaluator, stdio: _ } = *args;
    let evaluator = open(global, evaluator, sealed)?;
    match listen {
        Some(address) => serve_http(&evaluator, address)?,
        None => serve_stdio(&evaluator, Methods::Serve, stdin().as_fd(), output()?)?,
    }
    Ok(Exit::Success)
}

/// Answers requests of an agent until the end of standard input.
pub(super) fn mcp(global: GlobalArgs<'_>, args: EvaluatorArgs) -> Result<Exit> {
    let methods = Methods::Mcp(Mcp::new(Path::new("."))?);
    let evaluator = open(global, args, None)?;
    serve_stdio(&evaluator, methods, stdin().as_fd(), output()?)?;
    Ok(Exit::Success)
}

fn output() -> Result<OwnedFd> {
    stdout().as_fd().try_clone_to_owned().map_err(Failure::fault)
}

/// Results are recorded only if the command line names a journal, because thousands of evaluations do not belong into a
/// user's history.
fn open(global: GlobalArgs<'_>, args: EvaluatorArgs, sealed: Option<PathBuf>) -> Result<Arc<Evaluator>> {
    let catalogue = load::catalogue(global)?;
    let records = global.journal.is_some() && !args.no_journal;
    if records {
        // An unusable one is refused now, and not after the first evaluation.
        recorder::open(&catalogue)?;
    }
    Evaluator::open(catalogue, args, records, sealed)
}

/// Prints the address and its token as a line of JSON, and answers requests there.
fn serve_http(evaluator: &Arc<Evaluator>, address: SocketAddr) -> Result<()> {
    let endpoint = Endpoint::bind(address.port())?;
    let line = serde_json::json!({ "listening": endpoint.url(), "token": endpoint.token() });
    judge_report::print_line(&line.to_string())?;
    let client = Client::new(Arc::clone(evaluator), Methods::Serve, None);
    // A message that is a little too long is read, and refused as on standard input.
    let served = endpoint.run(2 * MAX_MESSAGE, move |message, reply| client.receive_one(message, reply));
    evaluator.end();
    served
}

/// Serves the page until Ctrl-C.
pub(super) fn ui(global: GlobalArgs<'_>, args: &UiArgs) -> Result<Exit> {
    let catalogue = Catalogue { is_read_only: args.read_only, ..load::catalogue(global)? };
    let server = Server::bind(args.port, catalogue, args.allow_run)?;
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
