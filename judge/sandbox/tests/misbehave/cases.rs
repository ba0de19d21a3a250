//! The table of misbehaving programs: how each is started, and which results are allowed.

use std::time::Duration;

use judge_sandbox::{Breach, End, Execution};

/// How a run may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Termination {
    /// Exit code 0, and no limit exceeded.
    Fine,
    /// Another exit code or a signal, and no limit exceeded. A program that did not start has not failed.
    Failed,
    /// Exit code.
    Code(i32),
    /// Signal.
    Signal(i32),
    Cpu,
    Wall,
    Memory,
    Output,
    Disk,
    Processes,
}

impl Termination {
    /// Whether `execution` ended like this, judged by its most important breach. No program that did not start has.
    pub(crate) fn is_of(self, execution: &Execution) -> bool {
        if matches!(execution.end, End::NotStarted(_)) {
            return false;
        }
        let clean = execution.breaches.is_empty();
        let first = |breach| execution.breaches.first() == Some(&breach);
        match self {
            Termination::Fine => clean && execution.end == End::Exited(0),
            Termination::Failed => clean && failed(execution),
            Termination::Code(code) => clean && execution.end == End::Exited(code),
            Termination::Signal(signal) => clean && execution.end == End::Signalled(signal),
            Termination::Cpu => first(Breach::Cpu),
            Termination::Wall => first(Breach::Wall),
            Termination::Memory => first(Breach::Memory),
            Termination::Output => first(Breach::Output),
            Termination::Disk => first(Breach::Disk),
            Termination::Processes => first(Breach::Processes),
        }
    }
}

/// Whether the program ran, and ended with another code than 0, or by a signal.
pub(crate) fn failed(execution: &Execution) -> bool {
    match execution.end {
        End::Exited(code) => code != 0,
        End::Signalled(_) => true,
        End::NotStarted(_) => false,
    }
}

/// One program and its limits.
#[derive(Clone, Copy)]
pub(crate) struct Case {
    /// The name of the source file, the mode, and other arguments. The harness replaces `@…`.
    pub(crate) command: &'static str,
    pub(crate) cpu_ms: u64,
    pub(crate) wall_ms: u64,
    pub(crate) memory_mib: u64,
    pub(crate) processes: u32,
    pub(crate) allowed: &'static [Termination],
    pub(crate) says: Option<&'static str>,
    pub(crate) stdin_mib: usize,
    /// Executes what it wrote. Exits with code 4 if that is forbidden because its CPU time could not be counted.
    pub(crate) executes_own: bool,
    /// The limit for the whole run, with start and cleaning up.
    pub(crate) within: Duration,
    /// The reported peak in MiB.
    pub(crate) peak: Option<(u64, u64)>,
    /// The reported CPU time in milliseconds.
    pub(crate) cpu: Option<(u64, u64)>,
}

/// The time limit is short if it may end the program, and otherwise longer than a busy machine needs.
const fn case(command: &'static str, allowed: &'static [Termination]) -> Case {
    Case {
        command,
        cpu_ms: 300,
        wall_ms: if allows_wall(allowed) { 500 } else { 9000 },
        memory_mib: 64,
        processes: 16,
        allowed,
        says: None,
        stdin_mib: 0,
        executes_own: false,
        within: Duration::from_secs(4),
        peak: None,
        cpu: None,
    }
}

const fn allows_wall(allowed: &[Termination]) -> bool {
    match allowed {
        [] => false,
        [Termination::Wall, ..] => true,
        [_, rest @ ..] => allows_wall(rest),
    }
}

const fn done(command: &'static str) -> Case {
    let mut case = case(command, &[Termination::Fine]);
    case.says = Some("done\n");
    case
}

/// A program that requests too many processes or threads and handles the refusal.
const fn full(command: &'static str) -> Case {
    let mut case = case(command, &[Processes]).time(300, 9000);
    case.says = Some("done\n");
    case
}

/// A program whose CPU time is hard to count.
const fn unseen(command: &'static str) -> Case {
    case(command, &[Cpu]).time(300, 9000).cpu(300, 310)
}

/// A program that should reach its memory limit, with enough time for it.
const fn hog(command: &'static str, allowed: &'static [Termination]) -> Case {
    case(command, allowed).time(2000, 9000)
}

impl Case {
    const fn peak(mut self, least: u64, most: u64) -> Case {
        self.peak = Some((least, most));
        self
    }

    const fn cpu(mut self, least: u64, most: u64) -> Case {
        self.cpu = Some((least, most));
        self
    }

    const fn memory(mut self, mib: u64) -> Case {
        self.memory_mib = mib;
        self
    }

    const fn time(mut self, cpu_ms: u64, wall_ms: u64) -> Case {
        self.cpu_ms = cpu_ms;
        self.wall_ms = wall_ms;
        self
    }

    const fn stdin(mut self, mib: usize) -> Case {
        self.stdin_mib = mib;
        self
    }

    const fn processes(mut self, count: u32) -> Case {
        self.processes = count;
        self
    }

