//! Short runs. While the judge repeats its last order, the init of a jail runs it without the helper, as long as each
//! run is short and writes little. It leaves everything else to the helper.

use std::io;
use std::os::fd::AsFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;

use crate::cgroup::Counters;
use crate::clock::{self, nanoseconds};
use crate::confine::fork_gate::ForkGate;
use crate::confine::launch::Child;
use crate::namespace::init::{Handback, Init, InitConfig, StartedRun};
use crate::protocol::messages::{self, Answer, RunSpec};
use crate::protocol::shared_memory::OrderState;
use crate::protocol::{Message, Received};
use crate::request::{Context, Fault, Limits};
use crate::watch::capture::{MAX_INLINE_BYTES, Overflow, Stream, take_rest};
use crate::watch::gauges::{Gauges, RunMembers};
use crate::watch::meter::{Meter, conclude, refused};
use crate::watch::reaper::{self, Finished, ReapedUsage, Scope};

/// How long the init waits for a program before it leaves it to the helper, unless the limits are shorter. A trivial
/// program takes a quarter of this, and most of it if the machine is slow or busy.
const MAX_WALL: Duration = Duration::from_millis(2);

/// Whether the init alone should handle runs like this one.
pub(crate) fn is_short(answer: &Answer) -> bool {
    let usage = &answer.usage;
    usage.wall < MAX_WALL
        && usage.stdout_bytes.max(usage.stderr_bytes) < MAX_INLINE_BYTES as u64
        && answer.breaches.is_empty()
}

/// The result of an order that should be a short run.
enum ShortRun {
    Done(Answer),
    /// The run takes longer, or writes more. The helper is to continue it.
    Exceeded(StartedRun, Rest),
    /// The jail cannot run this order now.
    NotApplicable(Received),
}

/// What the init still has to do for a run.
enum Rest {
    Running(Child, ReapedUsage),
    Over(Finished),
}

