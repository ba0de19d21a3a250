//! `judge ui`: a web page over the journal, for browsers on this machine.
//!
//! ```text
//! server ─ every request ─▶ guard: token, host, origin ─▶ assets: the page itself
//!                                                      └▶ api: JSON, and pages that play games, made by `report`
//! api ─▶ store: the catalogue, the journal, and the runs that were last looked at
//!        shown_run ─ field, row_order ─▶ the rows that a filter lets through, in an order
//!        shown_run ─ film ─▶ a game, move by move
//!        started: the runs that pages have started
//!        hand ─▶ a game that a person plays
//! ```

mod api;
mod games;
mod guard;
mod refused;
mod server;
mod shown_run;
mod started;
mod store;

pub use server::Server;
pub use started::Starter;

use std::io;
use std::process::{Command, Stdio};

/// The programs that open an address in the browser that the user has chosen.
const OPENERS: [&str; 2] = ["xdg-open", "open"];

/// Opens an address in a browser, without waiting for it.
///
/// # Errors
/// When none of the programs that do this can be started.
pub fn open(url: &str) -> io::Result<()> {
    let start = |program| {
        let quiet = || Stdio::null();
        Command::new(program).arg(url).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn()
    };
    let mut child =
        OPENERS.into_iter().map(start).reduce(Result::or).unwrap_or_else(|| Err(io::ErrorKind::NotFound.into()))?;
    std::thread::Builder::new().name("browser".to_owned()).spawn(move || child.wait())?;
    Ok(())
}
