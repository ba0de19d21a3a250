//! The jails of one helper: one for each view of the host that was asked for lately.

use std::os::fd::{BorrowedFd, OwnedFd};

use crate::api::execution::Fault;
use crate::api::fault::Context;
use crate::api::tier::Tier;
use crate::cgroup::site::Site;
use crate::confine::identity::Identity;
use crate::helper::settings::Settings;
use crate::namespace::config::Users;
use crate::namespace::jail::{Foundation, Jail};
use crate::namespace::view::View;
use crate::protocol::messages::Task;

/// How many are kept: solvers that are compared take turns.
const KEPT: usize = 4;

/// Jails, the most recently used last.
pub(crate) struct Jails {
    users: Users,
    identity: Option<Identity>,
    site: Option<Site>,
    pinned: bool,
    name: String,
    /// The socket to the judge, which the init of a jail may serve.
    judge: OwnedFd,
    made: u64,
    /// For the first jail, laid when the helper starts.
    foundation: Option<Foundation>,
    jails: Vec<(View, Jail)>,
}

impl Jails {
    pub(crate) fn open(settings: &Settings, judge: BorrowedFd<'_>) -> Result<Jails, Fault> {
        let identity = Identity::take()?;
        let own_user_namespace = settings.tier != Tier::Root;
        let users = Users { own_user_namespace, identity: identity.as_ref().map(Identity::id) };
        let mut jails = Jails {
            users,
            identity,
            site: settings.site.clone(),
            pinned: settings.core.is_some(),
            name: settings.name.clone(),
            judge: judge.try_clone_to_owned().context("lending the judge's socket")?,
            made: 0,
            foundation: None,
            jails: Vec::new(),
        };
        // If it fails, it is tried again for the first program, which tells why.
        jails.foundation = jails.lay_foundation().ok();
        Ok(jails)
    }

    fn lay_foundation(&mut self) -> Result<Foundation, Fault> {
        self.made += 1;
        let name = format!("{}.{}", self.name, self.made);
        Foundation::lay(self.users, self.site.as_ref(), self.pinned, &name, &self.judge)
    }

    /// The user that programs run as, if it is not this process's own.
    pub(crate) fn identity(&self) -> Option<&Identity> {
        self.identity.as_ref()
    }

    /// Makes the jail for `task` the current one.
    pub(crate) fn prepare(&mut self, task: &Task) -> Result<(), Fault> {
        self.jails.iter().for_each(|(_, jail)| jail.settle());
        self.jails.retain(|(_, jail)| jail.is_sound());
        let view = View::of(task);
        let known = self.jails.iter().position(|(seen, _)| *seen == view);
        let kept = known.map(|index| self.jails.remove(index));
        let kept = kept.filter(|(_, jail)| !jail.is_laden() && jail.can_time(task));
        let entry = match kept {
            Some(entry) => entry,
            None => {
                if self.jails.len() == KEPT {
                    self.jails.remove(0);
                }
                let foundation = self.foundation.take().map_or_else(|| self.lay_foundation(), Ok)?;
                (view, foundation.build(task)?)
            }
        };
        entry.1.prepare(task)?;
        self.jails.push(entry);
        Ok(())
    }

    /// Whether the one that was last prepared can be used again as it is.
    pub(crate) fn is_ready(&self) -> bool {
        self.jails.last().is_some_and(|(_, jail)| {
            jail.settle();
            jail.is_sound()
        })
    }

    /// The one that was last prepared.
    pub(crate) fn current(&self) -> &Jail {
        // `prepare` has put one there. If it failed, the run has ended before this.
        #[expect(clippy::expect_used, reason = "an invariant of this type")]
        let (_, jail) = self.jails.last().expect("a jail was prepared");
        jail
    }
}