    const fn executes_own(mut self) -> Case {
        self.executes_own = true;
        self
    }

    const fn within(mut self, seconds: u64) -> Case {
        self.within = Duration::from_secs(seconds);
        self
    }
}

use Termination::{Code, Cpu, Disk, Failed, Fine, Memory, Output, Processes, Signal, Wall};

/// Every known kind of misbehaviour.
pub(crate) const CASES: &[Case] = &[
    case("cpu alone", &[Cpu]).time(300, 9000).cpu(300, 310),
    case("cpu deaf", &[Cpu]).time(300, 9000).cpu(300, 310),
    case("cpu threads", &[Cpu]).time(300, 9000).cpu(300, 310),
    case("cpu headless", &[Cpu]).time(300, 9000).cpu(300, 310),
    case("cpu children", &[Cpu]).time(300, 9000).cpu(300, 310),
    case("cpu uncounted", &[Cpu]).time(300, 9000).cpu(300, 310),
    case("cpu restarted", &[Cpu]).time(300, 9000).cpu(300, 310),
    case("cpu unreaped", &[Cpu, Wall]).time(300, 9000).cpu(290, 420),
    case("cpu orphans", &[Fine, Cpu]),
    case("cpu amount @1.25", &[Cpu]).time(1100, 9000).cpu(1100, 1110),
    done("cpu amount 0.1").cpu(100, 115).time(300, 9000),
    case("cpu asleep 1000", &[Wall]).cpu(0, 50),
    done("cpu asleep 0.3").cpu(0, 50).time(300, 5000),
    case("cpu stopped", &[Wall]),
    case("cpu vforked", &[Wall]),
    case("cpu shell", &[Cpu, Code(3)]).time(300, 9000),
    unseen("unseen copied @own").executes_own(),
    unseen("unseen by-descriptor @own").executes_own(),
    unseen("unseen linked @own").executes_own(),
    unseen("unseen memory-file @own").executes_own(),
    unseen("unseen elsewhere @own @writable").executes_own(),
    unseen("unseen foreign @hidden"),
    unseen("unseen foreign-headless @hidden"),
    unseen("unseen brood @hidden"),
    unseen("unseen chain @hidden 0.1"),
    unseen("unseen chain @hidden 0.01").cpu(300, 340),
    unseen("unseen chain @hidden 0.01 reaped").cpu(300, 340),
    unseen("unseen relay 0.01").cpu(300, 340),
    unseen("unseen closed-relay 0.01").cpu(300, 340),
    unseen("unseen chain @own 0.002").cpu(300, 340),
    unseen("unseen late-relay 0.01").cpu(300, 340),
    unseen("unseen threads-relay 0.01").cpu(300, 340),
    unseen("unseen foreign-relay @hidden 0.01").cpu(300, 340),
    unseen("hidden busy"),
    unseen("hidden headless"),
    unseen("hidden relay 0.01").cpu(300, 340),
    hog("memory heap", &[Memory, Failed]).peak(32, 80),
    hog("memory unspeakable", &[Memory, Failed]).peak(32, 80),
    hog("memory at-once", &[Memory, Failed]).peak(0, 80),
    hog("memory grow", &[Memory, Failed]).peak(32, 80),
    hog("memory mapped", &[Memory, Failed]),
    hog("memory headless", &[Memory]).peak(32, 128),
    hog("memory mapped-shared", &[Memory, Failed]),
    hog("memory memory-file", &[Memory, Failed]),
    hog("memory segments", &[Memory, Failed]),
    hog("memory pipes", &[Memory, Failed, Fine]),
    hog("memory files .", &[Memory, Failed, Disk]),
    hog("memory files /tmp", &[Memory, Failed]),
    hog("memory files /dev/shm", &[Memory, Failed]),
    hog("memory one-file big", &[Memory, Failed, Disk]),
    hog("memory one-file /dev/shm/big", &[Memory, Failed]),
    case("memory sparse", &[Failed]),
    hog("memory deleted-files", &[Memory, Failed, Disk]),
    hog("memory mapped-files", &[Memory, Failed, Disk]),
    hog("disk folders", &[Disk, Code(3)]),
    hog("disk small-files", &[Disk, Code(3)]),
    hog("disk empty-folders", &[Disk, Code(3)]),
    hog("disk unlisted", &[Disk, Code(3)]),
    hog("disk undumpable", &[Disk, Code(3)]),
    hog("disk out-of-sight", &[Disk, Code(3)]),
    hog("disk never-named", &[Disk, Code(3)]),
    hog("disk mapped", &[Disk, Code(3)]),
    hog("disk in-flight", &[Disk, Code(3)]),
    hog("disk own-table", &[Disk, Code(3)]),
    hog("disk by-children", &[Disk, Code(3)]),
    hog("disk at-the-end", &[Disk, Code(3)]),
    done("disk modest").time(2000, 6000),
    hog("memory populated", &[Memory, Failed]),
    hog("memory sockets", &[Memory, Failed, Fine]),
    done("memory timers"),
    done("memory spike 40").peak(40, 56),
    done("memory reserve").peak(16, 32),
    done("memory unused").peak(0, 16),
    hog("memory recursion", &[Memory, Failed]).memory(32),
    done("memory deep-stack").memory(128),
    hog("memory children", &[Memory, Failed]).memory(128),
    done("sharing copies 90").memory(100).time(2000, 6000),
    done("sharing pieces 16").time(2000, 6000),
    done("sharing pieces 56").time(2000, 6000),
    hog("sharing pieces 72", &[Memory, Failed]),
    done("sharing again").time(4000, 9000),
    done("sharing vforked").memory(100).time(2000, 6000),
    done("sharing connections").time(2000, 6000),
    case("output letters", &[Output]),
    case("output stubborn", &[Output]),
    done("output complaints"),
    case("output sent", &[Output]),
    case("output gifted", &[Output, Failed]),
    case("output both", &[Output]),
    done("output reshaped"),
    done("output late"),
    case("output all-closed", &[Fine]).cpu(20, 60),
    case("output exactly 65536", &[Fine]),
    case("output exactly 65537", &[Output]),
    case("output echo", &[Output]).stdin(16),
    case("output silent", &[Fine]).cpu(190, 300).time(300, 9000),
    case("output unread", &[Wall]).stdin(16),
    done("output closed-input").stdin(16),
    done("output daemonize"),
    case("output answer-and-hang", &[Wall]),
    case("output code 42", &[Code(42)]),
    case("output code 137", &[Code(137)]),
    case("output signal 9", &[Signal(9)]),
    case("output signal 15", &[Signal(15)]),
    case("output signal 24", &[Signal(24)]),
    case("output signal 31", &[Signal(31)]),
    case("output core", &[Signal(6)]),
    case("output null-pointer", &[Signal(11)]),
    case("processes bomb", &[Cpu, Wall, Memory, Processes, Failed]),
    case("processes relay", &[Cpu, Wall, Memory, Processes, Failed]),
    case("processes zombies", &[Cpu, Wall, Memory, Processes, Failed]),
    case("processes suicides", &[Cpu, Wall, Memory, Processes, Failed]).cpu(0, 320),
    case("processes keeper", &[Wall]),
    done("processes reborn @own").executes_own(),
    case("processes threads", &[Processes, Failed, Memory]).time(2000, 9000),
    case("processes hermits", &[Fine]),
    case("processes strike", &[Fine, Failed]),
    case("processes strike-all", &[Fine, Failed]),
    case("processes harass @victim", &[Fine]),
    done("processes family"),
    // More orphans than may live at once, but one after the other.
    done("processes orphans"),
    case("processes family", &[Processes]).processes(1),
    // As many as allowed, and one more: the answer is there, and the limit was exceeded.
    done("processes crowd 3").time(300, 9000).processes(4),
    full("processes crowd 4").processes(4),
    full("processes crowd 1").processes(1),
    done("processes team 3").time(300, 9000).processes(4),
    full("processes team 4").processes(4),
    full("processes team 1").processes(1),
    done("processes suspended").time(300, 9000).processes(2),
    full("processes suspended").processes(1),
    done("processes interrupted").time(2000, 9000),
    case("escape secrets @secret", &[Fine]),
    case("escape meddle @secret @folder", &[Fine]),
    case("channels network @port @abstract @socket @datagram", &[Fine]),
    case("escape privileges", &[Fine]),
    case("escape walls", &[Fine]),
    case("escape kernel", &[Fine]),
    done("escape inherited"),
    // Twice: the second run must not see what the first one left.
    done("escape inherited"),
    case("escape traps", &[Fine]),
    done("escape inherited"),
    case("escape deep 5000", &[Fine, Cpu, Wall, Memory, Disk]).time(2000, 4000).within(12),
    done("escape inherited").within(12),
    case("escape crowd 5000", &[Fine, Cpu, Wall, Memory, Disk]).time(2000, 4000).within(12),
    done("escape inherited").within(12),
    case("escape outside", &[Fine]),
    done("escape inherited"),
    case("escape control-groups", &[Fine]),
    case("escape descriptors", &[Fine]),
    case("escape setuid", &[Fine, Failed]),
    case("escape overwrite", &[Fine]),
    case("between clocks", &[Fine]),
    case("between paging @own", &[Fine]),
    case("between counters @own", &[Fine]),
    case("between huge", &[Fine]),
    full("races threads 12").processes(12).time(2000, 9000),
    full("races processes 12").processes(12).time(2000, 9000),
    done("races reap 2000").processes(2).time(2000, 9000),
    done("races paths").time(2000, 9000),
    done("races rewritten @own 30").executes_own().time(2000, 9000),
    done("races old-calls @victim"),
    case("races busy 16", &[Cpu]).time(300, 9000).cpu(300, 310),
    case("races busy 16", &[Wall]).time(60_000, 500),
    case("races busy-processes 16", &[Cpu]).time(300, 9000).cpu(300, 310),
    case("races busy-processes 16", &[Wall]).time(60_000, 500),
];
