//! What the helper tells a jail's init, and how.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::rc::Rc;

use crate::cgroup::door::Door;
use crate::cgroup::group::{Before, Cgroup, Counters};
use crate::protocol::notes::Notes;
use crate::protocol::pass::Pass;
use crate::protocol::wire::{Reader, Writer};
use crate::watch::capture;
use crate::watch::gauges::Accounts;

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
    /// The helper's end of its socket to the judge, which the init serves when it is told to.
    pub(crate) judge: OwnedFd,
    /// Shared with the helper, which reads when the program started.
    pub(crate) notes: Rc<Notes>,
    pub(crate) users: Users,
    /// Through which the init joins its control groups.
    pub(crate) doors: Vec<Door>,
    /// Its files are open, its paths lead nowhere in the jail.
    pub(crate) cgroup: Option<Rc<Cgroup>>,
    /// Programs stay on the helper's core.
    pub(crate) pinned: bool,
    /// A control group counts CPU time.
    pub(crate) counts_cpu: bool,
    /// A control group counts processes.
    pub(crate) counts_processes: bool,
}

impl InitConfig {
    pub(crate) fn has_cgroup(&self) -> bool {
        self.cgroup.is_some()
    }

    /// Whether programs run as another user than the init, as the jail sees them.
    pub(crate) fn programs_are_others(&self) -> bool {
        self.users.identity.is_some() && !self.users.own_user_namespace
    }

    /// Whether a group's account is exact whenever the helper, on the same core, reads it: then no program runs.
    pub(crate) fn is_exact(&self) -> bool {
        self.counts_cpu && self.pinned
    }
}

/// What the helper hears from an init that served the judge.
pub(crate) enum Returned {
    /// An order that is the helper's to follow, and the counters of the control group, if there is one.
    Order(Counters, Reader),
    /// A program that is not as brief as it was thought to be, or has written more. Its end will be told as that of one
    /// that the helper has ordered.
    Begun(Begun),
}

/// How far a run has come.
pub(crate) struct Begun {
    /// How the control group stood before, if there is one.
    pub(crate) group: Before,
    /// The accounts of CPU time before.
    pub(crate) accounts: Accounts,
    pub(crate) stdout: capture::BegunStream,
    pub(crate) stderr: capture::BegunStream,
}

impl Returned {
    /// Sends it.
    pub(crate) fn send(self, pass: Option<Pass>, socket: &OwnedFd) -> io::Result<()> {
        let mut writer = Writer::default();
        let fds = match self {
            Returned::Order(counters, order) => {
                counters.encode(writer.u64(0));
                order.enclose(&mut writer)
            }
            Returned::Begun(Begun { group, accounts, stdout, stderr }) => {
                group.encode(writer.u64(1));
                accounts.encode(&mut writer);
                [stdout, stderr]
                    .map(|stream| {
                        writer.bytes(&stream.few).u64(stream.seen);
                        stream.pipe
                    })
                    .into()
            }
        };
        writer.send_by(pass, socket, &fds.iter().map(AsFd::as_fd).collect::<Vec<_>>())
    }

    pub(crate) fn decode(mut reader: Reader) -> io::Result<Returned> {
        if reader.u64()? == 0 {
            return Ok(Returned::Order(Counters::decode(&mut reader)?, reader.enclosed()?));
        }
        let (group, accounts) = (Before::decode(&mut reader)?, Accounts::decode(&mut reader)?);
        let mut stream = || {
            Ok::<_, io::Error>(capture::BegunStream { few: reader.bytes()?, seen: reader.u64()?, pipe: reader.fd()? })
        };
        Ok(Returned::Begun(Begun { group, accounts, stdout: stream()?, stderr: stream()? }))
    }
}

/// Sends the message that asks for the program's death: shorter than any order.
pub(crate) fn order_death(socket: &OwnedFd) -> io::Result<()> {
    Writer::default().send(socket, &[])
}
