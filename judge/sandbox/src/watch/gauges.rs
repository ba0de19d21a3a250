//! What can be read of a running program, by tier.

use std::cell::{Cell, OnceCell};

use crate::api::clock;
use crate::cgroup::group::Cgroup;
use crate::proc::tree;
use crate::protocol::notes::Notes;
use crate::protocol::wire::{Reader, Writer, nanoseconds};
use crate::scratch::disk::FileUser;
use crate::scratch::ramdisk::Mountpoint;
use crate::watch::tree_clock::TreeClock;

/// What is counted of the tree, and what of that its root, the helper or the init, used itself. In nanoseconds.
#[derive(Clone, Copy)]
pub(crate) struct Accounts {
    pub(crate) tree: u64,
    pub(crate) group: Option<u64>,
    pub(crate) own: u64,
}

impl Accounts {
    pub(crate) fn encode(self, writer: &mut Writer) {
        writer.u64(self.tree).option(self.group).u64(self.own);
    }

    pub(crate) fn decode(reader: &mut Reader) -> std::io::Result<Accounts> {
        Ok(Accounts { tree: reader.u64()?, group: reader.option()?, own: reader.u64()? })
    }
}

/// Which processes are a run's, as far as that is known without looking for them.
pub(crate) struct Members {
    /// There may be others than the program's first.
    others: Cell<bool>,
    /// That one, once it was found, as long as there are no others.
    first: Cell<Option<i32>>,
    /// Its first thread is known to be all of the run.
    alone: Cell<bool>,
    /// Counts them all, if none of the root's does, from when there may be others.
    clock: OnceCell<TreeClock>,
}

impl Members {
    /// For a run that begins. `gated`: each process and thread after the first has to ask.
    pub(crate) fn new(gated: bool) -> Members {
        let [others, alone] = [!gated, gated].map(Cell::new);
        Members { others, first: Cell::default(), alone, clock: OnceCell::new() }
    }

    /// Whether the program may have started other processes.
    pub(crate) fn has_others(&self) -> bool {
        self.others.get()
    }

    /// One was let in.
    pub(crate) fn let_in(&self) {
        self.others.set(true);
    }

    /// Whether there was never another process or thread.
    pub(crate) fn is_alone(&self) -> bool {
        self.alone.get()
    }

    /// A process or thread may be let in.
    fn expect_company(&self) {
        self.alone.set(false);
    }
}

/// Measures a working folder.
pub(crate) trait Disk {
    /// Bytes on disk now; `None` for more than can be counted.
    fn bytes(&self) -> Option<u64>;
    /// The same when the program is over.
    fn left(&self) -> Option<u64>;
}

/// What can be read in the tier in use.
#[derive(Clone, Copy)]
pub(crate) struct Gauges<'a> {
    /// The process that starts the programs: its descendants are the run.
    pub(crate) root: i32,
    pub(crate) cgroup: Option<&'a Cgroup>,
    /// The root's, which counts the root, too. `None` also where programs have to ask before they are more than one process.
    pub(crate) root_clock: Option<&'a TreeClock>,
    /// Where the accounts of CPU time are kept from one run to the next, if nothing but the root uses any in between.
    pub(crate) accounts: Option<&'a Cell<Option<Accounts>>>,
    pub(crate) notes: &'a Notes,
    /// The working folder, where it is memory.
    pub(crate) folder: Option<&'a Mountpoint>,
    /// The same where it is among the files of others.
    pub(crate) files: Option<&'a dyn Disk>,
    /// The user that programs run as, if it is not this process's own.
    pub(crate) user: Option<u32>,
    /// Whether a run may be more than one process.
    pub(crate) many: bool,
    pub(crate) members: &'a Members,
    /// Whether it has to ask for shared memory.
    pub(crate) grants: bool,
}

impl Gauges<'_> {
    /// The run's processes, dead ones included that were not waited for.
    pub(crate) fn members(&self) -> Vec<i32> {
        if self.members.has_others() {
            return if self.many { tree::descendants(self.root) } else { tree::children(self.root) };
        }
        if let Some(first) = self.members.first.get() {
            return vec![first];
        }
        let found = tree::children(self.root);
        if let [first] = found[..] {
            self.members.first.set(Some(first));
        }
        found
    }

    /// A thread of the run, which waits, asks for a process or thread. If it is all of the run, what it starts can be counted.
    pub(crate) fn expect_company(&self, thread: u32) {
        let is_counted = || self.root_clock.is_some() || self.cgroup.is_some_and(|cgroup| cgroup.cpu().is_some());
        if self.members.is_alone()
            && !is_counted()
            && let Some(clock) = TreeClock::of(thread.cast_signed())
        {
            let _ = self.members.clock.set(clock);
        }
        self.members.expect_company();
    }

    /// What counts the whole tree.
    pub(crate) fn tree_clock(&self) -> Option<&TreeClock> {
        self.members.clock.get().or(self.root_clock)
    }

    /// How much of what the root has used the tree clock has counted.
    pub(crate) fn in_tree_clock(&self, own: u64) -> u64 {
        if self.members.clock.get().is_some() { 0 } else { own }
    }

    /// Looks as the user that programs run as: root may not look into the processes of others in every container.
    pub(crate) fn as_user<T>(&self, look: impl FnOnce() -> T) -> T {
        let _user = self.user.map(FileUser::act_as);
        look()
    }

    /// The accounts of CPU time as they are now.
    pub(crate) fn read_accounts(&self) -> Accounts {
        // First: where the root itself reads, this brings what it has used up to now into the other accounts.
        let own = self.own_cpu();
        let (tree, group) = (self.tree_clock().map_or(0, TreeClock::read), self.cgroup.and_then(Cgroup::cpu));
        Accounts { tree, group, own }
    }

    /// CPU time that the root itself has used, in nanoseconds.
    pub(crate) fn own_cpu(&self) -> u64 {
        // Under a filter, an init may not name its clock by its id.
        let root = if self.root == std::process::id().cast_signed() { 0 } else { self.root };
        clock::cpu_of(root).map_or(0, nanoseconds)
    }
}
