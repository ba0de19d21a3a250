//! Runs a setter's command (a checker, an interactor, a generator) with limits: in the sandbox, unless it is trusted.
//! Commands end with the judge, even if it is killed.

mod answers;
mod calls;
mod error;
mod files;
mod identity;
mod input;
mod live_call;
mod output;
mod page;
mod place;
mod reports;
mod setter;
mod stop;
mod supervised;
mod walled;
mod words;
mod workers;

pub use answers::{AnswerIndex, answer_files};
pub use calls::{CallInput, Called, Calls};
pub use error::CommandError;
pub use identity::{checker_identity, game_of, generator_identity};
pub use input::CaseInput;
pub use live_call::LiveCall;
pub use output::CommandOutput;
pub use place::Place;
pub use reports::{Reports, call_words};
pub use setter::SetterProgram;
pub use stop::StopSignal;
pub(crate) use supervised::SUPERVISORS;
pub use supervised::{Running, contents, dismiss_supervisors, run, use_as_supervisor};
pub use words::words;
pub use workers::{dismiss_workers, use_sandbox};
