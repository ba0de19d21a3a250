//! What the helper tells a jail's init, and how.

use std::io;
use std::os::fd::OwnedFd;
use std::rc::Rc;

use crate::cgroup::door::Door;
use crate::protocol::messages::Task;
use crate::protocol::notes::Notes;
use crate::protocol::wire::Writer;

/// The uid that a program in a user namespace believes to have.
pub(crate) const INNER_ID: u32 = 1000;

/// Which users a jail knows.
#[derive(Clone, Copy)]
pub(crate) struct Users {
    /// Those of a user namespace; without one, root's own rights build the jail.
    pub(crate) own_user_namespace: bool,
    /// The uid, as the host knows it, that programs run as; `None`: this process's own.
    pub(crate) identity: Option<u32>,
}

/// What an init needs to know, left in memory for it by the helper.
pub(crate) struct InitConfig {
    pub(crate) socket: OwnedFd,
    /// Shared with the helper, which reads when the program started.
    pub(crate) notes: Rc<Notes>,
    pub(crate) users: Users,
    /// Through which the init joins its control groups.
    pub(crate) doors: Vec<Door>,
    /// What the first program to run here is to see.
    pub(crate) task: Task,
    pub(crate) has_cgroup: bool,
    /// Programs stay on the helper's core.
    pub(crate) pinned: bool,
    /// A control group counts CPU time.
    pub(crate) counts_cpu: bool,
    /// A control group counts processes.
    pub(crate) counts_processes: bool,
}

impl InitConfig {
    /// Whether a group's account is exact whenever the helper, on the same core, reads it: then no program runs.
    pub(crate) fn is_exact(&self) -> bool {
        self.counts_cpu && self.pinned
    }
}

/// Sends the message that asks for the program's death: shorter than any order.
pub(crate) fn order_death(socket: &OwnedFd) -> io::Result<()> {
    Writer::default().send(socket, &[])
}