impl Init<'_> {
    /// Serves the judge, which repeats the last order, until there is work for the helper, which then uses its socket
    /// again. False if the judge has ended.
    pub(crate) fn serve_judge(&mut self, counters: Counters) -> io::Result<bool> {
        let (config, spec) = (self.config, self.last.clone().ok_or(io::ErrorKind::InvalidData)?);
        if let Some(cgroup) = &config.cgroup {
            cgroup.counters.set(counters);
        }
        while let Some(order) = next_order(config)? {
            let tried = if messages::is_repeat(&order) {
                config.status_page.set_order_state(OrderState::Taken);
                self.try_short_run(&spec, order)
            } else {
                Ok(ShortRun::NotApplicable(order))
            };
            let answer = match tried {
                Ok(ShortRun::Done(answer)) => Ok(answer),
                Err(fault) => Err(fault),
                Ok(ShortRun::Exceeded(run, rest)) => {
                    Handback::StartedRun(run).send(self.bypass, &config.socket)?;
                    // The helper watches it from now on.
                    let conclusion = match rest {
                        Rest::Over(finished) => Ok(Some(Ok(finished))),
                        Rest::Running(child, account) => self.wait_for_end(&spec, &child, account),
                    };
                    return self.report_end(conclusion);
                }
                Ok(ShortRun::NotApplicable(order)) => {
                    let counters = config.cgroup.as_ref().map(|cgroup| cgroup.counters.get()).unwrap_or_default();
                    Handback::Order(counters, order).send(self.bypass, &config.socket)?;
                    return Ok(true);
                }
            };
            let answer = Message::new(&answer);
            config.status_page.set_order_state(OrderState::Unknown);
            answer.send(&config.judge, &[])?;
            config.status_page.set_order_state(OrderState::Idle);
            // If this fails, the init ends, and the helper builds another jail.
            self.folder.renew(self.folder.size).map_err(|fault| io::Error::other(fault.to_string()))?;
        }
        Ok(false)
    }

    fn try_short_run(&mut self, spec: &RunSpec, mut order: Received) -> Result<ShortRun, Fault> {
        let (config, limits) = (self.config, &spec.limits);
        let open = |name, cap, beyond| Stream::for_capture(name, cap, beyond, config.programs_are_others());
        // Before the control group is checked, as the pipes are charged to it.
        let (mut stdout, out) = open("output", limits.stdout, Overflow::EndsRun)?;
        let (mut stderr, err) = open("error output", limits.stderr, Overflow::Dropped)?;
        if let Some(cgroup) = &config.cgroup {
            cgroup.begin();
            if cgroup.had_residual_charge() {
                return Ok(ShortRun::NotApplicable(order));
            }
        }
        let stdin = order.take_fd().context("reading an order")?;
        self.make_ready(spec)?;
        config.status_page.clear();
        let members = RunMembers::new(self.gate.is_some());
        let gauges = self.gauges(&members, limits);
        let meter = Meter::start(gauges, gauges.before_run());
        let launched = self.launch(spec, [stdin.as_fd(), out.as_fd(), err.as_fd()])?;
        drop((stdin, out, err));
        let child = match launched {
            Ok(child) => child,
            Err(errno) => return Ok(ShortRun::Done(refused(errno))),
        };
        config.status_page.set_started(child.started);
        let (before, mut account) = (meter.cpu.before, ReapedUsage::default());
        let rest = if self.ends_soon(&child, limits, &mut account) {
            let finished = reaper::finish(&child, Scope::Namespace, account);
            let totals = meter.totals(&finished);
            self.note_run(&child, &finished);
            take_rest([&mut stdout, &mut stderr], &mut [0; MAX_INLINE_BYTES])?;
            if stdout.done && stderr.done {
                stderr.finish()?;
                let answer = conclude(limits, &finished, Vec::new(), &totals, &mut stdout, &mut stderr);
                return Ok(ShortRun::Done(answer));
            }
            Rest::Over(finished)
        } else {
            Rest::Running(child, account)
        };
        self.accounts.take();
        let group = config.cgroup.as_ref().map(|group| group.before.get()).unwrap_or_default();
        let (stdout, stderr) = (stdout.into_partial(), stderr.into_partial());
        Ok(ShortRun::Exceeded(StartedRun { group, accounts: before, stdout, stderr }, rest))
    }

    /// Waits for the program's end while the run is short. False if the program is still running, or if the helper is
    /// needed.
    fn ends_soon(&self, child: &Child, limits: &Limits, account: &mut ReapedUsage) -> bool {
        let until = clock::now() + nanoseconds(MAX_WALL.min(limits.shortest_time()));
        let (reaper, gate) = (self.reaper.fd(), self.gate.as_ref().map_or(self.reaper.fd(), ForkGate::fd));
        loop {
            let left = clock::timespec(until.saturating_sub(clock::now()));
            let mut fds = [
                PollFd::from_borrowed_fd(reaper, PollFlags::IN),
                PollFd::new(&self.config.judge, PollFlags::RDHUP),
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

    /// The readings of a program that are available.
    fn gauges<'a>(&'a self, members: &'a RunMembers, limits: &Limits) -> Gauges<'a> {
        Gauges {
            root: std::process::id().cast_signed(),
            cgroup: self.config.cgroup.as_deref(),
            root_clock: self.tree_clock.as_ref(),
            accounts: self.config.is_exact().then_some(&self.accounts),
            status_page: &self.config.status_page,
            folder: None,
            files: None,
            user: None,
            may_have_others: limits.allow_others(),
            members,
            asks_for_memory: true,
        }
    }
}

/// Waits for the judge's next order. While the status page says that this init is idle, the init has not taken an
/// order.
fn next_order(config: &InitConfig) -> io::Result<Option<Received>> {
    rustix::io::retry_on_intr(|| rustix::event::poll(&mut [PollFd::new(&config.judge, PollFlags::IN)], None))?;
    config.status_page.set_order_state(OrderState::Unknown);
    let order = Received::receive(&config.judge)?;
    if order.is_none() {
        // The judge has ended.
        config.status_page.set_order_state(OrderState::Idle);
    }
    Ok(order)
}
