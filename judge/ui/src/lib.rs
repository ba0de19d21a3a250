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
mod assets;
mod browser;
mod field;
mod film;
mod guard;
mod hand;
mod refused;
mod row_order;
mod server;
mod shown_run;
mod started;
mod store;

pub use browser::open;
pub use server::Server;
pub use started::Starter;
