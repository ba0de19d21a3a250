//! Messages between the judge, its helpers and the inits of jails.

pub(crate) mod charge;
pub(crate) mod exchanges;
pub(crate) mod messages;
pub(crate) mod notes;
pub(crate) mod pass;
pub(crate) mod wire;
