//! Brief programs: the init of a jail runs what the judge orders again, with no helper in between, as long as such a
//! program ends within moments and writes little. All else it leaves to the helper.

use std::cell::Cell;
use std::io;
use std::os::fd::AsFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;

use crate::cgroup::Counters;
use crate::clock::{self, nanoseconds};
use crate::confine::fork_gate::ForkGate;
use crate::confine::launch::{Child, Launched};
use crate::namespace::init::{Begun, Init, InitConfig, Returned};
use crate::protocol::messages::{self, Answer, OrderKind, Task};
use crate::protocol::shared_memory::Service;
use crate::protocol::{Pass, Reader};
use crate::request::{Context, Fault, Limits};
use crate::watch::capture::{Beyond, FEW_BYTES, Stream, take_rest};
use crate::watch::gauges::{Accounts, Gauges, Members, TreeClock};
use crate::watch::meter::{Meter, conclude, refused};
use crate::watch::reaper::{self, Account, Conclusion, Finished, Scope};

/// How long the init waits for a program before it leaves it to the helper, if its limits are not shorter. A program that
/// does next to nothing takes a quarter of it, and most of it where the machine is slow or busy.
const BRIEF: Duration = Duration::from_millis(2);

/// Whether a program that ran like this, and others like it, is for the init alone.
pub(crate) fn is_brief(answer: &Answer) -> bool {
    let usage = &answer.usage;
    usage.wall < BRIEF && usage.stdout_bytes.max(usage.stderr_bytes) < FEW_BYTES as u64 && answer.breaches.is_empty()
}

/// What became of a program that was thought to be brief.
enum Brief {
    Is(Answer),
    /// It is not: the helper is to go on.
    IsNot(Begun, Rest),
    /// The order is not for this jail as it is now.
    NotHere(Reader),
}

/// What the init still has to do about a program.
enum Rest {
    Running(Child, Account),
    Over(Finished),
}

impl Init {
    /// Serves the judge, as the helper has asked for, until there is something for the helper, which then has its socket
    /// back. `task`: what is ordered again. False: the judge has gone.
    pub(crate) fn serve_judge(
        &mut self,
        config: &InitConfig,
        mut message: Reader,
        task: &Task,
        pass: Option<Pass>,
    ) -> io::Result<bool> {
        message.u64()?;
        let counters = Counters::decode(&mut message)?;
        if let Some(cgroup) = &config.cgroup {
            cgroup.set_counters(counters);
        }
        while let Some(order) = next_order(config)? {
            let tried = if order.peek() == Some(OrderKind::Again as u64) {
                config.notes.set_service(Service::Taken);
                self.try_brief(config, task, order)
            } else {
                Ok(Brief::NotHere(order))
            };
            let answer = match tried {
                Ok(Brief::Is(answer)) => Ok(answer),
                Err(fault) => Err(fault),
                Ok(Brief::IsNot(begun, rest)) => {
                    Returned::Begun(begun).send(pass, &config.socket)?;
                    return self.see_through(config, task, rest, pass);
                }
                Ok(Brief::NotHere(order)) => {
                    let counters = config.cgroup.as_ref().map(|cgroup| cgroup.counters()).unwrap_or_default();
                    Returned::Order(counters, order).send(pass, &config.socket)?;
                    return Ok(true);
                }
            };
            let answer = messages::encode_answer(&answer);
            config.notes.set_service(Service::Unknown);
            answer.send(&config.judge, &[])?;
            config.notes.set_service(Service::Idle);
            // As after a program for the helper. If it fails, this init ends, and the helper builds another jail.
            self.folder.renew(self.size).map_err(|fault| io::Error::other(fault.to_string()))?;
        }
        Ok(false)
    }

