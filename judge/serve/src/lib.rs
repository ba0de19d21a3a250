//! Evaluates solvers for other programs: evolutionary search, language models, tuners, agents.
//!
//! - An [`Evaluator`] owns the cores of a server: its workers stay warm from request to request, equal candidates on
//!   equal cases are not run again, and a candidate that is not better than the incumbent is stopped early.
//! - A [`Client`] takes messages of JSON-RPC 2.0 and sends answers. [`serve_stdio`] connects one with standard input
//!   and output. An HTTP server calls [`Client::receive_one`] for each request.
//! - [`Methods`] are the methods that a client can call: those of `judge serve`, or of the Model Context Protocol.
//!
//! The path of one evaluation:
//!
//! ```text
//! line ─ rpc::parse ─▶ Request ─ Client ─▶ Queue: by priority, bounded; a Task can be cancelled
//! params ─▶ problems: the problem, compiled, with its cases ─▶ candidate: the solver, compiled in the sandbox
//! known: results of equal candidates on equal cases
//! evaluation: the other cases ─ LocalRunner over a SlotPool ─▶ outcomes; after each batch a look at the comparison
//! outcomes ─▶ known, the journal, judge_report::Evaluation ─▶ answer
//! ```
//!
//! Cores are assigned case by case: an urgent request takes the next core that becomes free, and continues while others
//! wait.
//!
//! ```no_run
//! use judge_cli::EvaluatorArgs;
//! use judge_serve::{Client, Evaluator, Methods, Pending};
//! use judge_session::{Failure, GlobalArgs, load};
//!
//! /// Prints the answer to a request, once it is there. The request is cancelled when the returned value is dropped.
//! fn ask(args: EvaluatorArgs, request: &str) -> Result<Pending, Failure> {
//!     let evaluator = Evaluator::open(load::catalogue(GlobalArgs::default())?, args, false, None)?;
//!     let client = Client::new(evaluator, Methods::Serve, None);
//!     Ok(client.receive_one(request.as_bytes(), |answer| println!("{}", answer.unwrap_or_default())))
//! }
//! ```

#![cfg_attr(not(test), warn(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap))]

mod candidate;
mod client;
mod compare;
mod evaluation;
mod evaluator;
mod known;
mod mcp;
mod methods;
mod params;
mod problems;
mod queue;
mod rpc;
mod sealed;
mod slots;
mod stopping;

pub use client::{Client, Pending, serve_stdio};
pub use evaluator::Evaluator;
pub use mcp::Mcp;
pub use methods::Methods;

/// The maximal number of bytes of a message.
pub const MAX_MESSAGE: usize = 16 << 20;
