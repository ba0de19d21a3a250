//! A program that the helper has started by itself.

use std::os::fd::BorrowedFd;

use crate::api::execution::Fault;
use crate::confine::launch::Child;
use crate::protocol::charge::Charge;
use crate::watch::program::Program;
use crate::watch::reaper::{self, Account, Conclusion, Reaper, Scope};

/// A program started by this very process.
pub(crate) struct OwnProgram<'a> {
    pub(crate) child: Child,
    pub(crate) reaper: &'a Reaper,
    pub(crate) account: Account,
    /// Notes it as long as it lives.
    pub(crate) charge: Option<&'a Charge>,
}

impl Program for OwnProgram<'_> {
    fn ended(&self) -> BorrowedFd<'_> {
        self.reaper.fd()
    }

    fn is_over(&mut self) -> bool {
        self.reaper.tidy(&self.child, &mut self.account)
    }

    fn kill(&mut self) {
        reaper::kill(&self.child, Scope::Group);
    }

    fn finish(&mut self) -> Result<Conclusion, Fault> {
        let account = std::mem::take(&mut self.account);
        let finished = reaper::finish(&self.child, Scope::Group, account);
        if let Some(charge) = self.charge {
            charge.clear();
        }
        Ok(Conclusion::Finished(finished))
    }

    fn has_started(&self) -> bool {
        true
    }

    fn started(&self) -> u64 {
        self.child.started
    }
}