    fn try_brief(&mut self, config: &InitConfig, task: &Task, mut order: Reader) -> Result<Brief, Fault> {
        let limits = &task.limits;
        let open = |name, cap, beyond| Stream::for_capture(name, cap, beyond, config.programs_are_others());
        // Before the control group is looked at: they are charged to it.
        let (mut stdout, out) = open("output", limits.stdout, Beyond::Ends)?;
        let (mut stderr, err) = open("error output", limits.stderr, Beyond::Dropped)?;
        if let Some(cgroup) = &config.cgroup {
            cgroup.begin();
            if cgroup.was_laden() {
                return Ok(Brief::NotHere(order));
            }
        }
        let stdin = order.u64().and_then(|_| order.fd()).context("reading an order")?;
        self.make_ready(task)?;
        config.notes.clear();
        let accounts = std::mem::take(&mut self.accounts);
        let members = Members::new(self.gate.is_some());
        let meter = Meter::start(gauges(config, self.tree_clock.as_ref(), &members, &accounts, limits));
        let launched = self.launch(task, [stdin.as_fd(), out.as_fd(), err.as_fd()])?;
        drop((stdin, out, err));
        let child = match launched {
            Launched::Running(child) => child,
            Launched::Refused(errno) => return Ok(Brief::Is(refused(errno))),
        };
        config.notes.set_started(child.started);
        let (before, mut account) = (meter.before(), Account::default());
        let rest = if self.ends_soon(config, &child, limits, &mut account) {
            let finished = reaper::finish(&child, Scope::Namespace, account);
            let totals = meter.totals(&finished);
            self.notice(&child, &finished);
            take_rest([&mut stdout, &mut stderr], &mut [0; FEW_BYTES])?;
            if stdout.done && stderr.done {
                let answer = conclude(limits, &finished, Vec::new(), &totals, &mut stdout, &mut stderr);
                self.accounts = accounts;
                return Ok(Brief::Is(answer));
            }
            Rest::Over(finished)
        } else {
            Rest::Running(child, account)
        };
        let group = config.cgroup.as_ref().map(|group| group.before()).unwrap_or_default();
        Ok(Brief::IsNot(Begun { group, accounts: before, stdout: stdout.begun(), stderr: stderr.begun() }, rest))
    }

    /// Waits for the program's end while it can be brief. False: it goes on, or something has happened that is for the
    /// helper.
    fn ends_soon(&self, config: &InitConfig, child: &Child, limits: &Limits, account: &mut Account) -> bool {
        let until = clock::now() + nanoseconds(BRIEF.min(limits.shortest_time()));
        let (reaper, gate) = (self.reaper.fd(), self.gate.as_ref().map_or(self.reaper.fd(), ForkGate::fd));
        loop {
            let left = clock::timespec(until.saturating_sub(clock::now()));
            let mut fds = [
                PollFd::from_borrowed_fd(reaper, PollFlags::IN),
                PollFd::new(&config.judge, PollFlags::RDHUP),
                PollFd::from_borrowed_fd(gate, PollFlags::IN),
            ];
            match rustix::event::poll(&mut fds, Some(&left)) {
                Err(Errno::INTR) => continue,
                Err(_) | Ok(0) => return false,
                Ok(_) => {}
            }
            let [ended, judge_left, asked] = fds.map(|fd| !fd.revents().is_empty());
            if ended && self.reaper.tidy(child, account) {
                return true;
            }
            if judge_left || (asked && self.gate.is_some()) {
                return false;
            }
        }
    }

    /// Sees a program through whose watching is the helper's from here.
    fn see_through(&mut self, config: &InitConfig, task: &Task, rest: Rest, pass: Option<Pass>) -> io::Result<bool> {
        let conclusion = match rest {
            Rest::Over(finished) => Ok(Some(Conclusion::Finished(finished))),
            Rest::Running(child, account) => self.see_end(config, task, &child, account),
        };
        self.tell(config, conclusion, pass)
    }
}

/// Waits for the judge's next order. While the notes say that this init is idle, it has taken none.
fn next_order(config: &InitConfig) -> io::Result<Option<Reader>> {
    rustix::io::retry_on_intr(|| rustix::event::poll(&mut [PollFd::new(&config.judge, PollFlags::IN)], None))?;
    config.notes.set_service(Service::Unknown);
    let order = Reader::receive(&config.judge)?;
    if order.is_none() {
        // The judge has gone.
        config.notes.set_service(Service::Idle);
    }
    Ok(order)
}

/// What can be read of a program.
fn gauges<'a>(
    config: &'a InitConfig,
    root_clock: Option<&'a TreeClock>,
    members: &'a Members,
    accounts: &'a Cell<Option<Accounts>>,
    limits: &Limits,
) -> Gauges<'a> {
    Gauges {
        root: std::process::id().cast_signed(),
        cgroup: config.cgroup.as_deref(),
        root_clock,
        accounts: config.is_exact().then_some(accounts),
        notes: &config.notes,
        folder: None,
        files: None,
        user: None,
        many: limits.allow_others(),
        members,
        grants: true,
    }
}
