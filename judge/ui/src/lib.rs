//! `judge ui`: a web page over the journal, for browsers on this machine.
//!
//! - A [`Server`] binds a port of this machine and answers requests until a signal ends it. If it is allowed, its pages
//!   start runs.
//! - [`site`] returns the same pages as files, for any web host.
//! - An [`Endpoint`] takes messages of programs at one address, behind the same guard.
//! - [`open`] shows the server's address in a browser.
//!
//! ```text
//! request ─▶ guard: token, host, origin ─▶ server: the page and its files
//!                                       └▶ api: JSON, and pages that play games
//! api ─▶ store: the catalogue, the journal, and the most recently requested runs
//!     ─▶ shown_run: the rows of a run, filtered and sorted
//!     ─▶ games: replays of answers, and games that people play
//!     ─▶ started: the runs that pages have started
//! ```
//!
//! ```no_run
//! use judge_problem::Catalogue;
//! use judge_session::failure::Failure;
//!
//! fn serve(catalogue: Catalogue) -> Result<(), Failure> {
//!     let server = judge_ui::Server::bind(None, catalogue, false)?;
//!     println!("{}", server.url());
//!     server.run()
//! }
//! ```

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap)]

mod api;
mod bundle;
mod games;
mod guard;
mod reply;
mod server;
mod shown_run;
mod site;
mod store;

pub use server::{Endpoint, Reply, Server};
pub use site::{Site, SiteOptions, SiteParts, site};

use std::io;
use std::process::{Command, Stdio};

/// Opens an address in the browser that the user has chosen, without waiting for it.
///
/// # Errors
/// When no program that does this can be started.
pub fn open(url: &str) -> io::Result<()> {
    let start = |program| {
        let quiet = || Stdio::null();
        Command::new(program).arg(url).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn()
    };
    let mut child = start("xdg-open").or_else(|_| start("open"))?;
    std::thread::Builder::new().name("browser".to_owned()).spawn(move || child.wait())?;
    Ok(())
}
