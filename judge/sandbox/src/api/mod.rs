//! What callers and every other room share: requests, executions, faults, tiers, clocks, names, texts and children.

pub(crate) mod child;
pub(crate) mod clock;
pub(crate) mod exchange;
pub(crate) mod execution;
pub(crate) mod fault;
pub(crate) mod names;
pub(crate) mod request;
pub(crate) mod text;
pub(crate) mod tier;
