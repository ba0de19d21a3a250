//! Conversations of a solver and an interactor, or a tester that starts the solver itself: each reads what the other
//! prints, through the judge.

mod converse;
mod decision;
mod relay;
mod tester;

pub(crate) use converse::{ConverseError, Partner, SolverRun, SolverStart, converse};
pub(crate) use tester::test;
